"""The candidates of a query as a snapshot, which the ordinary recall ranks by the frequencies of
the whole memory.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from brain_cli.index import ABOUT, BODY
from brain_cli.index.note_table import NoteRecord, NoteRow, NoteTable, anchors_of
from brain_cli.plugins.team import queries
from brain_cli.plugins.team.note import ABOUT_WEIGHT, LINKS, SECTIONS, stored_term
from brain_cli.plugins.team.reading import Reader
from brain_cli.plugins.team.rows import SentNote, fragment_of, sections_of
from brain_cli.types import Fragment, NoteMetadata

NOT_HERE = NoteMetadata("", "", 0.0, archived=True)


class CandidateIndex:
    """The postings and fragments of some notes; fragments are numbered from 0, note by note.

    `links` has the number of links to a note by term and note.
    """

    def __init__(
        self, reader: Reader, notes: Sequence[SentNote], frequencies: Mapping[str, int]
    ) -> None:
        self._reader = reader
        self._frequencies = frequencies
        self.best_first = [note.note_id for note in notes]
        self.generation = 0
        self.links: dict[str, dict[int, int]] = {}
        self._texts = {note.note_id: note.texts for note in notes if note.texts is not None}
        # Term → the first fragment of each note that has it, and its weights there (schema.py).
        self._places: dict[str, list[tuple[int, Sequence[float]]]] = {}
        note_ids: list[int] = []
        lengths: list[int] = []
        for note in sorted(notes, key=lambda each: each.note_id):
            for term, place in note.places.items():
                self._places.setdefault(term, []).append((len(note_ids), place))
                if place[LINKS]:
                    self.links.setdefault(term, {})[note.note_id] = int(place[LINKS])
            note_ids += [note.note_id] * len(note.lengths)
            lengths += note.lengths
        self.note_ids: Sequence[int] = note_ids
        self.lengths: Sequence[int] = lengths

    def postings(
        self, field: str, term: str
    ) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        """Yield the postings of a term; those of a term that only other notes have are empty."""
        key = stored_term(term)
        numbers: list[int] = []
        weights: list[float] = []
        for first, place in self._places.get(key, ()):
            if field != ABOUT:
                numbers += [first + int(section) for section in place[SECTIONS::3]]
                weights += place[SECTIONS + (1 if field == BODY else 2) :: 3]
            elif place[ABOUT_WEIGHT]:
                numbers.append(first)
                weights.append(place[ABOUT_WEIGHT])
        if numbers or (field == BODY and self._frequencies.get(key)):
            yield numbers, weights

    # Terms are of all fields.
    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:  # noqa: ARG002
        yield from (
            term
            for term, fragments in self._frequencies.items()
            if fragments and term.startswith(prefix)
        )

    def fragment(self, number: int) -> Fragment:
        note_id = self.note_ids[number]
        if note_id not in self._texts:
            # One more round trip has to be enough, so the texts of all notes come.
            missing = [*{*self.note_ids} - self._texts.keys()]
            self.add_texts(self._reader.ask((queries.TEXTS, {"note_ids": missing}))[0])
        first = bisect_left(self.note_ids, note_id)
        return fragment_of(self._texts[note_id][number - first])

    def add_texts(self, rows: Sequence[tuple[int, str]]) -> None:
        """Keep the texts of some notes, one section a line."""
        counts = Counter(self.note_ids)
        for note_id, texts in rows:
            self._texts[note_id] = sections_of(texts, counts[note_id])

    def close(self) -> None:
        self._reader.close()


class TeamNoteTable(NoteTable):
    """The rows of some notes, with the totals of the whole memory."""

    def __init__(
        self, reader: Reader, notes: Sequence[SentNote], links: Mapping[str, Mapping[int, int]]
    ) -> None:
        totals = self._totals = reader.totals
        facts = self._facts = reader.facts
        rows = {note.note_id: _shown_row(note, reader.pins) for note in notes}
        boilerplate = frozenset(chain.from_iterable(each.boilerplate for each in facts))
        super().__init__(rows=rows, boilerplate=boilerplate, anchors=anchors_of(links))
        self._dates = {note.note_id: note.date for note in notes}
        self._former = {
            rows[note.note_id].path: note.former_paths for note in notes if note.former_paths
        }
        # These are properties of the table of a vault, which computes them from its rows.
        vars(self).update(
            fragments=max(totals.fragments, sum(len(note.lengths) for note in notes)),
            length=totals.length,
            languages=reader.languages,
            projects=frozenset(chain.from_iterable(each.projects for each in facts)),
            oldest_date=min(filter(None, (each.oldest_date for each in facts)), default=0.0),
        )

    def parsed_record(self, note_id: int) -> NoteRecord:
        found = super().parsed_record(note_id)
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
        frequent = [Counter[str](facts.tags) for facts in self._facts]
        return super().tags | sum(frequent, Counter[str]())


def _shown_row(note: SentNote, pins: Mapping[str, bool]) -> NoteRow:
    """Return the row of a note with a path that begins with the vault's, and with this
    user's pin.
    """
    path = f"{note.vault}:{note.row.path}"
    pinned = next(
        (pins[each] for each in (path, *note.former_paths) if each in pins), note.row.pinned
    )
    return note.row._replace(path=path, archived=note.archived, pinned=pinned)
