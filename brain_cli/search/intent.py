"""What the words of a query ask for besides their topic: the newest, or just what matches.

Source: ClawMem, "Composite Scoring" (recency intent); the list of words is ours (docs/scoring.md).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from brain_cli.types import Intent

_RECENCY = re.compile(
    r"""\b(?:
        most\ recent | recent | recently | latest | newest | today | yesterday
      | last\ (?:session | time | week | month | few\ days)
      | left\ off | pick\ up
      | wh(?:ere|at)\ (?:was|were)\ (?:we|i)(?:\ (?:doing|working))?
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)


class QueryIntent(NamedTuple):
    """A query's intent, and its text without the words that told it."""

    intent: Intent
    topic: str


def recency_intent(text: str, forced: bool | None = None) -> QueryIntent:
    """Tell whether a query asks for the newest; `forced` (--recent, --no-recent) overrules the words.

    The words that fired are no query terms: they count neither for matching nor for relevance.
    """
    if forced is False:
        return QueryIntent(Intent.NORMAL, text)
    topic, fired = _RECENCY.subn(" ", " ".join(text.split()))
    if forced or fired:
        return QueryIntent(Intent.RECENCY, topic.strip() if fired else text)
    return QueryIntent(Intent.NORMAL, text)
