"""Find the dates in a question, as spans of time: “in June 2021”, “yesterday”, “vor drei Wochen”, “2024-03”.

The patterns are in search/query_date_patterns.py. Days are those of UTC, as everywhere.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from math import exp
from typing import NamedTuple

from brain_cli.search.calendar_days import Days, Found
from brain_cli.search.query_date_patterns import dates_in_words, numeric_dates
from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.iso_dates import day_of, seconds_of

# The fit of a note: inside a short span, inside a long one, and at most some days away from one. ELSEWHEN is the fit of
# a note that states another time, if notes of the time asked for match.
INSIDE, INSIDE_LONG = 1.0, 0.8
ELSEWHEN = -0.4
LONG_DAYS = 15
NEAR = ((3, 0.6), (14, 0.35))
_JOINED = re.compile(
    r"\s*(?:and|to|till|until|through|bis|und|et|au|y|al|e|a|ate|en|tot|по|и|до|-|–)\s*(?:le |el |il )?", re.I
)
_FROM = re.compile(
    r"\b(?:between|from|zwischen|vo[nm]|entre|du|de|del|tra|fra|dal|tussen|van|между|с)\s+(?:the |le |el |il )?$", re.I
)


class Span(NamedTuple):
    """A span of time that a question names (`text`), in seconds: from `since` up to but excluding `before`."""

    since: float
    before: float
    text: str

    def has(self, seconds: float) -> bool:
        """Return whether a time is in the span."""
        return self.since <= seconds < self.before

    @property
    def is_short(self) -> bool:
        return self.before - self.since <= LONG_DAYS * SECONDS_PER_DAY

    def fit(self, seconds: float) -> float:
        """Return how well a time fits the span, 0..1."""
        if self.has(seconds):
            return INSIDE if self.is_short else INSIDE_LONG
        distance = self.since - seconds if seconds < self.since else seconds - self.before
        return next((fit for days, fit in NEAR if distance <= days * SECONDS_PER_DAY), 0.0)


class DatesFound(NamedTuple):
    """The spans that a text names, and the text without the words that name them."""

    spans: tuple[Span, ...]
    rest: str


def dates_in(text: str, languages: Iterable[str], now: float) -> DatesFound:
    """Find the dates in a folded text, in some languages of the table. Of overlapping dates the longest one counts."""
    found = sorted(_matches(text, languages, day_of(now)), key=lambda each: (each[0].start(), -each[0].end()))
    spans: list[Span] = []
    rest, end = "", 0
    for match, days in found:
        if match.start() < end or text.count('"', 0, match.start()) % 2:
            continue
        between = text[end : match.start()]
        spans = _joined(spans, _span(days, match.group()), between, rest)
        rest += between + " "
        end = match.end()
    return DatesFound(tuple(spans), rest + text[end:])


def _matches(text: str, languages: Iterable[str], today: date) -> Iterator[tuple[Found, Days]]:
    for pattern, read in (*numeric_dates(), *(rule for name in languages for rule in dates_in_words(name))):
        for match in pattern.finditer(text):
            try:
                yield match, read(match, today)
            except (ValueError, OverflowError):  # there is no such day
                continue


def _joined(spans: list[Span], span: Span, between: str, before: str) -> list[Span]:
    """Add a span; “between A and B” is one span, in which A has the year of B unless it names its own."""
    if not (spans and _JOINED.fullmatch(between) and _FROM.search(before.removesuffix(" "))):
        return [*spans, span]
    first = day_of(spans[-1].since)
    while seconds_of(first) >= span.before and first.year > 1:
        first = date(first.year - 1, first.month, min(first.day, monthrange(first.year - 1, first.month)[1]))
    return [*spans[:-1], Span(seconds_of(first), span.before, f"{spans[-1].text}{between}{span.text}")]


def _span(days: Days, text: str) -> Span:
    return Span(seconds_of(days.first), seconds_of(days.last) + SECONDS_PER_DAY, " ".join(text.split()))


# A perfect fit adds this to the log odds of a relevance (docs/decisions/dates-of-notes.md).
DATE_LOG_ODDS = 2.5


def dated_relevance(relevance: float, fit: float) -> float:
    """Return a note's relevance (0..1), raised by the fit of its date (-1..1) or lowered; it stays within 0..1."""
    odds = exp(DATE_LOG_ODDS * fit)
    return odds * relevance / (1 + (odds - 1) * relevance)


def best_fit(spans: Sequence[Span], seconds: float) -> float:
    """Return how well a time fits the nearest of some spans, 0..1."""
    return max((span.fit(seconds) for span in spans), default=0.0)
