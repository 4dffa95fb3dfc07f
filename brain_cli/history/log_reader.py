"""The history as a recall uses it: usage by path, and which notes were shown together."""

import contextlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import NamedTuple

from brain_cli.history.fold import NOTHING, Checkpoint, fold_all, load, save
from brain_cli.history.log import MAX_NEW_BYTES, SHOWN, End, Event, History, from_lines
from brain_cli.history.usage import NO_ENTRY, Fold, in_time_order
from brain_cli.printable import some_of
from brain_cli.types import Usage

# A recall affects the ranking only after an hour, so that a question asked twice gets the same
# answer.
SETTLING_SECONDS = 3_600.0
# Folding fewer events again takes less time than saving the fold.
MIN_EVENTS_TO_SAVE = 100
# A longer history is folded in batches, so that it is never in memory as a whole.
LARGE_BYTES = MAX_NEW_BYTES


class HistorySnapshot:
    """The history up to a moment. The ranking uses only the settled events, the output uses all of
    them.
    """

    def __init__(self, settled: Fold, complete: Fold | None = None) -> None:
        self._settled = settled
        self._complete = complete or settled

    @property
    def began(self) -> float | None:
        """The time at which the history begins (seconds since the epoch); None if it is empty."""
        return self._complete.first_at if self._complete.first_at < inf else None

    def paths(self) -> dict[str, str]:
        """Return every path in the history, with the last known content hash of its note."""
        return {path: entry.content_hash for path, entry in self._complete.entries.items()}

    def usage(self, path: str) -> Usage:
        """Return the usage of the note at a path."""
        settled = self._settled.entries.get(path, NO_ENTRY)
        complete = self._complete.entries.get(path, NO_ENTRY)
        return Usage(
            accesses=settled.accesses,
            last_access=settled.last_recall or None,
            boost=settled.boost,
            useful=settled.useful,
            wrong=settled.wrong,
            revisions=settled.revisions,
            recalled=complete.accesses,
            last_recalled=complete.last_recall or None,
        )

    @property
    def has_joint_recalls(self) -> bool:
        return bool(self._settled.joint)

    def joint_recalls(self, path: str) -> list[int]:
        """Return the numbers of a note's last joint recalls, which are those that showed other
        notes too.
        """
        return self._settled.entries.get(path, NO_ENTRY).joint

    def shown_in(self, number: int) -> list[str]:
        """Return the paths of the notes that one joint recall showed."""
        return self._settled.joint[number]

    def shown_together(self, path: str) -> set[str]:
        """Return the paths of the notes that were shown together with this one."""
        return self._settled.shown_together(path)


class LogLine(NamedTuple):
    """One line of a file, without its line end, and the event in it."""

    raw: bytes
    event: Event


class IncrementalFold:
    """Folds a growing list of events repeatedly; if events were only added at the end, it folds
    only these.
    """

    def __init__(self, fold: Fold) -> None:
        self._base = self._fold = fold
        self._events: list[Event] = []

    def of(self, events: list[Event]) -> Fold:
        """Return the base with these events folded on top; they are in time order."""
        if events[: len(self._events)] != self._events:
            self._fold = self._base
            self._events = []
        self._fold = self._fold.after(events[len(self._events) :])
        self._events = events
        return self._fold


