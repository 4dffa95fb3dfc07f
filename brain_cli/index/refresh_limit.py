"""The limit of a refresh for which a user waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from brain_cli.index.note_table import NoteTable
from brain_cli.index.sync_plan import count_stale
from brain_cli.vault.walk import Listing


class RefreshLimit(NamedTuple):
    """The limit of a refresh: the number of changed notes, their total bytes, and seconds of this process's CPU time.

    Up to `always` notes of this size have no limit of time: a note just written is found, however busy the machine is.
    """

    notes: int
    size: int
    seconds: float
    always: int = 20
    clock: Callable[[], float] = time.process_time


class BehindError(Exception):
    """A bounded refresh was abandoned, so the index is unchanged.

    `changed` counts the notes that it lacks; `why` is the reason, empty if only the time was too short.
    """

    def __init__(self, changed: int, why: str = "") -> None:
        super().__init__(changed, why)
        self.changed = changed
        self.why = why


class Countdown:
    """Raises BehindError once a refresh has used up its limit; without a limit it never does.

    The clock is checked twice for each note: before it is opened, and before it is written to the index. A single
    note cannot take long, because the size of all changed notes is limited before the clock starts.
    """

    def __init__(self, limit: RefreshLimit | None) -> None:
        self._limit = limit
        self._changed = 0
        self._until: float | None = None

    def admit(self, listing: Listing, note_table: NoteTable) -> None:
        """Refuse a listing with more changes than the limit allows."""
        if not self._limit:
            return
        self._changed = count_stale(listing, note_table)
        if self._changed > self._limit.notes or sum(file.size for file in listing.files) > self._limit.size:
            raise BehindError(self._changed)

    def start(self) -> None:
        """Start the clock: after the wait for the lock, because its holder may do this refresh's work meanwhile."""
        if self._limit and self._changed > self._limit.always:
            self._until = self._limit.clock() + self._limit.seconds

    def check(self) -> None:
        """Raise BehindError if the time is used up."""
        if self._limit and self._until is not None and self._limit.clock() > self._until:
            raise BehindError(self._changed)


def stale_answer(behind: int) -> str:
    """Return the sentence that an answer lacks this many changed notes."""
    lacks = "1 changed note is" if behind == 1 else f"{behind} changed notes are"
    return f"This answer may be stale: {lacks} not in the index yet."
