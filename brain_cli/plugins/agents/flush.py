"""Make notes of the spool's batches once they are complete. This runs in the background, one process at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from brain_cli.errors import BrainError
from brain_cli.plugins.agents.draft import Batch, drafted
from brain_cli.plugins.agents.handoff import handoff, read_transcript
from brain_cli.plugins.agents.note_store import NoteStore, Stored
from brain_cli.plugins.agents.observation import Observation
from brain_cli.plugins.agents.spool import Spool

HANDOFF_FOLDER = "handoff"
# Observations of one tool are combined (publication "Smarter Memory Retrieval", phase 1b: batching).
WINDOW_SECONDS = 3.0
MAX_BATCH = 100
StoreOf = Callable[[Observation], NoteStore]


class Flushed(NamedTuple):
    """The outcome of one flush: new notes, repetitions counted on notes, and observations that could not become notes.

    `reasons` maps each reason (a sentence) to the number of observations that failed for it.
    """

    stored: int = 0
    counted: int = 0
    waiting: int = 0
    reasons: Mapping[str, int] = MappingProxyType({})

    def failing(self, batch: Batch, error: Exception) -> Flushed:
        why = error.message if isinstance(error, BrainError) else f"{type(error).__name__}: {error}"
        reasons = {**self.reasons, why: self.reasons.get(why, 0) + len(batch)}
        return self._replace(waiting=self.waiting + len(batch), reasons=reasons)


def flush_until_empty(spool: Spool, store_of: StoreOf, window_seconds: float) -> Flushed:
    """Make notes of everything in the spool, waiting for each batch to be complete; return the last result.

    Return at once if another process does so.
    """
    while True:
        flushed = Flushed()
        with spool.flushing() as free:
            if not free:
                return flushed
            while len(spool.observations()) > flushed.waiting:
                flushed = flush(spool, store_of, time.time(), window_seconds)
                time.sleep(min(window_seconds / 4, 0.5) if len(spool.observations()) > flushed.waiting else 0)
        # An observation may have arrived between the last check and the release of the lock.
        if len(spool.observations()) <= flushed.waiting:
            return flushed


def flush(spool: Spool, store_of: StoreOf, now: float, window_seconds: float) -> Flushed:
    """Make notes of the batches that are complete now; the caller holds the flush lock."""
    total = Flushed()
    found = batches(spool.observations(), window_seconds)
    last = {(batch[0].session, batch[0].folder): number for number, batch in enumerate(found)}
    for number, batch in enumerate(found):
        is_followed = number < last[batch[0].session, batch[0].folder]
        if not (is_followed or _is_closed(batch, now, window_seconds)):
            continue
        try:
            stored = _stored(batch, store_of(batch[0]))
        except Exception as error:  # a batch that cannot become a note must not hold up the others
            total = total.failing(batch, error)
            continue
        spool.remove({observation.id for observation in batch})
        if stored:
            total = total._replace(stored=total.stored + stored.is_new, counted=total.counted + (not stored.is_new))
    return total


def batches(observations: Iterable[Observation], window_seconds: float = WINDOW_SECONDS) -> list[Batch]:
    """Group observations by tool and session, as long as each follows the last one within the window.

    Another tool of the same session ends a batch, so that the order of events stays visible. Batches are sorted by
    their first observations. A piped text is a batch of its own, and so is the end of a session.
    """
    found: list[Batch] = []
    open_batches: dict[tuple[str, str], Batch] = {}
    for observation in sorted(observations, key=lambda each: (each.at, each.id)):
        session = (observation.session, observation.folder)
        batch = open_batches.get(session)
        if batch is None or not _continues(batch, observation, window_seconds):
            batch = open_batches[session] = []
            found.append(batch)
        batch.append(observation)
    return found


def _is_closed(batch: Batch, now: float, window_seconds: float = WINDOW_SECONDS) -> bool:
    """Return whether no later observation can join the batch."""
    last = batch[-1]
    return not last.tool or last.ends_session or len(batch) >= MAX_BATCH or now - last.at > window_seconds


def _stored(batch: Batch, store: NoteStore) -> Stored | None:
    return _store_handoff(batch[-1], store) if batch[-1].ends_session else store.store(drafted(batch))


def _store_handoff(end: Observation, store: NoteStore) -> Stored | None:
    """Write the handoff note of a session, unless it would be empty."""
    try:
        draft = handoff(read_transcript(end.transcript), end.session, end.folder, end.at) if end.transcript else None
    except OSError:
        return None
    if draft is None:
        return None
    return Stored(store.store_handoff(draft, HANDOFF_FOLDER), is_new=True)


def _continues(batch: Batch, observation: Observation, window_seconds: float) -> bool:
    last = batch[-1]
    return (
        bool(last.tool)
        and last.tool == observation.tool
        and last.event == observation.event
        and last.vault == observation.vault
        and not observation.ends_session
        and observation.at - last.at <= window_seconds
        and len(batch) < MAX_BATCH
    )
