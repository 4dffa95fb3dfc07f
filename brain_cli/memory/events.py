"""One event of the history ↔ one line of JSON. Notes are named by path and content hash, so either is enough."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

SHOWN = "shown"
FEEDBACK = "feedback"
MOVED = "moved"
REVISED = "revised"
USEFUL = "useful"
WRONG = "wrong"


class Mention(NamedTuple):
    """A note as an event names it; `timestamp` is the note's own (seconds), which counts as an access.

    Read from a line it is a plain list of the three, in this order.
    """

    path: str
    content_hash: str
    timestamp: float = 0.0


_MENTION_LENGTHS = {len(Mention._fields)}


class Event(NamedTuple):
    """What happened, and when (seconds since the epoch).

    shown: `notes` were shown by one recall, for the query `value` where the user has queries recorded; feedback:
    the note was `value` (useful or wrong); moved: the note has gone from the path `value` to its own; revised: a
    refresh saw new content, its hash is the note's.
    """

    at: float
    event: str
    notes: Sequence[Mention]
    value: str = ""


def to_line(event: Event) -> str:
    """Write an event as one line, without the line's end."""
    document: dict[str, Any] = {"at": round(event.at, 3), "event": event.event, "notes": event.notes}
    if event.value:
        document["value"] = event.value
    return json.dumps(document, separators=(",", ":"))


def from_lines(lines: Sequence[bytes]) -> list[Event | None]:
    """Read lines; None stands for a line that is torn, strange or empty."""
    try:
        # All at once is four times faster than one by one, and nearly always right.
        documents = json.loads(b"[" + b",".join(line if line.strip() else b"null" for line in lines) + b"]")
    except ValueError:
        documents = [_document(line) for line in lines]
    return [_event(document) for document in documents]


def _document(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _event(document: Any) -> Event | None:
    try:
        notes = document["notes"]
        if type(document["at"]) in (float, int) and set(map(len, notes)) <= _MENTION_LENGTHS:
            return Event(document["at"], document["event"], notes, document.get("value", ""))
        return None
    except (TypeError, KeyError, AttributeError):
        return None
