"""Change several files of a vault together or not at all.

The change is written to a journal first. The next command that finds an unfinished journal completes the change, or
undoes it if a file has changed since. The journal is in the user's state folder, not in the vault:

    pending.json       the change in progress
    last.json          the last change that can be undone as a whole
    set-aside-*.json   changes that could be neither completed nor undone, with the former texts of their notes
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from brain_cli.errors import BrainError, space_advice
from brain_cli.paths import make_private_folder
from brain_cli.vault.atomic_write import (
    create_note,
    move_file,
    read_note,
    remove_note,
    replace_file,
    replace_note,
    sync_folder,
    writable_path,
)

UNDONE, HALF, DONE, CHANGED = "undone", "half", "done", "changed"


class FileChange(NamedTuple):
    """One note's path and bytes before and after; `mtime_ns` is its time before. The paths differ only in a move."""

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
    """The changes of files that one command makes together; `command` is its name."""

    command: str
    changes: tuple[FileChange, ...]

    def reversed(self, command: str) -> ChangeSet:
        """Return the change set that undoes this one, in the opposite order."""
        return ChangeSet(command, tuple(change.reversed() for change in reversed(self.changes)))


class Recovery(NamedTuple):
    """The outcome for an interrupted change: completed or undone, or the notes (`left`) that prevented either.

    `set_aside` is the path to which the journal of such a change was moved. An unreadable journal has no changes.
    """

    change_set: ChangeSet
    completed: bool
    left: tuple[str, ...] = ()
    set_aside: str = ""


class Journal:
    """The journal of one vault, in the user's state folder."""

    def __init__(self, folder: Path) -> None:
        self._pending = folder / "pending.json"
        self._last = folder / "last.json"

    def begin(self, change_set: ChangeSet) -> None:
        """Write a change set to the journal, durably; BrainError if that fails."""
        try:
            make_private_folder(self._pending.parent)
            replace_file(self._pending, _to_json(change_set).encode(), mode=0o600)
        except OSError as error:
            raise BrainError(
                f"The journal {self._pending} cannot be written: {error.strerror}.", "Nothing was changed."
            ) from None

    def pending(self) -> ChangeSet | None:
        """Return the unfinished change, if there is one; ValueError if it cannot be read."""
        return _read(self._pending)

    def last(self) -> ChangeSet | None:
        """Return the last change that can be undone as a whole, if there is one."""
        with contextlib.suppress(ValueError):
            return _read(self._last)
        return None

    def finish(self, *, can_be_undone: bool) -> None:
        """Keep the completed change as the one that can be undone."""
        if can_be_undone:
            os.replace(self._pending, self._last)
        else:
            self._pending.unlink(missing_ok=True)
        sync_folder(str(self._pending.parent))

    def set_aside(self) -> str:
        """Move the journal of the unfinished change away, so that later edits work; return its new path."""
        for number in itertools.count(1):
            path = self._pending.with_name(f"set-aside-{number}.json")
            if not path.exists():
                os.replace(self._pending, path)
                return str(path)
        raise AssertionError("numbers never end")

    def forget_last(self) -> None:
        """Forget the last change, after it was undone."""
        self._last.unlink(missing_ok=True)


def apply_change_set(vault: str, change_set: ChangeSet, journal: Journal) -> None:
    """Write a change to the journal and make it. If that fails, roll it back, and name the files that could not be.

    The caller finishes the journal after its own part of the command.
    """
    journal.begin(change_set)
    try:
        for change in change_set.changes:
            _roll_forward(vault, change)
    except BaseException as error:
        left = _roll_back(vault, change_set.changes)
        if not left:
            journal.finish(can_be_undone=False)
        if not isinstance(error, OSError | BrainError):
            raise
        raise BrainError(f"{_reason(vault, error)}.", f"{_leftovers(left)} {space_advice(error)}".rstrip()) from None


