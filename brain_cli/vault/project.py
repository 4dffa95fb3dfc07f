"""Find the project of a folder in git's own files, without running git."""

from __future__ import annotations

import os
from pathlib import Path

from brain_cli.regular_file import read_regular

# The files read here hold one path.
MAX_GIT_FILE_BYTES = 10_000


def project_of(folder: str) -> str | None:
    """Return the name of the git repository of a folder; None outside one.

    It is the name of the folder with the common git directory, so a worktree has its main repository's name. A bare
    repository has the name of its own folder without `.git`.
    """
    root = repository_root(folder)
    if root is None:
        bare = _bare_repository(folder)
        return bare.with_suffix("").name if bare else None
    git = Path(root, ".git")
    return _common_folder(git, git.parent).name if git.is_file() else git.parent.name


def repository_root(folder: str) -> str | None:
    """Return the top folder of a folder's git work tree; None outside one."""
    # The path is not resolved: a link into a repository belongs to the folder that it is in.
    start = Path(os.path.abspath(folder))
    return next((str(parent) for parent in (start, *start.parents) if (parent / ".git").exists()), None)


def _bare_repository(folder: str) -> Path | None:
    """Return the bare repository that is or contains a folder; None if there is none."""
    start = Path(os.path.abspath(folder))
    return next((each for each in (start, *start.parents) if (each / "HEAD").is_file() and _has_objects(each)), None)


def _has_objects(folder: Path) -> bool:
    return (folder / "objects").is_dir() and (folder / "refs").is_dir()


def below_root(file: str, folder: str) -> str:
    """Return the path from its repository's root of a file given relative to a folder; absolute if it is outside."""
    root, path = repository_root(folder) or folder, os.path.normpath(os.path.join(folder, file))
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else path


def git_folder(folder: str) -> str | None:
    """Return the git folder, which has the HEAD, of a folder's work tree; None outside one."""
    root = repository_root(folder)
    if root is None:
        return None
    git = Path(root, ".git")
    if git.is_dir():
        return str(git)
    try:
        return os.path.join(root, git.read_text(encoding="utf-8").partition("gitdir:")[2].strip())
    except (OSError, ValueError):
        return None


def _common_folder(git_file: Path, worktree: Path) -> Path:
    """Follow `gitdir:` and `commondir` of a worktree to the main repository; a submodule is its own."""
    try:
        gitdir = (worktree / _text(git_file).partition("gitdir:")[2].strip()).resolve()
        common = (gitdir / _text(gitdir / "commondir").strip()).resolve()
    except (OSError, ValueError):
        return worktree
    # A bare repository with worktrees is not inside a work tree: its own name counts, without `.git`.
    return common.parent if common.name == ".git" else common.with_suffix("")


def _text(path: Path) -> str:
    return read_regular(path, MAX_GIT_FILE_BYTES).decode("utf-8")
