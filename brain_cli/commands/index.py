"""`brain index`: bring the index up to date and say what changed."""

from __future__ import annotations

import json as json_text
from typing import Annotated

import typer

from brain_cli.commands.options import JsonOption, NowOption, VaultOption, shared
from brain_cli.commands.setting import library, setting
from brain_cli.errors import OK, BrainError
from brain_cli.index.place import LockedError
from brain_cli.index.refresh import Refreshed

LOCK_SECONDS = 30.0


def command(
    context: typer.Context,
    full: Annotated[bool, typer.Option("--full", help="Build the index anew.")] = False,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Bring the index up to date with the notes."""
    return run(
        shared(context, "vault", vault),
        shared(context, "now", now),
        full=full,
        as_json=shared(context, "json", json),
    )


def run(vault: str | None, now: str | None, *, full: bool, as_json: bool) -> int:
    """Refresh the index of a vault; print the counts."""
    here = setting(vault, now, {})
    try:
        done = library(here).refresh(full=full, wait_seconds=LOCK_SECONDS)
    except LockedError:
        raise BrainError("Another brain is refreshing this index.", "Try again when it is done.") from None
    print(json_text.dumps(done._asdict()) if as_json else _sentence(done))
    return OK


def _sentence(done: Refreshed) -> str:
    counts = ((done.added, "added"), (done.changed, "changed"), (done.removed, "removed"), (done.renamed, "renamed"))
    changes = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing changed"
    return f"{done.notes} notes, {done.fragments} fragments: {changes}."
