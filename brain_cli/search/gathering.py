"""Fetch the candidates of a query from a shared memory, so that all later steps work as they do on a vault.

The words are weighted by their document frequencies in the whole memory. A word that no note has is corrected first,
and if nothing else is found, the notes with similar names are the candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from brain_cli.index.shared_snapshot import SharedSnapshot
from brain_cli.index.shared_store_values import (
    FEW_CANDIDATES,
    FEW_JOINED,
    FEW_LINKED,
    MAX_CANDIDATES,
    Found,
    Places,
    Saturation,
    Variants,
    Wanted,
)
from brain_cli.search.bm25 import K1, B, idf
from brain_cli.search.calibration import LEXICAL
from brain_cli.search.conditions import Condition
from brain_cli.search.expansion import edits_of, shortened
from brain_cli.search.name_similarity import QueryLetters
from brain_cli.search.predicate_pushdown import scope_of, words_in
from brain_cli.search.relevance import CORRECTED_SHARE, possible_name
from brain_cli.vault.analyzer import Word

MAX_SIMILAR_NAMES = 200
# For a question with a date, at most this many notes dated nearest to it join those that have its words.
MAX_DATED = 200
# Of few candidates, at most this many may be shown.
MAY_BE_SHOWN = 150
# For each unknown word, this many words of the vault are tried (search/unknown_words.py).
MAX_CORRECTIONS = 4


class Question(NamedTuple):
    """The parts of a query that determine its candidates: text, words, condition, and the times it names.

    At most `most` notes are wanted, and the notes `also` in addition; `few` if only the best matches by words can be
    shown.
    """

    text: str
    words: Sequence[Word]
    condition: Condition
    archived: bool = False
    dates: Sequence[tuple[float, float]] = ()
    most: int = MAX_CANDIDATES
    also: Sequence[int] = ()
    few: bool = False


def gather(snapshot: SharedSnapshot, question: Question) -> None:
    """Fill a snapshot with the candidates of a query."""
    frequencies = snapshot.frequencies_of(word.variants for word in question.words)
    corrections = _corrections(snapshot, question.words, frequencies)
    shares = {word.variants: 1.0 for word in question.words} | dict.fromkeys(corrections, CORRECTED_SHARE)
    ranking = [variants for variants in shares if frequencies[variants]]
    languages = snapshot.note_table.languages
    # The occurrences of words that the condition needs are fetched too, with a weight of 0.
    required = [word.variants for word in words_in(question.condition, languages) if word.variants not in shares]
    words: list[Variants] = []
    # If no word ranks, they are fetched when the condition is tested.
    if ranking:
        frequencies |= snapshot.frequencies_of(required)
        words = list(dict.fromkeys((*ranking, *required)))
    wanted = Wanted(
        words,
        [shares.get(each, 0.0) * idf(snapshot.note_table.fragments, frequencies[each]) for each in words],
        saturation(snapshot),
        scope_of(question.condition, languages),
        names=tuple(filter(None, (possible_name(question.text),))),
        dates=tuple(question.dates),
        archived=question.archived,
        most=question.most,
    )
    if question.few:
        wanted = wanted._replace(most=FEW_CANDIDATES, linked_to=FEW_LINKED, most_joined=FEW_JOINED)
    found = snapshot.reader.candidates(wanted) if ranking or not question.words else _nothing(words)
    if question.words and not found.note_ids:
        found = _with_similar_names(snapshot, question.words, found)
    if question.dates and question.words:
        dated = wanted._replace(words=(), weights=(), names=(), most=MAX_DATED, anywhere=0, linked_to=0, most_joined=0)
        found = found._replace(joined=_joined(found, snapshot.reader.candidates(dated).note_ids))
    if question.also:
        found = found._replace(joined=_joined(found, question.also))
    terms = list(dict.fromkeys(chain.from_iterable(word.variants for word in question.words)))
    shown = MAY_BE_SHOWN if question.few else None
    snapshot.fill(found, wanted.words, frequencies, terms, shown, frozenset(corrections))


def _corrections(snapshot: SharedSnapshot, words: Sequence[Word], frequencies: dict[Variants, int]) -> list[Variants]:
    """Look up possible corrections of the words that no note has; return the most frequent ones for each."""
    unknown = [word for word in words if not (frequencies[word.variants] or word.optional) and edits_of(word)]
    if not unknown:
        return []
    terms = {variant: edits_of(word) for word in unknown for variant in word.variants}
    # These came with the frequencies, unless only deleted notes have the word.
    missing = {term: edits for term, edits in terms.items() if term not in snapshot.fetched.near_terms}
    if missing:
        stems = list(chain.from_iterable(map(shortened, missing)))
        near_terms, known_stems = snapshot.reader.near_terms(missing, stems)
        snapshot.fetched.near_terms |= near_terms
        snapshot.fetched.stems |= known_stems
    near = {word: {(term,) for variant in word.variants for term in _near(snapshot, variant)} for word in unknown}
    frequencies |= snapshot.frequencies_of(sorted(set().union(*near.values())))
    best = (sorted(each, key=lambda term: (frequencies[term], term))[-MAX_CORRECTIONS:] for each in near.values())
    return list(chain.from_iterable(best))


def _near(snapshot: SharedSnapshot, variant: str) -> list[str]:
    stem = next(filter(snapshot.fetched.stems.__contains__, shortened(variant)), None)
    return [*snapshot.fetched.near_terms[variant], *([stem] if stem else [])]


def saturation(snapshot: SharedSnapshot) -> Saturation:
    """Return the curve by which the words of this memory saturate."""
    table = snapshot.note_table
    length = max(1, table.length)
    slope = B / length
    return Saturation(K1, 1 - B, slope * table.fragments, slope * table.notes, LEXICAL.complete, LEXICAL.completeness)


def _with_similar_names(snapshot: SharedSnapshot, words: Sequence[Word], found: Found) -> Found:
    asked = QueryLetters(words)
    grams = {gram for language in snapshot.note_table.languages for gram in asked.stemmed(language)}
    named = snapshot.reader.similar_names(sorted(grams), MAX_SIMILAR_NAMES)
    return found._replace(joined=_joined(found, named))


def _joined(found: Found, note_ids: Sequence[int]) -> list[int]:
    best = set(found.note_ids)
    return [note_id for note_id in dict.fromkeys((*found.joined, *note_ids)) if note_id not in best]


def _nothing(words: Sequence[Variants]) -> Found:
    return Found([], [], [Places() for _ in words], 0, is_complete=True)
