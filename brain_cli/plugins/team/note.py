"""Convert a note of a vault to the rows that a server stores, with the keys that find it.

The keys are in one index: words, words of the title, names, letters of names, and tags.

kafka       the word is in the note
^kafka      the word is in its title, tags, path, or in links to it
=why kafka  one of its names
+heapsort   two neighbouring words of a name, written as one
~hea        letters of a name
#ops        a tag, or the parent of one
@2026-03    a month that a heading names
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

from brain_cli.index import INDEX_VERSION, PreparedNote
from brain_cli.index.field_weights import prepared
from brain_cli.index.filter_keys import KEYS
from brain_cli.index.note_names import letters_of, names_of
from brain_cli.index.note_reader import NoteReader, ReadNote, Undetermined
from brain_cli.index.note_rows import NameTerms
from brain_cli.index.note_table import NoteRow, NoteTable
from brain_cli.index.sync_plan import IndexedVault, Source
from brain_cli.types import Fragment, Note
from brain_cli.vault.analyzer import same_name
from brain_cli.vault.analyzer import words_of as words_of_text
from brain_cli.vault.walk import File

# The columns of a note by name, without the vault's id.
StoredNote = dict[str, Any]
# Numbers of a place list before those of the sections (schema.py).
FREQUENCY, LINKS, ABOUT_WEIGHT, SECTIONS = range(4)
ABOUT, NAME, COMPOUND, GRAM, TAG = "^=+~#"


def storable(text: str) -> str:
    """Return a text that is valid UTF-8 without NUL; characters that cannot be stored are
    escaped.
    """
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


@lru_cache(maxsize=1 << 16)
def stored_term(term: str) -> str:
    """Return a term as it is stored, without the end of a long one, which an index of PostgreSQL
    does not accept.
    """
    return storable(term).encode()[:1_000].decode("utf-8", "ignore")


def name_key(name: str) -> str:
    return f"{NAME}{stored_term(same_name(name))}"


class SharedReader:
    """Reads the notes of a vault again in the form for a shared memory; workers have
    copies of it.
    """

    def __init__(self, vault: IndexedVault) -> None:
        self._reader = NoteReader(vault, self)

    def prepare(self, note: Note, language: str) -> PreparedNote:
        return prepared(note, language, lambda fragment: fragment_text(fragment).encode())

    def read(self, row: NoteRow) -> ReadNote | None:
        """Read the note of a row; None if it has changed since it was indexed."""
        found = self.prepared(
            row.note_id, Source(File(row.path, row.size, row.mtime_ns)), row.language
        )
        return found if found and found.row.content_hash == row.content_hash else None

    def prepared(self, note_id: int, source: Source, language: str) -> ReadNote | None:
        """Read a note, in this language if its own is unknown; None if it cannot be read."""
        found = self._reader.read((note_id, source))
        if isinstance(found, Undetermined):
            found = self._reader.in_language(note_id, found, language)
        return found if isinstance(found, ReadNote) else None


class SharedNotes(NamedTuple):
    """The notes of one vault in the form in which they are sent.

    `ids` maps ids of the vault to ids of the memory; `anchors` has the words of the links to each
    note, with the number of notes that use them; `rules` are those by which notes are read.
    """

    note_table: NoteTable
    ids: Mapping[int, int]
    anchors: Mapping[int, Mapping[str, int]]
    rules: str

    def version(self, row: NoteRow) -> str:
        """Return a digest of all data of a note, to compare it with what the server has."""
        # The time of a file is not compared, because every clone of a vault has its own.
        parts = (
            self._record(row._replace(mtime_ns=0)),
            self.rules,
            json.dumps(self.anchors.get(row.note_id, {})),
        )
        return blake2b(
            "\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=12
        ).hexdigest()

    def _record(self, row: NoteRow) -> str:
        """Return a row as it is stored, as JSON: the version of the index, the note's own date, and
        the row.

        The date is null if it is only the time of a clone; the row has the ids of the memory.
        """
        shared = row._replace(
            note_id=self.ids[row.note_id],
            neighbours=self._mapped(row.neighbours),
            successors=self._mapped(row.successors),
            name_keys="",
            link_keys="",
        )
        return json.dumps(
            [INDEX_VERSION, self.note_table.stated_date(row.note_id), *shared],
            separators=(",", ":"),
        )

    def _mapped(self, note_ids: Sequence[int]) -> list[int]:
        return [self.ids[note_id] for note_id in note_ids if note_id in self.ids]

    def stored(
        self, row: NoteRow, words: PreparedNote, former_paths: Sequence[str]
    ) -> StoredNote:
        """Return a note as a server stores it; `row` is the vault's row."""
        metadata = self.note_table.metadata(row.note_id)
        places = _places(words, self.anchors.get(row.note_id, {}))
        properties = KEYS["properties"](metadata).by_key().items()
        return {
            "note_id": self.ids[row.note_id],
            "archived": row.archived,
            "pinned": row.pinned,
            "at": row.timestamp,
            "lengths": list(words.lengths),
            "language": row.language,
            "path": storable(row.path),
            "kind": storable(KEYS["kind"](metadata)),
            "path_key": storable(KEYS["path"](metadata)),
            "content_hash": row.content_hash,
            "version": self.version(row),
            "former_paths": list(map(storable, former_paths)),
            "neighbours": self._mapped(row.neighbours),
            "properties": {
                storable(key): list(map(storable, values)) for key, values in properties
            },
            "keys": list(self._keys(row, places)),
            "places": {
                term: f"[{','.join(f'{number:.9g}' for number in each)}]"
                for term, each in places.items()
            },
            "record": self._record(row),
            "texts": b"\n".join(words.texts).decode(),
        }

    def _keys(self, row: NoteRow, places: Mapping[str, list[float]]) -> Iterator[str]:
        metadata = self.note_table.metadata(row.note_id)
        names = names_of(metadata)
        pairs = (pair for name in names for pair in pairwise(words_of_text(same_name(name))))
        letters = (
            letters_of(line.split()) for line in NameTerms(*row.name_terms).lines.split("\n")
        )
        yield from places
        yield from (
            f"{ABOUT}{term}"
            for term, place in places.items()
            if place[ABOUT_WEIGHT] or place[LINKS]
        )
        yield from set(map(name_key, (*names, metadata.path)))
        yield from {f"{COMPOUND}{stored_term(''.join(pair))}" for pair in pairs}
        yield from (f"{GRAM}{gram}" for gram in sorted(frozenset().union(*letters)))
        yield from {f"{TAG}{storable(tag)}" for tag in KEYS["tags"](metadata)}
        yield from {
            key
            for _, at in self.note_table.section_dates(row.note_id)
            for key in months(at, at + 1)
        }


