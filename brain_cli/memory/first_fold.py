"""Fold a long history from its beginning with little memory: only the times and positions of its lines are sorted."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from brain_cli.memory.checkpoint import Checkpoint
from brain_cli.memory.events import Event, from_lines
from brain_cli.memory.history import MAX_LINE_BYTES, End
from brain_cli.memory.usage import Fold
from brain_cli.regular_file import open_regular

BATCH_LINES = 5_000


class FirstFold(NamedTuple):
    """The checkpoint of a fold from the beginning, and how many lines were torn."""

    checkpoint: Checkpoint
    torn: int


def fold_all(folder: Path, names: list[str], until: float) -> FirstFold:
    """Fold the events of these files up to a moment, in time order; raise OSError where a file cannot be read."""
    with ExitStack() as stack:
        files = [stack.enter_context(open(open_regular(folder / name), "rb")) for name in names]
        places = _Places(until)
        for number, file in enumerate(files):
            places.read(number, file)
        fold = Fold()
        for events in _in_order(places, files):
            fold.add(events)
    ends = dict(zip(names, places.ends, strict=True))
    return FirstFold(Checkpoint(fold, ends, dict(zip(names, places.recent, strict=True))), places.torn)


class _Places:
    """The time, file, offset and length of every line with an event, 26 bytes each."""

    def __init__(self, until: float) -> None:
        self._until = until
        self.at, self.file, self.offset, self.length = array("d"), array("H"), array("Q"), array("Q")
        self.ends: list[End] = []
        self.recent: list[list[bytes]] = []
        self.torn = 0

    def read(self, number: int, file: BinaryIO) -> None:
        end, recent = End(), list[bytes]()
        while raws := list(islice(iter(lambda: file.readline(MAX_LINE_BYTES), b""), BATCH_LINES)):
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
            elif event.at > self._until:
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
    distinct = _distinct(places, files, order)
    while lines := list(islice(distinct, BATCH_LINES)):
        yield [event for event in from_lines(lines) if event]


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
