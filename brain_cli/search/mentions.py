"""Find the notes whose text mentions a time that a question asks for: “pay by 2026-12-24”, asked as
“24 December”.

The words of all ways to write the time find sections; the dates in their text decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest

from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import look_up
from brain_cli.search.dates import Span, dates_in
from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.analyzer import Word, fold, query_words
from brain_cli.vault.clock import Clock, day_of
from brain_cli.vault.languages import TIME_WORDS, month_numbers

# In a longer time, too many notes mention a date.
MAX_DAYS = 366
MAX_SECTIONS = 300
# Marks beside a date that are not part of it: `**2026-12-24**`, `due:2026-12-24`.
_MARKS = re.compile(r"[*_`]|(?<=[^\W\d]):+(?=\d)")
_WORD = re.compile(r"[^\W\d_]+")


def words_of_time(span: Span, languages: Iterable[str]) -> list[Word]:
    """Return the words with which a text can write a time: its year, its month, its day."""
    if span.before - span.since > MAX_DAYS * SECONDS_PER_DAY:
        return []
    first = day_of(span.since)
    last = day_of(span.before - 1)
    words = [_any_of(map(str, range(first.year, last.year + 1)))]
    is_day = first == last
    is_month = (first.year, first.month, first.day) == (
        last.year,
        last.month,
        1,
    ) and last.day >= 28
    if is_day or is_month:
        names = {name for name, number in month_numbers().items() if number == first.month}
        known = query_words(" ".join(sorted(names)), languages)
        variants = (variant for word in known for variant in word.variants)
        words.append(_any_of((str(first.month), f"{first.month:02}", *variants)))
    if is_day:
        endings = ("", "st", "nd", "rd", "th", "er")
        words.append(_any_of((f"{first.day:02}", *(f"{first.day}{end}" for end in endings))))
    return words


def _any_of(variants: Iterable[str]) -> Word:
    return Word("", tuple(dict.fromkeys(variants)))


def notes_mentioning(
    spans: Sequence[Span], snapshot: Snapshot, clock: Clock
) -> Iterator[tuple[int, int]]:
    """Yield the notes with a section that mentions a date within one of some spans, each with the
    number of the section.
    """
    note_ids = snapshot.index.note_ids
    for span in spans:
        words = words_of_time(span, snapshot.note_table.languages)
        sections = [look_up(snapshot, word).scores.sections.keys() for word in words]
        found = set(sections[0]).intersection(*sections[1:]) if sections else set()
        for number in nsmallest(MAX_SECTIONS, found):
            note_id = note_ids[number]
            if mentions(span, snapshot.index.fragment(number).text, clock):
                yield note_id, number


def mentions(span: Span, text: str, clock: Clock) -> bool:
    """Return whether a text, read at a time, has a date within a span, or a short span that has a
    part of it.
    """
    folded = fold(_MARKS.sub(" ", text)).lower()
    words = set(_WORD.findall(folded))
    languages = [name for name in TIME_WORDS if not words.isdisjoint(month_numbers(name))]
    found = dates_in(folded, languages, clock)
    return any(
        each.since < span.before and span.since < each.before
        if each.is_short
        else span.since <= each.since and each.before <= span.before
        for each in found.spans
    )
