"""This user's history of a shared memory: a copy of what the server has, and the events that wait to be sent.

server.jsonl   the copy, to which each recall appends the new events; it may be deleted
DEVICE.jsonl   events that the server has not taken yet: written first, and emptied when the server has them

Both are in the user's state folder, where they are folded as the history of a vault is. Each event has an id, so what
is sent twice counts once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from brain_cli.cli._output import say
from brain_cli.errors import UnreachableError
from brain_cli.files import lock_file, open_regular, read_regular
from brain_cli.history.log import Event, History, to_line
from brain_cli.paths import make_private_folder
from brain_cli.plugins.team.workspace import using_store
from brain_cli.vault.atomic_write import replace_file

if TYPE_CHECKING:
    from brain_cli.plugins.team.reading import Reader, StoredEvent
    from brain_cli.plugins.team.store import Store

COPY, STATE = "server.jsonl", "server.json"
MAX_WAITING_BYTES = 64 << 20
KEPT = "It is kept on this machine, and sent with the next recall."


class Seen(NamedTuple):
    """The last event in the copy: its number and the checksum of its line; the size of the copy in bytes.

    `languages` are those of the memory, for the words of the next question.
    """

    number: int = 0
    checksum: int = 0
    size: int = 0
    languages: Sequence[str] = ()


def seen_in(folder: Path) -> Seen:
    """Return the last event of the copy; event 0 if that is unknown, so that all are copied again."""
    try:
        seen = Seen(*json.loads((folder / STATE).read_text(encoding="utf-8")))
        return seen if os.stat(folder / COPY).st_size >= seen.size else Seen()
    except (OSError, ValueError, TypeError):
        return Seen()


def take_new_events(folder: Path, seen: Seen, reader: Reader, events: Sequence[StoredEvent]) -> None:
    """Bring the copy up to date; after a server was restored from a backup, copy all events again."""
    is_known = list(seen.languages) == list(reader.languages)
    if seen.number and [(number, crc32(line.encode())) for number, line in events[:1]] != [seen[:2]]:
        events, seen = reader.events(0), Seen()
    elif seen.number:
        events = events[1:]
    if not events and seen.number and is_known:
        return
    try:
        _add_to_copy(folder, events, seen, reader.languages)
    except OSError as error:
        say(f"The copy of your history in {folder} cannot be written: {error.strerror}.")


def _add_to_copy(folder: Path, events: Sequence[StoredEvent], seen: Seen, languages: Sequence[str]) -> None:
    make_private_folder(folder)
    with _locked(folder / COPY) as handle:
        # Another process may have taken the same events meanwhile, and it took all of them.
        if seen_in(folder).number != seen.number and seen.number:
            return
        content = "".join(f"{line}\n" for _, line in events).encode()
        os.ftruncate(handle, seen.size)
        os.pwrite(handle, content, seen.size)
        number, checksum = (events[-1][0], crc32(events[-1][1].encode())) if events else seen[:2]
        state = Seen(number, checksum, seen.size + len(content), languages)
        replace_file(folder / STATE, json.dumps(state).encode())


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    handle = open_regular(path, os.O_RDWR | os.O_CREAT)
    try:
        lock_file(handle, seconds=None)
        yield handle
    finally:
        os.close(handle)


def record_in_memory(history: History, address: str, events: Sequence[Event]) -> None:
    """Add events to the history on the server; events that it does not accept are kept here, with a message."""
    try:
        history.append_lines(_with_id(to_line(event)) for event in events)
    except OSError as error:
        say(f"This could not be added to the history in {history.folder}: {error.strerror}.")
        return
    try:
        with using_store(address) as store:
            send_waiting(history, store)
    except UnreachableError as error:
        say(f"{error.message} {KEPT}")


def _with_id(line: str) -> str:
    return f'{{"id":"{os.urandom(8).hex()}",{line[1:]}'


def send_waiting(history: History, store: Store) -> None:
    """Send the waiting events in one transaction, and empty their file unless more have been added."""
    with suppress(OSError):
        waiting = read_regular(history.own_file, MAX_WAITING_BYTES)
        whole = waiting[: waiting.rfind(b"\n") + 1]
        if events := _by_id(whole):
            store.record(events)
        with _locked(history.own_file) as handle:
            if os.pread(handle, len(waiting) + 1, 0) == waiting:
                os.ftruncate(handle, 0)


def _by_id(lines: bytes) -> Mapping[str, str]:
    """Return lines by their ids; a line of an earlier version has none, so its content and position identify it."""
    found: dict[str, str] = {}
    for position, line in enumerate(filter(None, lines.decode("ascii", "replace").split("\n"))):
        with suppress(ValueError):
            document = json.loads(line)
            if isinstance(document, dict):
                fallback = blake2b(f"{position} {line}".encode(), digest_size=8).hexdigest()
                found[str(document.get("id") or fallback)] = line
    return found
