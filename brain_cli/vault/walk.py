"""List the notes of a vault with size and time. Only ignore files are opened, and no link is
followed.
"""

import os
import time
from collections.abc import Callable, Container, Iterable, Mapping
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.record import Record
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

NOT_THERE = "not there"
FOLDER = "folder"
HIDDEN = "hidden"
# The reasons by the rule that excludes a file; {what} is “it” or “its folder drafts”.
_REASONS = {
    NOT_THERE: "there is no such file",
    FOLDER: "it is a folder",
    HIDDEN: "{what} is hidden: the name begins with a dot",
    "skipped folder": f"folders named {', '.join(SKIPPED_FOLDERS)} are never read",
    "symbolic link": "{what} is a symbolic link, and links are not followed",
    "not markdown": f"it is not Markdown: notes end in {' or '.join(NOTE_SUFFIXES)}",
    "not a regular file": "it is not a regular file",
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


class Exclusion(Record):
    """The rule that excludes a file, a sentence that explains it, and the line of an ignore file if
    one decides.
    """

    rule: str
    text: str
    file: str = ""
    line: int = 0


class Listing(Record):
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
    vault: str,
    warn: Warn,
    known: Mapping[str, FolderVerdict],
    states: Mapping[str, FileState],
) -> Listing:
    """List the notes of a vault; call `warn(path, why)` for folders that cannot be read.

    Hidden files and folders, `node_modules`, names in `.gitignore` or `.brainignore` and what
    Obsidian's settings exclude are omitted. Symbolic links are not followed: a link inside the
    vault leads to a note that is listed anyway.

    `known` are the verdicts of an earlier walk, `states` the notes that it found. Ignore files that
    have not changed since are not read again, and only new names are matched against them.
    """
    found = _Walk(vault, warn, known, states)
    # There is no recursion, because folders may nest deeper than Python's stack.
    while found.folders:
        found.scan(*found.folders.pop())
    found.files.sort()
    return Listing(found.files, found.unchanged, found.verdicts)


