"""Find words of the vault: those that begin with a prefix, and the nearest one to a word that no note has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_cli.index import ABOUT, BODY
from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import ScoredTerm, first_sections, look_up
from brain_cli.vault.analyzer import Word, stemmer, terms, words_of

if TYPE_CHECKING:
    from brain_cli.index.shared_store_values import Slip

MAX_EXPANSIONS = 500
# Shorter words have too many neighbours; longer ones may differ in two letters.
SHORTEST_CORRECTED = 5
TWO_EDITS_FROM = 9
SHARED_BEGINNING = 0.6
# Two words of which one begins with the other, but for an ending, are forms of one word.
SHORTEST_BEGINNING = 5
LETTERS_OF_AN_ENDING = 2


def expanded(snapshot: Snapshot, prefix: str) -> Word:
    """Return a word whose variants are all terms that begin with a prefix, and the prefix itself."""
    languages = snapshot.note_table.languages
    wholes = [stemmer(language)(part) for language in languages for part in words_of(prefix)[-1:]]
    begun = [term for part in words_of(prefix)[-1:] for term in _terms_with_prefix(snapshot, part)]
    return Word(f"{prefix}*", tuple(dict.fromkeys([*wholes, *begun[:MAX_EXPANSIONS]])))


def _terms_with_prefix(snapshot: Snapshot, prefix: str) -> list[str]:
    found = {term for field in (BODY, ABOUT) for term in snapshot.index.terms_with_prefix(field, prefix)}
    return sorted(found)


def corrected(snapshot: Snapshot, word: Word) -> ScoredTerm | None:
    """Return the word of the vault that is nearest to an unknown one; None where no word is near enough."""
    edits = edits_of(word)
    if not edits:
        return None
    near = [
        look_up(snapshot, Word(term, (term,)))
        for term in {term for variant in word.variants for term in _similar(snapshot, variant, edits)}
    ]
    # The index keeps a word for a while after its last note has lost it.
    living = (found for found in near if found.scores.frequency and found.word.text != word.text)
    return max(living, key=lambda found: (found.scores.frequency, found.word.text), default=None)


def edits_of(word: Word) -> int:
    """Return in how many letters a word may differ from the one that was meant; 0 for one that is not corrected."""
    if len(word.text) < SHORTEST_CORRECTED or not word.text.isalpha():
        return 0
    return 2 if len(word.text) >= TWO_EDITS_FROM else 1


def shortened(term: str) -> list[str]:
    """Return the beginnings of a term that may be the stem of what was meant, the longest first."""
    shortest = max(SHORTEST_CORRECTED, round(len(term) * SHARED_BEGINNING))
    return [term[:length] for length in range(len(term) - 1, shortest - 1, -1)]


def beginning_of(stem: str) -> str:
    """Return the beginning that other forms of a word share with a stem; empty for a stem that is too short."""
    if len(stem) < SHORTEST_BEGINNING:
        return ""
    return stem[: max(SHORTEST_BEGINNING, len(stem) - LETTERS_OF_AN_ENDING)]


def slips(word: Word) -> Iterator[Slip]:
    """Yield what a store looks up where no note has a word: what may have been meant, and other forms of it."""
    # The store's values are imported already where somebody asks for this.
    from brain_cli.index.shared_store_values import Slip

    edits = 0 if word.optional else edits_of(word)
    for variant in () if word.optional else word.variants:
        yield Slip(0, variant, edits, shortened(variant) if edits else (), beginning_of(variant))


def _similar(snapshot: Snapshot, term: str, edits: int) -> Iterator[str]:
    """Yield terms a few letters away; a typo in the ending leaves a stem that the typed word begins with."""
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
