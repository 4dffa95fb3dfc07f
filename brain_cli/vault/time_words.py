"""Words and phrases of time in each language, as `time_words.json` has them.

Everything is folded: lower case, no accents. Commas separate phrases, and a phrase may be a regular
expression whose spaces match any white space. To add a language: one more entry in that file.
"""

import json
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple


class TimeWords(NamedTuple):
    """One language: `{n}` stands for a number, `{unit}` for a unit of time, `{weekday}` for the
    name of a day.

    `months` begins with January; `|` separates the forms of a month, which in Russian are its
    cases. Every phrase below contains one of the `hints`, with the spaces around it, so a query
    without a hint has no phrase. `since`, `in_month` and `in_year` precede a date, a month and a
    year. `newest` asks for the newest notes anywhere in a question. `newest_adjective` does so at
    its start, after `leading` words only; `newest_adverb` in a question in the `first_person` or
    with a `telling` word, one that fits any note. `asking` words begin a question, and `manner`
    words one for a way or a reason, which the newest note answers no better than others; `verbs`
    turn a name into a sentence.
    """

    hints: str
    months: str
    units: Sequence[str]
    weekdays: Sequence[str]
    today: str
    yesterday: str
    before_yesterday: str
    this_unit: str
    last_unit: str
    last_n_units: str
    n_units_ago: str
    last_weekday: str
    since: str
    in_month: str
    in_year: str
    newest: str
    newest_adjective: str
    newest_adverb: str
    first_person: str
    leading: str
    telling: str
    asking: str
    manner: str
    verbs: str


def _languages() -> dict[str, TimeWords]:
    with open(f"{__file__.removesuffix('.py')}.json", encoding="utf-8") as file:
        return {language: TimeWords(**words) for language, words in json.load(file).items()}


TIME_WORDS = _languages()


@cache
def month_numbers(language: str = "") -> dict[str, int]:
    """Return the number of each month, 1 to 12, by its folded names in one language, or in all."""
    tables = [TIME_WORDS[language]] if language else TIME_WORDS.values()
    return {
        name: number
        for words in tables
        for number, month in enumerate(words.months.split(), start=1)
        for name in month.split("|")
    }


def is_written_out(month: str) -> bool:
    """Return whether a month is written in full; short forms such as `mar` and `set` are also
    ordinary words.
    """
    return len(month) > 3 or month in ("may", "mai", "mei", "май", "мая", "мае")
