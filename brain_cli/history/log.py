"""The history on disk: append-only JSON lines, one file per device, safe with many processes and
with sync tools.

VAULT/.brain/history/DEVICE.jsonl            if that folder exists
~/.local/state/brain/NAME-KEY/DEVICE.jsonl   otherwise

One event is one line of JSON. Notes are named by path and content hash, so either is enough.
"""

import contextlib
import json
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from brain_cli.files import append_lines, lock_file, open_regular, read_regular
from brain_cli.paths import is_inside, make_private_folder
from brain_cli.vault.atomic_write import replace_file

SHOWN = "shown"
FEEDBACK = "feedback"
FEEDBACK_UNDONE = "feedback_undone"
MOVED = "moved"
REVISED = "revised"
USEFUL = "useful"
WRONG = "wrong"

# 30,000 years to either side of 1970: sums of such times do not overflow.
_MAX_SECONDS = 1e12


class Mention(NamedTuple):
    """A note as an event names it; `timestamp` is the note's own (seconds), which counts as an
    access.

    Read from a line it is a plain list of the three, in this order.
    """

    path: str
    content_hash: str
    timestamp: float = 0.0


class Event(NamedTuple):
    """One entry of the history: something that happened, with its time (seconds since the epoch).

    shown            `notes` were shown by one recall; `value` is its query, if the user records
                     queries, and `certainty` (0..1) the probability that the first of them answers
                     it, if known
    feedback         the note was `value`: useful or wrong
    feedback_undone  the last feedback `value` of the note is undone
    moved            the note was moved from the path `value` to its present one
    revised          a refresh found new content in the note; its hash is the note's

    `session` names the work session of the recall, if it is known.
    """

    at: float
    event: str
    notes: Sequence[Mention]
    value: str = ""
    certainty: float | None = None
    session: str = ""


def to_line(event: Event) -> str:
    """Return an event as one line, without its line end."""
    document: dict[str, Any] = {
        "at": round(event.at, 3),
        "event": event.event,
        "notes": event.notes,
    }
    if event.value:
        document["value"] = event.value
    if event.certainty is not None:
        document["certainty"] = round(event.certainty, 3)
    if event.session:
        document["session"] = event.session
    return json.dumps(document, separators=(",", ":"))


def from_line(line: bytes) -> Event | None:
    """Read a line; None if it is empty, incomplete or unknown, or its values have not the right
    number or types.
    """
    try:
        document = json.loads(line)
        event = Event(
            document["at"],
            document["event"],
            document["notes"],
            document.get("value", ""),
            document.get("certainty"),
            document.get("session", ""),
        )
        for path, content_hash, timestamp in event.notes:
            if not (
                type(path) is str is type(content_hash)
                and -_MAX_SECONDS < timestamp < _MAX_SECONDS
            ):
                return None
        # These comparisons also refuse NaN.
        is_certain = event.certainty is None or 0 <= event.certainty <= 1
        is_text = type(event.event) is str is type(event.value) and type(event.session) is str
        is_event = is_certain and is_text and -_MAX_SECONDS < event.at < _MAX_SECONDS
    except (TypeError, KeyError, ValueError, AttributeError, RecursionError):
        return None
    return event if is_event else None


# A longer line is not an event; no reader holds more of one.
MAX_LINE_BYTES = 1 << 20
# Far more recalls than in a lifetime, and more devices than a user has; further files are left out.
MAX_BYTES = 1 << 30
MAX_FILES = 256
DEVICE_FILE = "device"
MAX_DEVICE_BYTES = 1_000