class HistoryReader:
    """Reads a history once, and later only the new events; one thread at a time.

    It starts from the checkpoint in the cache, which may be lost at any time. Events older than an
    hour are folded once, in time order, and saved as the next checkpoint. The recent events up to
    the moment of a question are folded on top for that question.
    """

    def __init__(self, history: History, cache: Path) -> None:
        self._history = history
        self._cache = cache
        self._start_from(load(cache))

    def at(self, now: float, warn: Callable[[str], None]) -> HistorySnapshot:
        """Return the history up to a moment (seconds since the epoch)."""
        if not (self._ends and self._is_complete):
            self._start_from(NOTHING)
            self._fold_large(now)
        if not self._read_new_events(now):
            self._start_from(NOTHING)
            self._fold_large(now)
            if not self._read_new_events(now):
                warn(f"The history in {self._history.folder} cannot be read, so it is not used.")
                return HistorySnapshot(Fold())
        if left_out := self._history.left_out():
            warn(
                f"{some_of(left_out)} of the history in {self._history.folder} cannot be read "
                "and is left out."
            )
        if self._torn:
            lines = "line" if self._torn == 1 else "lines"
            warn(
                f"{self._torn} torn {lines} of the history in {self._history.folder} are left out."
            )
        self._fold_old_events(now - SETTLING_SECONDS)
        events = self._events_until(now)
        settled = [
            event for event in events if event.event != SHOWN or event.at <= now - SETTLING_SECONDS
        ]
        return HistorySnapshot(self._settled.of(settled), self._complete.of(events))

    def _fold_large(self, now: float) -> None:
        """Fold a history that is too large for memory in batches, up to an hour ago."""
        with contextlib.suppress(OSError):
            if self._history.size() > LARGE_BYTES:
                until = now - SETTLING_SECONDS
                checkpoint, torn, is_complete = fold_all(
                    self._history.folder, self._history.names(), until
                )
                self._start_from(checkpoint)
                self._torn += torn
                self._is_complete = is_complete
                if is_complete:
                    save(self._cache, checkpoint)

    def _start_from(self, checkpoint: Checkpoint) -> None:
        self._ends = dict(checkpoint.ends)
        self._recent: dict[str, list[LogLine]] = {}
        self._torn = 0
        self._is_complete = True
        self._add_lines(checkpoint.recent)
        self._set_base(checkpoint.fold)

    def _set_base(self, fold: Fold) -> None:
        self._fold = fold
        self._settled = IncrementalFold(fold)
        self._complete = IncrementalFold(fold)

    def _add_lines(self, files: Mapping[str, Sequence[bytes]]) -> None:
        for name, raws in files.items():
            lines, torn = _read(raws)
            self._recent.setdefault(name, []).extend(lines)
            self._torn += torn
        self._sort()

    def _sort(self) -> None:
        # By name, so that events of one moment always have the same order.
        files = (self._recent[name] for name in sorted(self._recent))
        self._events = sorted(_distinct(files), key=in_time_order)

    def _read_new_events(self, now: float) -> bool:
        """Read the events added since the last call; return False if the history has to be folded
        again.

        It has to be if a file was replaced, or if a new event is not later than all folded ones.
        """
        unread = self._history.unread(self._ends)
        if unread is None or self._fold.last_at > now - SETTLING_SECONDS:
            return False
        if any(unread.values()):
            self._ends = {
                name: self._ends.get(name, End()).after(lines) for name, lines in unread.items()
            }
            self._add_lines(unread)
        return not self._events or self._events[0].at > self._fold.last_at

    def _fold_old_events(self, until: float) -> None:
        """Fold the events up to a moment and save a checkpoint, if there are enough of them."""
        old = self._events_until(until)
        if len(old) < MIN_EVENTS_TO_SAVE or not self._is_complete:
            return
        self._set_base(self._fold.after(old))
        self._recent = {
            name: [line for line in lines if line.event.at > until]
            for name, lines in self._recent.items()
        }
        self._torn = 0
        self._sort()
        recent = {name: [line.raw for line in lines] for name, lines in self._recent.items()}
        save(self._cache, Checkpoint(self._fold, self._ends, recent))

    def _events_until(self, moment: float) -> list[Event]:
        return self._events[: bisect_right(self._events, moment, key=in_time_order)]


def _read(raws: Sequence[bytes]) -> tuple[list[LogLine], int]:
    """Return the lines that hold an event, and the number of torn lines."""
    stripped = [raw.strip() for raw in raws]
    lines = [
        LogLine(raw, event)
        for raw, event in zip(stripped, from_lines(stripped), strict=True)
        if event
    ]
    return lines, sum(map(bool, stripped)) - len(lines)


def _distinct(files: Iterable[Sequence[LogLine]]) -> Iterator[Event]:
    """Yield each event once: a file that a sync tool has copied repeats its lines."""
    seen: set[bytes] = set()
    for lines in files:
        yield from (line.event for line in lines if line.raw not in seen)
        seen.update(line.raw for line in lines)
