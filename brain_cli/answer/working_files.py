"""The files that a note names, compared with the working folder: the one signal that depends on the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from itertools import islice

from brain_cli.types import NoteMetadata, Session
from brain_cli.vault.project import repository_root

# A note names a few files. Each is looked up in every recall that ranks the note, so a longer list is not.
MAX_FILES = 100
MAX_PATH_CHARS = 1_000


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
    # No file has a null character in its name, and Python refuses to look for one.
    possible = (file for file in islice(files, MAX_FILES) if "\0" not in file and len(file) <= MAX_PATH_CHARS)
    inside = (os.path.realpath(os.path.join(root, file)) for file in possible)
    found = sum(path.startswith(root + os.sep) and os.path.exists(path) for path in inside)
    return found / min(len(files), MAX_FILES)
