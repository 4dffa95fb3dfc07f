"""The smallest engine, for tests: one JSON file for each generation, read and written as a whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from brain_cli.index import ABOUT, BODY, IN_LINKS, PreparedNote
from brain_cli.index.damage import noticing_damage
from brain_cli.index.directory import generation as newest_generation
from brain_cli.index.field_weights import prepared
from brain_cli.types import Fragment, Note
from brain_cli.vault.atomic_write import replace_file


class PlainIndex:
    """A fragment is a note id, a length, its text, and its terms with their weights by field."""

    def __init__(self, folder: str) -> None:
        with noticing_damage():
            self.generation = newest_generation(Path(folder))
            self.fragments = json.loads(_file(folder, self.generation).read_bytes())
        self.note_ids = [note_id for note_id, *_ in self.fragments]
        self.lengths = [length for _, length, *_ in self.fragments]

    def postings(
        self, field: str, term: str
    ) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        found = {
            n: each[3][field][term]
            for n, each in enumerate(self.fragments)
            if term in each[3][field]
        }
        yield from [([*found], [*found.values()])] if found else []

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:
        yield from sorted(
            {
                term
                for each in self.fragments
                for term in each[3][field]
                if term.startswith(prefix)
            }
        )

    def fragment(self, number: int) -> Fragment:
        trail, *rest = self.fragments[number][2]
        return Fragment(tuple(trail), *rest)

    def close(self) -> None:
        pass


class PlainWriter:
    def __init__(self, folder: str) -> None:
        index = PlainIndex(folder)
        self._folder, self._fragments, self.generation = (
            folder,
            index.fragments,
            index.generation + 1,
        )

    def delete(self, note_ids: Iterable[int]) -> None:
        gone = set(note_ids)
        self._fragments = [each for each in self._fragments if each[0] not in gone]

    def add(self, note_id: int, note: PreparedNote) -> None:
        rows = zip(note.lengths, note.texts, note.bodies, note.in_links, strict=True)
        for number, (length, text, body, in_links) in enumerate(rows):
            about = {} if number else note.about
            fields = {BODY: body, ABOUT: about, IN_LINKS: in_links}
            self._fragments.append([note_id, length, json.loads(text), fields])

    def flush(self) -> None:
        pass

    def commit(self) -> None:
        replace_file(_file(self._folder, self.generation), json.dumps(self._fragments).encode())

    def cancel(self) -> None:
        pass


def create(folder: str) -> None:
    replace_file(_file(folder, 0), b"[]")


def open(folder: str) -> PlainIndex:  # noqa: A001 - the verb of the Engine protocol
    return PlainIndex(folder)


def writer(folder: str) -> PlainWriter:
    return PlainWriter(folder)


def prepare(note: Note, language: str) -> PreparedNote:
    return prepared(note, language, lambda fragment: json.dumps(fragment).encode())


def _file(folder: str, generation: int) -> Path:
    return Path(os.path.join(folder, f"_MAIN_{generation}.toc"))
