"""The archive: which folder it is, where a note is in it, and how a note is marked instead."""

from __future__ import annotations

import os

from brain_cli.cli._workspace import Workspace
from brain_cli.vault import kinds

STATUS = "status"
ARCHIVED = "archived"


def archive_folder(workspace: Workspace, path: str) -> str | None:
    """Return the archive folder that a note is in; None if it is in none."""
    return kinds.archive_folder(path, workspace.config.archive_folders)


def home_of(workspace: Workspace, path: str) -> str:
    """Return the former path of a note in an archive folder."""
    return path.removeprefix(f"{archive_folder(workspace, path)}/")


def archive_of(workspace: Workspace) -> str:
    """Return the archive folder: the first configured one that exists."""
    folders = workspace.config.archive_folders or ("archive",)
    existing = (name for name in folders if _is_real_folder(os.path.join(workspace.vault, name)))
    return next(existing, folders[0])


def path_in_archive(workspace: Workspace, path: str, folder: str | None = None) -> str:
    """Return the path of a note in the archive: in a folder like its own, unless another is named."""
    return f"{archive_of(workspace)}/{path}" if folder is None else f"{folder}/{os.path.basename(path)}"


def _is_real_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)
