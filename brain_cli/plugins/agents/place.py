"""Describe the folder in which work begins: repository, branch, README title, recent files; without running git."""

from __future__ import annotations

import os
from collections.abc import Iterator

from brain_cli.answer.clues import Place
from brain_cli.paths import is_inside
from brain_cli.vault.git import git_folder, repository_root

LATELY_SECONDS = 3 * 86_400.0
# A repository may be huge; this many entries suffice to see what was worked on.
MAX_ENTRIES = 3_000
MAX_FILES = 6
README_CHARS = 2_000
_SKIPPED = frozenset(("node_modules", "vendor", "target", "build", "dist", "__pycache__", "venv"))


def read_place(folder: str, vault: str, prompt: str, now: float) -> Place:
    """Return the clues that a folder and its repository give about the work in it."""
    if vault and is_inside(folder, vault):
        return Place(prompt=prompt, is_neutral=True)
    root = repository_root(folder)
    below = os.path.relpath(folder, root) if root else os.path.basename(folder)
    folders = tuple(name for name in below.split(os.sep) if name not in ("", ".", ".."))
    if root is None:
        return Place(folders, prompt=prompt, readme_title=_readme_title(folder), is_neutral=True)
    changed = _changed_lately(root, now)
    return Place(folders, _branch(folder), changed, prompt, _readme_title(root))


def _branch(folder: str) -> str:
    """Return the checked-out branch; empty for a detached HEAD."""
    git = git_folder(folder)
    head = _read(os.path.join(git, "HEAD"), 500) if git else ""
    return head.partition("refs/heads/")[2].strip()


def _readme_title(root: str) -> str:
    for name in ("README.md", "readme.md", "README"):
        for line in _read(os.path.join(root, name), README_CHARS).splitlines():
            if line.startswith("# "):
                return line[2:].strip()
    return ""


def _changed_lately(root: str, now: float) -> tuple[str, ...]:
    """Return the files changed in the last days, newest first; none if a checkout has touched all of them."""
    found = [(mtime, path) for path, mtime in _files(root) if 0 <= now - mtime <= LATELY_SECONDS]
    if len({int(mtime) for mtime, _ in found}) <= 1 < len(found):
        return ()
    return tuple(os.path.relpath(path, root) for _, path in sorted(found, reverse=True)[:MAX_FILES])


def _files(root: str) -> Iterator[tuple[str, float]]:
    folders, left = [root], MAX_ENTRIES
    while folders and left > 0:
        try:
            entries = list(os.scandir(folders.pop(0)))
        except OSError:
            continue
        for entry in entries[:left]:
            left -= 1
            if entry.name.startswith(".") or entry.name in _SKIPPED:
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry.path, entry.stat(follow_symlinks=False).st_mtime


def _read(path: str, chars: int) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(chars)
    except OSError:
        return ""
