"""Combine consecutive observations of one tool (publication "Smarter Memory Retrieval", phase 1b: batching)."""

from __future__ import annotations

from collections.abc import Iterable

from brain_cli.capture.observation import Observation

WINDOW_SECONDS = 3.0
MAX_BATCH = 100

Batch = list[Observation]


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


def is_closed(batch: Batch, now: float, window_seconds: float = WINDOW_SECONDS) -> bool:
    """Return whether no later observation can join the batch."""
    last = batch[-1]
    return not last.tool or last.ends_session or len(batch) >= MAX_BATCH or now - last.at > window_seconds


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
