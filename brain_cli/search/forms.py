"""Other ways to write a word of a query: irregular forms, British and American spellings, and the
user's synonyms.

An irregular form is one that a stemmer does not unite: met and meet, went and go. It counts as the
word, but it proves little, because it may be a word of its own. Another spelling is the same word:
colour and color. A synonym is set in the configuration, for example for an abbreviation; it holds
both ways, may have several words, and counts less:

    [synonyms]
    k8s = ["kubernetes"]
    ci = ["continuous integration"]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from brain_cli.vault.analyzer import Form, Word, fold, query_words, stemmer
from brain_cli.vault.languages import language_words

# Pairs of names for the same: each of the two may have several words.
Synonyms = tuple[tuple[str, str], ...]


def with_forms(
    words: Iterable[Word], languages: Sequence[str], synonyms: Synonyms = ()
) -> tuple[Word, ...]:
    """Return the words of a query, each with its other forms and spellings, and its synonyms."""
    found = [_with_own_forms(word, languages) for word in words]
    for names in synonyms:
        for name, other in (names, names[::-1]):
            _add_synonym(found, query_words(name, languages), other, languages)
    return tuple(found)


def _with_own_forms(word: Word, languages: Sequence[str]) -> Word:
    forms = [
        Form(form, ((stem,),))
        for language in languages
        for form in irregular_forms(language).get(word.text, ())
        if (stem := stemmer(language)(form)) not in word.variants
    ]
    spelled = [
        stemmer(language)(spelling)
        for language in languages
        for spelling in spellings(word.text, language)
    ]
    if forms or spelled:
        stems = (stem for form in forms for (stem,) in form.words)
        word = word._replace(
            variants=tuple(dict.fromkeys((*word.variants, *spelled, *stems))),
            forms=tuple(forms),
        )
    return word


@cache
def irregular_forms(language: str) -> dict[str, tuple[str, ...]]:
    """Return the other forms of each irregular word of a language (its Snowball name), folded."""
    found: dict[str, tuple[str, ...]] = {}
    for group in language_words().get(language, {}).get("irregular", "").split(","):
        forms = fold(group).casefold().split()
        for form in forms:
            found[form] = (*found.get(form, ()), *(other for other in forms if other != form))
    return found


# Before a suffix, as in `modelled`; shorter words are others: `filled` is not `filed`.
MIN_LETTERS = 6


def spellings(word: str, language: str) -> Iterator[str]:
    """Yield the other spellings of a word in a language (its Snowball name)."""
    pairs, endings, suffixes = _spellings(language)
    for one, other in pairs:
        if one in word:
            yield word.replace(one, other)
        elif other in word:
            yield word.replace(other, one)
    for suffix in filter(word.endswith, suffixes):
        root = word.removesuffix(suffix)
        for one, other in endings if len(root) >= MIN_LETTERS else ():
            if root.endswith(one):
                yield f"{root.removesuffix(one)}{other}{suffix}"
            elif root.endswith(other):
                yield f"{root.removesuffix(other)}{one}{suffix}"


@cache
def _spellings(language: str) -> tuple[list[list[str]], list[list[str]], list[str]]:
    words = language_words().get(language, {})
    pairs, endings = (
        [pair.split() for pair in words.get(key, "").split(",") if pair]
        for key in ("spellings", "endings")
    )
    return pairs, endings, words.get("suffixes", "").split()


def _add_synonym(
    found: list[Word], name: Iterable[Word], other: str, languages: Sequence[str]
) -> None:
    """Add a synonym to the words of a query that form a name, next to each other."""
    parts = [word for word in name if not word.optional]
    form = Form(
        other, tuple(w.variants for w in query_words(other, languages) if not w.optional)
    )
    if not parts or not form.words:
        return
    places = [place for place, word in enumerate(found) if not word.optional]
    for start in range(len(places) - len(parts) + 1):
        run = places[start : start + len(parts)]
        if all(
            not set(part.variants).isdisjoint(found[place].variants)
            for place, part in zip(run, parts, strict=True)
        ):
            for place in run:
                word = found[place]
                found[place] = word._replace(synonyms=(*word.synonyms, form))
