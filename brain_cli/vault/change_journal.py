"""Change several files of a vault together or not at all.

The change is written to a journal first. The next command that finds an unfinished journal
completes the change, or undoes it if a file has changed since. The journal is in the user's state
folder, not in the vault:

    pending.json       the change in progress
    changes/12.json    a change that can be undone
    set-aside-*.json   changes that could be neither completed nor undone, with the former texts
                       of their notes
"""

from __future__ import annotations

import base64
import contextlib
import errno
import itertools
import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from brain_cli.errors import BrainError, space_advice
from brain_cli.paths import make_private_folder
from brain_cli.vault.atomic_write import (
    LEFTOVER_SECONDS,
    changed_meanwhile,
    create_note,
    folders_above,
    missing_folders,
    put_back,
    read_note,
    remove_empty_folders,
    remove_leftovers,
    remove_note,
    replace_file,
    replace_note,
    sync_folder,
    writable_path,
)
from brain_cli.vault.trash import Trash

# This many changes can be undone, if they take no more bytes than this together.
MAX_CHANGES = 200
MAX_BYTES = 100_000_000
UNDONE = "undone"
DONE = "done"
CHANGED = "changed"
# Who made a change, besides the user.
HOOK = "hook"
AGENT = "agent"


class Change(NamedTuple):
    """One file of a vault, with its bytes before and after a command; None stands for no file.

    `mtime_ns` is the time of the file before; a new file gets it, unless it is 0.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mtime_ns: int = 0

    def reversed(self) -> Change:
        """Return the change that undoes this one."""
        return Change(self.path, self.after, self.before, self.mtime_ns)


class Rating(NamedTuple):
    """A verdict on a note, which is `given` or taken back."""

    path: str
    verdict: str
    given: bool = True


class ChangeSet(NamedTuple):
    """All that one command changed in a vault; `command` is its name, `at` its time (seconds since
    the epoch).

    `moves` are the old and new paths of moved notes: each is a file that is made and one that goes.
    Any other file that goes is copied to the trash. `undoes` is the number of the change that this
    one undoes; both have the same command. `folders` were made for new paths, here or in the undone
    change.
    `author` is HOOK, AGENT, or empty for the user.
    """

    command: str
    changes: tuple[Change, ...] = ()
    at: float = 0.0
    moves: tuple[tuple[str, str], ...] = ()
    rated: tuple[Rating, ...] = ()
    undoes: int = -1
    folders: tuple[str, ...] = ()
    author: str = ""

    def reversed(self, undoes: int = -1) -> ChangeSet:
        """Return the change set that undoes this one, in the opposite order."""
        return self._replace(
            changes=tuple(change.reversed() for change in reversed(self.changes)),
            moves=tuple((new, old) for old, new in reversed(self.moves)),
            rated=tuple(each._replace(given=not each.given) for each in self.rated),
            undoes=undoes,
            author="",
        )

    @property
    def notes(self) -> list[str]:
        """Return the notes that the user named: those moved, else those changed or rated."""
        moved = [new for _, new in self.moves]
        changed = [change.path for change in self.changes]
        return moved or [*changed, *(rating.path for rating in self.rated)]

    @property
    def names(self) -> list[str]:
        """Return those notes as messages name them, moved ones with both paths."""
        return [f"{old} → {new}" for old, new in self.moves] or self.notes

    def other_place(self, path: str) -> str:
        """Return the other path of a note that is moved; empty for any other."""
        places = {**dict(self.moves), **{new: old for old, new in self.moves}}
        return places.get(path, "")


class PlannedChanges:
    """Changes of a vault's notes that are not made yet, one for each file."""

    def __init__(self, vault: str) -> None:
        self._vault = vault
        self._changes: dict[str, Change] = {}

    @property
    def changes(self) -> tuple[Change, ...]:
        """All that is to be changed."""
        return tuple(each for each in self._changes.values() if each.before != each.after)

    def read(self, path: str) -> bytes:
        """Return the bytes of a note as they will be; OSError or BrainError if it has none."""
        planned = self._changes.get(path)
        return (planned.after or b"") if planned else read_note(self._vault, path)

    def create(self, path: str, raw: bytes, mtime_ns: int = 0) -> None:
        """Plan a new note; FileExistsError if its path is taken, another OSError if no file can be
        there.
        """
        file = writable_path(self._vault, path)
        missing = [*missing_folders(self._vault, path), path]
        above = os.path.dirname(os.path.join(self._vault, missing[0]))
        for each in missing:
            with contextlib.suppress(FileNotFoundError):
                os.lstat(os.path.join(above, os.path.basename(each)))  # it may be too long
        is_taken = path in self._changes
        with contextlib.suppress(FileNotFoundError):
            os.lstat(file)
            is_taken = True
        if is_taken:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), file)
        self._changes[path] = Change(path, None, raw, mtime_ns)

    def replace(self, path: str, raw: bytes) -> None:
        """Plan other bytes for a note."""
        self._changes[path] = (
            self._changes.get(path) or unchanged(self._vault, path)
        )._replace(after=raw)


