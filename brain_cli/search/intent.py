"""Find out which time a question asks about: the newest notes, notes of a certain time, or no time at all.

Sources: ClawMem, “Composite Scoring” (recency intent); the words are ours (search/time_words.py).
Most questions have no word of time, so the patterns are imported and compiled only for one that has.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.search.time_words import TIME_WORDS
from brain_cli.types import Intent
from brain_cli.vault.folding import fold
from brain_cli.vault.month_names import is_written_out, month_numbers

if TYPE_CHECKING:
    from brain_cli.search.query_dates import Span

_WORD = re.compile(r"[^\W\d_]+")
_CENTURIES = ("19", "20")


class QueryIntent(NamedTuple):
    """A query's intent, its text without the words that express the intent, and the spans of time that it names.

    `only_time`: the query asks for nothing but a time, so the newest notes, or those of a span, answer it.
    """

    intent: Intent
    topic: str
    spans: tuple[Span, ...] = ()
    only_time: bool = False


def recency_intent(text: str, forced: bool | None = None, now: float = 0.0) -> QueryIntent:
    """Return the time that a query asks about; `forced` (--recent, --no-recent) overrides its words of recency.

    Words of time are not query terms: they count neither for matching nor for relevance. A question
    with a date is not a question for the newest.
    """
    folded = fold(text)
    languages = _languages(folded)
    if not forced and (languages or any(map(folded.__contains__, _CENTURIES))):
        dated = _dated(folded, languages, now)
        if dated:
            return dated
    if forced is False or not (languages or forced):
        return QueryIntent(Intent.NORMAL, text)
    from brain_cli.search.recency import has_no_topic, without_recency

    topic = without_recency(folded, languages)
    if topic is None and not forced:
        return QueryIntent(Intent.NORMAL, text)
    topic = text if topic is None else topic
    return QueryIntent(Intent.RECENCY, topic, (), has_no_topic(topic, languages))


def _dated(folded: str, languages: list[str], now: float) -> QueryIntent | None:
    from brain_cli.search.query_dates import dates_in

    found = dates_in(folded, languages, now)
    if not found.spans:
        return None
    from brain_cli.search.recency import has_no_topic

    return QueryIntent(Intent.NORMAL, found.rest, found.spans, has_no_topic(found.rest, languages))


def _languages(folded: str) -> list[str]:
    """Return the languages that have a word of time in a text. This must be fast, because every recall calls it."""
    words = _WORD.findall(folded.lower())
    text = f" {' '.join(words)} "
    has_digit = any(map(str.isdigit, folded))
    months = {word for word in words if has_digit or is_written_out(word)} & month_numbers().keys()
    return [
        name
        for line, (name, table) in enumerate(TIME_WORDS.items())
        if any(map(text.__contains__, table.hints.split(","))) or not months.isdisjoint(month_numbers(line))
    ]
