"""The words of every language are complete and readable."""

from __future__ import annotations

import re

import pytest
import Stemmer

from brain_cli.vault import languages
from brain_cli.vault.analyzer import fold
from brain_cli.vault.languages import language_words

WORDS = language_words()
KEYS = {
    *(
        "codes",
        "stop_words",
        "question_words",
        "without_subject",
        "how",
        "how_it_works",
        "irregular",
        "spellings",
    ),
    *(
        "endings",
        "suffixes",
        "number",
        "duration",
        "date",
        "person",
        "attribute",
        "no_attribute",
        "validity",
    ),
    *(
        "definition",
        "listing",
        "number_words",
        "says",
        "mentions",
        "phrases",
        "phrase_endings",
        "short_phrases",
        "abbreviations",
        "greetings",
        "thanks",
        "negations",
        "time",
    ),
    *(
        "orders",
        "remembers",
        "joins",
        "decides",
        "decides_anywhere",
        "reverses",
        "denies",
        "confirms",
        "concludes",
        "put_off",
        "left_open",
        "nothing_left",
        "begins_work",
        "sent_from",
    ),
}
PATTERNS = (
    "says",
    "mentions",
    "number",
    "duration",
    "date",
    "person",
    "attribute",
    "no_attribute",
    "orders",
)
TOGETHER = (
    ("how", "how_it_works"),
    ("attribute", "no_attribute"),
    ("stop_words", "codes"),
    ("endings", "suffixes"),
)


@pytest.mark.parametrize("language", WORDS)
def test_every_file_has_known_keys_with_words(language: str) -> None:
    words = WORDS[language]
    assert words.keys() <= KEYS
    assert all(words.values())
    for one, other in TOGETHER:
        assert (one in words) == (other in words)
    if "codes" in words:
        assert language in Stemmer.algorithms()
        assert words["question_words"]


@pytest.mark.parametrize("language", WORDS)
def test_every_group_has_several_forms_and_every_pattern_can_match(language: str) -> None:
    words = WORDS[language]
    for group in filter(None, words.get("irregular", "").split(",")):
        assert len(set(group.split())) > 1
    for pairs in (words.get("spellings", ""), words.get("endings", "")):
        for pair in filter(None, pairs.split(",")):
            one, other = pair.split()
            assert one != other
    for key in PATTERNS:
        # A question is folded before it is compared.
        assert fold(words.get(key, "")) == words.get(key, "")
        assert re.compile(words.get(key, ""))


def test_no_code_names_two_languages() -> None:
    codes = [code for words in WORDS.values() for code in words.get("codes", ())]
    assert len(codes) == len(set(codes))


def test_the_module_explains_every_key() -> None:
    assert all(key in (languages.__doc__ or "") for key in KEYS)


@pytest.mark.parametrize("language", languages.TIME_WORDS)
def test_a_language_has_twelve_months_and_seven_days_of_the_week(language: str) -> None:
    words = languages.TIME_WORDS[language]
    assert (len(words.months.split()), len(words.weekdays)) == (12, 7)
