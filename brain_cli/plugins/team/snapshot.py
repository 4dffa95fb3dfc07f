"""The candidates of a query as a snapshot, which the ordinary recall ranks by the frequencies of
the whole memory.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

from brain_cli.errors import UnreachableError
from brain_cli.index import ABOUT, BODY, INDEX_VERSION
from brain_cli.index.note_names import is_within
from brain_cli.index.note_table import NoteRecord, NoteRow, NoteTable, anchors_of
from brain_cli.index.snapshot import KeptVectors, Snapshot, TermPostings, term_postings
from brain_cli.plugins.team import queries
from brain_cli.plugins.team.note import ABOUT_WEIGHT, LINKS, SECTIONS, fragment_of, stored_term
from brain_cli.plugins.team.reading import Reader
from brain_cli.types import Fragment, NoteMetadata

# The vectors of so many notes are fetched: those that match, and those linked with the best.
MOST_WITH_VECTORS = 400
# How near notes usually are to a question is measured by about so many of them.
SAMPLE = 200
NOT_HERE = NoteMetadata("", "", 0.0, archived=True)


class TeamSnapshot(Snapshot):
    """Some notes of a shared memory, with the totals and the frequencies of the whole memory.

    The `kept` notes are in the snapshot for each query too.
    """

    def __init__(
        self,
        reader: Reader,
        notes: Sequence[Any],
        frequencies: Mapping[str, int],
        kept: Sequence[int] = (),
    ) -> None:
        self.reader, self._frequencies, self._kept = reader, frequencies, kept
        self.not_found = [note.note_id for note in notes if note.not_found]
        self.index: CandidateIndex = CandidateIndex(reader, notes, frequencies)
        super().__init__(TeamNoteTable(reader, notes, self.index.links), self.index)

    def postings(self, variants: Sequence[str]) -> TermPostings:
        """Return the postings of a word in these notes; its frequency is that in the whole memory."""
        found = term_postings(self.index, self.note_table, variants)
        frequency = sum(self._frequencies.get(stored_term(variant), 0) for variant in variants)
        if len(variants) > 1:
            # A fragment with several variants was counted more than once; other notes hardly have any.
            alone = (
                term_postings(self.index, self.note_table, (variant,)).frequency
                for variant in variants
            )
            frequency -= sum(alone) - found.frequency
        return found._replace(frequency=frequency)

    def about(self, question: object, now: float) -> TeamSnapshot:
        """Return a snapshot of the notes that may answer a query or fit a place."""
        from brain_cli.plugins.team.question import candidates

        return candidates(self.reader, question, now, self._kept)

    def vectors(self, model: str) -> KeptVectors:
        """Return the vectors that a model gave the best of these notes, and a sample of all; fetch
        their texts too.
        """
        percent = min(100.0, 100.0 * SAMPLE / max(1, self.reader.totals.notes))
        asked = {
            "model": model,
            "note_ids": self.index.best_first[:MOST_WITH_VECTORS],
            "percent": percent,
        }
        rows, texts = self.reader.ask((queries.VECTORS, asked), (queries.TEXTS, asked))
        self.index.add_texts(texts)
        found = {note_id: content for note_id, content in rows if note_id}
        return KeptVectors(found, [content for note_id, content in rows if not note_id])

    def as_shown(self, metadata: NoteMetadata, note_id: int) -> NoteMetadata:
        """Return the metadata of a note with the path that answers show, `vault:path`."""
        path = self.note_table.rows[note_id].path
        self.reader.shown.add(path.removesuffix(f":{metadata.path}"))
        return metadata._replace(path=path)


class UnaskedSnapshot(TeamSnapshot):
    """A snapshot before anything was asked: its first query begins the transaction."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._kept = ()

    def __getattr__(self, name: str) -> Any:
        """Begin the transaction for what is asked without a query, such as the totals."""
        super().__init__(self.reader, (), {})
        return getattr(self, name)


