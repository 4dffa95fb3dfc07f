"""The history as a recall uses it: usage by path, and which notes were shown together.

The lines of all files are sorted by time and folded in batches. A checkpoint of the fold in the
cache leaves only the new lines to be read.
"""

import contextlib
import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zlib import crc32

from brain_cli.history.log import (
    FEEDBACK,
    FEEDBACK_UNDONE,
    MAX_LINE_BYTES,
    MOVED,
    SHOWN,
    Event,
    History,
    from_line,
    open_log,
)
from brain_cli.history.usage import NO_ENTRY, Fold, in_time_order
from brain_cli.printable import some_of
from brain_cli.record import Record
from brain_cli.streams import say
from brain_cli.types import Usage
from brain_cli.vault.atomic_write import replace_file

# A recall affects the ranking only after an hour, so that a question asked twice gets the same
# answer.
SETTLING_SECONDS = 3_600.0
# Folding fewer events again takes less time than saving the fold.
MIN_EVENTS_TO_SAVE = 100
# So many events are in memory at once.
BATCH_LINES = 1_000
# An incomplete line may hold any bytes.
ANY_BYTES = "latin-1"


class LogLine(NamedTuple):
    """A line with an event: when it was, the name of the file, and the line without its end."""

    at: float
    name: str
    raw: bytes


class End(Record):
    """The end of the part of a file that was read: its offset in bytes, and the last line before
    it.

    The line shows later whether it is still the same file.
    """

    offset: int = 0
    last_line: bytes = b""


class NewLines(NamedTuple):
    """The new lines of the files: those with an event, the end of each file, and how many were torn
    in each.
    """

    lines: list[LogLine]
    ends: dict[str, End]
    torn: Counter[str]


def read_lines(history: History, ends: Mapping[str, End]) -> NewLines:
    """Read all files of a history on from their ends; OSError if one is gone, unreadable or
    replaced.
    """
    found = NewLines([], {}, Counter())
    names = history.names()
    if not ends.keys() <= set(names):
        raise FileNotFoundError
    for name in names:
        end = ends.get(name, End())
        with open_log(history.folder / name) as file:
            for raw in _read_on(file, end):
                end = End(end.offset + len(raw), raw)
                if event := from_line(raw):
                    found.lines.append(LogLine(event.at, name, raw.strip()))
                elif raw.strip():
                    found.torn[name] += 1
        found.ends[name] = end
    return found


def _read_on(file: BinaryIO, end: End) -> Iterator[bytes]:
    """Yield the lines of a file after an end."""
    file.seek(end.offset - len(end.last_line))
    if file.read(len(end.last_line)) != end.last_line:
        raise FileNotFoundError
    for raw in iter(lambda: file.readline(MAX_LINE_BYTES), b""):
        # The last line may still be being written.
        if not raw.endswith(b"\n") and len(raw) < MAX_LINE_BYTES:
            return
        yield raw


def _in_order(lines: Iterable[LogLine]) -> list[LogLine]:
    """Return lines in the order of their times, each once: a file that a sync tool has copied
    repeats its lines.
    """
    # By name, so that events of one moment always have the same order.
    in_order = sorted(lines, key=attrgetter("at", "name"))
    owners: dict[bytes, str] = {}
    return [line for line in in_order if owners.setdefault(line.raw, line.name) == line.name]


def _events(lines: Iterable[LogLine]) -> Iterator[Event]:
    """Yield the events of lines."""
    return filter(None, (from_line(line.raw) for line in lines))


def events_until(
    history: History, until: float, *, newest_first: bool = False
) -> Iterator[Event]:
    """Yield the events of all devices up to a moment (seconds), in order of time, each once; report
    a file that cannot be read.

    Lines that cannot be read are omitted.
    """
    try:
        read = read_lines(history, {}).lines
    except OSError as error:
        say(f"The history in {history.folder} cannot be read: {error.strerror}.")
        return
    lines = _in_order(line for line in read if line.at <= until)
    yield from _events(reversed(lines) if newest_first else lines)


def recalls_of(newest_first: Iterable[Event], path: str) -> list[float]:
    """Return the times (seconds) at which a note was recalled, also under its former paths."""
    times = []
    for event in newest_first:
        is_named = any(note[0] == path for note in event.notes)
        if is_named and event.event == MOVED:
            path = event.value
        elif is_named and event.event == SHOWN:
            times.append(event.at)
    return times[::-1]


def without_undone(newest_first: Iterable[Event]) -> Iterator[Event]:
    """Yield the events, newest first, without feedback that was undone and without the undoing
    events.
    """
    undone = Counter[tuple[str, ...]]()
    for event in newest_first:
        key = (event.value, *(note[0] for note in event.notes))
        if event.event == FEEDBACK_UNDONE:
            undone[key] += 1
        elif event.event == FEEDBACK and undone[key] > 0:
            undone[key] -= 1
        else:
            yield event


