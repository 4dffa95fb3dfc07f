"""Recognize the language of a text by its stop words, if one language clearly leads."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

from brain_cli.vault.folding import fold

DEFAULT_LANGUAGE = "english"
# Snowball's names of languages with both a stemmer and a list of stop words.
LANGUAGE_BY_CODE = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "nb": "norwegian",
    "nn": "norwegian",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
SAMPLE_CHARS = 8_000
# With these values no section of English documentation, chats or code was taken for another language.
CLEAR_LEAD = 1.5
MIN_STOP_WORDS = 3.0
_WORD = re.compile(r"[^\W\d_]+")


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language (its Snowball name), folded; empty if there is no list."""
    return frozenset(fold(word) for word in _lists().get(language, ()))


@cache
def _lists() -> dict[str, list[str]]:
    """Return the words of `stop_words.txt` by language."""
    with open(f"{__file__.removesuffix('language.py')}stop_words.txt", encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    return {name: words for name, *words in rows}


def language_named(name: str) -> str | None:
    """Return the Snowball name for `de`, `de-AT`, `German`; None for a language without a stemmer."""
    wanted = name.strip().lower()
    if wanted in LANGUAGE_BY_CODE.values():
        return wanted
    return LANGUAGE_BY_CODE.get(wanted.replace("_", "-").split("-")[0])


def detected_language(text: str) -> str | None:
    """Return the language whose stop words clearly lead; None if the text is too short or no language leads."""
    shares = _stop_word_shares(text)
    leader, second = sorted((*shares, "", ""), key=lambda language: -shares[language])[:2]
    clear = shares[leader] >= max(MIN_STOP_WORDS, CLEAR_LEAD * shares[second])
    return leader if clear else None


def likely_language(text: str, known: tuple[str, ...]) -> str:
    """Return the language in `known` with the most stop words in a short text; of equals, the first."""
    if len(known) == 1:
        return known[0]
    shares = _stop_word_shares(text)
    return max(known, key=lambda language: (shares[language], -known.index(language)))


def has_stop_words(text: str, known: tuple[str, ...]) -> bool:
    """Return whether a short text has a stop word of any of these languages."""
    shares = _stop_word_shares(text)
    return any(shares[language] for language in known)


def _stop_word_shares(text: str) -> defaultdict[str, float]:
    """Weigh the languages of a text: each distinct stop word counts one, divided among all languages that have it.

    Repeats do not count, because a name that is a stop word elsewhere (`mod`, `top`) may recur on every line.
    """
    table = _languages_by_stop_word()
    shares: defaultdict[str, float] = defaultdict(float)
    for word in sorted(set(_WORD.findall(fold(text[:SAMPLE_CHARS]).lower()))):
        languages = table.get(word, ())
        for language in languages:
            shares[language] += 1 / len(languages)
    return shares


@cache
def _languages_by_stop_word() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for language in dict.fromkeys(LANGUAGE_BY_CODE.values()):
        for word in stop_words(language):
            table[word] = (*table.get(word, ()), language)
    return table
