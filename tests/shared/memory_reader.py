"""Read a store in memory by scanning all notes, without any index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from memory_rows import found_note, places_in
from memory_state import MemoryState, NoteInMemory, is_within_scope

from brain_cli.index.edit_distance import is_within
from brain_cli.index.note_names import vaults_and_paths
from brain_cli.index.shared_store_values import (
    MAX_BEGUN,
    Details,
    Found,
    FoundNote,
    Frequencies,
    Pair,
    Places,
    Section,
    Slip,
    StoredEvent,
    Totals,
    Variants,
    Wanted,
)
from brain_cli.index.shared_terms import compound_key, storable, stored_term
from brain_cli.types import MAX_LINKS, NOTE_SUFFIXES
from brain_cli.vault.folding import same_name


class MemoryReader:
    """One state of a store."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def totals(self) -> Totals:
        stored, facts = list(self._state.notes.values()), self._state.facts.values()
        languages = Counter(each.note.language for each in stored)
        return Totals(
            notes=len(stored),
            fragments=sum(len(each.note.lengths) for each in stored),
            length=sum(sum(each.note.lengths) for each in stored),
            generation=self._state.generation,
            languages=tuple(sorted(languages, key=lambda each: (-languages[each], each))),
            oldest_date=min(filter(None, (each.oldest_date for each in facts)), default=0.0),
            projects=frozenset(project for each in facts for project in each.projects),
            boilerplate=frozenset(line for each in facts for line in each.boilerplate),
        )

    def frequencies(
        self,
        words: Sequence[Variants],
        compounds: Sequence[str] = (),
        pairs: Sequence[Pair] = (),
        slips: Sequence[Slip] = (),
    ) -> Frequencies:
        keys = set(map(compound_key, compounds))
        names = (each.note.keys.names for each in self._state.notes.values())
        found = [name for each in names if keys.intersection(each) for name in each]
        about = [{id(stored) for stored, _, weight in self._weighed(word) if weight} for word in words]
        joined = [pair for pair in pairs if about[pair[2]] and about[pair[0]].isdisjoint(about[pair[1]])]
        counts = [sum(map(self._sections_with, self._weighed(word))) for word in words]
        known = frozenset(number for number, count in enumerate(counts) if count)
        return Frequencies(counts, found, frozenset(joined), self._look_up(slips, known), known)

    def _look_up(self, slips: Sequence[Slip], known: Collection[int]) -> dict[str, int]:
        """Return the terms found for misspelled words, with their frequencies."""
        unknown = [each for each in slips if each.word not in known]
        near, stems = self.near_terms(
            {each.term: each.edits for each in unknown if each.edits}, [stem for each in unknown for stem in each.stems]
        )
        begun = (self.terms_with_prefix(each.beginning, MAX_BEGUN) for each in unknown if each.beginning)
        found = sorted(stems.union(*near.values(), *begun))
        counts = self.frequencies([(term,) for term in found]).counts if found else []
        return {term: count for term, count in zip(found, counts, strict=True) if count}

    def _weighed(self, word: Variants) -> Iterator[tuple[NoteInMemory, dict[int, float], float]]:
        """Yield the notes that have a word, with its weights by section, and its weight in title and links."""
        for stored in self._state.notes.values():
            sections = {
                section: weight
                for section, term_weights in enumerate(stored.words.bodies)
                if (weight := sum(term_weights.get(term, 0.0) for term in word))
            }
            about = sum(stored.words.about.get(term, 0.0) + stored.anchors.get(term, 0.0) for term in word)
            if sections or about:
                yield stored, sections, about

    def _sections_with(self, weighed: tuple[NoteInMemory, dict[int, float], float]) -> int:
        stored, sections, about = weighed
        return len(stored.note.lengths) if about else len(sections)

    def candidates(self, wanted: Wanted) -> Found:
        scores = self._scores(wanted) if wanted.words else self._dated(wanted)
        in_order = sorted(scores, key=lambda note_id: (-scores[note_id], note_id))
        within = [note_id for note_id in in_order if is_within_scope(self._state.notes[note_id], wanted.scope)]
        asked = [each for each in within if self._state.notes[each].note.archived == wanted.archived]
        archived = [each for each in within if self._state.notes[each].note.archived]
        chosen = {*asked[: wanted.most], *archived[: wanted.anywhere], *in_order[: wanted.anywhere]}
        best = [note_id for note_id in in_order if note_id in chosen]
        near = self._linked(best[: wanted.linked_to], len(self._state.notes))
        near |= self._linked(near, MAX_LINKS)
        named = {
            note_id for note_id, stored in self._state.notes.items() if set(wanted.names) & set(stored.note.keys.names)
        }
        pinned = [note_id for note_id in within if self._is_pinned(self._state.notes[note_id])]
        joined = sorted((near & scores.keys() | named | set(pinned[: wanted.anywhere])) - chosen)
        places, _ = self.places(wanted.words, [*best, *joined])
        return Found(best, joined, places, len(asked), len(asked) <= wanted.most, frozenset(named))

    def _is_pinned(self, stored: NoteInMemory) -> bool:
        return stored.note.pinned or self._state.pins.get(f"{stored.vault}:{stored.note.path}", False)

    def _linked(self, note_ids: Iterable[int], most: int) -> set[int]:
        links = (self._state.notes[each].note.neighbours for each in note_ids if each in self._state.notes)
        return {other for each in links if len(each) <= most for other in each}

    def _scores(self, wanted: Wanted) -> dict[int, float]:
        scores: dict[int, float] = {}
        for word, weight in zip(wanted.words, wanted.weights, strict=True):
            for stored, sections, about in self._weighed(word):
                tf = about + sum(sections.values())
                note_id = stored.note.note_id
                scores[note_id] = scores.get(note_id, 0.0) + weight * tf / (tf + wanted.saturation.k1)
        return scores

    def _dated(self, wanted: Wanted) -> dict[int, float]:
        def score(stored: NoteInMemory) -> float:
            if not wanted.dates:
                return stored.note.timestamp
            gaps = (
                max(0.0, since - date, date - before)
                for date in stored.note.keys.dates
                for since, before in wanted.dates
            )
            return -min(gaps, default=1e18)

        return {note_id: score(stored) for note_id, stored in self._state.notes.items()}

    def places(self, words: Sequence[Variants], note_ids: Sequence[int]) -> tuple[list[Places], list[int]]:
        stored = [self._state.notes[note_id] for note_id in note_ids if note_id in self._state.notes]
        return [self._places(word, stored) for word in words], self.frequencies(words).counts

    def _places(self, word: Variants, notes: Sequence[NoteInMemory]) -> Places:
        here = {stored.note.note_id for stored in notes}
        others = (stored.anchors for note_id, stored in self._state.notes.items() if note_id not in here)
        elsewhere = sum(anchors.get(term, 0.0) for anchors in others for term in word)
        return places_in(word, notes)._replace(anchored_elsewhere=elsewhere)

    def details(
        self,
        note_ids: Sequence[int],
        records: Sequence[int],
        texts: Sequence[Section],
        terms: Sequence[str] = (),
        best: Sequence[int] = (),  # noqa: ARG002 - nothing has to be fetched ahead
        receivers: Sequence[int] = (),
        known: Sequence[int] = (),
    ) -> Details:
        copies = Counter(each.note.content_hash for each in self._state.notes.values())
        notes = [found_note(stored, copies) for each in note_ids if (stored := self._state.notes.get(each))]
        every = {*note_ids, *known} & self._state.notes.keys()
        links = {each: self._state.notes[each].note.neighbours for each in every}
        linked = Counter(other for each in links.values() for other in each)
        near = {other for each in receivers for other in links.get(each, ())}
        relays = {each for each, count in linked.items() if count > 1 and each in near} - every
        for note_id in sorted(relays & self._state.notes.keys()):
            neighbours = self._state.notes[note_id].note.neighbours
            if 2 <= len(neighbours) <= MAX_LINKS:
                notes.append(FoundNote(note_id, "", "", (), neighbours, (), True, 0))
        tags = {
            tag: frozenset(of_tag)
            for facts in self._state.facts.values()
            for tag, (of_tag, _) in facts.tags.items()
            if of_tag and set(terms).issuperset(of_tag)
        }
        return Details(notes, self.records(records), self.texts(texts), tags)

    def records(self, note_ids: Sequence[int]) -> dict[int, str]:
        return {each: self._state.notes[each].note.record for each in note_ids if each in self._state.notes}

    def texts(self, sections: Iterable[Section]) -> dict[Section, bytes]:
        found = ((each, self._state.notes.get(each[0])) for each in sections)
        return {
            each: stored.words.texts[each[1]] for each, stored in found if stored and each[1] < len(stored.words.texts)
        }

    def named(self, name: str) -> dict[str, int]:
        readings = [(vault, same_name(there)) for vault, there in vaults_and_paths(name)]
        stored = list(self._state.notes.values())
        paths = [f"{name}{suffix}" for suffix in ("", *NOTE_SUFFIXES)]
        found = [each for each in stored if f"{each.vault}:{each.note.path}" in paths] or [
            each
            for each in stored
            if same_name(name) in each.note.keys.names
            or any(each.vault == vault and there in each.note.keys.names for vault, there in readings)
        ]
        return dict(sorted((f"{each.vault}:{each.note.path}", each.note.note_id) for each in found))

    def events(self, since: int) -> list[StoredEvent]:
        lines = enumerate(self._state.events.values(), start=1)
        return [StoredEvent(number, line) for number, line in lines if number >= since]

    def pins(self) -> Mapping[str, bool]:
        return self._state.pins

    def _terms(self) -> set[str]:
        return {
            stored_term(term)
            for stored in self._state.notes.values()
            for term_weights in (stored.words.about, *stored.words.bodies)
            for term in term_weights
        }

    def terms_with_prefix(self, prefix: str, most: int) -> list[str]:
        return sorted(term for term in self._terms() if term.startswith(prefix))[:most]

    def near_terms(self, terms: Mapping[str, int], stems: Sequence[str]) -> tuple[dict[str, list[str]], set[str]]:
        known = self._terms()
        near = {
            term: sorted(other for other in known if other[:1] == term[:1] and is_within(term, other, edits))
            for term, edits in terms.items()
        }
        return near, known & set(stems)

    def similar_names(self, grams: Iterable[str], most: int) -> list[int]:
        wanted = set(map(storable, grams))
        shared = {
            each.note.note_id: len(wanted.intersection(each.note.keys.grams)) / len(each.note.keys.grams) ** 0.5
            for each in self._state.notes.values()
            if wanted.intersection(each.note.keys.grams)
        }
        return sorted(shared, key=lambda note_id: (-shared[note_id], note_id))[:most]

    def tags(self, most: int) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for facts in self._state.facts.values():
            counts.update({tag: count for tag, (_, count) in facts.tags.items()})
        return {tag: counts[tag] for tag in sorted(counts, key=lambda each: (-counts[each], each))[:most]}

    def close(self) -> None:
        pass
