"""`brain index`: bring the index up to date and say what changed."""

from __future__ import annotations

import json as json_text
from typing import Annotated

import typer

from brain_cli.commands.options import JsonOption, NowOption, VaultOption, shared
from brain_cli.commands.setting import Setting, library, setting
from brain_cli.errors import OK, BrainError
from brain_cli.index.place import LockedError
from brain_cli.index.refresh import Refreshed

LOCK_SECONDS = 30.0


def command(
    context: typer.Context,
    full: Annotated[bool, typer.Option("--full", help="Build the index anew.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep it up to date until stopped, and answer recalls from memory.")
    ] = False,
    poll: Annotated[
        float, typer.Option("--poll", metavar="SECONDS", help="With --watch: look so often, wait for no events.")
    ] = 0.0,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Bring the index up to date with the notes."""
    here = setting(shared(context, "vault", vault), shared(context, "now", now), {})
    if watch or poll:
        from brain_cli.commands.watching import watch as follow

        return follow(here, max(0.0, poll))
    return run(here, full=full, as_json=shared(context, "json", json))


def run(here: Setting, *, full: bool, as_json: bool) -> int:
    """Refresh the index of a vault; print the counts."""
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
