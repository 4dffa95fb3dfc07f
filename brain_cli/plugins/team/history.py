"""This user's history of a shared memory: a copy of what the server has, and the events that wait to be sent.

server.jsonl   the copy, to which each recall appends the new events; it may be deleted
DEVICE.jsonl   events that the server has not taken yet: written first, and emptied when the server has them

Both are in the user's state folder, where they are folded as the history of a vault is. Each event has an id, so what
is sent twice counts once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from brain_cli.cli._output import say
from brain_cli.errors import UnreachableError
from brain_cli.files import append_lines, lock_file, open_regular, read_regular
from brain_cli.history.log import MAX_LINE_BYTES, Event, to_line
from brain_cli.paths import make_private_folder
from brain_cli.plugins.team import queries
from brain_cli.plugins.team.note import storable
from brain_cli.plugins.team.workspace import TeamWorkspace, using_store

COPY = "server.jsonl"
MAX_WAITING_BYTES = 64 << 20


def last_in(folder: Path) -> tuple[str, str]:
    """Return the id and the line of the last event in the copy; empty if they are unknown, so that all are copied."""
    with suppress(OSError, ValueError, KeyError, TypeError), open(folder / COPY, "rb") as copy:
        copy.seek(max(0, os.fstat(copy.fileno()).st_size - MAX_LINE_BYTES))
        *_, last, after = copy.read().decode().split("\n")
        if not after:
            return json.loads(last)["id"], last
    return "", ""


def take_new_events(folder: Path, last: tuple[str, str], lines: Sequence[str], *, is_known: bool) -> None:
    """Add new events to the copy; if the server does not know the `last` one any more, they replace all others."""
    if not lines and (is_known or not last[0]):
        return
    try:
        make_private_folder(folder)
        with _locked(folder / COPY) as handle:
            # Another process may have taken the same events meanwhile, and it took all of them.
            if last_in(folder) == last:
                if not is_known:
                    os.ftruncate(handle, 0)
                append_lines(handle, "".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        say(f"The copy of your history in {folder} cannot be written: {error.strerror}.")


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    handle = open_regular(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        lock_file(handle, seconds=None)
        yield handle
    finally:
        os.close(handle)


def record_in_memory(workspace: TeamWorkspace, events: Sequence[Event]) -> None:
    """Add events to the history on the server; events that it does not accept are kept here, with a message."""
    history = workspace.history
    try:
        history.append_lines(f'{{"id":"{os.urandom(8).hex()}",{to_line(event)[1:]}' for event in events)
        _send_waiting(workspace, history.own_file)
    except OSError as error:
        say(f"This could not be added to the history in {history.folder}: {error.strerror}.")
    except UnreachableError as error:
        say(f"{error.message} It is kept on this machine, and sent with the next recall.")


def _send_waiting(workspace: TeamWorkspace, file: Path) -> None:
    """Send the waiting events in one transaction, and empty their file unless more have been added."""
    waiting = read_regular(file, MAX_WAITING_BYTES)
    events: dict[str, str] = {}
    for line in waiting[: waiting.rfind(b"\n") + 1].decode("ascii", "replace").splitlines():
        with suppress(ValueError, KeyError, TypeError):
            events[str(json.loads(line)["id"])] = line
    sent = {"ids": list(map(storable, events)), "lines": list(map(storable, events.values()))}
    with using_store(workspace) as store:
        store.written(queries.RECORD, sent)
    with _locked(file) as handle:
        if os.pread(handle, len(waiting) + 1, 0) == waiting:
            os.ftruncate(handle, 0)
