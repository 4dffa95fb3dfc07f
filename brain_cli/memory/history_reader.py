"""The history as a recall uses it: usage by path, and which notes were shown together."""

from __future__ import annotations

import contextlib
import gc
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import NamedTuple

from brain_cli.memory.checkpoint import NOTHING, Checkpoint, load, save
from brain_cli.memory.events import MOVED, SHOWN, Event, from_lines
from brain_cli.memory.history import End, History
from brain_cli.memory.usage import NO_ENTRY, Fold, in_time_order
from brain_cli.types import Usage

# A recall enters ranking an hour after it happened, so that a question asked twice gets the same answer.
SETTLING_SECONDS = 3_600.0
# Fewer events are folded again in less time than saving the fold takes.
WORTH_KEEPING = 100
# A longer history is folded from its beginning in batches, so that it never has to be in memory as a whole.
LARGE_BYTES = 4 << 20


class Memory:
    """The history up to a moment: only events that have settled count in the ranking; people are shown all of them."""

    def __init__(self, settled: Fold, told: Fold | None = None) -> None:
        self._settled = settled
        self._told = told or settled

    @property
    def began(self) -> float | None:
        """The time at which the history begins (seconds since the epoch); None where it is empty."""
        return self._told.first_at if self._told.first_at < inf else None

    def paths(self) -> dict[str, str]:
        """Return every path the history knows, with the content hash it last had there."""
        return {path: entry.content_hash for path, entry in self._told.entries.items()}

    def usage(self, path: str) -> Usage:
        """Return what the history says of the note it knows by this path."""
        settled = self._settled.entries.get(path, NO_ENTRY)
        told = self._told.entries.get(path, NO_ENTRY)
        return Usage(
            accesses=settled.accesses,
            last_access=settled.last_recall or None,
            boost=settled.boost,
            useful=settled.useful,
            wrong=settled.wrong,
            revisions=settled.revisions,
            recalled=told.accesses,
            last_recalled=told.last_recall or None,
        )

    def joint_recalls(self, path: str) -> list[int]:
        """Return the numbers of a note's last recalls that showed other notes too."""
        return self._settled.entries.get(path, NO_ENTRY).joint

    def shown_in(self, number: int) -> list[str]:
        """Return the notes that one joint recall showed, those that still remember it."""
        return self._settled.joint[number]

    def shown_together(self, path: str) -> set[str]:
        """Return the notes that were shown together with one."""
        return self._settled.shown_together(path)


class Line(NamedTuple):
    """One line of a file, without its end, and the event it tells."""

    raw: bytes
    event: Event


class IncrementalFold:
    """The fold of events that most of the time grow at their end: then only what is new is folded."""

    def __init__(self, fold: Fold) -> None:
        self._ground = self._fold = fold
        self._events: list[Event] = []

    def of(self, events: list[Event]) -> Fold:
        """Return the fold of these events, which are in time order, on the ground it was given."""
        if events[: len(self._events)] != self._events:
            self._fold, self._events = self._ground, []
        self._fold = self._fold.after(events[len(self._events) :])
        self._events = events
        return self._fold


