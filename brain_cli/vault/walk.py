"""List the notes of a vault with size and time. Only ignore files are opened, and no link is followed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Mapping
from stat import S_ISREG
from typing import NamedTuple

from brain_cli.types import NOTE_SUFFIXES
from brain_cli.vault.rule_chain import OBSIDIAN_SETTINGS, RuleChain

IGNORE_FILES = (".gitignore", ".brainignore")
SKIPPED_FOLDERS = ("node_modules",)
# A file that is younger than this when it is read could change again within the resolution of its time.
FRESH_NS = 50_000_000
FRESH = "fresh"

Warn = Callable[[str, str], None]
# The earlier state of a note's file: its bytes, and its mtime in nanoseconds.
FileState = tuple[int, int]


class File(NamedTuple):
    """A note's file as the folder lists it: path relative to the vault (POSIX), bytes, mtime in nanoseconds."""

    path: str
    size: int
    mtime_ns: int


class FolderVerdict(NamedTuple):
    """The ignored names of one folder; `stamp` changes with its ignore files, and is empty if it has none."""

    stamp: str
    ignored: frozenset[str]


class Listing(NamedTuple):
    """The notes of a vault, and the verdict on each folder that is not ignored.

    `files` are new and changed notes, in path order; `unchanged` are the paths of the others.
    """

    files: list[File]
    unchanged: list[str]
    verdicts: Mapping[str, FolderVerdict]


def walk(vault: str, warn: Warn) -> list[File]:
    """List the notes of a vault in path order, matching every name against the ignore files."""
    return walk_from(vault, warn, {}, {}).files


def walk_from(vault: str, warn: Warn, known: Mapping[str, FolderVerdict], states: Mapping[str, FileState]) -> Listing:
    """List the notes of a vault; call `warn(path, why)` for folders that cannot be read.

    Hidden files and folders, `node_modules`, names in `.gitignore` or `.brainignore` and what Obsidian's settings
    exclude are left out.
    Symbolic links are not followed: a link inside the vault leads to a note that is listed anyway.

    `known` are the verdicts of an earlier walk, `states` the notes that it found. Ignore files that have not changed
    since are not read again, and only new names are matched against them.
    """
    return _Walk(vault, warn, known, states).run()


class _Walk:
    """One walk over a vault."""

    def __init__(
        self, vault: str, warn: Warn, known: Mapping[str, FolderVerdict], states: Mapping[str, FileState]
    ) -> None:
        self._vault = vault
        self._warn = warn
        self._known = known
        self._states = states
        self._started_ns = time.time_ns()
        self._files: list[File] = []
        self._unchanged: list[str] = []
        self._verdicts: dict[str, FolderVerdict] = {}
        # The folders still to list. There is no recursion, because folders may nest deeper than Python's stack.
        self._folders: list[tuple[str, RuleChain | None, bool]] = [("", None, True)]

    def run(self) -> Listing:
        while self._folders:
            self._list(*self._folders.pop())
        self._files.sort()
        return Listing(self._files, self._unchanged, self._verdicts)

    def _list(self, folder: str, above: RuleChain | None, is_known: bool) -> None:
        """List one folder; `is_known` is false below ignore files that have changed."""
        try:
            # The system finds a file faster relative to an open folder than by its whole path.
            handle = os.open(os.path.join(self._vault, folder) if folder else self._vault, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            self._warn(folder or ".", _unreadable(error))
            return
        try:
            with os.scandir(handle) as listing:
                self._scan_folder(folder, list(listing), above, is_known)
        except OSError as error:
            self._warn(folder or ".", _unreadable(error))
        finally:
            os.close(handle)

    def _scan_folder(
        self, folder: str, entries: list[os.DirEntry[str]], above: RuleChain | None, is_known: bool
    ) -> None:
        ignore_files = [entry.name for entry in entries if entry.name in IGNORE_FILES and _is_plain(entry)]
        if not folder and _has_obsidian_settings(self._vault, entries):
            ignore_files.append(OBSIDIAN_SETTINGS)
        paths = sorted(os.path.join(self._vault, folder, name) for name in ignore_files)
        stamp = self._stamp(paths) if paths else ""
        chain = RuleChain(folder, paths, above) if paths else above
        before = self._known.get(folder)
        is_known = is_known and before is not None and before.stamp == stamp != FRESH
        ignored = self._classify(entries, f"{folder}/" if folder else "", chain, before if is_known else None)
        self._verdicts[folder] = FolderVerdict(stamp, frozenset(ignored))

    def _classify(
        self, entries: list[os.DirEntry[str]], prefix: str, chain: RuleChain | None, before: FolderVerdict | None
    ) -> list[str]:
        """Add the notes and subfolders of one folder; return the names that are ignored."""
        ignored: list[str] = []
        known_folders: Container[str] = self._known if before else ()
        # The notes that these ignore files did not ignore before.
        known_notes: Container[str] = self._states if before else ()
        known_ignored = before.ignored if before else frozenset()
        for entry in entries:
            name = entry.name
            path = prefix + name
            # This loop takes most of the time for an unchanged vault, so the tests are not in functions of their own.
            if path in known_notes and self._is_unchanged(entry, path):
                self._unchanged.append(path)
            elif entry.is_dir(follow_symlinks=False):
                if name.startswith(".") or name in SKIPPED_FOLDERS:
                    continue
                if name in known_ignored or (chain and path not in known_folders and chain.ignores(path, True)):
                    ignored.append(name)
                else:
                    self._folders.append((path, chain, before is not None))
            elif name.endswith(".md") or name.lower().endswith(NOTE_SUFFIXES):
                if name.startswith("."):
                    continue
                if name in known_ignored or (chain and path not in known_notes and chain.ignores(path, False)):
                    ignored.append(name)
                else:
                    self._add_note(entry, path)
        return ignored

    def _is_unchanged(self, entry: os.DirEntry[str], path: str) -> bool:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return False
        return self._states[path] == (status.st_size, status.st_mtime_ns)

    def _add_note(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._warn(path, _unreadable(error))
            return
        state = status.st_size, status.st_mtime_ns
        # Only a regular file is a note: opening a pipe would wait for its writer.
        if not S_ISREG(status.st_mode):
            return
        if self._states.get(path) == state:
            self._unchanged.append(path)
        else:
            self._files.append(File(path, *state))

    def _stamp(self, paths: list[str]) -> str:
        stamps = []
        for path in paths:
            try:
                status = os.lstat(path)
            except OSError:
                return FRESH
            if max(status.st_mtime_ns, status.st_ctime_ns) >= self._started_ns - FRESH_NS:
                return FRESH
            stamps.append(
                f"{path.rpartition('/')[2]}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"
            )
        return " ".join(stamps)


def _has_obsidian_settings(vault: str, entries: list[os.DirEntry[str]]) -> bool:
    """Return whether a vault has Obsidian's settings, in a folder and a file of its own."""
    folder = OBSIDIAN_SETTINGS.partition("/")[0]
    is_there = any(entry.name == folder and entry.is_dir(follow_symlinks=False) for entry in entries)
    return is_there and os.path.isfile(os.path.join(vault, OBSIDIAN_SETTINGS))


def _is_plain(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def _unreadable(error: OSError) -> str:
    return f"it cannot be read: {(error.strerror or str(error)).lower()}"
