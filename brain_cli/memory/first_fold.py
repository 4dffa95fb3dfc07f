"""Fold a long history from the start with little memory."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from brain_cli.memory.checkpoint import Checkpoint
from brain_cli.memory.event_stream import MAX_RECENT_BYTES, LinePositions, batches_in_order
from brain_cli.memory.usage import Fold
from brain_cli.regular_file import open_regular


class FirstFold(NamedTuple):
    """The checkpoint of a complete fold, the number of torn lines, and whether all recent lines fit into it."""

    checkpoint: Checkpoint
    torn: int
    is_complete: bool = True


def fold_all(folder: Path, names: list[str], until: float) -> FirstFold:
    """Fold the events of these files up to a moment, in time order; raise OSError if a file cannot be read."""
    with ExitStack() as stack:
        files = [stack.enter_context(open(open_regular(folder / name), "rb")) for name in names]
        positions = LinePositions(until)
        for number, file in enumerate(files):
            positions.read(number, file)
        fold = Fold()
        for events in batches_in_order(positions, files):
            fold.add(events)
    ends = dict(zip(names, positions.ends, strict=True))
    checkpoint = Checkpoint(fold, ends, dict(zip(names, positions.recent, strict=True)))
    return FirstFold(checkpoint, positions.torn, positions.recent_bytes <= MAX_RECENT_BYTES)
