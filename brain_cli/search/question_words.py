"""The words with which a question is put, and what it asks for: a definition, a number or a date.

“How do I”, “tell me something about”, “Was bedeutet eigentlich” do not name the subject of a
question. The lists supplement the Snowball stop words; accents do not count. Chinese, Japanese and
Korean, searched by pairs of characters, have phrases instead.

A passage about eggs that has no number does not answer “how many eggs”: it has the topic, but not
the value. “What is a hash?” is answered by the first sentence of the note “Hash function”, which
seldom repeats its title.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from brain_cli.vault.analyzer import (
    DEFAULT_LANGUAGE,
    Word,
    fold,
    has_stop_words,
    likely_language,
    query_words,
    terms,
    words_of,
)
from brain_cli.vault.languages import TIME_WORDS, language_words, month_numbers, phrases_of


@cache
def question_words(language: str) -> frozenset[str]:
    """Return the question words of a language (its Snowball name), folded; none for a language
    without a list.
    """
    words = language_words().get(language, {}).get("question_words", "")
    return frozenset(fold(words).casefold().split())


def content_words(text: str, languages: Iterable[str]) -> tuple[Word, ...]:
    """Return the content words of a query; if it has only question words, these."""
    known = tuple(languages) or (DEFAULT_LANGUAGE,)
    words = query_words(without_question(text), known) or query_words(text, known)
    language = _language_of(text, words, known)
    dropped = set(question_words(language))
    asking = language_words().get(language, {})
    if "how" in asking and words_of(text)[:1] == [fold(asking["how"])]:
        # “How does it work?” asks, but “it does not work” does not.
        dropped.update(fold(asking["how_it_works"]).split())
    return tuple(word for word in words if word.text not in dropped) or words


def _language_of(text: str, words: Iterable[Word], known: tuple[str, ...]) -> str:
    """Return the language of a query by its stop words, or if it has none, by its
    question words.
    """
    if len(known) == 1 or has_stop_words(text, known):
        return likely_language(text, known)
    content = {word.text for word in words}
    return max(
        known,
        key=lambda language: (len(content & question_words(language)), -known.index(language)),
    )


# Short words of hiragana are also parts of others (のど, たどれる, 見どころ). They ask only where a
# word may begin: at the beginning, after other characters than hiragana, and after a particle.
_WORD_MAY_BEGIN = r"(?:(?<![ぁ-ゖ])|(?<=[はがをにでへ])|(?<=[^\Wぁ-ゖ][のと]))"


def without_question(text: str) -> str:
    """Return a text without the phrases of a question; the text itself if there are none."""
    if text.isascii():
        return text
    phrase = _phrase()
    return phrase.sub(" ", unicodedata.normalize("NFC", text)) if phrase.search(text) else text


@cache
def _phrase() -> re.Pattern[str]:
    # A phrase is left out wherever it stands, an ending only after a word, where the text or a part
    # of it ends.
    phrases, endings, short = (
        sorted(phrases_of(key).replace(" ", "|").split("|"), key=len, reverse=True)
        for key in ("phrases", "phrase_endings", "short_phrases")
    )
    asking = f"{'|'.join(phrases)}|{_WORD_MAY_BEGIN}(?:{'|'.join(short)})(?!ろ)"
    return re.compile(rf"(?:{asking})|(?<=\w)(?:{'|'.join(endings)})(?=\W|$|{asking})")


NUMBER = "number"
DURATION = "duration"
DATE = "date"
PERSON = "person"
# The kinds in the order in which they are tried: “how long” asks for a duration.
_KINDS = (DURATION, NUMBER, DATE, PERSON)
_YEAR = re.compile(r"(?:19|20)\d\d")
# A longer question begins in the same way.
MAX_CHARS_READ = 300


def asked_for(question: str, languages: tuple[str, ...]) -> tuple[str, str]:
    """Return what a question asks for, NUMBER, DURATION, DATE or PERSON, and the word for what it
    asks of its subject; in one of some languages, because patterns in all take long to compile.

    That word is “password” in “what is the password of”. Both are empty for any other question.
    """
    text = " ".join(words_of(question[:MAX_CHARS_READ]))
    value = next(
        (kind for kind in _KINDS if _asking(kind, "", r"\b", languages).match(text)), ""
    )
    attribute = _attribute(languages).match(text)
    return value, attribute[1] if attribute else ""


@cache
def _attribute(languages: tuple[str, ...]) -> re.Pattern[str]:
    asking = phrases_of("attribute", languages)
    return re.compile(rf"(?:{asking}) (?!{phrases_of('no_attribute', languages)})(\w+)")


def has_value(kind: str, passage: str, *, is_dated: bool = False) -> bool:
    """Return whether a passage has a value of a kind, as far as that can be seen: any word may name
    a person.

    `is_dated`: its note has a date, which may be the answer.
    """
    if kind == PERSON or (kind == DATE and is_dated):
        return True
    words = words_of(passage)
    if kind != DATE and any(map(_is_amount, words)):
        return True
    if kind == DATE and any(any(map(str.isdecimal, word)) for word in words):
        return True
    if kind == NUMBER:
        return False
    return bool(_time().search(" ".join(words))) or (
        kind == DATE and not month_numbers().keys().isdisjoint(words)
    )


def _is_amount(word: str) -> bool:
    """Return whether a word is a number, and not a year."""
    return word in _number_words() or (
        any(map(str.isdecimal, word)) and not _YEAR.fullmatch(word)
    )


@cache
def _number_words() -> frozenset[str]:
    return frozenset(phrases_of("number_words").replace("|", " ").split())


@cache
def _time() -> re.Pattern[str]:
    """Return the pattern of the days and the units of time, in every language."""
    phrases = [
        phrase
        for words in TIME_WORDS.values()
        for phrase in (
            *words.units,
            *words.weekdays,
            *words.today.split(", "),
            *words.yesterday.split(", "),
        )
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)")


@cache
def _asking(key: str, before: str, after: str, languages: tuple[str, ...]) -> re.Pattern[str]:
    # Without phrases, no question matches.
    phrases = phrases_of(key, languages) or "$^"
    return re.compile(f"{before}(?:{phrases}){after}", re.IGNORECASE)


def subject_of_definition(query: str, languages: tuple[str, ...] = ()) -> str:
    """Return what a question asks the meaning of; empty for a question that asks for something
    else.
    """
    asking = _asking("definition", r"[\s¿]*", r"(?:(?!\w)|(?<=['’]))", languages).match(query)
    return query[asking.end() :].strip(" ?!.¿") if asking else ""


def is_about(name: str, subject: str, language: str) -> bool:
    """Return whether a note's name begins with a subject: “Hash function” does with “a hash”."""
    wanted = set(terms(subject, language))
    of_name = terms(name, language)
    return bool(wanted) and wanted <= set(of_name) and of_name[0] in wanted


# A longer text asks for something about its subject.
MAX_SUBJECT_WORDS = 3


def subject_of_listing(query: str, languages: tuple[str, ...] = ()) -> str:
    """Return the subject whose notes a question asks for, as “kafka” in “what do I know about
    kafka?”; else empty.
    """
    asking = _asking("listing", r"\s*", r"\s", languages).match(query)
    subject = query[asking.end() :].strip(" ?!.¿") if asking else ""
    return subject if len(subject.split()) <= MAX_SUBJECT_WORDS else ""


def names_subject(names: Iterable[str], subject: str, language: str) -> bool:
    """Return whether a note's title, aliases, tags or folder have all words of a subject."""
    wanted = set(terms(subject, language))
    return bool(wanted) and wanted <= set(terms(" ".join(names), language))
