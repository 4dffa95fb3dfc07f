"""Cache the ignored names of each folder between refreshes, so that an unchanged vault needs no pattern matching.

The cache is written only if the index has exactly the notes that the same walk found, because the next walk assumes
that no indexed note is ignored.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path

from brain_cli.index.checked_file import seal, unseal
from brain_cli.index.damage import BrokenIndexError
from brain_cli.regular_file import read_regular
from brain_cli.vault.atomic_write import replace_file
from brain_cli.vault.walk import FolderVerdict

NAME = "ignored.json"
MAX_BYTES = 256 * 1024 * 1024
Verdicts = Mapping[str, FolderVerdict]


def load_verdicts(folder: Path) -> Verdicts:
    """Return the verdicts of the last refresh; none if they are lost or damaged."""
    try:
        table = json.loads(unseal(read_regular(folder / NAME, MAX_BYTES)))
        return {path: FolderVerdict(stamp, frozenset(ignored)) for path, (stamp, ignored) in table.items()}
    except (OSError, BrokenIndexError):
        return {}


def save_verdicts(folder: Path, verdicts: Verdicts) -> None:
    """Write the verdicts of a refresh. If that fails, the next one takes longer."""
    table = {path: (stamp, sorted(ignored)) for path, (stamp, ignored) in verdicts.items()}
    with contextlib.suppress(OSError):
        replace_file(folder / NAME, seal(json.dumps(table, separators=(",", ":")).encode("ascii")))
