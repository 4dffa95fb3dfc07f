"""`brain unpin`: let a note fade again like any other."""

from __future__ import annotations

import typer

from brain_cli.commands import pin
from brain_cli.commands.one import Given, NoteArgument
from brain_cli.commands.options import JsonOption, NowOption, VaultOption


def command(
    context: typer.Context,
    note: NoteArgument,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Let a note fade again: take `pinned` out of its frontmatter."""
    return pin.run(Given.of(context, vault, now, json), note, pinned=False)