def unchanged(vault: str, path: str) -> Change:
    """Return a note as a change that changes nothing yet."""
    raw = read_note(vault, path)
    return Change(path, raw, raw, os.stat(os.path.join(vault, path)).st_mtime_ns)


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
        return dict(self.change_set.moves) if self.completed else {}


class Journal:
    """The journal of one vault, in the user's state folder; `trash` is the user's trash folder."""

    def __init__(self, folder: Path, trash: Trash) -> None:
        self.trash = trash
        self._pending = folder / "pending.json"
        self._changes = folder / "changes"

    def begin(self, change_set: ChangeSet) -> None:
        """Write a change set to the journal, durably; BrainError if that fails."""
        folder = self._pending.parent
        try:
            is_new = not os.path.isdir(self._changes)
            make_private_folder(self._changes)
            replace_file(self._pending, _to_json(change_set), mode=0o600)
        except OSError as error:
            advice = f"Nothing was changed. {space_advice(error)}".rstrip()
            raise BrainError(
                f"The journal {self._pending} cannot be written: {error.strerror}.", advice
            ) from None
        for each in (folder, folder.parent, folder.parent.parent) if is_new else (folder,):
            sync_folder(os.fspath(each))

    def pending(self) -> ChangeSet | None:
        """Return the unfinished change, if there is one; ValueError if it cannot be read."""
        return _read(self._pending)

    def finish(self, change_set: ChangeSet) -> None:
        """Keep the completed change, so that it can be undone; forget it and the one that it undoes
        if it does so.
        """
        if change_set.undoes >= 0:
            self.forget(change_set.undoes)
            self.drop()
        else:
            self._keep()

    def drop(self) -> None:
        """Forget the pending change, which was rolled back or is not to be undone."""
        self._pending.unlink(missing_ok=True)
        sync_folder(str(self._pending.parent))

    def changes(self) -> Iterator[tuple[int, ChangeSet]]:
        """Yield the changes that can be undone, each with its number, newest first."""
        for number in reversed(self._numbers()):
            with contextlib.suppress(ValueError):
                if found := _read(self._file(number)):
                    yield number, found

    def forget(self, number: int) -> None:
        """Forget a change, after it was undone."""
        self._file(number).unlink(missing_ok=True)

    def former_paths(self, path: str) -> set[str]:
        """Return a note's path and those from which it was moved there."""
        paths = {path}
        for _, change_set in self.changes():
            paths |= {old for old, new in change_set.moves if new in paths}
        return paths

    def texts(self, paths: Collection[str]) -> set[bytes]:
        """Return all that notes at some paths have been, as far as the journal knows."""
        changes = [each for _, found in self._files() for each in found.changes]
        texts = [(each.before, each.after) for each in changes if each.path in paths]
        return {text for pair in texts for text in pair if text is not None}

    def purge(self, paths: Collection[str]) -> None:
        """Remove all that is known of notes at some paths; OSError if that fails."""
        for file, found in self._files():
            left = found._replace(
                changes=tuple(each for each in found.changes if each.path not in paths),
                moves=tuple(each for each in found.moves if not {*paths}.intersection(each)),
                rated=tuple(each for each in found.rated if each.path not in paths),
            )
            if not (left.changes or left.rated):
                file.unlink()
            elif left != found:
                replace_file(file, _to_json(left), mode=0o600)
        sync_folder(str(self._changes))

    def _files(self) -> Iterator[tuple[Path, ChangeSet]]:
        """Yield the journal's files, also those set aside, with the change sets in them."""
        aside = self._pending.parent.glob("set-aside-*.json")
        for file in [*map(self._file, self._numbers()), *aside]:
            with contextlib.suppress(ValueError):
                if found := _read(file):
                    yield file, found

    def set_aside(self) -> str:
        """Move the journal of the unfinished change away, so that later edits work; return its new
        path.
        """
        names = (f"set-aside-{number}.json" for number in itertools.count(1))
        paths = map(self._pending.with_name, names)
        path = next(path for path in paths if not os.path.lexists(path))
        os.replace(self._pending, path)
        return str(path)

    def _file(self, number: int) -> Path:
        return self._changes / f"{number}.json"

    def _numbers(self) -> list[int]:
        return sorted(
            int(path.stem) for path in self._changes.glob("*.json") if path.stem.isdecimal()
        )

    def _keep(self) -> None:
        """Give the pending change the next number, and remove the oldest ones beyond the limits."""
        os.replace(self._pending, self._file(max([0, *self._numbers()]) + 1))
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
        folder for each in change_set.changes for folder in missing_folders(vault, each.path)
    }
    change_set = change_set._replace(folders=tuple(sorted({*change_set.folders, *made})))
    journal.begin(change_set)
    making = _Making(vault, change_set, journal.trash)
    try:
        making.make()
    except BaseException as error:
        # An error may come after the last step of a change.
        begun = change_set.changes[making.done : making.done + 1]
        making.done += any(state_of(vault, each) == DONE for each in begun)
        hint = _put_all_back(making, journal)
        if not isinstance(error, OSError | BrainError):
            raise
        raise BrainError(
            f"{_reason(vault, error)}.", f"{hint} {space_advice(error)}".rstrip()
        ) from None


