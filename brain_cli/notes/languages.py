"""Which language a text is written in: the one with clearly most of its stop words."""

from __future__ import annotations

from collections import Counter
from functools import cache

from brain_cli.notes.folding import fold

DEFAULT_LANGUAGE = "english"
# Snowball's names of the languages that have both a stemmer and a list of stop words.
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
SAMPLE_WORDS = 1_000
CLEAR_LEAD = 1.5
ENOUGH_STOP_WORDS = 8


@cache
def stop_words(language: str) -> frozenset[str]:
    """The grammatical words of a language (its Snowball name), folded; empty where no list exists.

    The lists are the Snowball project's, which Whoosh carries.
    """
    from whoosh.lang.stopwords import stoplists

    code = next((code for code, name in LANGUAGE_BY_CODE.items() if name == language), "")
    return frozenset(fold(word) for word in stoplists.get(code, ()))


def language_named(name: str) -> str | None:
    """Return the Snowball name for `de`, `de-AT`, `German`; None for a language without a stemmer."""
    wanted = name.strip().lower()
    if wanted in LANGUAGE_BY_CODE.values():
        return wanted
    return LANGUAGE_BY_CODE.get(wanted.replace("_", "-").split("-")[0])


def detected_language(text: str) -> str | None:
    """Return the language whose stop words clearly lead, else None (too short, or no clear lead)."""
    leaders = _stop_word_counts(text).most_common(2)
    if not leaders or leaders[0][1] < ENOUGH_STOP_WORDS:
        return None
    if len(leaders) > 1 and leaders[0][1] < CLEAR_LEAD * leaders[1][1]:
        return None
    return leaders[0][0]


def likely_language(text: str, known: tuple[str, ...]) -> str:
    """Return the one of `known` with most stop words in a short text; the first where none leads."""
    if len(known) == 1:
        return known[0]
    counts = _stop_word_counts(text)
    return max(known, key=lambda language: (counts[language], -known.index(language)))


def _stop_word_counts(text: str) -> Counter[str]:
    table = _languages_by_stop_word()
    counts: Counter[str] = Counter()
    for word in fold(text[: SAMPLE_WORDS * 8]).lower().split()[:SAMPLE_WORDS]:
        counts.update(table.get(word.strip(".,;:!?()[]\"'*_"), ()))
    return counts


@cache
def _languages_by_stop_word() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for language in dict.fromkeys(LANGUAGE_BY_CODE.values()):
        for word in stop_words(language):
            table[word] = (*table.get(word, ()), language)
    return table
