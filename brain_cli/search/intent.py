"""Find out which time a question asks about: the newest notes, notes of a certain time, or no time at all.

Sources: ClawMem, “Composite Scoring” (recency intent); the words are ours (search/time_words.py).
Most questions have no word of time, so the patterns are imported and compiled only for one that has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.types import Intent
from brain_cli.vault.analyzer import fold, stop_words
from brain_cli.vault.time_words import TIME_WORDS, is_written_out, month_numbers

if TYPE_CHECKING:
    from brain_cli.search.dates import Span

_WORD = re.compile(r"[^\W\d_]+")
_CENTURIES = ("19", "20")


class QueryIntent(NamedTuple):
    """A query's intent, its text without the words that express the intent, and the spans of time that it names.

    `only_time`: the query asks for nothing but a time, so the newest notes, or those of a span, answer it.
    `resumes`: it asks where work stopped, which a handoff answers.
    """

    intent: Intent
    topic: str
    spans: tuple[Span, ...] = ()
    only_time: bool = False
    resumes: bool = False


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
    topic = without_recency(folded, languages)
    if topic is None and not forced:
        return QueryIntent(Intent.NORMAL, text)
    topic = text if topic is None else topic
    resumes = any(_patterns(name).newest.search(folded) for name in languages)
    return QueryIntent(Intent.RECENCY, topic, (), has_no_topic(topic, languages), resumes)


def _dated(folded: str, languages: list[str], now: float) -> QueryIntent | None:
    from brain_cli.search.dates import dates_in

    found = dates_in(folded, languages, now)
    if not found.spans:
        return None
    return QueryIntent(Intent.NORMAL, found.rest, found.spans, has_no_topic(found.rest, languages))


def _languages(folded: str) -> list[str]:
    """Return the languages that have a word of time in a text. This must be fast, because every recall calls it."""
    words = _WORD.findall(folded.lower())
    text = f" {' '.join(words)} "
    has_digit = any(map(str.isdigit, folded))
    months = {word for word in words if has_digit or is_written_out(word)} & month_numbers().keys()
    return [
        name
        for name, table in TIME_WORDS.items()
        if any(map(text.__contains__, table.hints.split(","))) or not months.isdisjoint(month_numbers(name))
    ]


_SPECIAL = re.compile(r"(?<![\w-])(?:[+-]?\w+:\S+|[+-]\S+)")


def without_recency(folded: str, languages: Sequence[str]) -> str | None:
    """Return a folded text without the words that ask for the newest notes; None if it has none."""
    manner = any(_patterns(name).manner.match(folded) for name in languages)
    topics = (_without_recency(folded, _patterns(name), asks_for_manner=manner) for name in languages)
    return next((" ".join(topic.split()) for topic in topics if topic is not None), None)


def _without_recency(folded: str, words: _Patterns, *, asks_for_manner: bool) -> str | None:
    topic, found = words.newest.subn(" ", folded)
    if found:
        return words.adverb.sub(" ", topic)
    if asks_for_manner:
        return None
    if (match := words.adjective.search(folded)) and _asks_for_newest(folded, match, words):
        topic, found = words.adjective.sub(" ", folded), 1
    if not found and words.adverb.search(folded) and _is_about_user(folded, words):
        topic, found = words.adverb.sub(" ", folded), 1
    return topic if found else None


def _asks_for_newest(folded: str, adjective: re.Match[str], words: _Patterns) -> bool:
    """Return True for “latest decision on kafka”, not for “their latest project” or “the latest version was 2.0”."""
    before, after = folded[: adjective.start()], folded[adjective.end() :]
    if words.leading.fullmatch(before):
        return bool(words.asking.match(before)) or not words.verb.search(after)
    return bool(words.first_person.search(folded)) or not (words.asking.match(folded) or after.strip(" ?!."))


def _is_about_user(folded: str, words: _Patterns) -> bool:
    if words.first_person.search(folded):
        return True
    if not words.asking.match(folded):
        return bool(words.outer_adverb.search(folded))
    return bool(words.telling.search(folded)) and not words.third_person.search(folded)


class _Patterns(NamedTuple):
    """The recency words of one language, compiled."""

    newest: re.Pattern[str]
    adjective: re.Pattern[str]
    adverb: re.Pattern[str]
    first_person: re.Pattern[str]
    leading: re.Pattern[str]
    telling: re.Pattern[str]
    asking: re.Pattern[str]
    manner: re.Pattern[str]
    outer_adverb: re.Pattern[str]
    verb: re.Pattern[str]
    third_person: re.Pattern[str]


# “did Tim”, “has Anna's team”: the question is about other people.
_THIRD_PERSON = r"\b(?:did|does|do|has|have|had)\s+(?!we\b|i\b|you\b|been\b|not\b|chang|happen|the team\b)\w+"


@cache
def _patterns(language: str) -> _Patterns:
    words = TIME_WORDS[language]
    adverbs = _any(words.newest_adverb)
    leading = rf"\W*(?:(?:{_any(words.leading)})[\s’']+)*"
    return _Patterns(
        newest=_any_phrase(words.newest),
        adjective=_any_phrase(words.newest_adjective),
        adverb=_any_phrase(words.newest_adverb),
        first_person=_any_phrase(words.first_person),
        leading=re.compile(leading, re.IGNORECASE),
        telling=_any_phrase(words.telling),
        asking=re.compile(rf"\W*(?:{_any(words.asking)})\b", re.IGNORECASE),
        manner=re.compile(rf"\W*(?:{_any(words.manner)})\b", re.IGNORECASE),
        outer_adverb=re.compile(rf"^\W*(?:{adverbs})\b|\b(?:{adverbs})\W*$", re.IGNORECASE),
        verb=_any_phrase(words.verbs),
        third_person=re.compile(_THIRD_PERSON, re.IGNORECASE),
    )


def _any_phrase(phrases: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any(phrases)})(?!\w)", re.IGNORECASE)


def _any(phrases: str) -> str:
    return "|".join(phrases.split(", ")).replace(" ", r"\s+")


def has_no_topic(topic: str, languages: Sequence[str]) -> bool:
    """Return whether a text without its words of time has no word left that is specific to a note."""
    if '"' in topic or _SPECIAL.search(topic):
        return False
    for language in languages:
        topic = _patterns(language).telling.sub(" ", topic)
    words = [TIME_WORDS[name] for name in languages]
    known = _any_phrase(", ".join(f"{each.asking}, {each.leading}, {each.first_person}" for each in words) or "$^")
    stops = frozenset(word for name in languages for word in stop_words(name))
    return all(word in stops or known.fullmatch(word) for word in _WORD.findall(topic.lower()))
