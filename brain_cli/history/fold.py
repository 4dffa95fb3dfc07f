"""Fold a long history from the start with little memory, and save the result as a checkpoint.

Events are read in the order of their times; only times and positions are sorted. With the
checkpoint, only the new part of a history has to be read.
"""

import contextlib
import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from math import inf
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zlib import crc32

from brain_cli.history.log import (
    FEEDBACK,
    FEEDBACK_UNDONE,
    MAX_LINE_BYTES,
    MOVED,
    SHOWN,
    End,
    Event,
    History,
    from_lines,
    open_log,
)
from brain_cli.history.usage import Fold
from brain_cli.vault.atomic_write import replace_file

BATCH_LINES = 5_000
# An incomplete line may hold any bytes.
LINES = "latin-1"
BATCH_BYTES = 8 << 20
# Far more than the events of an hour. The lines beyond this are in the future and do not count yet.
MAX_RECENT_BYTES = 16 << 20


def events_in_order(
    history: History, until: float = inf, *, newest_first: bool = False
) -> Iterator[Event]:
    """Yield the events of all devices up to a moment (seconds), each once; raise OSError if a file
    is unreadable.

    Lines that cannot be read are left out.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(open_log(history.folder / name)) for name in history.names()]
        positions = LinePositions(until, keeps_later=False)
        for number, file in enumerate(files):
            positions.read(number, file)
        for batch in batches_in_order(positions, files, newest_first=newest_first):
            yield from batch


def count_lines(history: History) -> dict[str, tuple[int, int]]:
    """Return how many events and how many torn lines each file has, by name; raise OSError if one
    is unreadable.
    """
    counts = {}
    for number, name in enumerate(history.names()):
        positions = LinePositions(inf)
        with open_log(history.folder / name) as file:
            positions.read(number, file)
        counts[name] = (len(positions.at), positions.torn)
    return counts


class LinePositions:
    """The time, file, offset and length of every line with an event up to a moment, 26 bytes each.

    With `keeps_later`, the lines after that moment are kept in `recent`, up to MAX_RECENT_BYTES.
    """

    def __init__(self, until: float, *, keeps_later: bool = True) -> None:
        self._until = until
        self._keeps_later = keeps_later
        self.at = array("d")
        self.file = array("H")
        self.offset = array("Q")
        self.length = array("Q")
        self.ends: list[End] = []
        self.recent: list[list[bytes]] = []
        self.recent_bytes = 0
        self.torn = 0

    def read(self, number: int, file: BinaryIO) -> None:
        """Add the lines of one file, which later calls name by this number."""
        end = End()
        recent = list[bytes]()
        for raws in _batches(iter(lambda: file.readline(MAX_LINE_BYTES), b"")):
            # The last line may still be being written.
            if not raws[-1].endswith(b"\n") and len(raws[-1]) < MAX_LINE_BYTES:
                del raws[-1]
            self._add(number, end.offset, raws, recent)
            end = end.after(raws)
        self.ends.append(end)
        self.recent.append(recent)

    def _add(self, number: int, offset: int, raws: list[bytes], recent: list[bytes]) -> None:
        stripped = [raw.strip() for raw in raws]
        for raw, line, event in zip(raws, stripped, from_lines(stripped), strict=True):
            if event is None:
                self.torn += bool(line)
            elif event.at <= self._until:
                self.at.append(event.at)
                self.file.append(number)
                self.offset.append(offset)
                self.length.append(len(raw))
            elif self._keeps_later:
                self.recent_bytes += len(line)
                if self.recent_bytes <= MAX_RECENT_BYTES:
                    recent.append(line)
            offset += len(raw)


def batches_in_order(
    positions: LinePositions, files: Sequence[BinaryIO], *, newest_first: bool = False
) -> Iterator[list[Event]]:
    """Yield batches of events in the order of their times, or in exactly the reverse order."""
    order = sorted(range(len(positions.at)), key=positions.at.__getitem__)
    for lines in _batches(
        _distinct(positions, files, reversed(order) if newest_first else iter(order))
    ):
        yield [event for event in from_lines(lines) if event]


def _batches(lines: Iterator[bytes]) -> Iterator[list[bytes]]:
    """Group lines into batches, large enough to parse fast and small enough to need
    little memory.
    """
    batch: list[bytes] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line)
        if len(batch) == BATCH_LINES or size >= BATCH_BYTES:
            yield batch
            batch = []
            size = 0
    if batch:
        yield batch


def _distinct(
    positions: LinePositions, files: Sequence[BinaryIO], order: Iterator[int]
) -> Iterator[bytes]:
    """Yield each line once: a file that a sync tool has copied repeats its lines, with the same
    times.
    """
    at = None
    seen = dict[bytes, int]()
    for index in order:
        file = files[positions.file[index]]
        file.seek(positions.offset[index])
        line = file.read(positions.length[index]).strip()
        if positions.at[index] != at:
            at = positions.at[index]
            seen = {}
        if seen.setdefault(line, positions.file[index]) == positions.file[index]:
            yield line


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


class Checkpoint(NamedTuple):
    """A fold, how far each file was read, and the lines that were read but are too recent to be
    folded.
    """

    fold: Fold
    ends: Mapping[str, End]
    recent: Mapping[str, Sequence[bytes]]


NOTHING = Checkpoint(Fold(), {}, {})


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
                name: End(offset, last.encode(LINES))
                for name, (offset, last) in document["ends"].items()
            },
            {
                name: [line.encode(LINES) for line in lines]
                for name, lines in document["young"].items()
            },
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return NOTHING


def save(cache: Path, checkpoint: Checkpoint) -> None:
    """Save a checkpoint. If that fails, the next fold takes longer."""
    document = {
        "fold": checkpoint.fold.to_json(),
        "ends": {
            name: (end.offset, end.last_line.decode(LINES)) for name, end in checkpoint.ends.items()
        },
        "young": {
            name: [line.decode(LINES) for line in lines]
            for name, lines in checkpoint.recent.items()
        },
    }
    with contextlib.suppress(OSError):
        content = json.dumps(document).encode()
        replace_file(cache, b"%d\n%s" % (crc32(content), content))


def fold_all(folder: Path, names: list[str], until: float) -> tuple[Checkpoint, int, bool]:
    """Fold the events of these files up to a moment, in time order; raise OSError if a file cannot
    be read.

    Return the checkpoint, the number of torn lines, and whether all recent lines fit into the
    checkpoint.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(open_log(folder / name)) for name in names]
        positions = LinePositions(until)
        for number, file in enumerate(files):
            positions.read(number, file)
        fold = Fold()
        for events in batches_in_order(positions, files):
            fold.add(events)
    ends = dict(zip(names, positions.ends, strict=True))
    checkpoint = Checkpoint(fold, ends, dict(zip(names, positions.recent, strict=True)))
    return checkpoint, positions.torn, positions.recent_bytes <= MAX_RECENT_BYTES
