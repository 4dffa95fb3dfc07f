"""Change several files of a vault together or not at all.

The change is written to a journal first. The next command that finds an unfinished journal
completes the change, or undoes it if a file has changed since. The journal is in the user's state
folder, not in the vault:

    pending.json       the change in progress
    changes/12.json    a change that can be undone, by its number
    set-aside-*.json   changes that could be neither completed nor undone, with the former texts
                       of their notes
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from brain_cli.errors import BrainError, space_advice
from brain_cli.paths import make_private_folder
from brain_cli.vault.atomic_write import (
    Written,
    create_note,
    folders_above,
    missing_folders,
    move_file,
    put_back,
    read_note,
    remove_empty_folders,
    remove_leftovers,
    remove_note,
    rename_to_new,
    replace_file,
    replace_note,
    sync_folder,
    writable_path,
    write_beside,
)
from brain_cli.vault.trash import move_to_trash, release, restore_from_trash

# This many changes can be undone, if they take no more bytes than this together.
MAX_CHANGES = 200
MAX_BYTES = 100_000_000
LEFTOVER_SECONDS = 3600.0
UNDONE = "undone"
HALF = "half"
DONE = "done"
CHANGED = "changed"


class FileChange(NamedTuple):
    """One note's path and bytes before and after; `mtime_ns` is its time before. The paths differ
    only in a move.
    """

    path: str
    new_path: str
    before: bytes
    after: bytes
    mtime_ns: int

    @property
    def moves(self) -> bool:
        return self.path != self.new_path

    def reversed(self) -> FileChange:
        """Return the change that undoes this one."""
        return FileChange(self.new_path, self.path, self.after, self.before, self.mtime_ns)


class ChangeSet(NamedTuple):
    """All that one command changed in a vault; `command` is its name, `at` its time (seconds since
    the epoch).

    `changes` are edits and moves; `trashed` and `restored` have the path, hash and place in the
    trash of notes moved there and back: all made together or not at all. The others are recorded
    after they were made: `created` has the path and hash of new notes, `rated` the path and verdict
    of feedback. `undoes` is the number of the change that this one undoes. `folders` are those that
    were made for new paths. `by_agent`: an agent asked for it over MCP.
    """

    command: str
    changes: tuple[FileChange, ...] = ()
    at: float = 0.0
    by_hook: bool = False
    by_agent: bool = False
    created: tuple[tuple[str, str], ...] = ()
    trashed: tuple[tuple[str, str, str], ...] = ()
    rated: tuple[tuple[str, str], ...] = ()
    undoes: int = -1
    restored: tuple[tuple[str, str, str], ...] = ()
    folders: tuple[str, ...] = ()

    def reversed(self, command: str, undoes: int = -1) -> ChangeSet:
        """Return the change set that undoes the edits and moves of this one, in the opposite order."""
        return ChangeSet(
            command, tuple(change.reversed() for change in reversed(self.changes)), undoes=undoes
        )

    @property
    def is_own(self) -> bool:
        """Whether a person made this change; false for a hook or an agent."""
        return not (self.by_hook or self.by_agent)

    @property
    def notes(self) -> list[str]:
        """Return the notes that the user named: those moved, else those edited, created, trashed or
        rated.
        """
        moved = [change.new_path for change in self.changes if change.moves]
        others = (*self.created, *self.trashed, *self.restored, *self.rated)
        return moved or [*(change.path for change in self.changes), *(other[0] for other in others)]


def change_set_of(
    command: str, written: Collection[Written], at: float, *, by_hook: bool = False
) -> ChangeSet:
    """Return the change set of notes that were written already; the first and last text of each
    counts.
    """
    created: dict[str, str] = {}
    edits: dict[str, FileChange] = {}
    for each in written:
        path = each.path
        if each.before is None or path in created:
            created[path] = each.hash
        elif path in edits:
            edits[path] = edits[path]._replace(after=each.after)
        else:
            edits[path] = FileChange(path, path, each.before, each.after, each.mtime_ns)
    folders = tuple(folder for each in written for folder in each.folders)
    return ChangeSet(
        command, tuple(edits.values()), at, by_hook, created=tuple(created.items()), folders=folders
    )


class Recovery(NamedTuple):
    """The outcome for an interrupted change: completed or undone, or the notes (`left`) that
    prevented either.

    `set_aside` is the path to which the journal of such a change was moved. An unreadable journal
    has no command.
    """

    change_set: ChangeSet = ChangeSet("")
    completed: bool = False
    left: tuple[str, ...] = ()
    set_aside: str = ""

    @property
    def moves(self) -> dict[str, str]:
        """Return the moves that were completed (path → new path)."""
        changes = self.change_set.changes if self.completed else ()
        return {change.path: change.new_path for change in changes if change.moves}


class Journal:
    """The journal of one vault, in the user's state folder."""

    def __init__(self, folder: Path) -> None:
        self._pending = folder / "pending.json"
        self._changes = folder / "changes"

    def begin(self, change_set: ChangeSet) -> None:
        """Write a change set to the journal, durably; BrainError if that fails."""
        try:
            make_private_folder(self._changes)
            replace_file(self._pending, _to_json(change_set), mode=0o600)
        except OSError as error:
            raise BrainError(
                f"The journal {self._pending} cannot be written: {error.strerror}.",
                "Nothing was changed.",
            ) from None

    def pending(self) -> ChangeSet | None:
        """Return the unfinished change, if there is one; ValueError if it cannot be read."""
        with contextlib.suppress(OSError):
            if self._pending.stat().st_nlink > 1:
                self._pending.unlink()  # it was finished, and the process killed just then
        return _read(self._pending)

    def finish(self, change_set: ChangeSet) -> None:
        """Keep the completed change, so that it can be undone; forget it and the one that it undoes
        if it does so.
        """
        if change_set.undoes >= 0:
            self.forget(change_set.undoes)
            self.drop()
        else:
            self._keep(self._pending)

    def drop(self) -> None:
        """Forget the pending change, which was rolled back or is not to be undone."""
        self._pending.unlink(missing_ok=True)
        sync_folder(str(self._pending.parent))

    def add(self, change_set: ChangeSet) -> None:
        """Record a change that was made without the journal; OSError if that fails."""
        make_private_folder(self._changes)
        self._keep(write_beside(str(self._changes / "new"), _to_json(change_set), durable=False))

    def changes(self) -> Iterator[tuple[int, ChangeSet]]:
        """Yield the changes that can be undone with their numbers, newest first."""
        for number in reversed(self._numbers()):
            with contextlib.suppress(ValueError):
                if found := _read(self._file(number)):
                    yield number, found

    def forget(self, number: int) -> None:
        """Forget a change, after it was undone."""
        self._file(number).unlink(missing_ok=True)

    def set_aside(self) -> str:
        """Move the journal of the unfinished change away, so that later edits work; return its new
        path.
        """
        for number in itertools.count(1):
            path = self._pending.with_name(f"set-aside-{number}.json")
            if not path.exists():
                os.replace(self._pending, path)
                return str(path)
        raise AssertionError("numbers never end")

    def _file(self, number: int) -> Path:
        return self._changes / f"{number}.json"

    def _numbers(self) -> list[int]:
        return sorted(
            int(path.stem) for path in self._changes.glob("*.json") if path.stem.isdecimal()
        )

    def _keep(self, file: str | Path) -> None:
        """Give a change the next number, and remove the oldest ones beyond the limits."""
        for number in itertools.count(max([0, *self._numbers()]) + 1):
            with contextlib.suppress(FileExistsError):
                rename_to_new(os.fspath(file), os.fspath(self._file(number)))
                break
        sync_folder(str(self._changes))
        for folder in (self._changes, self._changes.parent):
            remove_leftovers(folder, LEFTOVER_SECONDS)
        total = 0
        for count, number in enumerate(reversed(self._numbers()), start=1):
            with contextlib.suppress(OSError):
                total += self._file(number).stat().st_size
                if count > 1 and (count > MAX_CHANGES or total > MAX_BYTES):
                    self.forget(number)


