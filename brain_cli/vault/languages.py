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
phrases, phrase_endings, short_phrases   of a question in a text without spaces
time            words of time (vault/time_words.py)
validity        words of what holds until when (vault/validity.py)
"""

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

FOLDER = f"{os.path.dirname(__file__)}/words"


@cache
def language_words() -> Mapping[str, Mapping[str, Any]]:
    """Return the words of every language by its (Snowball) name."""
    found = {}
    for name in sorted(os.listdir(FOLDER)):
        with open(f"{FOLDER}/{name}", encoding="utf-8") as file:
            found[name.removesuffix(".json")] = json.load(file)
    return found


def phrases_of(key: str) -> str:
    """Return the phrases of a key in all languages, as alternatives of a pattern."""
    return "|".join(words[key] for words in language_words().values() if key in words)