def recover(vault: str, journal: Journal) -> Recovery | None:
    """Complete an interrupted change, or undo it if one of its files has changed since.

    The caller finishes the journal of a completed change after its own part. It is set aside if neither is possible.
    """
    try:
        change_set = journal.pending()
    except ValueError:
        return Recovery(ChangeSet("", ()), completed=False, set_aside=journal.set_aside())
    if change_set is None:
        return None
    if not any(_state_or_changed(vault, change) == CHANGED for change in change_set.changes):
        with contextlib.suppress(OSError, BrainError):
            for change in change_set.changes:
                _roll_forward(vault, change)
            return Recovery(change_set, completed=True)
    left = _roll_back(vault, change_set.changes)
    if left:
        return Recovery(change_set, completed=False, left=tuple(left), set_aside=journal.set_aside())
    journal.finish(can_be_undone=False)
    return Recovery(change_set, completed=False)


def state_of(vault: str, change: FileChange) -> str:
    """Return the state of a change; CHANGED if the files are neither as before nor as after it."""
    new = _bytes_at(vault, change.new_path)
    if not change.moves:
        return DONE if new == change.after else UNDONE if new == change.before else CHANGED
    old = _bytes_at(vault, change.path)
    if old == change.before:
        return UNDONE if new is None else HALF if new == change.after else CHANGED
    return DONE if old is None and new == change.after else CHANGED


def _state_or_changed(vault: str, change: FileChange) -> str:
    """Return the state of a change; CHANGED also if a folder, a link or a pipe has taken the place of a note."""
    try:
        return state_of(vault, change)
    except (OSError, ValueError, BrainError):  # ValueError: a NUL in a path
        return CHANGED


def _roll_forward(vault: str, change: FileChange, mtime_ns: int | None = None) -> None:
    state = state_of(vault, change)
    if state == CHANGED:
        raise BrainError(f"{change.path} was changed by another program in the meantime.", "Try again.")
    if not change.moves:
        if state == UNDONE:
            replace_note(vault, change.path, change.before, change.after, mtime_ns=mtime_ns)
        return
    if state == UNDONE and change.before == change.after:
        move_file(vault, change.path, change.new_path)
    elif state == UNDONE:
        create_note(vault, change.new_path, change.after, like=os.path.join(vault, change.path))
    if state != DONE and os.path.lexists(os.path.join(vault, change.path)):
        remove_note(vault, change.path)


def _roll_back(vault: str, changes: Iterable[FileChange]) -> list[str]:
    """Undo changes in the opposite order; return the notes that could not be put back."""
    left = []
    for change in reversed(tuple(changes)):
        state = _state_or_changed(vault, change)
        try:
            if state == CHANGED:
                left += [change.new_path] if _has_its_new_text(vault, change) else []
            elif state != UNDONE:
                _roll_forward(vault, change.reversed(), change.mtime_ns)
                remove_empty_folders(vault, os.path.dirname(change.new_path))
        except (OSError, BrainError):
            left.append(change.new_path)
    return left


def remove_empty_folders(vault: str, folder: str, below: str = "") -> None:
    """Remove an empty folder of the vault, and the empty folders above it up to `below`, which is kept."""
    parts = folder.split("/")
    for depth in range(len(parts), 0, -1):
        path = "/".join(parts[:depth])
        if path == below or not path.startswith(f"{below}/" if below else ""):
            return
        with contextlib.suppress(OSError, BrainError):
            os.rmdir(writable_path(vault, path))


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
    return f"All was put back except {', '.join(left)}; the next command that edits notes tries again."


def _to_json(change_set: ChangeSet) -> str:
    changes = [
        [change.path, change.new_path, _to_text(change.before), _to_text(change.after), change.mtime_ns]
        for change in change_set.changes
    ]
    return json.dumps({"version": 1, "command": change_set.command, "changes": changes})


def _read(file: Path) -> ChangeSet | None:
    """Return the change set in a file; None if the file does not exist, ValueError if it holds something else."""
    try:
        document = json.loads(file.read_bytes())
        changes = [
            FileChange(
                os.fspath(path), os.fspath(new_path), base64.b64decode(before), base64.b64decode(after), int(mtime_ns)
            )
            for path, new_path, before, after, mtime_ns in document["changes"]
        ]
        return ChangeSet(document["command"], tuple(changes))
    except FileNotFoundError:
        return None
    except (OSError, RecursionError, TypeError, KeyError) as error:
        raise ValueError(f"{file} is not a journal") from error


def _to_text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