def apply_change_set(vault: str, change_set: ChangeSet, journal: Journal) -> None:
    """Write a change to the journal and make it. If that fails, roll it back, and name the files
    that could not be.

    The caller finishes the journal after its own part of the command.
    """
    made = {
        folder
        for change in change_set.changes
        for folder in missing_folders(vault, change.new_path)
    }
    try:
        journal.begin(change_set._replace(folders=tuple(sorted(made))))
    except BrainError:
        for _, _, place in change_set.trashed:
            release(place)
        raise
    try:
        _make(vault, change_set)
    except BaseException as error:
        left = _undo(vault, change_set)
        if not left:
            journal.drop()
        if not isinstance(error, OSError | BrainError):
            raise
        raise BrainError(
            f"{_reason(vault, error)}.", f"{_leftovers(left)} {space_advice(error)}".rstrip()
        ) from None


def recover(vault: str, journal: Journal) -> Recovery | None:
    """Complete an interrupted change, or undo it if one of its files has changed since.

    The caller finishes the journal of a completed change after its own part. It is set aside if
    neither is possible.
    """
    try:
        change_set = journal.pending()
    except ValueError:
        return Recovery(set_aside=journal.set_aside())
    if change_set is None:
        return None
    for path in [path for change in change_set.changes for path in (change.path, change.new_path)]:
        with contextlib.suppress(OSError, ValueError, BrainError):
            put_back(writable_path(vault, path))
    if not any(state_of(vault, change) == CHANGED for change in change_set.changes):
        with contextlib.suppress(OSError, BrainError):
            _make(vault, change_set)
            return Recovery(change_set, completed=True)
    if left := _undo(vault, change_set):
        return Recovery(
            change_set, completed=False, left=tuple(left), set_aside=journal.set_aside()
        )
    journal.drop()
    return Recovery(change_set, completed=False)


