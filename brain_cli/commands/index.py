"""`brain index`: bring the index up to date and say what changed."""

from __future__ import annotations

import json

from brain_cli.commands.progress import Progress
from brain_cli.commands.setting import say, setting
from brain_cli.errors import OK, BrainError
from brain_cli.index.place import LockedError, place_of
from brain_cli.index.refresh import Refreshed, Vault
from brain_cli.recall.freshness import Library

LOCK_SECONDS = 30.0


def run(vault: str | None, now: str | None, *, full: bool, as_json: bool) -> int:
    here = setting(vault, now, {})
    place = place_of(here.vault, here.cache_home)
    library = Library(Vault(here.vault, here.config.archive_folders), place, say, Progress())
    try:
        done = library.refresh(full=full, wait_seconds=LOCK_SECONDS)
    except LockedError:
        raise BrainError("Another brain is refreshing this index.", "Try again when it is done.") from None
    print(json.dumps(done._asdict()) if as_json else _sentence(done))
    return OK


def _sentence(done: Refreshed) -> str:
    counts = ((done.added, "added"), (done.changed, "changed"), (done.removed, "removed"), (done.renamed, "renamed"))
    changes = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing changed"
    return f"{done.notes} notes, {done.fragments} fragments: {changes}."
