"""The files that a note names, compared with the working folder: the one signal that depends on the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection

from brain_cli.types import NoteMetadata, Session
from brain_cli.vault.project import repository_root


def overlap_in(session: Session) -> Callable[[NoteMetadata], float]:
    """Return the function that tells which share (0..1) of a note's files exist where a session works.

    Notes name files from the root of their repository, wherever in it one stands.
    """
    root = session.folder and (repository_root(session.folder) or session.folder)
    return lambda metadata: file_overlap(metadata.files, root)


def file_overlap(files: Collection[str], folder: str | None) -> float:
    """Return the share of a note's files that exist under a folder; a path that leaves it counts as absent."""
    if not files or not folder:
        return 0.0
    root = os.path.realpath(folder)
    inside = (os.path.realpath(os.path.join(root, file)) for file in files)
    return sum(path.startswith(root + os.sep) and os.path.exists(path) for path in inside) / len(files)