def _put_all_back(making: _Making, journal: Journal) -> str:
    """Undo what was made of a change; return what came of that, as a sentence."""
    left = making.roll_back(making.done)
    with contextlib.suppress(OSError):
        if not left:
            journal.drop()
            return "Nothing was changed."
    but = f" except {', '.join(left)}" if left else ""
    return f"All was put back{but}; the next command that edits notes tries again."


def _reason(vault: str, error: OSError | BrainError) -> str:
    if isinstance(error, BrainError):
        return error.message.removesuffix(".")
    name = (
        os.path.relpath(error.filename, vault) if isinstance(error.filename, str) else "A note"
    )
    return f"{name}: {error.strerror or error}"


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
    for each in change_set.changes:
        with contextlib.suppress(OSError, ValueError, BrainError):
            file = writable_path(vault, each.path)
            put_back(file)
            remove_leftovers(os.path.dirname(file))
    making = _Making(vault, change_set, journal.trash)
    if not any(state_of(vault, each) == CHANGED for each in change_set.changes):
        with contextlib.suppress(OSError, BrainError):
            making.make()
            return Recovery(change_set, completed=True)
    if left := making.roll_back(len(change_set.changes)):
        return Recovery(change_set, left=tuple(left), set_aside=journal.set_aside())
    journal.drop()
    return Recovery(change_set)


def state_of(vault: str, change: Change) -> str:
    """Return whether a change is made; CHANGED if the file is neither as before nor as after it,
    also if a folder, a link or a pipe has its place.
    """
    now = None
    try:
        now = read_note(vault, change.path)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError, BrainError):  # ValueError: a NUL in a path
        return CHANGED
    return DONE if now == change.after else UNDONE if now == change.before else CHANGED


