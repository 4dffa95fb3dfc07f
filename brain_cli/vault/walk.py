"""Folder → files: every note of a vault with its size and time, nothing opened, nothing followed out of it."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.vault.links import NOTE_SUFFIXES

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
    found: list[File] = []
    # A list of folders to come, not recursion: they may nest deeper than calls can.
    folders: list[tuple[str, tuple[IgnoreRules, ...]]] = [("", ())]
    while folders:
        folder, rules = folders.pop()
        entries = _entries(vault, folder, warn)
        rules += tuple(_rules(entries, folder))
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if _is_open(entry.name) and not _ignored(path + "/", rules):
                    folders.append((path, rules))
            elif _is_note(entry.name) and not _ignored(path, rules):
                found.extend(_file(entry, path, warn))
    return sorted(found)


def _entries(vault: str, folder: str, warn: Callable[[str, str], None]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(os.path.join(vault, folder) if folder else vault) as listing:
            return list(listing)
    except OSError as error:
        warn(folder or ".", f"it cannot be read: {(error.strerror or str(error)).lower()}")
        return []


def _is_open(folder_name: str) -> bool:
    return not folder_name.startswith(".") and folder_name not in SKIPPED_FOLDERS


def _is_note(name: str) -> bool:
    return name.lower().endswith(NOTE_SUFFIXES) and not name.startswith(".")


def _file(entry: os.DirEntry[str], path: str, warn: Callable[[str, str], None]) -> Iterator[File]:
    try:
        # Nothing but a plain file is a note: to open a pipe would wait for its writer.
        if entry.is_file(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            yield File(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        warn(path, f"it cannot be read: {(error.strerror or str(error)).lower()}")


def _rules(entries: list[os.DirEntry[str]], folder: str) -> Iterator[IgnoreRules]:
    for name in IGNORE_FILES:
        # As in git, a link is no ignore file: it could lead out of the vault, or into a pipe.
        found = next((each for each in entries if each.name == name and each.is_file(follow_symlinks=False)), None)
        if found:
            yield IgnoreRules(folder, _spec(found.path))


def _spec(path: str) -> GitIgnoreSpec:
    """Read an ignore file; a line that is no pattern is passed over, as in git."""
    from pathspec import GitIgnoreSpec

    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        lines = []
    with warnings.catch_warnings(action="ignore"):
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True


def _ignored(path: str, rules: tuple[IgnoreRules, ...]) -> bool:
    """The nearest folder's word counts, as in git."""
    for folder, spec in reversed(rules):
        verdict = spec.check_file(path[len(folder) + 1 :] if folder else path).include
        if verdict is not None:
            return bool(verdict)
    return False
