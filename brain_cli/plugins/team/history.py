"""This user's history of a shared memory: events on the server, and a copy of them at hand.

The copy is in the user's state folder, where it is folded as the history of a vault is. Each recall
appends the new events to it; it may be deleted. Each event has an id, so what is sent twice counts
once.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from brain_cli.files import append_lines
from brain_cli.history.log import MAX_LINE_BYTES, Event, locked_log, to_line
from brain_cli.library.vault import Vault
from brain_cli.plugins.team.note import storable
from brain_cli.plugins.team.patience import EVENT
from brain_cli.plugins.team.stores import using_store
from brain_cli.streams import say

COPY = "server.jsonl"


def last_in(folder: Path) -> tuple[str, str]:
    """Return the id and the line of the last event in the copy; empty if they are unknown, so that
    all are copied.
    """
    with suppress(OSError, ValueError, KeyError, TypeError), open(folder / COPY, "rb") as copy:
        copy.seek(max(0, os.fstat(copy.fileno()).st_size - MAX_LINE_BYTES))
        *_, last, after = copy.read().decode().split("\n")
        if not after:
            return json.loads(last)["id"], last
    return "", ""


def take_new_events(
    folder: Path, last: tuple[str, str], lines: Sequence[str], *, is_known: bool
) -> None:
    """Add new events to the copy; if the server does not know the `last` one any more, they replace
    all others.
    """
    if not lines and (is_known or not last[0]):
        return
    try:
        with locked_log(folder / COPY) as handle:
            # Another process may have taken the same events meanwhile, and it took all of them.
            if last_in(folder) == last:
                if not is_known:
                    os.ftruncate(handle, 0)
                append_lines(handle, "".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        say(f"The copy of your history in {folder} cannot be written: {error.strerror}.")


def record_in_memory(vault: Vault, events: Sequence[Event]) -> None:
    """Add events to the history on the server; UnreachableError if it does not accept them."""
    found = {os.urandom(8).hex(): to_line(event) for event in events}
    lines = [storable(f'{{"id":"{key}",{line[1:]}') for key, line in found.items()]
    with using_store(vault, EVENT) as store:
        store.call("record", list(found), lines)