class HistorySnapshot(Record):
    """The history up to a moment: the settled events, which the ranking uses, and all of them,
    which the output uses.
    """

    settled: Fold
    complete: Fold

    def usage(self, path: str) -> Usage:
        """Return the usage of the note at a path."""
        settled = self.settled.entries.get(path, NO_ENTRY)
        complete = self.complete.entries.get(path, NO_ENTRY)
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


NO_HISTORY = HistorySnapshot(Fold(), Fold())


class Checkpoint(NamedTuple):
    """A fold, how far each file was read, and the lines that were read but are too recent to be
    folded.
    """

    fold: Fold
    ends: Mapping[str, End]
    recent: Sequence[LogLine]


NOTHING = Checkpoint(Fold(), {}, ())


def load(cache: Path) -> Checkpoint:
    """Return the checkpoint in a file; NOTHING if it is lost or damaged."""
    try:
        checksum, _, content = cache.read_bytes().partition(b"\n")
        if int(checksum) != crc32(content):
            return NOTHING
        document = json.loads(content)
        return Checkpoint(
            Fold.from_json(document["fold"]),
            {
                name: End(offset, last.encode(ANY_BYTES))
                for name, (offset, last) in document["ends"].items()
            },
            [LogLine(at, name, raw.encode(ANY_BYTES)) for at, name, raw in document["recent"]],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return NOTHING


def save(cache: Path, checkpoint: Checkpoint) -> None:
    """Save a checkpoint. If that fails, the next fold takes longer."""
    document = {
        "fold": checkpoint.fold.to_json(),
        "ends": {
            name: (end.offset, end.last_line.decode(ANY_BYTES))
            for name, end in checkpoint.ends.items()
        },
        "recent": [(at, name, raw.decode(ANY_BYTES)) for at, name, raw in checkpoint.recent],
    }
    with contextlib.suppress(OSError):
        content = json.dumps(document).encode()
        replace_file(cache, b"%d\n%s" % (crc32(content), content))


class HistoryReader:
    """Reads a history once, and later only the new events; one thread at a time.

    It starts from the checkpoint in the cache, which may be lost at any time. Events older than an
    hour are folded once, in time order, and saved as the next checkpoint. The recent events up to
    the moment of a question are folded on top for that question.
    """

    def __init__(self, history: History, cache: Path) -> None:
        self._history = history
        self._cache = cache
        self._read = load(cache)
        self._torn = 0

    def at(self, now: float, warn: Callable[[str], None]) -> HistorySnapshot:
        """Return the history up to a moment (seconds since the epoch)."""
        folder = self._history.folder
        if not self._read_on(now):
            self._read = NOTHING
            self._torn = 0
            if not self._read_on(now):
                warn(f"The history in {folder} cannot be read, so it is not used.")
                return NO_HISTORY
        if left_out := self._history.left_out():
            warn(
                f"{some_of(left_out)} of the history in {folder} cannot be read and is left out."
            )
        if self._torn:
            lines = "line" if self._torn == 1 else "lines"
            warn(f"{self._torn} torn {lines} of the history in {folder} are left out.")
        settling = now - SETTLING_SECONDS
        self._fold_old_lines(settling)
        fold, _, recent = self._read
        events = list(_events(recent[: _count_until(recent, now)]))
        settled = [event for event in events if event.event != SHOWN or event.at <= settling]
        return HistorySnapshot(fold.after(settled), fold.after(events))

    def _read_on(self, now: float) -> bool:
        """Read the events added since the last call; return False if the history has to be folded
        again.

        It has to be if a file was replaced, or if a new event is not later than all folded ones.
        """
        fold, ends, recent = self._read
        if fold.last_at > now - SETTLING_SECONDS:
            return False
        try:
            new, ends, torn = read_lines(self._history, ends)
        except OSError:
            return False
        self._torn += torn.total()
        if new:
            recent = _in_order([*recent, *new])
        self._read = Checkpoint(fold, ends, recent)
        return not recent or recent[0].at > fold.last_at

    def _fold_old_lines(self, settling: float) -> None:
        """Fold the lines up to a moment and save a checkpoint, if there are enough of them."""
        fold, ends, recent = self._read
        count = _count_until(recent, settling)
        if count < MIN_EVENTS_TO_SAVE:
            return
        for start in range(0, count, BATCH_LINES):
            batch = recent[start : min(start + BATCH_LINES, count)]
            fold = fold.after(list(_events(batch)))
        self._read = Checkpoint(fold, ends, recent[count:])
        self._torn = 0
        save(self._cache, self._read)


def _count_until(lines: Sequence[LogLine], moment: float) -> int:
    return bisect_right(lines, moment, key=in_time_order)
