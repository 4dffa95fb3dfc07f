"""What was folded is kept in the cache for the next time: with it, a long history is read from where it was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from brain_cli.memory.history import End
from brain_cli.memory.usage import Fold


class Checkpoint(NamedTuple):
    """A fold, how far each file was read, and the lines among those that were too young to be folded for good."""

    fold: Fold
    ends: Mapping[str, End]
    young: Mapping[str, Sequence[bytes]]


NOTHING = Checkpoint(Fold(), {}, {})


def load(cache: Path) -> Checkpoint:
    """Return what is kept; NOTHING where it is lost or spoilt."""
    try:
        document = json.loads(cache.read_text(encoding="utf-8"))
        return Checkpoint(
            Fold.from_json(document["fold"]),
            {name: End(offset, _bytes(last)) for name, (offset, last) in document["ends"].items()},
            {name: [_bytes(line) for line in lines] for name, lines in document["young"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return NOTHING


def save(cache: Path, kept: Checkpoint) -> None:
    """Write down what is kept; where that cannot be, the next time takes longer."""
    document = {
        "fold": kept.fold.to_json(),
        "ends": {name: (end.offset, _text(end.last_line)) for name, end in kept.ends.items()},
        "young": {name: [_text(line) for line in lines] for name, lines in kept.young.items()},
    }
    temporary = cache.with_name(f"{cache.name}.tmp")
    try:
        temporary.write_text(json.dumps(document), encoding="utf-8")
        temporary.replace(cache)
    except OSError:
        return


def _text(line: bytes) -> str:
    # A torn line may be any bytes.
    return line.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")
