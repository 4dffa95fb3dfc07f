"""Save and load the checkpoint of a fold, so that only the new part of a long history has to be read."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from brain_cli.memory.history import End
from brain_cli.memory.usage import Fold
from brain_cli.vault.atomic_write import replace_file


class Checkpoint(NamedTuple):
    """A fold, how far each file was read, and the lines that were read but are too recent to be folded."""

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
            {name: End(offset, _bytes(last)) for name, (offset, last) in document["ends"].items()},
            {name: [_bytes(line) for line in lines] for name, lines in document["young"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return NOTHING


def save(cache: Path, checkpoint: Checkpoint) -> None:
    """Save a checkpoint. If that fails, the next fold takes longer."""
    document = {
        "fold": checkpoint.fold.to_json(),
        "ends": {name: (end.offset, _text(end.last_line)) for name, end in checkpoint.ends.items()},
        "young": {name: [_text(line) for line in lines] for name, lines in checkpoint.recent.items()},
    }
    with contextlib.suppress(OSError):
        content = json.dumps(document).encode()
        replace_file(cache, b"%d\n%s" % (crc32(content), content))


def _text(line: bytes) -> str:
    # An incomplete line may hold any bytes.
    return line.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")
