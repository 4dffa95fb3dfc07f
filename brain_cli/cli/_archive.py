"""The archive: which folder it is, where a note is in it, and how a note is marked instead."""

from __future__ import annotations

import os

from brain_cli.cli._workspace import Workspace

STATUS = "status"
ARCHIVED = "archived"


def archive_folder(workspace: Workspace, path: str) -> str | None:
    """Return the archive folder of a note; None if it is in none."""
    top, below, _ = path.partition("/")
    return top if below and top in workspace.config.archive_folders else None


def home_of(path: str) -> str:
    """Return the former path of a note in an archive folder."""
    return path.partition("/")[2]


def archive_of(workspace: Workspace) -> str:
    """Return the archive folder: the first configured one that exists."""
    folders = [name for name in workspace.config.archive_folders if name] or ["archive"]
    existing = (name for name in folders if _is_real_folder(os.path.join(workspace.vault, name)))
    return next(existing, folders[0])


def path_in_archive(workspace: Workspace, path: str, folder: str | None = None) -> str:
    """Return the path of a note in the archive: in a folder like its own, unless another is named."""
    return f"{archive_of(workspace)}/{path}" if folder is None else f"{folder}/{os.path.basename(path)}"


def _is_real_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)
