"""`brain unpin`: let notes fade again."""

from __future__ import annotations

from brain_cli.cli import pin
from brain_cli.cli._options import MemoryOption, NotesArgument
from brain_cli.cli._workspace import CommonOptions


def command(options: CommonOptions, notes: NotesArgument, memory: MemoryOption = None) -> int:
    """Let notes fade again: take `pinned` out of their frontmatter; in a shared memory, for you alone.

    Examples:
      brain unpin grpc
    """
    return pin.run(options, notes, memory, pinned=False)