class CandidateIndex:
    """The postings and fragments of some notes; fragments are numbered from 0, note by note.

    `links` has the number of links to a note by term and note.
    """

    def __init__(
        self, reader: Reader, notes: Sequence[Any], frequencies: Mapping[str, int]
    ) -> None:
        self._reader = reader
        self._frequencies = frequencies
        self.best_first = [note.note_id for note in notes]
        self.generation = 0
        self.links: dict[str, dict[int, int]] = {}
        self._texts = {
            note.note_id: note.texts.split("\n") for note in notes if note.texts is not None
        }
        # Term → the first fragment of each note that has it, and its weights there (schema.py).
        self._places: dict[str, list[tuple[int, Sequence[float]]]] = {}
        in_order = sorted(notes, key=lambda each: each.note_id)
        self.note_ids: Sequence[int] = [note.note_id for note in in_order for _ in note.lengths]
        self.lengths: Sequence[int] = [length for note in in_order for length in note.lengths]
        firsts = accumulate((len(note.lengths) for note in in_order), initial=0)
        self._firsts = {note.note_id: first for note, first in zip(in_order, firsts, strict=False)}
        # Parsing all at once is faster than one by one.
        places = json.loads(f"[{','.join(note.places or '{}' for note in in_order)}]")
        for (note_id, first), terms in zip(self._firsts.items(), places, strict=True):
            for term, place in terms.items():
                self._places.setdefault(term, []).append((first, place))
                if place[LINKS]:
                    self.links.setdefault(term, {})[note_id] = int(place[LINKS])

    def postings(self, field: str, term: str) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        """Yield the postings of a term; those of a term that only other notes have are empty."""
        key = stored_term(term)
        numbers: list[int] = []
        weights: list[float] = []
        for first, place in self._places.get(key, ()):
            if field == ABOUT:
                numbers += [first] if place[ABOUT_WEIGHT] else []
                weights += [place[ABOUT_WEIGHT]] if place[ABOUT_WEIGHT] else []
            else:
                numbers += [first + int(section) for section in place[SECTIONS::3]]
                weights += place[SECTIONS + (1 if field == BODY else 2) :: 3]
        if numbers or (field == BODY and self._frequencies.get(key)):
            yield numbers, weights

    # Terms are of all fields.
    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:  # noqa: ARG002
        yield from (
            term
            for term, fragments in self._frequencies.items()
            if fragments and term.startswith(prefix)
        )

    def similar_terms(self, field: str, term: str, edits: int) -> Iterator[str]:
        same_letter = (other for other in self.terms_with_prefix(field, term[:1]))
        yield from (other for other in same_letter if is_within(term, other, edits))

    def fragment(self, number: int) -> Fragment:
        note_id = self.note_ids[number]
        if note_id not in self._texts:
            # One more round trip has to be enough, so the texts of all notes come.
            missing = [each for each in self._firsts if each not in self._texts]
            self.add_texts(self._reader.ask((queries.TEXTS, {"note_ids": missing}))[0])
        return fragment_of(self._texts[note_id][number - self._firsts[note_id]])

    def add_texts(self, rows: Sequence[tuple[int, str]]) -> None:
        """Keep the texts of some notes, one section a line."""
        self._texts |= {note_id: texts.split("\n") for note_id, texts in rows}

    def close(self) -> None:
        self._reader.close()


class TeamNoteTable(NoteTable):
    """The rows of some notes, with the totals of the whole memory."""

    def __init__(
        self, reader: Reader, notes: Sequence[Any], links: Mapping[str, Mapping[int, int]]
    ) -> None:
        totals = self._totals = reader.totals
        dated_rows = list(_rows(notes, reader.pins))
        rows = {row.note_id: row for _, row in dated_rows}
        boilerplate = frozenset(
            line for facts in totals.facts for line in facts.get("boilerplate", ())
        )
        super().__init__(rows=rows, boilerplate=boilerplate, anchors=anchors_of(links))
        self._dates = {row.note_id: date for date, row in dated_rows}
        self._former = {
            rows[note.note_id].path: note.former_paths for note in notes if note.former_paths
        }
        # These are properties of the table of a vault, which computes them from its rows.
        vars(self).update(
            fragments=totals.fragments,
            length=totals.length,
            languages=reader.languages,
            projects=frozenset(
                project for facts in totals.facts for project in facts.get("projects", ())
            ),
            oldest_date=min(
                filter(None, (facts.get("oldest_date") for facts in totals.facts)), default=0.0
            ),
        )

    def _parsed_record(self, note_id: int) -> NoteRecord:
        found = super()._parsed_record(note_id)
        row = self.rows[note_id]
        return found._replace(
            metadata=found.metadata._replace(pinned=row.pinned, archived=row.archived)
        )

    def metadata(self, note_id: int) -> NoteMetadata:
        return super().metadata(note_id) if note_id in self.rows else NOT_HERE

    def neighbours(self, note_id: int) -> Sequence[int]:
        return super().neighbours(note_id) if note_id in self.rows else ()

    def stated_date(self, note_id: int) -> float | None:
        return self._dates[note_id]

    def moved(self, known: Mapping[str, str]) -> dict[str, str]:
        """Return the moved notes (path → former path) that the history has under a former path."""
        moved = (
            (path, next(filter(known.__contains__, former), ""))
            for path, former in self._former.items()
        )
        return {path: before for path, before in moved if before and path not in known}

    @property
    def notes(self) -> int:
        return int(self._totals.notes)

    @cached_property
    def tags(self) -> Counter[str]:
        """The tags of these notes, and the most frequent ones of the memory, with their numbers of
        active notes.
        """
        frequent = [Counter[str](facts.get("tags")) for facts in self._totals.facts]
        return super().tags | sum(frequent, Counter[str]())


def _rows(notes: Sequence[Any], pins: Mapping[str, bool]) -> Iterator[tuple[float | None, NoteRow]]:
    """Yield the stated date and the row of each note, with a path that begins with the vault's, and
    this user's pin.
    """
    # Parsing all at once is faster than one by one.
    records = json.loads(f"[{','.join(note.record for note in notes)}]")
    for note, (version, date, *values) in zip(notes, records, strict=True):
        if version != INDEX_VERSION:
            raise UnreachableError(
                f"The vault “{note.vault}” was sent by another version of brain.",
                "Send it again with this one (`brain index`), or use the same version everywhere.",
            )
        row = NoteRow._make(values)
        path = f"{note.vault}:{row.path}"
        pinned = next(
            (pins[each] for each in (path, *note.former_paths) if each in pins), row.pinned
        )
        yield date, row._replace(path=path, archived=note.archived, pinned=pinned)