class _Walk:
    """One walk over a vault: what it has found, and the `folders` still to list, each with the
    rules above it.
    """

    def __init__(
        self,
        vault: str,
        warn: Warn,
        known: Mapping[str, FolderVerdict],
        states: Mapping[str, FileState],
    ) -> None:
        self._vault = vault
        self._warn = warn
        self._known = known
        self._states = states
        self._started_ns = time.time_ns()
        self.files: list[File] = []
        self.unchanged: list[str] = []
        self.verdicts: dict[str, FolderVerdict] = {}
        self.folders: list[tuple[str, RuleChain | None, bool]] = [("", None, True)]

    def scan(self, folder: str, above: "RuleChain | None", is_known: bool) -> None:
        """List one folder; `is_known` is false below ignore files that have changed."""
        try:
            # The system finds a file faster relative to an open folder than by its whole path.
            handle = os.open(os.path.join(self._vault, folder), os.O_RDONLY | os.O_DIRECTORY)
            try:
                with os.scandir(handle) as listing:
                    self._classify(folder, list(listing), above, is_known)
            finally:
                os.close(handle)
        except OSError as error:
            self._warn(folder or ".", _unreadable(error))

    def _classify(
        self,
        folder: str,
        entries: list[os.DirEntry[str]],
        above: "RuleChain | None",
        is_known: bool,
    ) -> None:
        """Add the notes and subfolders of one folder, and the verdict on it."""
        paths = _ignore_files(self._vault, folder, {entry.name for entry in entries})
        stamp = self._stamp(paths)
        chain = RuleChain(folder, paths, above) if paths else above
        before = self._known.get(folder)
        is_known = is_known and before is not None and before.stamp == stamp != FRESH
        known_folders: Container[str] = self._known if is_known else ()
        # The notes that these ignore files did not ignore before.
        known_notes: Container[str] = self._states if is_known else ()
        known_ignored = before.ignored if before and is_known else frozenset()
        prefix = f"{folder}/" if folder else ""
        ignored: list[str] = []
        for entry in entries:
            name = entry.name
            path = prefix + name
            if path in known_notes:
                self._add_note(entry, path)
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if name.startswith(".") or (
                name in SKIPPED_FOLDERS
                if is_folder
                else not name.lower().endswith(NOTE_SUFFIXES)
            ):
                continue
            if name in known_ignored or (
                chain
                and not (is_folder and path in known_folders)
                and chain.ignores(path, is_folder)
            ):
                ignored.append(name)
            elif is_folder:
                self.folders.append((path, chain, is_known))
            else:
                self._add_note(entry, path)
        self.verdicts[folder] = FolderVerdict(stamp, frozenset(ignored))

    def _add_note(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._warn(path, _unreadable(error))
            return
        state = status.st_size, status.st_mtime_ns
        if self._states.get(path) == state:
            self.unchanged.append(path)
        elif S_ISREG(status.st_mode):
            # Only a regular file is a note: opening a pipe would wait for its writer.
            self.files.append(File(path, *state))

    def _stamp(self, paths: Iterable[str]) -> str:
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


def exclusion_of(vault: str, path: str) -> Exclusion | None:
    """Return the rule that excludes a file, or a folder above it; None if the file is a note."""
    chain: RuleChain | None = None
    folder = ""
    for name in path.split("/"):
        below = os.path.join(folder, name)
        is_last = below == path
        what = "it" if is_last else f"its folder {below}"
        try:
            names = os.listdir(os.path.join(vault, folder))
            mode = os.lstat(os.path.join(vault, below)).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return Exclusion(NOT_THERE, _REASONS[NOT_THERE])
        except OSError as error:
            return Exclusion("unreadable", _unreadable(error))
        if ignore_files := _ignore_files(vault, folder, names):
            chain = RuleChain(folder, ignore_files, chain)
        rule = _rule(name, mode, is_last=is_last)
        is_matched = rule != HIDDEN and (S_ISDIR(mode) or name.lower().endswith(NOTE_SUFFIXES))
        decided = chain.deciding_pattern(below, S_ISDIR(mode)) if chain and is_matched else None
        if decided and not decided[1].negated:
            file = os.path.relpath(decided[0], vault)
            pattern = decided[1]
            text = f"{what} is ignored by {file}, line {pattern.line}: {pattern.written}"
            return Exclusion("ignored", text, file, pattern.line)
        if rule:
            return Exclusion(rule, _REASONS[rule].format(what=what))
        folder = below
    try:
        os.close(os.open(os.path.join(vault, path), os.O_RDONLY))
    except OSError as error:
        return Exclusion("unreadable", _unreadable(error))
    return None


def _rule(name: str, mode: int, *, is_last: bool) -> str:
    """Return the rule that excludes a file or folder whatever the ignore files say; empty if none
    does.
    """
    if name.startswith("."):
        return HIDDEN
    if S_ISDIR(mode):
        return "skipped folder" if name in SKIPPED_FOLDERS else FOLDER if is_last else ""
    if S_ISLNK(mode):
        return "symbolic link"
    if not name.lower().endswith(NOTE_SUFFIXES):
        return "not markdown"
    return "" if S_ISREG(mode) else "not a regular file"


def _ignore_files(vault: str, folder: str, names: Container[str]) -> list[str]:
    """Return the full paths of the ignore files of a folder with these names."""
    found = [name for name in IGNORE_FILES if name in names]
    if ".obsidian" in names and not folder and not os.path.islink(f"{vault}/.obsidian"):
        found.append(OBSIDIAN_SETTINGS)
    paths = sorted(os.path.join(vault, folder, name) for name in found)
    return [path for path in paths if os.path.isfile(path)]


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
            # Imported here, because most walks match no name.
            from brain_cli.vault import ignore

            self._rules = [
                ignore.read_excluded(file)
                if file.endswith(OBSIDIAN_SETTINGS)
                else ignore.read_rules(file)
                for file in self._paths
            ]
        return self._rules