def _state(vault: str, change: FileChange) -> str:
    """Return the state of a change; CHANGED if the files are neither as before nor as after it."""
    new = _bytes_at(vault, change.new_path)
    if not change.moves:
        return DONE if new == change.after else UNDONE if new == change.before else CHANGED
    old = _bytes_at(vault, change.path)
    if old == change.before:
        return UNDONE if new is None else HALF if new == change.after else CHANGED
    return DONE if old is None and new == change.after else CHANGED


def state_of(vault: str, change: FileChange) -> str:
    """Return the state of a change; CHANGED also if a folder, a link or a pipe has taken the place
    of a note.
    """
    try:
        return _state(vault, change)
    except (OSError, ValueError, BrainError):  # ValueError: a NUL in a path
        return CHANGED


def _make(vault: str, change_set: ChangeSet) -> None:
    """Make a change, or what an interrupted process left of it."""
    for change in change_set.changes:
        _roll_forward(vault, change)
    for each in change_set.trashed:
        move_to_trash(vault, *each)
    for each in change_set.restored:
        restore_from_trash(vault, *each)
    for _, _, place in change_set.restored:
        release(place)


def _undo(vault: str, change_set: ChangeSet) -> list[str]:
    """Undo what was made of a change; return the notes that could not be put back."""
    left = []
    back = [*((move_to_trash, each) for each in change_set.restored)]
    for move, each in [*back, *((restore_from_trash, each) for each in change_set.trashed)]:
        try:
            move(vault, *each)
        except (OSError, BrainError):
            left += [each[0]] if os.path.lexists(each[2]) else []
    for _, _, place in change_set.trashed:
        release(place)
    return [*left, *_roll_back(vault, change_set.changes)]


