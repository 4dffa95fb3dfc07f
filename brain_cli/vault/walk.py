"""List the notes of a vault with size and time. Only ignore files are opened, and no link is
followed.
"""

import os
import time
from collections.abc import Callable, Container, Mapping
from stat import S_ISLNK, S_ISREG
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.types import NOTE_SUFFIXES

if TYPE_CHECKING:
    from brain_cli.vault.ignore import IgnoreRules, Pattern

IGNORE_FILES = (".gitignore", ".brainignore")
SKIPPED_FOLDERS = ("node_modules",)
# Obsidian's list of excluded files counts as a further ignore file of the whole vault.
OBSIDIAN_SETTINGS = ".obsidian/app.json"
# A file that is younger than this when it is read could change again within the resolution of its
# time.
FRESH_NS = 50_000_000
FRESH = "fresh"

HIDDEN = "hidden"
SKIPPED = "skipped folder"
IGNORED = "ignored"
SYMLINK = "symbolic link"
FOLDER = "folder"
NOT_MARKDOWN = "not markdown"
NOT_REGULAR = "not a regular file"
NOT_THERE = "not there"
UNREADABLE = "unreadable"
# How a rule is explained; {what} is “it” or “its folder drafts”.
_REASONS = {
    HIDDEN: "{what} is hidden: the name begins with a dot",
    SKIPPED: f"folders named {', '.join(SKIPPED_FOLDERS)} are never read",
    SYMLINK: "{what} is a symbolic link, and links are not followed",
    FOLDER: "it is a folder",
    NOT_MARKDOWN: f"it is not Markdown: notes end in {' or '.join(NOTE_SUFFIXES)}",
    NOT_REGULAR: "it is not a regular file",
    NOT_THERE: "there is no such file",
}

Warn = Callable[[str, str], None]
# The earlier state of a note's file: its bytes, and its mtime in nanoseconds.
FileState = tuple[int, int]


class File(NamedTuple):
    """A note's file as the folder lists it: path relative to the vault (POSIX), bytes, mtime in
    nanoseconds.
    """

    path: str
    size: int
    mtime_ns: int


class FolderVerdict(NamedTuple):
    """The ignored names of one folder; `stamp` changes with its ignore files, and is empty if it
    has none.
    """

    stamp: str
    ignored: frozenset[str]


class Exclusion(NamedTuple):
    """The rule that excludes a file, a sentence that explains it, and the line of an ignore file if
    one decides.
    """

    rule: str
    text: str
    file: str = ""
    line: int = 0


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


def walk_from(
    vault: str, warn: Warn, known: Mapping[str, FolderVerdict], states: Mapping[str, FileState]
) -> Listing:
    """List the notes of a vault; call `warn(path, why)` for folders that cannot be read.

    Hidden files and folders, `node_modules`, names in `.gitignore` or `.brainignore` and what
    Obsidian's settings exclude are left out. Symbolic links are not followed: a link inside the
    vault leads to a note that is listed anyway.

    `known` are the verdicts of an earlier walk, `states` the notes that it found. Ignore files that
    have not changed since are not read again, and only new names are matched against them.
    """
    return _Walk(vault, warn, known, states).run()


def exclusion_of(vault: str, path: str) -> Exclusion | None:
    """Walk down to one file; return the rule that excludes it or a folder above it, None if the
    file is a note.
    """
    warnings: list[str] = []
    walked = _Walk(vault, lambda _, why: warnings.append(why), {}, {}, only=path)
    if walked.run().files:
        try:
            with open(os.path.join(vault, path), "rb"):
                return None
        except OSError as error:
            warnings.append(_unreadable(error))
    return Exclusion(UNREADABLE, warnings[0]) if warnings else walked.exclusion


