"""Send the notes of a vault that a shared memory does not have, in portions.

Each portion is one transaction, so a reader sees every note complete, old or new. After an interruption, the next run
sends the rest.
"""

from __future__ import annotations

import json
from contextlib import closing
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from brain_cli.index.damage import fingerprint
from brain_cli.index.note_reader import NoteReader, ReadNote, Undetermined, in_order
from brain_cli.index.note_table import Anchors, NoteRow, NoteTable
from brain_cli.index.sync_plan import IndexedVault, Progress, Source
from brain_cli.plugins.team.note import SharedEngine, SharedNotes, StoredNote, storable
from brain_cli.plugins.team.writer import VaultWriter
from brain_cli.vault.walk import File

if TYPE_CHECKING:
    from brain_cli.answer.retriever import VectorsToKeep

PORTION_FRAGMENTS, PORTION_NOTES = 4_000, 500
MAX_TAGS = 50


class Sent(NamedTuple):
    """The outcome: the numbers of notes that were added, changed, removed and renamed.

    `left_out` counts the notes that changed while they were sent; the next run sends them.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: int = 0
    left_out: int = 0


class SharedReader:
    """Reads the notes of a vault again in the form for a shared memory; workers have copies of it."""

    def __init__(self, vault: IndexedVault) -> None:
        self._reader = NoteReader(vault, SharedEngine())

    def read(self, row: NoteRow) -> ReadNote | None:
        """Read the note of a row; None if it has changed since it was indexed."""
        found = self.prepared(row.note_id, Source(File(row.path, row.size, row.mtime_ns)), row.language)
        return found if found and found.row.content_hash == row.content_hash else None

    def prepared(self, note_id: int, source: Source, language: str) -> ReadNote | None:
        """Read a note, in this language if its own is unknown; None if it cannot be read."""
        found = self._reader.read((note_id, source))
        if isinstance(found, Undetermined):
            found = self._reader.in_language(note_id, found, language)
        return found if isinstance(found, ReadNote) else None


class Sending:
    """One run: the notes of a vault that a shared memory has otherwise or not at all; nothing is written before `run`.

    `token` identifies the state of the notes and their `vectors`; nothing is compared if the memory has that state.
    """

    def __init__(
        self,
        vault: IndexedVault,
        note_table: NoteTable,
        target: VaultWriter,
        token: str = "",
        vectors: VectorsToKeep | None = None,
    ) -> None:
        self._vault, self._note_table, self._target, self._token = vault, note_table, target, token
        self._vectors = vectors
        self._is_sent = bool(token) and target.token == token

    @cached_property
    def known(self) -> dict[str, Any]:
        """The notes that the memory has of the vault, by path."""
        return self._target.known()

    @cached_property
    def _before(self) -> dict[int, Any]:
        """The notes that the memory has, by their id in the vault."""
        found, ids = {}, self._note_table.ids
        moved = {known.content_hash: known for known in self.known.values() if known.path not in ids}
        for row in self._note_table.rows.values():
            if known := self.known.get(row.path) or moved.pop(row.content_hash, None):
                found[row.note_id] = known
        return found

    @cached_property
    def _notes(self) -> SharedNotes:
        new = sorted(self._note_table.rows.keys() - self._before.keys())
        # New ids keep the order of the vault's.
        ids = dict(zip(new, self._target.new_ids(len(new)), strict=True))
        ids |= {note_id: known.note_id for note_id, known in self._before.items()}
        rules = fingerprint() + self._vault.rules.decode("utf-8", "replace")
        return SharedNotes(self._note_table, ids, links_by_note(self._note_table.anchors), rules)

    @cached_property
    def _outdated(self) -> list[NoteRow]:
        versions = {note_id: known.version for note_id, known in self._before.items()}
        rows = self._note_table.rows.values()
        return [row for row in rows if versions.get(row.note_id) != self._notes.version(row)]

    @cached_property
    def _removed(self) -> list[int]:
        kept = {known.note_id for known in self._before.values()}
        waiting = {storable(change.path) for change in self._target.waiting()}
        others = (known for path, known in self.known.items() if path not in waiting)
        return [known.note_id for known in others if known.note_id not in kept]

    @cached_property
    def planned(self) -> Sent:
        """What a run would change; notes that differ only in what other notes say about them are not counted."""
        if self._is_sent:
            return Sent()
        rows, before = self._note_table.rows, self._before
        return Sent(
            added=len(rows) - len(before),
            changed=sum(
                before[row.note_id].content_hash != row.content_hash for row in self._outdated if row.note_id in before
            ),
            removed=len(self._removed),
            renamed=sum(known.path != rows[note_id].path for note_id, known in before.items()),
        )

    def run(self, progress: Progress) -> Sent:
        """Send what differs."""
        if self._is_sent:
            self._target.nothing_new()
            return self.planned
        planned = self.planned
        left_out = len(self._outdated) - self._put_all(progress)
        if self._vectors:
            self._put_vectors(self._vectors)
        self._target.write([], self._removed, self._facts("" if left_out else self._token))
        self._target.close()
        return planned._replace(left_out=left_out)

    def _put_all(self, progress: Progress) -> int:
        """Send the notes that differ in portions, but not those that have changed since; return how many."""
        sent, portion, fragments = 0, list[StoredNote](), 0
        with closing(in_order(SharedReader(self._vault).read, self._outdated)) as results:
            for done, (row, found) in enumerate(zip(self._outdated, results, strict=True)):
                progress(done, len(self._outdated))
                if found:
                    known = self._before.get(row.note_id)
                    former = (known.path, *known.former_paths) if known else ()
                    others = [each for each in dict.fromkeys(former) if each != row.path]
                    portion.append(self._notes.stored(row, found.prepared, others))
                    fragments += row.fragments
                if fragments >= PORTION_FRAGMENTS or len(portion) >= PORTION_NOTES:
                    self._target.write(portion)
                    sent, portion, fragments = sent + len(portion), [], 0
        if portion:
            self._target.write(portion)
        return sent + len(portion)

    def _put_vectors(self, vectors: VectorsToKeep) -> None:
        """Send the vectors of notes that the memory has without them."""
        without = self._target.without_vectors(vectors.model)
        ids, rows = self._notes.ids, self._note_table.rows.values()
        found = vectors.read(row.note_id for row in rows if without.get(ids[row.note_id]) == row.content_hash)
        while portion := list(islice(found, PORTION_NOTES)):
            self._target.write_vectors(
                {"note_id": ids[each], "model": vectors.model, "codes": codes, "content": f"\\x{content.hex()}"}
                for each, codes, content in portion
            )

    def _facts(self, token: str) -> dict[str, object]:
        """Return the facts of the vault, which no query can count; `token` names the state that was sent."""
        table = self._note_table
        return {
            "token": token,
            "oldest_date": table.oldest_date,
            "projects": sorted(map(storable, table.projects)),
            "boilerplate": sorted(table.boilerplate),
            "tags": {storable(tag): count for tag, count in table.tags.most_common(MAX_TAGS)},
        }


def links_by_note(anchors: Anchors) -> dict[int, dict[str, int]]:
    """Return the words of the links to each note, with the number of notes that use them."""
    found: dict[int, dict[str, int]] = {}
    for line in filter(None, anchors.lines.split("\n")):
        [(term, values)] = json.loads(f"{{{line}}}").items()
        for note_id, links in zip(values[::2], values[1::2], strict=True):
            found.setdefault(note_id, {})[term] = links
    return found