def _roll_forward(vault: str, change: FileChange, mtime_ns: int | None = None) -> None:
    """Make what is missing of a change; of a half moved note, the new file is there and the old one
    is removed.
    """
    state = _state(vault, change)
    if state == CHANGED:
        raise BrainError(
            f"{change.path} was changed by another program in the meantime.", "Try again."
        )
    if not change.moves:
        if state == UNDONE:
            replace_note(vault, change.path, change.before, change.after, mtime_ns=mtime_ns)
        return
    if state == UNDONE and change.before == change.after:
        move_file(vault, change.path, change.new_path, change.before)
    elif state == UNDONE:
        create_note(vault, change.new_path, change.after, like=os.path.join(vault, change.path))
    if state != DONE and os.path.lexists(os.path.join(vault, change.path)):
        remove_note(vault, change.path, change.new_path, change.before)


def _roll_back(vault: str, changes: Iterable[FileChange]) -> list[str]:
    """Undo changes in the opposite order; return the notes that could not be put back."""
    left = []
    for change in reversed(tuple(changes)):
        state = state_of(vault, change)
        try:
            if state == CHANGED:
                left += [change.new_path] if _has_its_new_text(vault, change) else []
            elif state != UNDONE:
                _roll_forward(vault, change.reversed(), change.mtime_ns)
                remove_empty_folders(vault, folders_above(change.new_path))
        except (OSError, BrainError):
            left.append(change.new_path)
    return left


def _bytes_at(vault: str, path: str) -> bytes | None:
    try:
        return read_note(vault, path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _has_its_new_text(vault: str, change: FileChange) -> bool:
    """Return whether a note is as the change wrote it; no folder, link or pipe is."""
    try:
        return _bytes_at(vault, change.new_path) == change.after
    except (OSError, ValueError, BrainError):
        return False


def _reason(vault: str, error: OSError | BrainError) -> str:
    if isinstance(error, BrainError):
        return error.message.removesuffix(".")
    name = os.path.relpath(error.filename, vault) if isinstance(error.filename, str) else "A note"
    return f"{name}: {error.strerror or error}"


def _leftovers(left: list[str]) -> str:
    if not left:
        return "Nothing was changed."
    return (
        f"All was put back except {', '.join(left)}; the next command that edits notes tries again."
    )


def _to_json(change_set: ChangeSet) -> bytes:
    changes = [
        [
            change.path,
            change.new_path,
            _to_text(change.before),
            _to_text(change.after),
            change.mtime_ns,
        ]
        for change in change_set.changes
    ]
    return json.dumps({"version": 1, **change_set._asdict(), "changes": changes}).encode()


def _read(file: Path) -> ChangeSet | None:
    """Return the change set in a file; None if the file does not exist, ValueError if it holds
    something else.
    """
    try:
        document: dict[str, Any] = json.loads(file.read_bytes())
        document["changes"] = tuple(
            FileChange(
                os.fspath(path),
                os.fspath(new_path),
                base64.b64decode(before),
                base64.b64decode(after),
                int(mtime_ns),
            )
            for path, new_path, before, after, mtime_ns in document["changes"]
        )
        for name, length in (("created", 2), ("trashed", 3), ("rated", 2), ("restored", 3)):
            document[name] = tuple(tuple(map(os.fspath, each)) for each in document.get(name, ()))
            if any(len(each) != length or "\0" in "".join(each) for each in document[name]):
                raise ValueError(f"{file} is not a journal")
        document["folders"] = tuple(map(os.fspath, document.get("folders", ())))
        document |= {
            "command": os.fspath(document["command"]),
            "undoes": int(document.get("undoes", -1)),
        }
        return ChangeSet(
            **{name: value for name, value in document.items() if name in ChangeSet._fields}
        )
    except FileNotFoundError:
        return None
    except (OSError, RecursionError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{file} is not a journal") from error


def _to_text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