class _Walk:
    """One walk over a vault, or down to `only` one path to find the rule that excludes it."""

    def __init__(
        self,
        vault: str,
        warn: Warn,
        known: Mapping[str, FolderVerdict],
        states: Mapping[str, FileState],
        only: str = "",
    ) -> None:
        self._vault = vault
        self._warn = warn
        self._only = only
        self.exclusion = Exclusion(NOT_THERE, _REASONS[NOT_THERE])
        self._known = known
        self._states = states
        self._started_ns = time.time_ns()
        self._files: list[File] = []
        self._unchanged: list[str] = []
        self._verdicts: dict[str, FolderVerdict] = {}
        # The folders still to list. There is no recursion, because folders may nest deeper than
        # Python's stack.
        self._folders: list[tuple[str, RuleChain | None, bool]] = [("", None, True)]

    def run(self) -> Listing:
        while self._folders:
            self._list(*self._folders.pop())
        self._files.sort()
        return Listing(self._files, self._unchanged, self._verdicts)

    def _list(self, folder: str, above: "RuleChain | None", is_known: bool) -> None:
        """List one folder; `is_known` is false below ignore files that have changed."""
        try:
            # The system finds a file faster relative to an open folder than by its whole path.
            handle = os.open(
                os.path.join(self._vault, folder) if folder else self._vault,
                os.O_RDONLY | os.O_DIRECTORY,
            )
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
        self,
        folder: str,
        entries: list[os.DirEntry[str]],
        above: "RuleChain | None",
        is_known: bool,
    ) -> None:
        ignore_files = [
            entry.name
            for entry in entries
            if entry.name in IGNORE_FILES and entry.is_file(follow_symlinks=False)
        ]
        if not folder and _has_obsidian_settings(self._vault, entries):
            ignore_files.append(OBSIDIAN_SETTINGS)
        paths = sorted(os.path.join(self._vault, folder, name) for name in ignore_files)
        stamp = self._stamp(paths) if paths else ""
        chain = RuleChain(folder, paths, above) if paths else above
        before = self._known.get(folder)
        is_known = is_known and before is not None and before.stamp == stamp != FRESH
        if self._only:
            on_the_way = f"{self._only}/".startswith
            entries = [
                entry for entry in entries if on_the_way(f"{os.path.join(folder, entry.name)}/")
            ]
        ignored = self._classify(
            entries, f"{folder}/" if folder else "", chain, before if is_known else None
        )
        self._verdicts[folder] = FolderVerdict(stamp, frozenset(ignored))

    def _classify(
        self,
        entries: list[os.DirEntry[str]],
        prefix: str,
        chain: "RuleChain | None",
        before: FolderVerdict | None,
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
            if entry.is_dir(follow_symlinks=False):
                if name.startswith(".") or name in SKIPPED_FOLDERS:
                    self._leave_out(path, HIDDEN if name.startswith(".") else SKIPPED)
                elif name in known_ignored or (
                    chain and path not in known_folders and chain.ignores(path, True)
                ):
                    ignored.append(name)
                    self._leave_out(path, IGNORED, chain, is_folder=True)
                elif path == self._only:
                    self._leave_out(path, FOLDER)
                else:
                    self._folders.append((path, chain, before is not None))
            elif path in known_notes:
                self._add_note(entry, path)
            elif name.endswith(".md") or name.lower().endswith(NOTE_SUFFIXES):
                if name.startswith("."):
                    self._leave_out(path, HIDDEN)
                elif name in known_ignored or (chain and chain.ignores(path, False)):
                    ignored.append(name)
                    self._leave_out(path, IGNORED, chain)
                else:
                    self._add_note(entry, path)
            elif self._only:
                is_link = entry.is_symlink()
                self._leave_out(
                    path, HIDDEN if name.startswith(".") else SYMLINK if is_link else NOT_MARKDOWN
                )
        return ignored

    def _leave_out(
        self, path: str, rule: str, chain: "RuleChain | None" = None, *, is_folder: bool = False
    ) -> None:
        """Keep the rule that excludes a path, if the walk is for one path."""
        if not self._only:
            return
        what = "it" if path == self._only else f"its folder {path}"
        decided = chain.deciding_pattern(path, is_folder) if chain else None
        if decided is None:
            self.exclusion = Exclusion(rule, _REASONS[rule].format(what=what))
            return
        file = os.path.relpath(decided[0], self._vault)
        pattern = decided[1]
        text = f"{what} is ignored by {file}, line {pattern.line}: {pattern.written}"
        self.exclusion = Exclusion(rule, text, file, pattern.line)

    def _add_note(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._warn(path, _unreadable(error))
            return
        state = status.st_size, status.st_mtime_ns
        if self._states.get(path) == state:
            self._unchanged.append(path)
        elif S_ISREG(status.st_mode):
            self._files.append(File(path, *state))
        else:
            # Only a regular file is a note: opening a pipe would wait for its writer.
            self._leave_out(path, SYMLINK if S_ISLNK(status.st_mode) else NOT_REGULAR)

    def _stamp(self, paths: list[str]) -> str:
        stamps = []
        for path in paths:
            try:
                status = os.lstat(path)
            except OSError:
                return FRESH
            if max(status.st_mtime_ns, status.st_ctime_ns) >= self._started_ns - FRESH_NS:
                return FRESH
            name = path.rpartition("/")[2]
            times = f"{status.st_mtime_ns}:{status.st_ctime_ns}"
            stamps.append(f"{name}:{status.st_ino}:{status.st_size}:{times}")
        return " ".join(stamps)


def _has_obsidian_settings(vault: str, entries: list[os.DirEntry[str]]) -> bool:
    """Return whether a vault has Obsidian's settings, in a folder and a file of its own."""
    folder = OBSIDIAN_SETTINGS.partition("/")[0]
    is_there = any(
        entry.name == folder and entry.is_dir(follow_symlinks=False) for entry in entries
    )
    return is_there and os.path.isfile(os.path.join(vault, OBSIDIAN_SETTINGS))


def _unreadable(error: OSError) -> str:
    return f"it cannot be read: {(error.strerror or str(error)).lower()}"


class RuleChain:
    """The ignore files of one folder, and those of the folders above it; read when the first name
    is matched.
    """

    def __init__(self, folder: str, paths: list[str], above: "RuleChain | None") -> None:
        self._folder = folder
        # Sorted, `.brainignore` comes first and so decides first.
        self._paths = sorted(paths)
        self._above = above
        self._rules: list[IgnoreRules] | None = None

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Return whether a path is ignored; the nearest folder's rules decide, as in git."""
        decided = self.deciding_pattern(path, is_folder)
        return decided is not None and not decided[1].negated

    def deciding_pattern(self, path: str, is_folder: bool) -> "tuple[str, Pattern] | None":
        """Return the ignore file and the pattern that decide about a path; None if no pattern
        matches it.
        """
        chain: RuleChain | None = self
        while chain:
            below = path[len(chain._folder) + 1 :] if chain._folder else path
            for file, rules in zip(chain._paths, chain._read(), strict=True):
                pattern = rules.deciding_pattern(below, is_folder)
                if pattern is not None:
                    return file, pattern
            chain = chain._above
        return None

    def _read(self) -> "list[IgnoreRules]":
        """Return the rules of each ignore file, read on the first use."""
        if self._rules is None:
            self._rules = [_read_rules(path) for path in self._paths]
        return self._rules


def _read_rules(path: str) -> "IgnoreRules":
    if path.endswith(OBSIDIAN_SETTINGS):
        from brain_cli.vault.ignore import read_excluded

        return read_excluded(path)
    from brain_cli.vault.ignore import read_rules

    return read_rules(path)
