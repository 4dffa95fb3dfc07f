"""Folder → files: every note of a vault with its size and time, nothing opened, nothing followed out of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.notes.links import NOTE_SUFFIXES

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".brainignore")
SKIPPED_FOLDERS = ("node_modules",)


class File(NamedTuple):
    """A note's file as the folder lists it: path relative to the vault (POSIX), bytes, mtime in nanoseconds."""

    path: str
    size: int
    mtime_ns: int


class IgnoreRules(NamedTuple):
    """The patterns of one folder's ignore files, and that folder ("" for the vault's own)."""

    folder: str
    spec: GitIgnoreSpec


def walk(vault: str, warn: Callable[[str, str], None]) -> list[File]:
    """List the notes of a vault in path order; `warn(path, why)` is told of folders that cannot be read.

    Hidden files and folders, `node_modules` and what `.gitignore` or `.brainignore` name are left out.
    Symbolic links are not followed: a link inside the vault leads to a note that is listed anyway.
    """
    return sorted(_walk(vault, "", (), warn))


def _walk(vault: str, folder: str, rules: tuple[IgnoreRules, ...], warn: Callable[[str, str], None]) -> Iterator[File]:
    try:
        with os.scandir(os.path.join(vault, folder) if folder else vault) as listing:
            entries = [entry for entry in listing if not entry.name.startswith(".") or entry.name in IGNORE_FILES]
    except OSError as error:
        warn(folder or ".", error.strerror or str(error))
        return
    rules += tuple(_rules(entries, folder))
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED_FOLDERS and not _ignored(path + "/", rules):
                yield from _walk(vault, path, rules, warn)
        elif entry.name.lower().endswith(NOTE_SUFFIXES) and not _ignored(path, rules):
            yield from _file(entry, path, warn)


def _file(entry: os.DirEntry[str], path: str, warn: Callable[[str, str], None]) -> Iterator[File]:
    try:
        if entry.is_file(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            yield File(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        warn(path, error.strerror or str(error))


def _rules(entries: list[os.DirEntry[str]], folder: str) -> Iterator[IgnoreRules]:
    for name in IGNORE_FILES:
        found = next((entry for entry in entries if entry.name == name and entry.is_file()), None)
        if found:
            from pathspec import GitIgnoreSpec

            try:
                with open(found.path, encoding="utf-8", errors="replace") as lines:
                    yield IgnoreRules(folder, GitIgnoreSpec.from_lines(lines.read().splitlines()))
            except (OSError, ValueError):
                continue


def _ignored(path: str, rules: tuple[IgnoreRules, ...]) -> bool:
    """The nearest folder's word counts, as in git."""
    for folder, spec in reversed(rules):
        verdict = spec.check_file(path[len(folder) + 1 :] if folder else path).include
        if verdict is not None:
            return bool(verdict)
    return False
