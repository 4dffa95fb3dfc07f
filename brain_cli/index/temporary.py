"""Folders for a temporary index if the cache folder cannot be written: in memory, else on disk."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

from brain_cli.index.directory import IndexDirectory

MEMORY = "/dev/shm"


def temporary_directories() -> Generator[IndexDirectory, None, None]:
    """Yield empty index folders in different parent folders, private to the user; each is removed before the next."""
    for parent in (MEMORY, tempfile.gettempdir):
        with contextlib.suppress(OSError):
            folder = tempfile.mkdtemp(prefix="brain-", dir=parent if isinstance(parent, str) else parent())
            try:
                yield IndexDirectory(Path(os.path.realpath(folder)) / "index")
            finally:
                shutil.rmtree(folder, ignore_errors=True)
