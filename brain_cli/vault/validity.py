"""When what a note says holds: the times in its frontmatter, and those of its lines.

A note holds from `valid_from` on, until `valid_until`, in frontmatter; a line of a list or a table
until the date at its end (“VPN gateway is 10.2.0.1 (until 2026-09-30)”), or since it. A line that
is struck out does not hold, and a dated one that corrects others (“moved to”, “no longer”) replaces
them. The words are those of all languages, the part `validity` of `words/LANGUAGE.json`.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from math import inf
from typing import NamedTuple

from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.analyzer import fold
from brain_cli.vault.blocks import ITEM, ROW
from brain_cli.vault.clock import day_of
from brain_cli.vault.dates import ANY_YEAR, Time, times_in, written_time
from brain_cli.vault.frontmatter import Properties, text_of
from brain_cli.vault.languages import language_words

UNTIL_KEYS = ("valid_until", "expires", "until", "valid_to", "ends")
FROM_KEYS = ("valid_from", "begins", "effective")
_LENGTH_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_LENGTH = re.compile(
    r"\+?(\d{1,5})\s*(d|w|m|y)(?:ays?|eeks?|o(?:nths?)?|ears?)?", re.IGNORECASE
)
_STRUCK = re.compile(r"~~(?=\S)(.*?\S)~~", re.DOTALL)
_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
# Between a word such as “until” and its date stand at most so many characters: “bis Ende”.
MAX_BETWEEN = 12
# A longer text tells a story, and corrects nothing.
MAX_STATEMENT_CHARS = 240
# What may follow the date at the end of a line.
_REST = re.compile(r"[\s.,;:|*_)\]]*")


class ValidityWords(NamedTuple):
    """Phrases before an end and before a beginning, those that correct, those before the date of an
    update, and those of a question for what was.
    """

    ends: re.Pattern[str]
    begins: re.Pattern[str]
    corrects: re.Pattern[str]
    updates: re.Pattern[str]
    past: re.Pattern[str]
    # Any phrase of the first three, in lower case, which is found much faster.
    changes: re.Pattern[str]


@cache
def words() -> ValidityWords:
    """Return the phrases of all languages."""
    known = [each["validity"] for each in language_words().values() if "validity" in each]

    def compiled(*names: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
        # The longest phrase comes first: “valid until” before “until”.
        phrases = [
            phrase for words in known for name in names for phrase in words[name].split(", ")
        ]
        alternatives = "|".join(sorted(phrases, key=len, reverse=True))
        return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)".replace(" ", r"\s+"), flags)

    *single, _ = ValidityWords._fields
    changes = compiled("ends", "begins", "corrects", flags=0)
    return ValidityWords._make([*map(compiled, single), changes])


class Validity(NamedTuple):
    """From when up to when something holds, in seconds of the calendar."""

    since: float = -inf
    before: float = inf

    def at(self, local: float) -> str:
        """Return why it does not hold at a time: “ended 30 Sep 2026”; empty if it does."""
        if local >= self.before:
            return f"ended {written_day(self.before - 1)}"
        return f"from {written_day(self.since)} on" if local < self.since else ""


def written_day(local: float) -> str:
    """Write a day as `30 Sep 2026`."""
    day = day_of(local)
    return f"{day.day} {day:%b %Y}"


def period_of(properties: Properties, dated: float) -> Validity:
    """Return the period of a note, from its frontmatter; `2w` counts from its own date."""
    since = _time(properties, FROM_KEYS, dated)
    before = _time(properties, UNTIL_KEYS, dated)
    return Validity(since.since if since else -inf, before.before if before else inf)


def _time(properties: Properties, keys: Sequence[str], dated: float) -> Time | None:
    texts = ((text_of(properties, key) or "").strip() for key in keys)
    for text in filter(None, texts):
        if length := _LENGTH.fullmatch(text):
            days = int(length[1]) * _LENGTH_DAYS[length[2].lower()]
            at = dated - dated % SECONDS_PER_DAY + days * SECONDS_PER_DAY
            return Time(0, 0, at, at + SECONDS_PER_DAY)
        written = written_time(text)
        if written and written.local % SECONDS_PER_DAY:
            return Time(0, 0, written.local, written.local)
        if found := times_in(text):
            return found[0]
    return None


class Line(NamedTuple):
    """A piece of a text: the period in which it holds, and when it corrects what stands
    before it.
    """

    period: Validity = Validity()
    is_struck: bool = False
    corrects: float | None = None

    def at(self, local: float) -> str:
        """Return why it does not hold at a time; empty if it does."""
        return self.period.at(local) or ("struck out" if self.is_struck else "")


def line_of(
    kind: str,
    text: str,
    head: str = "",
    dated: float | None = None,
) -> Line:
    """Read a piece of a note; `head` is that of its table, `dated` the date of its section."""
    left = _STRUCK.sub("", text)
    is_struck = left != text and not re.search(r"\w", left)
    folded = fold(left)
    times = times_in(left)
    period = _column_period(head, text) if kind == ROW and head else Validity()
    if times and period == Validity():
        period = _stated_period(folded, times, is_item=kind in (ITEM, ROW))
    corrects = None
    if len(text) <= MAX_STATEMENT_CHARS and words().corrects.search(folded):
        at = times[0].since if times else dated
        corrects = at
        if at is not None and period == Validity():
            period = Validity(since=at)
    return Line(period, is_struck, corrects)


def _stated_period(folded: str, times: Sequence[Time], *, is_item: bool) -> Validity:
    """Return the period that brackets state, or the end of an item of a list."""
    for brackets in _BRACKETS.finditer(folded):
        inside = [
            each
            for each in times
            if brackets.start() <= each.start and each.end <= brackets.end()
        ]
        if len(inside) == 2 and inside[0].start == brackets.start(1):
            return Validity(inside[0].since, inside[1].before)
        if len(inside) == 1 and (found := _before(folded, brackets.start(), inside[0])):
            return found
    last = times[-1]
    period = _before(folded, 0, last) if is_item else None
    if period is None:
        return Validity()
    # Within a sentence, “until” may tell how long something took: “we waited until Monday for it”.
    is_clear = len(times) == 1 and (period.since > -inf or _opens(folded, last))
    return period if is_clear or _REST.fullmatch(folded, last.end) else Validity()


def _opens(folded: str, time: Time) -> bool:
    """Return whether an item begins with a word such as “until” and its date."""
    text = folded.lstrip(" \t-*+_")
    found = words().ends.match(folded, len(folded) - len(text))
    return found is not None and time.start - found.end() <= MAX_BETWEEN


def _before(folded: str, start: int, time: Time) -> Validity | None:
    """Return the period by the word before a time."""
    text = folded[start : time.start]
    bounds = (
        (words().begins, Validity(since=time.since)),
        (words().ends, Validity(before=time.before)),
    )
    ends = {match.end(): period for bound, period in bounds for match in bound.finditer(text)}
    nearest = max(ends, default=0)
    return ends.get(nearest) if len(text) - nearest <= MAX_BETWEEN else None


def _column_period(head: str, row: str) -> Validity:
    """Return the period in the columns of a table that are named so."""
    period = Validity()
    for name, cell in zip(map(fold, _cells(head)), _cells(row), strict=False):
        for time in times_in(cell)[:1]:
            if words().ends.fullmatch(name):
                period = period._replace(before=time.before)
            if words().begins.fullmatch(name):
                period = period._replace(since=time.since)
    return period


def _cells(row: str) -> list[str]:
    return [cell.strip(" *_") for cell in row.strip().strip("|").split("|")]


def entry_date(text: str) -> float | None:
    """Return the date with which an entry begins: “2026-05-18: …”, “Update (18 May 2026): …”; None
    if it begins otherwise.
    """
    times = times_in(text)
    before = fold(text[: times[0].start]).strip(" \t-*+_>|#([:.,0123456789)") if times else "-"
    return None if before and not words().updates.fullmatch(before) else times[0].since


def has_changes(texts: Iterable[str], *, has_dates: bool) -> bool:
    """Return whether a line of some texts does not always hold, or corrects others; `has_dates`
    says that some of the texts stand below a date.
    """
    dated = 0.0 if has_dates else None
    return any(
        _has_changes(text, dated)
        for text in texts
        if has_dates or "~~" in text or ANY_YEAR.search(text)
    )


def _has_changes(text: str, dated: float | None) -> bool:
    ends, begins, *_, changes = words()
    if "~~" not in text and not changes.search(fold(text).lower()):
        return False
    for line in text.split("\n"):
        # A row of a table may name a column of ends or beginnings.
        cells = map(fold, _cells(line)) if "|" in line else ()
        if any(ends.fullmatch(cell) or begins.fullmatch(cell) for cell in cells):
            return True
        may_change = dated is not None or "~~" in line or ANY_YEAR.search(fold(line))
        if may_change and line_of(ITEM, line, dated=dated) != Line():
            return True
    return False


def asks_for_past(query: str) -> bool:
    """Return whether a question asks for what was: “the old gateway”."""
    return words().past.search(fold(query)) is not None