class _Making:
    """A change set that is made, completed after an interruption, or rolled back."""

    def __init__(self, vault: str, change_set: ChangeSet, trash: Trash) -> None:
        self._vault = vault
        self._all = change_set
        self._trash = trash
        self.done = 0

    def make(self) -> None:
        """Make every change, or what an interrupted process left of it."""
        is_undone = self._all.undoes >= 0
        for change in self._all.changes:
            state = state_of(self._vault, change)
            file = writable_path(self._vault, change.path)
            if state == CHANGED:
                raise changed_meanwhile(change.path)
            stays = self._all.other_place(change.path)
            if state == UNDONE:
                if change.after is None and change.before is not None and not stays:
                    self._trash.keep(file, change.before, self._all.at)
                self._write(change)
            if change.before is None and is_undone and not stays:
                self._trash.remove_copies(file, change.after)
            self.done += 1
        left = [above for old, _ in self._all.moves for above in folders_above(old)]
        remove_empty_folders(self._vault, self._all.folders if is_undone else left)

    def roll_back(self, count: int) -> list[str]:
        """Undo the first changes in the opposite order; return the notes that could not be put
        back.

        The new file of a moved note stays if its old place is taken.
        """
        left: list[str] = []
        for change in reversed(self._all.changes[:count]):
            state = state_of(self._vault, change)
            file = os.path.join(self._vault, change.path)
            other = self._all.other_place(change.path)
            try:
                if state == DONE and change.path not in left:
                    self._write(change.reversed(), change.mtime_ns)
                if change.after is not None:
                    continue
                copies = self._trash.copies(file, change.before)
                if state == CHANGED and (other or copies):
                    left.append(other or change.path)
                elif not other:
                    self._trash.remove_copies(file, change.before)
            except (OSError, BrainError):
                left.append(other or change.path)
        remove_empty_folders(self._vault, self._all.folders)
        return left

    def _write(self, change: Change, mtime_ns: int = 0) -> None:
        """Write, replace or delete the file of a change that is not made yet."""
        path, before, after, _ = change
        if after is None:
            remove_note(self._vault, path, before or b"")
        elif before is None:
            file = os.path.join(self._vault, path)
            other = os.path.join(self._vault, self._all.other_place(path) or path)
            # The file takes the mode and times of the one that it was or is copied from.
            models = [other] if os.path.isfile(other) else self._trash.copies(file, after)
            create_note(self._vault, path, after, next(iter(models), None), change.mtime_ns)
        else:
            replace_note(self._vault, path, before, after, mtime_ns=mtime_ns or None)


def _to_json(change_set: ChangeSet) -> bytes:
    changes = [
        (path, _to_text(before), _to_text(after), mtime_ns)
        for path, before, after, mtime_ns in change_set.changes
    ]
    return json.dumps({**change_set._asdict(), "changes": changes}).encode()


def _read(file: Path) -> ChangeSet | None:
    """Return the change set in a file; None if the file does not exist, ValueError if it holds
    something else.
    """
    try:
        document: dict[str, Any] = json.loads(file.read_bytes())
        return ChangeSet(
            command=os.fspath(document["command"]),
            changes=tuple(
                Change(os.fspath(path), _to_bytes(before), _to_bytes(after), int(mtime_ns))
                for path, before, after, mtime_ns in document["changes"]
            ),
            at=float(document["at"]),
            moves=tuple((os.fspath(old), os.fspath(new)) for old, new in document["moves"]),
            rated=tuple(Rating(*each) for each in document["rated"]),
            undoes=int(document["undoes"]),
            folders=tuple(document["folders"]),
            author=document["author"],
        )
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise BrainError(
            f"The journal {file} cannot be read: {error.strerror}.", space_advice(error)
        ) from None
    except (OSError, RecursionError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{file} is not a journal") from error


def _to_text(raw: bytes | None) -> str | None:
    return None if raw is None else base64.b64encode(raw).decode("ascii")


def _to_bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
