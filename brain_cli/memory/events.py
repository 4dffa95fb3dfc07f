"""One event of the history ↔ one line of JSON. Notes are named by path and content hash, so either is enough."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

SHOWN = "shown"
FEEDBACK = "feedback"
FEEDBACK_UNDONE = "feedback_undone"
MOVED = "moved"
REVISED = "revised"
USEFUL = "useful"
WRONG = "wrong"

# 30,000 years to either side of 1970: sums of such times do not overflow.
_MAX_SECONDS = 1e12


class Mention(NamedTuple):
    """A note as an event names it; `timestamp` is the note's own (seconds), which counts as an access.

    Read from a line it is a plain list of the three, in this order.
    """

    path: str
    content_hash: str
    timestamp: float = 0.0


class Event(NamedTuple):
    """One entry of the history: something that happened, with its time (seconds since the epoch).

    shown            `notes` were shown by one recall; `value` is its query, if the user records queries, and
                     `certainty` (0..1) the probability that the first of them answers it, if known
    feedback         the note was `value`: useful or wrong
    feedback_undone  the last feedback `value` of the note is undone
    moved            the note was moved from the path `value` to its present one
    revised          a refresh found new content in the note; its hash is the note's

    `session` names the work session of the recall, if it is known.
    """

    at: float
    event: str
    notes: Sequence[Mention]
    value: str = ""
    certainty: float | None = None
    session: str = ""


def to_line(event: Event) -> str:
    """Return an event as one line, without its line end."""
    document: dict[str, Any] = {"at": round(event.at, 3), "event": event.event, "notes": event.notes}
    if event.value:
        document["value"] = event.value
    if event.certainty is not None:
        document["certainty"] = round(event.certainty, 3)
    if event.session:
        document["session"] = event.session
    return json.dumps(document, separators=(",", ":"))


def from_lines(lines: Sequence[bytes]) -> list[Event | None]:
    """Read lines; None stands for a line that is empty, incomplete or unknown."""
    try:
        # Parsing all lines as one JSON list is four times faster, and fails only for damaged lines.
        documents = json.loads(b"[" + b",".join(line if line.strip() else b"null" for line in lines) + b"]")
    except (ValueError, RecursionError):
        documents = []
    if len(documents) != len(lines):
        # Some line is damaged: read them one by one.
        documents = [_document(line) for line in lines]
    return [_event(document) for document in documents]


def _document(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _event(document: Any) -> Event | None:
    try:
        value, certainty, session = document.get("value", ""), document.get("certainty"), document.get("session", "")
        event = Event(document["at"], document["event"], document["notes"], value, certainty, session)
        return event if _has_right_types(event) else None
    except (TypeError, KeyError, ValueError, AttributeError):
        return None


def _has_right_types(event: Event) -> bool:
    """Return whether an event's values have the right types; raise TypeError or ValueError if their number is wrong."""
    for path, content_hash, timestamp in event.notes:
        if not (type(path) is str is type(content_hash) and -_MAX_SECONDS < timestamp < _MAX_SECONDS):
            return False
    # These comparisons also refuse NaN.
    if event.certainty is not None and not 0 <= event.certainty <= 1:
        return False
    is_text = type(event.event) is str is type(event.value) and type(event.session) is str
    return is_text and -_MAX_SECONDS < event.at < _MAX_SECONDS
