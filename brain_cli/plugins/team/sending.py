"""Send the notes of a vault that a shared memory does not have, in portions.

Each portion is one transaction, so a reader sees every note complete, old or new. After an
interruption, the next run sends the rest.
"""

from __future__ import annotations

import json
from contextlib import closing
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

PORTION_FRAGMENTS = 4_000
PORTION_NOTES = 500
MAX_TAGS = 50


class Sent(NamedTuple):
    """The outcome: the numbers of notes that were added, changed, removed and renamed."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: int = 0


class SharedReader:
    """Reads the notes of a vault again in the form for a shared memory; workers have
    copies of it.
    """

    def __init__(self, vault: IndexedVault) -> None:
        self._reader = NoteReader(vault, SharedEngine())

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


class Sending:
    """One run: the notes of a vault that a shared memory has otherwise or not at all; nothing is
    written before `run`.

    `token` identifies the state of the notes and their `vectors`; nothing is compared if the memory
    has that state.
    """

    def __init__(
        self,
        vault: IndexedVault,
        table: NoteTable,
        target: VaultWriter,
        token: str,
        vectors: VectorsToKeep | None,
    ) -> None:
        self._vault = vault
        self._note_table = table
        self._target = target
        self._token = token
        self._vectors = vectors
        self.known: dict[str, Any] = {}
        self.planned = Sent()
        self._is_sent = bool(token) and target.token == token
        if not self._is_sent:
            self._compare()

    def _compare(self) -> None:
        """Compare the notes with those of the vault that the memory has: `known` by path, `_before`
        by their row's id.

        Notes that differ only in what other notes say about them do not count as changed.
        """
        rows = self._note_table.rows
        target = self._target
        self.known = target.known()
        paths = set(map(storable, self._note_table.ids))
        moved = {
            known.content_hash: known for path, known in self.known.items() if path not in paths
        }
        at = {row.note_id: self.known.get(storable(row.path)) for row in rows.values()}
        found = {
            note_id: each or moved.pop(rows[note_id].content_hash, None)
            for note_id, each in at.items()
        }
        before = self._before = {note_id: known for note_id, known in found.items() if known}
        new = sorted(rows.keys() - before.keys())
        # New ids keep the order of the vault's.
        ids = dict(zip(new, target.new_ids(len(new)), strict=True))
        ids |= {note_id: known.note_id for note_id, known in before.items()}
        rules = fingerprint() + self._vault.rules.decode("utf-8", "replace")
        self._notes = SharedNotes(
            self._note_table, ids, links_by_note(self._note_table.anchors), rules
        )
        versions = {note_id: known.version for note_id, known in before.items()}
        self._outdated = [
            row for row in rows.values() if versions.get(row.note_id) != self._notes.version(row)
        ]
        waiting = {storable(change.path) for change in target.waiting()}
        kept = {
            *ids.values(),
            *(known.note_id for path, known in self.known.items() if path in waiting),
        }
        self._removed = [
            known.note_id for known in self.known.values() if known.note_id not in kept
        ]
        changed = (row for row in self._outdated if row.note_id in before)
        self.planned = Sent(
            added=len(new),
            changed=sum(before[row.note_id].content_hash != row.content_hash for row in changed),
            removed=len(self._removed),
            renamed=sum(
                known.path != storable(rows[note_id].path) for note_id, known in before.items()
            ),
        )

    def run(self, progress: Progress) -> Sent:
        """Send what differs; the next run sends the notes that change meanwhile."""
        if self._is_sent:
            self._target.fetched()
            return self.planned
        is_whole = self._put_all(progress) == len(self._outdated)
        if self._vectors:
            self._put_vectors(self._vectors)
        self._target.write([], self._removed, self._facts(self._token if is_whole else ""))
        self._target.close()
        return self.planned

    def _put_all(self, progress: Progress) -> int:
        """Send the notes that differ in portions, but not those that have changed since; return how
        many.
        """
        sent = 0
        portion = list[StoredNote]()
        fragments = 0
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
                    sent = sent + len(portion)
                    portion = []
                    fragments = 0
        if portion:
            self._target.write(portion)
        return sent + len(portion)

    def _put_vectors(self, vectors: VectorsToKeep) -> None:
        """Send the vectors of notes that the memory has without them."""
        without = self._target.without_vectors(vectors.model)
        ids = self._notes.ids
        rows = self._note_table.rows.values()
        found = vectors.read(
            row.note_id for row in rows if without.get(ids[row.note_id]) == row.content_hash
        )
        while portion := list(islice(found, PORTION_NOTES)):
            rows_there = [
                {
                    "note_id": ids[each],
                    "model": vectors.model,
                    "codes": codes,
                    "content": f"\\x{content.hex()}",
                }
                for each, codes, content in portion
            ]
            self._target.put_vectors(rows_there)

    def _facts(self, token: str) -> dict[str, object]:
        """Return the facts of the vault, which no query can count; `token` names the state that was
        sent.
        """
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
