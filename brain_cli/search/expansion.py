"""Find words of the vault: those with a prefix, and the nearest one to a word that no note has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain_cli.index import ABOUT, BODY
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm, first_sections, look_up
from brain_cli.vault.analyzer import Word, stemmer, terms, words_of

MAX_EXPANSIONS = 500
# Shorter words have too many neighbours; longer ones may differ in two letters.
MIN_CORRECTED_LETTERS = 5
TWO_EDITS_FROM = 9
MIN_SHARED_PREFIX = 0.6
# Of the nearest words, this many are compared with the typed one as notes write them, by the share of equal letters:
# “recette” is not a typo of “récemment”, though their stems differ in one letter.
MAX_TRIED = 4
MIN_LIKENESS = 0.7
_DOUBLE = re.compile(r"(.)\1")
# Two words that share a prefix up to a short ending count as forms of one word.
MIN_PREFIX_LETTERS = 5
ENDING_LETTERS = 2


def expanded(snapshot: Snapshot, prefix: str) -> Word:
    """Return a word whose variants are all terms that begin with a prefix, and the prefix itself."""
    languages = snapshot.note_table.languages
    wholes = [stemmer(language)(part) for language in languages for part in words_of(prefix)[-1:]]
    matching = [term for part in words_of(prefix)[-1:] for term in _terms_with_prefix(snapshot, part)]
    return Word(f"{prefix}*", tuple(dict.fromkeys([*wholes, *matching[:MAX_EXPANSIONS]])))


def _terms_with_prefix(snapshot: Snapshot, prefix: str) -> list[str]:
    found = {term for field in (BODY, ABOUT) for term in snapshot.index.terms_with_prefix(field, prefix)}
    return sorted(found)


def corrected(snapshot: Snapshot, word: Word) -> ScoredTerm | None:
    """Return the word of the vault that is nearest to an unknown one; None if no word is near enough."""
    edits = edits_of(word)
    if not edits:
        return None
    near = [
        look_up(snapshot, Word(term, (term,)))
        for term in {term for variant in word.variants for term in _similar(snapshot, variant, edits)}
    ]
    # The index keeps a word for a while after its last note has lost it.
    in_notes = [found for found in near if found.scores.frequency and found.word.text != word.text]
    in_notes.sort(
        key=lambda found: (is_doubled(word, found.word), found.scores.frequency, found.word.text), reverse=True
    )
    likely = in_notes[:MAX_TRIED]
    return next((found for found in likely if _is_like(word.text, as_written(snapshot, found))), None)


def is_doubled(word: Word, near: Word) -> bool:
    """Return whether two words differ only in doubled letters, the most usual slip: “comit”, “ammend”."""
    plain = {_DOUBLE.sub(r"\1", variant) for variant in word.variants}
    return not plain.isdisjoint(_DOUBLE.sub(r"\1", variant) for variant in near.variants)


def _is_like(typed: str, written: str) -> bool:
    """Return whether two words have most letters in common, in order; their stems may be similar by chance."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, typed, written, autojunk=False).ratio() >= MIN_LIKENESS


def edits_of(word: Word) -> int:
    """Return the maximum edit distance between a word and its correction; 0 for a word that is not corrected."""
    if len(word.text) < MIN_CORRECTED_LETTERS or not word.text.isalpha():
        return 0
    return 2 if len(word.text) >= TWO_EDITS_FROM else 1


def shortened(term: str) -> list[str]:
    """Return the prefixes of a term that may be the stem of the intended word, longest first."""
    shortest = max(MIN_CORRECTED_LETTERS, round(len(term) * MIN_SHARED_PREFIX))
    return [term[:length] for length in range(len(term) - 1, shortest - 1, -1)]


def prefix_of(stem: str) -> str:
    """Return the prefix that other forms of a word share with a stem; empty for a stem that is too short."""
    if len(stem) < MIN_PREFIX_LETTERS:
        return ""
    return stem[: max(MIN_PREFIX_LETTERS, len(stem) - ENDING_LETTERS)]


def _similar(snapshot: Snapshot, term: str, edits: int) -> Iterator[str]:
    """Yield terms within some edits, and a stem that is a prefix of the typed word, for a typo in its ending."""
    for field in (BODY, ABOUT):
        yield from snapshot.index.similar_terms(field, term, edits)
    for stem in shortened(term):
        for field in (BODY, ABOUT):
            if any(True for _ in snapshot.index.postings(field, stem)):
                yield stem
                return


def as_written(snapshot: Snapshot, found: ScoredTerm) -> str:
    """Return a word as a note writes it, rather than its stem."""
    for number in first_sections(snapshot, found):
        fragment = snapshot.index.fragment(number)
        language = snapshot.language(snapshot.index.note_ids[number])
        for word in words_of(" ".join((*fragment.trail, fragment.text))):
            if terms(word, language)[:1] == [found.word.variants[0]]:
                return word
    return found.word.text
