"""What a command takes from the history, and what it leaves there."""

from __future__ import annotations

from collections.abc import Callable

from brain_cli.cli._output import say
from brain_cli.cli._context import surroundings
from brain_cli.cli._workspace import Workspace
from brain_cli.config import Config
from brain_cli.index.snapshot import Snapshot
from brain_cli.memory.events import SHOWN, Event, Mention
from brain_cli.vault.decode import hash_of
from brain_cli.ranking.note_history import Past
from brain_cli.answer.results import Recall
from brain_cli.types import Facts


def past_of(here: Workspace, snapshot: Snapshot) -> Past:
    """Return what the history says, up to this command's moment, of the notes as they are now."""
    return pasts_of(here, snapshot)(here.now)


def pasts_of(here: Workspace, snapshot: Snapshot) -> Callable[[float], Past]:
    """Return what tells the past up to any moment; the history is read once for all of them."""
    from brain_cli.memory.history_reader import Reading

    held, cache = surroundings().held, here.place.folder / "history.json"
    if held:
        return lambda now: Past(held.remembered(here.history, cache, now, say), snapshot.catalogue)
    reading = Reading(here.history, cache)
    return lambda now: Past(reading.at(now, say), snapshot.catalogue)


def shown(recall: Recall, config: Config) -> Event:
    """Return the event of a recall that presented notes; with its query only where that is configured."""
    candidates = [ranked.candidate for ranked in recall.presented]
    return Event(
        recall.now,
        SHOWN,
        [Mention(each.facts.path, each.content_hash, each.facts.timestamp) for each in candidates],
        recall.query if config.record_queries else "",
    )


def mention(raw: bytes, facts: Facts) -> Mention:
    """Return a note as events name it, from its file's bytes."""
    return Mention(facts.path, hash_of(raw), facts.timestamp)


def record(here: Workspace, events: list[Event]) -> None:
    """Add events to the history; what cannot be recorded is said, and no more."""
    try:
        here.history.append(events)
    except OSError as error:
        say(f"This could not be added to the history in {here.history.folder}: {error.strerror}.")
