"""`brain unpin`: let a note fade again like any other."""

from __future__ import annotations

from brain_cli.cli import pin
from brain_cli.cli._options import JsonOption, MemoryOption, NoteArgument, NowOption, VaultOption
from brain_cli.cli._workspace import CommonOptions


def command(
    note: NoteArgument,
    memory: MemoryOption = None,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Let a note fade again: take `pinned` out of its frontmatter; in a shared memory, for you alone."""
    return pin.run(CommonOptions(vault, now, json), note, memory, pinned=False)
