"""Compare the files that a note names with the working folder: the only signal that depends on the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from itertools import islice

from brain_cli.types import NoteMetadata, Session
from brain_cli.vault.git import repository_root

# Every file is looked up in each recall that ranks the note, so only the first ones of a long list are.
MAX_FILES = 100
MAX_PATH_CHARS = 1_000


def overlap_in(session: Session) -> Callable[[NoteMetadata], float]:
    """Return a function that returns the share (0..1) of a note's files that exist in the session's repository.

    Notes name files relative to the root of their repository.
    """
    root = session.folder and (repository_root(session.folder) or session.folder)
    return lambda metadata: file_overlap(metadata.files, root)


def file_overlap(files: Collection[str], folder: str | None) -> float:
    """Return the share of a note's files that exist under a folder; a path that leaves it counts as absent."""
    if not files or not folder:
        return 0.0
    root = os.path.realpath(folder)
    # No file name has a null character, and Python raises an error for one.
    possible = (file for file in islice(files, MAX_FILES) if "\0" not in file and len(file) <= MAX_PATH_CHARS)
    inside = (os.path.realpath(os.path.join(root, file)) for file in possible)
    found = sum(path.startswith(root + os.sep) and os.path.exists(path) for path in inside)
    return found / min(len(files), MAX_FILES)
