"""The words of each language, as `words/LANGUAGE.json` has them; to add a language, add a file.

Words are separated by spaces, groups of words by commas. Phrases are regular expressions; those of
questions are folded and in lower case, as `words_of` returns a text, but for `definition` and
`listing`.

codes           of the language; only a language with codes is recognized and stemmed
stop_words      words that nearly every text has
question_words  words with which a question is put, beside stop words; those `without_subject` are
                searched, but not missed
how             begins a question in which the words `how_it_works` ask, too
irregular       groups of forms that a stemmer does not unite
spellings       pairs of parts of words that are written in two ways; so are the `endings` before
                `suffixes`
number, duration, date, person   how a question for such a value begins
attribute       how a question for an attribute of its subject begins, but not for `no_attribute`
definition, listing   how a question begins whose rest is a subject, as asked
number_words    numbers
says            words of a sentence that says what is so, or what has changed; `mentions` of one
                that only mentions it
abbreviations   that end with a dot, without it
greetings, thanks   phrases before and behind what a prompt is about
negations       words by which a prompt asks for nothing
orders          verbs by which a prompt orders something, folded
remembers       how an order to remember something begins
decides         how a sentence that decides, or the part of it after `joins`, begins;
                `decides_anywhere` phrases inside of one
reverses        phrases that take something back; a sentence also does if it begins with `denies`
confirms        how a yes begins
concludes, put_off, left_open, nothing_left   phrases of a session about causes, and what is to do
begins_work     how an agent begins an announcement
sent_from       how the signature of a mail program or a phone begins
phrases, phrase_endings, short_phrases   of a question in a text without spaces
time            words of time (`TimeWords`)
validity        words of what holds until when (vault/validity.py)
"""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Self

from brain_cli.record import Record

FOLDER = f"{os.path.dirname(__file__)}/words"


@cache
def language_words() -> Mapping[str, Mapping[str, Any]]:
    """Return the words of every language by its (Snowball) name."""
    found = {}
    for name in sorted(os.listdir(FOLDER)):
        with open(f"{FOLDER}/{name}", encoding="utf-8") as file:
            found[name.removesuffix(".json")] = json.load(file)
    return found


def phrases_of(key: str, languages: Collection[str] = ()) -> str:
    """Return the phrases of a key in all languages, or in English and some others, as alternatives
    of a pattern.
    """
    return "|".join(
        words[key]
        for name, words in language_words().items()
        if key in words and (not languages or name in (*languages, "english"))
    )


class UnitWords(NamedTuple):
    """The word of one language for each unit of time; `UNITS` in search/dates.py has the units."""

    day: str
    week: str
    weekend: str
    month: str
    year: str


class TimeWords(Record):
    """The words and phrases of time in one language: the part `time`.

    Everything is folded: lower case, no accents. Commas separate phrases, and a phrase may be a
    regular expression whose spaces match any white space. `{n}` stands for a number, `{unit}` for a
    unit of time, `{weekday}` for the name of a day.

    `months` begins with January; `|` separates the forms of a month, which in Russian are its
    cases. `weekdays` begins with Monday, `numbers` with one. Every phrase below contains one of the
    `hints`, with the spaces around it, so a query without a hint has no phrase. `since`, `in_month`
    and `in_year` precede a date, a month and a year; `begins` precedes the first date of a span,
    and `joining` its last one. After `until`, and in a text with a word of `due`, a date without a
    year is the next such date. `newest` asks for the newest notes anywhere in a question.
    `newest_adjective` does so at its start, after `leading` words only; `newest_adverb` in a
    question in the `first_person` or with a `telling` word, one that fits any note. `asking` words
    begin a question, and `manner` words one for a way or a reason, which the newest note answers no
    better than others; `verbs` turn a name into a sentence.
    """

    hints: str
    months: str
    units: UnitWords
    weekdays: Sequence[str]
    numbers: Sequence[str]
    today: str
    yesterday: str
    before_yesterday: str
    this_unit: str
    last_unit: str
    last_n_units: str
    n_units_ago: str
    last_weekday: str
    tomorrow: str
    next_unit: str
    since: str
    begins: str
    joining: str
    due: str
    until: str
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

    @classmethod
    def read(cls, words: Mapping[str, Any]) -> Self:
        """Read the words of a language; raise TypeError if one is missing."""
        return cls(**{**words, "units": UnitWords(**words["units"])})


def _languages() -> dict[str, TimeWords]:
    # English decides first between phrases of several languages.
    in_order = sorted(
        language_words().items(), key=lambda each: (each[0] != "english", each[0])
    )
    return {name: TimeWords.read(words["time"]) for name, words in in_order if "time" in words}


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


def names_calendar(text: str) -> bool:
    """Return whether a text of a date has a number or a month, unlike “yesterday”."""
    folded = text.lower().split()
    return any(map(str.isdigit, text)) or not month_numbers().keys().isdisjoint(folded)
