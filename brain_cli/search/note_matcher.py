"""Check conditions on notes by the index: their words, their phrases, their metadata."""

from __future__ import annotations

from functools import lru_cache

from brain_cli.index.snapshot import Snapshot
from brain_cli.search.bm25 import look_up
from brain_cli.search.expansion import expanded
from brain_cli.types import NoteMetadata
from brain_cli.vault.analyzer import Word, query_words, terms

PHRASE_BONUS = 0.25
# Searching for a phrase reads the note's text; beyond this rank it would not change the result.
MAX_PHRASE_CHECKS = 100


class NoteMatcher:
    """Checks conditions on the notes of one snapshot; each text is looked up once for all notes."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._notes: dict[str, frozenset[int] | None] = {}
        self.phrase_terms = lru_cache(maxsize=256)(terms)

    def of(self, note_id: int) -> NoteEvidence:
        return NoteEvidence(self, self._snapshot, note_id)

    def notes_with(self, text: str) -> frozenset[int] | None:
        """Return the notes that have all words of a text; None if it has no word to search for."""
        if text not in self._notes:
            self._notes[text] = self._find(text)
        return self._notes[text]

    def _find(self, text: str) -> frozenset[int] | None:
        if len(text) > 1 and text.endswith("*"):
            return self._notes_of(expanded(self._snapshot, text[:-1]))
        words = [word for word in query_words(text, self._snapshot.note_table.languages) if not word.optional]
        return frozenset.intersection(*map(self._notes_of, words)) if words else None

    def _notes_of(self, word: Word) -> frozenset[int]:
        return frozenset(look_up(self._snapshot, word).scores.notes)


def lift_phrases(relevances: dict[int, float], phrases: tuple[str, ...], matcher: NoteMatcher) -> None:
    """Raise the relevance of the notes that contain a phrase, by a share of the distance to 1."""
    likely = sorted(relevances, key=lambda note_id: -relevances[note_id])[:MAX_PHRASE_CHECKS] if phrases else []
    for note_id in likely:
        note = matcher.of(note_id)
        for phrase in phrases:
            if note.has_phrase(phrase):
                relevances[note_id] += PHRASE_BONUS * (1 - relevances[note_id])


class NoteEvidence:
    """One note, in the view that conditions test."""

    def __init__(self, matcher: NoteMatcher, snapshot: Snapshot, note_id: int) -> None:
        self._matcher = matcher
        self._snapshot = snapshot
        self._note_id = note_id
        self.metadata: NoteMetadata = snapshot.note_table.metadata(note_id)

    def has_words(self, text: str) -> bool:
        """Return whether every word of a text is in the note; True for a text of stop words."""
        notes = self._matcher.notes_with(text)
        return notes is None or self._note_id in notes

    def has_phrase(self, text: str) -> bool:
        """Return whether a section, a heading, the title or an alias has the words of a text next to each other."""
        if not self.has_words(text):
            return False
        language = self._snapshot.language(self._note_id)
        phrase = self._matcher.phrase_terms(text, language)
        return any(_contains(terms(each, language), phrase) for each in self._texts())

    def title_has(self, text: str) -> bool:
        """Return whether every word of a text is in the title or an alias."""
        language = self._snapshot.language(self._note_id)
        names = {term for name in (self.metadata.title, *self.metadata.aliases) for term in terms(name, language)}
        return names.issuperset(self._matcher.phrase_terms(text, language))

    def _texts(self) -> list[str]:
        fragments = [self._snapshot.index.fragment(number) for number in self._snapshot.numbers_of(self._note_id)]
        headings = {heading for fragment in fragments for heading in fragment.trail}
        return [self.metadata.title, *self.metadata.aliases, *headings, *(fragment.text for fragment in fragments)]


def _contains(found: list[str], phrase: list[str]) -> bool:
    """Return whether one list of terms contains another as a contiguous sublist."""
    width = len(phrase)
    starts = (index for index, term in enumerate(found) if term == phrase[0]) if phrase else iter(())
    return not phrase or any(found[index : index + width] == phrase for index in starts)