def months(since: float, before: float) -> list[str]:
    """Return the keys of the months from one time up to another (seconds), of ten years at most."""
    first, last = (datetime.fromtimestamp(each, UTC) for each in (since, before - 1))
    numbers = range(12 * first.year + first.month - 1, 12 * last.year + last.month)
    return [f"@{number // 12}-{number % 12 + 1:02}" for number in numbers[:120]]


def _places(words: PreparedNote, links: Mapping[str, int]) -> dict[str, list[float]]:
    """Return the weights of each term of a note (schema.py)."""
    found: dict[str, list[float]] = {}

    def place(term: str) -> list[float]:
        return found.setdefault(stored_term(term), [0, 0, 0])

    for term, weight in words.about.items():
        place(term)[ABOUT_WEIGHT] = weight
    for term_linked, count in links.items():
        place(term_linked)[LINKS] = count
    for section, (body, in_links) in enumerate(zip(words.bodies, words.in_links, strict=True)):
        for term, weight in body.items():
            place(term).extend((section, weight, in_links.get(term, 0)))
    for each in found.values():
        in_names = each[ABOUT_WEIGHT] or each[LINKS]
        each[FREQUENCY] = len(words.lengths) if in_names else len(each[SECTIONS:]) // 3
    return found


def fragment_text(fragment: Fragment) -> str:
    """Return a fragment as it is stored: JSON in one line. A character that cannot be stored
    becomes another one.
    """
    values = {name: _plain(value) for name, value in fragment._asdict().items()}
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False)


def _plain(value: object) -> object:
    if isinstance(value, str):
        return value.replace("\0", " ").encode("utf-8", "replace").decode()
    return list(map(_plain, value)) if isinstance(value, tuple) else value
