"""`brain unpin`: let a note fade again."""

from __future__ import annotations

from brain_cli.cli import pin
from brain_cli.cli._options import MemoryOption, NoteArgument
from brain_cli.cli._workspace import CommonOptions


def command(options: CommonOptions, note: NoteArgument, memory: MemoryOption = None) -> int:
    """Let a note fade again: take `pinned` out of its frontmatter; in a shared memory, for you alone.

    Examples:
      brain unpin grpc
    """
    return pin.run(options, note, memory, pinned=False)