class History:
    """All events of one vault. This device appends to its own file, and reads the files of all
    devices.
    """

    def __init__(self, folder: Path, device: str | Path) -> None:
        """Open the history of a device, given its name or the state folder, which gets one with the
        first event.
        """
        self.folder = folder
        self._device = device

    def append(self, events: Iterable[Event]) -> None:
        """Append all of these events or none; raise OSError if that fails."""
        raw = "".join(f"{to_line(event)}\n" for event in events).encode("ascii")
        with locked_log(self.own_file) as handle:
            append_lines(handle, raw)

    def has(self, event: Event) -> bool:
        """Return whether this device has appended such an event already."""
        try:
            with open_log(self.own_file) as file:
                return f"{to_line(event)}\n".encode("ascii") in file
        except OSError:
            return False

    def purge(self, paths: Collection[str], hashes: Collection[str]) -> None:
        """Remove all events of notes with these paths or content hashes, on all devices; OSError if
        that fails.
        """
        for name in self.names():
            file = self.folder / name
            with locked_log(file):
                lines = file.read_bytes().splitlines(keepends=True)
                kept = [_without(line, paths, hashes) for line in lines]
                if kept != lines:
                    replace_file(file, b"".join(kept), mode=0o600)

    @property
    def own_file(self) -> Path:
        """The file of this device."""
        own = self._device if isinstance(self._device, str) else device(self._device)
        return self.folder / f"{own}.jsonl"

    def left_out(self) -> list[str]:
        """Return the names of the files that are not read: links, pipes, folders, and files that
        are too long.
        """
        return sorted({*self._names()} - {*self.names()})

    def _names(self) -> list[str]:
        """Return the names of all files, beginning with this device's."""
        known = self._device
        own = known if isinstance(known, str) else _device_in(known / DEVICE_FILE)
        names = (file.name for file in self.folder.glob("*.jsonl"))
        return sorted(names, key=lambda name: (name != f"{own}.jsonl", name))

    def names(self) -> list[str]:
        """Return the names of the files that can be read, in order: regular ones, that of this
        device and the first others up to the limits.
        """
        readable: list[str] = []
        remaining = MAX_BYTES
        for name in self._names():
            with contextlib.suppress(OSError):
                status = os.lstat(self.folder / name)
                fits = status.st_size <= remaining and len(readable) < MAX_FILES
                if stat.S_ISREG(status.st_mode) and fits:
                    readable.append(name)
                    remaining -= status.st_size
        return sorted(readable)


def _without(line: bytes, paths: Collection[str], hashes: Collection[str]) -> bytes:
    """Return a line without some notes; empty if no other note is left."""
    event = from_line(line)
    if event is None:
        return line
    notes = [each for each in event.notes if each[0] not in paths and each[1] not in hashes]
    if len(notes) == len(event.notes):
        return line
    return f"{to_line(event._replace(notes=notes))}\n".encode("ascii") if notes else b""


@contextlib.contextmanager
def locked_log(path: Path) -> Iterator[int]:
    """Open a file of a history to append, alone, and make it if it is missing; OSError if that
    fails.
    """
    make_private_folder(path.parent)
    while True:
        handle = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW)
        try:
            lock_file(handle, seconds=None)
            # A purge may have replaced the file just now.
            if os.path.samestat(os.fstat(handle), os.stat(path)):
                yield handle
                return
        finally:
            os.close(handle)


def open_log(path: Path) -> BinaryIO:
    """Open a file of a history to read; OSError for a link, a pipe or a folder."""
    return open(open_regular(path, os.O_NOFOLLOW), "rb")


def history_of(vault: str, state_folder: Path, vault_name: str) -> History:
    """Return a vault's history: in the vault if it has a folder for it, from which no link leads
    out, else in the user's state folder.
    """
    folder = Path(vault) / ".brain" / "history"
    is_own = os.path.isdir(folder) and is_inside(str(folder), vault)
    return History(folder if is_own else state_folder / vault_name, state_folder)


def device(state_folder: Path) -> str:
    """Return this device's name: its host name and random digits, generated once and kept in a
    file.
    """
    path = state_folder / DEVICE_FILE
    return _device_in(path) or _new_device(path)


def _device_in(path: Path) -> str:
    try:
        return read_regular(path, MAX_DEVICE_BYTES).decode("ascii").strip()
    except (OSError, ValueError):
        return ""


def _new_device(path: Path) -> str:
    host = (
        "".join(c if c.isascii() and c.isalnum() else "-" for c in os.uname().nodename)[:40]
        or "device"
    )
    name = f"{host}-{os.urandom(3).hex()}"
    make_private_folder(path.parent)
    # If several processes do this at once the last one wins, and none ever reads an empty name.
    replace_file(path, name.encode())
    return _device_in(path) or name
