"""Find out without git, whose module takes long to import, whether a folder is in a repository."""

from __future__ import annotations

import os


def is_in_repository(folder: str) -> bool:
    """Return whether a folder or one above it has a `.git`."""
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True
