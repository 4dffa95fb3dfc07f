"""Fold a long history from its beginning with little memory: only the times and positions of its lines are sorted."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NamedTuple

from brain_cli.memory.checkpoint import Checkpoint
from brain_cli.memory.events import Event, from_lines
from brain_cli.memory.history import MAX_LINE_BYTES, End
from brain_cli.memory.usage import Fold
from brain_cli.regular_file import open_regular

BATCH_LINES = 5_000
BATCH_BYTES = 8 << 20
# More events than an hour has. Any further lines are dated in the future, and do not count yet.
MAX_RECENT_BYTES = 16 << 20


class FirstFold(NamedTuple):
    """The checkpoint of a fold from the beginning, the number of torn lines, and whether it has all recent ones."""

    checkpoint: Checkpoint
    torn: int
    is_complete: bool = True


def fold_all(folder: Path, names: list[str], until: float) -> FirstFold:
    """Fold the events of these files up to a moment, in time order; raise OSError if a file cannot be read."""
    with ExitStack() as stack:
        files = [stack.enter_context(open(open_regular(folder / name), "rb")) for name in names]
        places = _Places(until)
        for number, file in enumerate(files):
            places.read(number, file)
        fold = Fold()
        for events in _in_order(places, files):
            fold.add(events)
    ends = dict(zip(names, places.ends, strict=True))
    checkpoint = Checkpoint(fold, ends, dict(zip(names, places.recent, strict=True)))
    return FirstFold(checkpoint, places.torn, places.recent_bytes <= MAX_RECENT_BYTES)


class _Places:
    """The time, file, offset and length of every line with an event, 26 bytes each."""

    def __init__(self, until: float) -> None:
        self._until = until
        self.at, self.file, self.offset, self.length = array("d"), array("H"), array("Q"), array("Q")
        self.ends: list[End] = []
        self.recent: list[list[bytes]] = []
        self.recent_bytes = 0
        self.torn = 0

    def read(self, number: int, file: BinaryIO) -> None:
        end, recent = End(), list[bytes]()
        for raws in _batches(iter(lambda: file.readline(MAX_LINE_BYTES), b"")):
            # Another process may still be writing the last line.
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
            elif event.at > self._until:
                self.recent_bytes += len(line)
                if self.recent_bytes <= MAX_RECENT_BYTES:
                    recent.append(line)
            else:
                self.at.append(event.at)
                self.file.append(number)
                self.offset.append(offset)
                self.length.append(len(raw))
            offset += len(raw)


def _in_order(places: _Places, files: Sequence[BinaryIO]) -> Iterator[list[Event]]:
    """Yield the events in the order of their times, batch by batch."""
    order = sorted(range(len(places.at)), key=places.at.__getitem__)
    for lines in _batches(_distinct(places, files, order)):
        yield [event for event in from_lines(lines) if event]


def _batches(lines: Iterator[bytes]) -> Iterator[list[bytes]]:
    """Group lines into batches that are large enough to be read quickly and small enough for little memory."""
    batch: list[bytes] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line)
        if len(batch) == BATCH_LINES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _distinct(places: _Places, files: Sequence[BinaryIO], order: list[int]) -> Iterator[bytes]:
    """Yield each line once. The copy of a file that a sync tool has made repeats its lines, with the same times."""
    at, seen = None, dict[bytes, int]()
    for place in order:
        file = files[places.file[place]]
        file.seek(places.offset[place])
        line = file.read(places.length[place]).strip()
        if places.at[place] != at:
            at, seen = places.at[place], {}
        if seen.setdefault(line, places.file[place]) == places.file[place]:
            yield line
