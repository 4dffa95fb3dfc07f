"""Vault → index, brought up to date. Nothing else writes it, and only under its one lock.

What changed is taken into the build that is there; a full build goes to a folder of its own and is published whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from brain_cli.index import DAMAGED, BrokenIndexError, engine
from brain_cli.index.sync_apply import Progress as Progress
from brain_cli.index.sync_apply import Writing
from brain_cli.index.note_table import Catalogue, Row
from brain_cli.index.directory import Place, read_catalogue
from brain_cli.index.sync_plan import Plan, Warn, plan, stale
from brain_cli.memory.events import MOVED, REVISED, Event, Mention
from brain_cli.vault.walk import File, walk

# Takes events for the history; their time is the taker's to fill in.
Record = Callable[[list[Event]], None]


class Bound(NamedTuple):
    """How much a refresh may take in while somebody waits for it: changed notes, and seconds."""

    notes: int
    seconds: float


class BehindError(Exception):
    """More has changed than the bound allows; the index stands as it was. `changed` counts notes."""

    def __init__(self, changed: int) -> None:
        super().__init__(changed)
        self.changed = changed


class Vault(NamedTuple):
    """A folder of notes: its path, and the top-level folders whose notes are archived."""

    folder: str
    archive_folders: tuple[str, ...]


class Refreshed(NamedTuple):
    """What a refresh did, in notes and fragments; `rebuilt` tells why a full build was needed, if it was."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: int = 0
    notes: int = 0
    fragments: int = 0
    rebuilt: str = ""


def refresh(
    vault: Vault,
    place: Place,
    warn: Warn,
    progress: Progress,
    *,
    full: bool = False,
    wait_seconds: float = 0.0,
    bound: Bound | None = None,
    record: Record | None = None,
) -> Refreshed:
    """Bring the index of a vault up to date; LockedError when another process does so for longer than `wait_seconds`.

    A vault that has not changed costs one walk over its folders: neither lock nor engine is touched.
    BehindError when more has changed than `bound` allows; a full build knows no bound.
    """
    place.prepare()
    files = walk(vault.folder, warn)
    catalogue, _ = read_catalogue(place)
    bounded = progress
    if catalogue and not full:
        fresh, gone = stale(files, catalogue)
        if not fresh and not gone:
            return _outcome(Plan(), catalogue, "")
        if bound:
            bounded = _within(bound, len(fresh) + len(gone), progress)
    with place.lock(wait_seconds):
        catalogue, why = read_catalogue(place)
        if catalogue and not full:
            try:
                return _update(vault, place, files, catalogue, warn, bounded, record)
            except (BrokenIndexError, FileNotFoundError):
                why = DAMAGED
        return _build(vault, place, files, warn, progress, why)


def _within(bound: Bound, changed: int, progress: Progress) -> Progress:
    """Return a progress that ends a refresh which takes too long."""
    if changed > bound.notes:
        raise BehindError(changed)
    until = time.monotonic() + bound.seconds

    def watched(done: int, total: int) -> None:
        if time.monotonic() > until:
            raise BehindError(changed)
        progress(done, total)

    return watched


def _update(
    vault: Vault,
    place: Place,
    files: list[File],
    catalogue: Catalogue,
    warn: Warn,
    progress: Progress,
    record: Record | None,
) -> Refreshed:
    """Take what has changed into the current build."""
    build = place.build()
    if build is None:
        raise BrokenIndexError(DAMAGED)
    found = plan(vault.folder, files, catalogue, warn)
    after = Writing(build, vault.archive_folders, catalogue, warn, progress).apply(found)
    if record and (found.renamed or found.changed):
        record(_events(found, after))
    return _outcome(found, after, "")


def _build(vault: Vault, place: Place, files: list[File], warn: Warn, progress: Progress, why: str) -> Refreshed:
    """Read the whole vault into a new folder, then let it be the current one."""
    build = place.new_build()
    try:
        engine().create(str(build))
        found = plan(vault.folder, files, Catalogue(), warn)
        after = Writing(build, vault.archive_folders, Catalogue(), warn, progress).apply(found)
        place.publish(build)
    except BaseException:
        place.discard(build)
        raise
    return _outcome(found, after, why)


def _events(found: Plan, after: Catalogue) -> list[Event]:
    """Return what the history should know of a refresh: notes that moved, and notes with new content."""
    moved = [Event(0.0, MOVED, [_mention(after, row)], row.path) for row, _ in found.renamed]
    return moved + [Event(0.0, REVISED, [_mention(after, row)]) for row, _ in found.changed]


def _mention(after: Catalogue, before: Row) -> Mention:
    row = after.rows[before.note_id]
    return Mention(row.path, row.content_hash, after.facts(row.note_id).timestamp)


def _outcome(found: Plan, after: Catalogue, why: str) -> Refreshed:
    return Refreshed(
        added=len(found.added),
        changed=len(found.changed),
        removed=len(found.removed),
        renamed=len(found.renamed),
        notes=len(after.rows),
        fragments=after.fragments,
        rebuilt=why,
    )
