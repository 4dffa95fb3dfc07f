"""Convert a note of a vault to its form in a shared memory: with the memory's ids, and with keys for filters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise

from brain_cli.index import PreparedNote
from brain_cli.index.field_weights import prepared
from brain_cli.index.filter_keys import KEYS
from brain_cli.index.note_names import descriptive_names_of, letters_of, names_of
from brain_cli.index.note_table import NoteRow, NoteTable
from brain_cli.index.shared_index import fragment_text
from brain_cli.index.shared_note_table import row_text
from brain_cli.index.shared_store_values import FilterKeys, NoteWords, StoredNote
from brain_cli.index.shared_terms import compound_key, packed_text
from brain_cli.types import Note
from brain_cli.vault.analyzer import terms
from brain_cli.vault.analyzer import words_of as words_of_text
from brain_cli.vault.folding import same_name


class SharedEngine:
    """Prepares notes for a shared memory; workers have copies of it."""

    def prepare(self, note: Note, language: str) -> PreparedNote:
        return prepared(note, language, lambda fragment: packed_text(fragment_text(fragment)))


def words_of(note: PreparedNote) -> NoteWords:
    """Return the words of a note by their terms."""
    return NoteWords(
        [_decoded(term_weights) for term_weights in note.bodies],
        [_decoded(term_weights) for term_weights in note.in_links],
        _decoded(note.about),
        note.texts,
    )


def _decoded(term_weights: Mapping[bytes, float]) -> dict[str, float]:
    return {term.decode(): weight for term, weight in term_weights.items()}


class SharedNotes:
    """The notes of one vault in the form in which they are sent; `ids` maps ids of the vault to ids of the memory."""

    def __init__(self, note_table: NoteTable, ids: Mapping[int, int], rules: str) -> None:
        self._note_table = note_table
        self._ids = ids
        self._rules = rules

    def id_of(self, row: NoteRow) -> int:
        return self._ids[row.note_id]

    def content_key(self, row: NoteRow) -> str:
        """Return a key of the inputs that determine a note's words: content, path, language and rules."""
        return f"{row.content_hash}/{digest(row.path, row.language, self._rules)}"

    def row_key(self, row: NoteRow) -> str:
        """Return a key of all data of a note besides its words."""
        links = f"{self._mapped(row.neighbours)}{self._mapped(row.successors)}"
        has_date = self._note_table.stated_date(row.note_id) is not None
        return digest(row_text(row._replace(note_id=0, mtime_ns=0)), row.line, links, str(has_date))

    def stored(self, row: NoteRow, lengths: Sequence[int], former_paths: Sequence[str]) -> StoredNote:
        return StoredNote(
            note_id=self._ids[row.note_id],
            path=row.path,
            content_key=self.content_key(row),
            row_key=self.row_key(row),
            content_hash=row.content_hash,
            language=row.language,
            lengths=lengths,
            archived=row.archived,
            timestamp=row.timestamp,
            tells_date=self._note_table.stated_date(row.note_id) is not None,
            neighbours=self._mapped(row.neighbours),
            successors=self._mapped(row.successors),
            keys=self._keys(row),
            row=row_text(row),
            record=row.line,
            former_paths=former_paths,
            pinned=row.pinned,
        )

    def _mapped(self, note_ids: Sequence[int]) -> list[int]:
        return [self._ids[note_id] for note_id in note_ids if note_id in self._ids]

    def _keys(self, row: NoteRow) -> FilterKeys:
        metadata = self._note_table.metadata(row.note_id)
        names, descriptive = names_of(metadata), descriptive_names_of(metadata)
        has_date = self._note_table.stated_date(row.note_id)
        return FilterKeys(
            kind=KEYS["kind"](metadata),
            path=KEYS["path"](metadata),
            tags=list(KEYS["tags"](metadata)),
            names=[*(same_name(name) for name in (*names, metadata.path)), *_compounds(names)],
            grams=sorted(frozenset().union(*(letters_of(terms(each, row.language)) for each in descriptive))),
            dates=[*(() if has_date is None else (has_date,)), *(date for _, date in row.section_dates)],
            properties=KEYS["properties"](metadata).by_key(),
        )


def _compounds(names: Iterable[str]) -> Iterator[str]:
    """Yield the keys of the compounds that each two neighbouring words of a name would form."""
    for name in names:
        yield from (compound_key("".join(pair)) for pair in pairwise(words_of_text(same_name(name))))


def digest(*parts: str) -> str:
    raw = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(raw, digest_size=8).hexdigest()