class HistoryReader:
    """A history that was read once and is read on from there; not for two threads at a time.

    Reading begins where the cache ends, which may be lost at any time.

    What is older than an hour is folded for good, in time order. The young events are folded on top of that for
    each question, as far as they have happened and settled at its moment.
    """

    def __init__(self, history: History, cache: Path) -> None:
        self._history = history
        self._cache = cache
        with _uncollected():
            self._begin(load(cache))

    def at(self, now: float, warn: Callable[[str], None]) -> Memory:
        """Return what the history says at a moment (seconds since the epoch)."""
        with _uncollected():
            if not self._ends:
                self._fold_large(now)
            if not self._read_on(now):
                self._begin(NOTHING)
                self._fold_large(now)
                if not self._read_on(now):
                    warn(f"The history in {self._history.folder} cannot be read, so it counts for nothing.")
                    return Memory(Fold())
            if left_out := self._history.left_out():
                warn(f"{', '.join(left_out)} of the history in {self._history.folder} cannot be read and is left out.")
            if self._spoilt:
                lines = "line" if self._spoilt == 1 else "lines"
                warn(f"{self._spoilt} torn {lines} of the history in {self._history.folder} are left out.")
            self._fold_for_good(now - SETTLING_SECONDS)
            happened = self._until(now)
            settled = [event for event in happened if _has_settled(event, now)]
            return Memory(self._settled.of(settled), self._told.of(happened))

    def _fold_large(self, now: float) -> None:
        """Fold a history that is too large for memory up to an hour ago, in batches."""
        from brain_cli.memory.first_fold import fold_all

        with contextlib.suppress(OSError):
            if self._history.size() > LARGE_BYTES:
                first = fold_all(self._history.folder, self._history.names(), now - SETTLING_SECONDS)
                self._begin(first.checkpoint)
                self._spoilt += first.torn
                save(self._cache, first.checkpoint)

    def _begin(self, kept: Checkpoint) -> None:
        self._ends = dict(kept.ends)
        self._young: dict[str, list[Line]] = {}
        self._spoilt = 0
        self._take(kept.young)
        self._build_on(kept.fold)

    def _build_on(self, fold: Fold) -> None:
        self._fold = fold
        self._settled, self._told = IncrementalFold(fold), IncrementalFold(fold)

    def _take(self, files: Mapping[str, Sequence[bytes]]) -> None:
        for name, raws in files.items():
            lines, spoilt = _read(raws)
            self._young.setdefault(name, []).extend(lines)
            self._spoilt += spoilt
        self._sort()

    def _sort(self) -> None:
        self._events = sorted(_distinct(self._young.values()), key=in_time_order)

    def _read_on(self, now: float) -> bool:
        """Read what has come; False when what was folded for good does not go before all of it, or not before now."""
        unread = self._history.unread(self._ends)
        if unread is None or self._fold.last_at > now - SETTLING_SECONDS:
            return False
        if any(unread.values()):
            self._ends = {name: self._ends.get(name, End()).after(lines) for name, lines in unread.items()}
            self._take(unread)
        return not self._events or self._events[0].at > self._fold.last_at

    def _fold_for_good(self, border: float) -> None:
        """Fold what happened up to a moment, if that is worth it, and keep it for the next time."""
        old = self._until(border)
        if len(old) < WORTH_KEEPING:
            return
        self._build_on(self._fold.after(old))
        self._young = {name: [line for line in lines if line.event.at > border] for name, lines in self._young.items()}
        self._spoilt = 0
        self._sort()
        young = {name: [line.raw for line in lines] for name, lines in self._young.items()}
        save(self._cache, Checkpoint(self._fold, self._ends, young))

    def _until(self, moment: float) -> list[Event]:
        return self._events[: bisect_right(self._events, moment, key=in_time_order)]


def _has_settled(event: Event, now: float) -> bool:
    return event.event != SHOWN or event.at <= now - SETTLING_SECONDS


def _read(raws: Sequence[bytes]) -> tuple[list[Line], int]:
    """Return the lines that tell an event, and how many are torn."""
    bare = [raw.strip() for raw in raws]
    lines = [Line(raw, event) for raw, event in zip(bare, from_lines(bare), strict=True) if event]
    return lines, sum(map(bool, bare)) - len(lines)


def _distinct(files: Iterable[Sequence[Line]]) -> Iterator[Event]:
    """Yield each event once: a sync tool's copy of a file repeats its lines."""
    seen: set[bytes] = set()
    for lines in files:
        yield from (line.event for line in lines if line.raw not in seen)
        seen.update(line.raw for line in lines)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing here makes cycles, and looking for them in a long history takes longer than reading it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def recalls_of(history: History, path: str, now: float) -> list[float]:
    """Return when a note was recalled up to `now` (seconds), also under the paths it had before."""
    files = [_read(lines)[0] for lines in (history.unread({}) or {}).values()]
    times = []
    for event in sorted(_distinct(files), key=in_time_order, reverse=True):
        named = event.at <= now and any(note[0] == path for note in event.notes)
        if named and event.event == MOVED:
            path = event.value
        elif named and event.event == SHOWN:
            times.append(event.at)
    return times[::-1]
