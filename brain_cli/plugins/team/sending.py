"""Send the notes of a vault that a shared memory does not have, in portions.

Each portion is one transaction, so a reader sees every note complete, old or new. After an interruption, the next run
sends the rest.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.index.damage import fingerprint
from brain_cli.index.note_reader import NoteReader, ReadNote, Undetermined, in_order
from brain_cli.index.note_table import Anchors, NoteRow, NoteTable
from brain_cli.index.sync_plan import IndexedVault, Progress, Source
from brain_cli.plugins.team.note import SharedEngine, SharedNotes, StoredNote, storable
from brain_cli.plugins.team.writer import KnownNote, VaultWriter
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


# Is called with what a run would change and how many notes the memory has of the vault; an exception ends the run.
Check = Callable[[Sent, int], None]


def send(
    vault: IndexedVault,
    note_table: NoteTable,
    target: VaultWriter,
    token: str,
    progress: Progress,
    check: Check = lambda _planned, _stored: None,
    vectors: VectorsToKeep | None = None,
) -> Sent:
    """Update the notes and `vectors` of a vault in a shared memory; `token` identifies the state of both.

    Nothing is written before `check` returns.
    """
    if token and target.token == token:
        target.nothing_new()
        return Sent()
    return _Sending(vault, note_table, target, progress).run(token, check, vectors)


class SharedReader:
    """Reads the notes of a vault again in the form for a shared memory; workers have copies of it."""

    def __init__(self, vault: IndexedVault) -> None:
        self._reader = NoteReader(vault, SharedEngine())

    def read(self, row: NoteRow) -> ReadNote | None:
        """Read the note of a row; None if it has changed since it was indexed."""
        found = self._reader.read((row.note_id, Source(File(row.path, row.size, row.mtime_ns))))
        if isinstance(found, Undetermined):
            found = self._reader.in_language(row.note_id, found, row.language)
        return found if isinstance(found, ReadNote) and found.row.content_hash == row.content_hash else None


class _Sending:
    """One run: the notes that differ, and the portion that is being filled."""

    def __init__(self, vault: IndexedVault, note_table: NoteTable, target: VaultWriter, progress: Progress) -> None:
        self._vault = vault
        self._note_table = note_table
        self._target = target
        self._progress = progress
        self._known = target.known()
        self._by_row = dict(self._matched())
        rules = fingerprint() + vault.rules.decode("utf-8", "replace")
        self._notes = SharedNotes(note_table, self._ids(), links_by_note(note_table.anchors), rules)
        self._portion: list[StoredNote] = []
        self._fragments = 0

    def _matched(self) -> Iterator[tuple[int, KnownNote]]:
        """Yield the notes that the memory has, by their id in the vault."""
        moved = {known.content_hash: known for known in self._known.values() if known.path not in self._note_table.ids}
        for row in self._note_table.rows.values():
            if row.path in self._known:
                yield row.note_id, self._known[row.path]
            elif row.content_hash in moved:
                yield row.note_id, moved.pop(row.content_hash)

    def _ids(self) -> Mapping[int, int]:
        """Return the id in the memory of every note; new ids keep the order of the vault's."""
        new = sorted(self._note_table.rows.keys() - self._by_row.keys())
        fresh = dict(zip(new, self._target.new_ids(len(new)) if new else (), strict=True))
        return {**fresh, **{note_id: known.note_id for note_id, known in self._by_row.items()}}

    def run(self, token: str, check: Check, vectors: VectorsToKeep | None) -> Sent:
        rows, before = self._note_table.rows, self._by_row
        kept_ids = {known.note_id for known in before.values()}
        waiting = {storable(change.path) for change in self._target.waiting()}
        removed = [
            known.note_id
            for path, known in self._known.items()
            if known.note_id not in kept_ids and path not in waiting
        ]
        outdated = [
            row
            for row in rows.values()
            if row.note_id not in before or before[row.note_id].version != self._notes.version(row)
        ]
        # Notes that differ only in what other notes say about them do not count as changed.
        changed = (row for row in outdated if row.note_id in before)
        planned = Sent(
            added=len(rows) - len(before),
            changed=sum(before[row.note_id].content_hash != row.content_hash for row in changed),
            removed=len(removed),
            renamed=sum(known.path != rows[note_id].path for note_id, known in before.items()),
        )
        check(planned, len(self._known))
        if removed:
            self._target.write([], removed)
        left_out = self._put_all(outdated)
        if vectors:
            self._write()
            self._put_vectors(vectors)
        self._write(self._facts("" if left_out else token))
        self._target.close()
        return planned._replace(left_out=left_out)

    def _put_all(self, outdated: Sequence[NoteRow]) -> int:
        """Send the notes that differ; return how many have changed since they were indexed."""
        left_out = 0
        with contextlib.closing(in_order(SharedReader(self._vault).read, outdated)) as results:
            for done, (row, found) in enumerate(zip(outdated, results, strict=True)):
                self._progress(done, len(outdated))
                if found:
                    self._put(self._notes.stored(row, found.prepared, self._former_paths(row)))
                else:
                    left_out += 1
        return left_out

    def _put(self, note: StoredNote) -> None:
        self._portion.append(note)
        self._fragments += note["fragments"]
        if self._fragments >= PORTION_FRAGMENTS or len(self._portion) >= PORTION_NOTES:
            self._write()

    def _write(self, facts: Mapping[str, object] | None = None) -> None:
        self._target.write(self._portion, facts=facts)
        self._portion, self._fragments = [], 0

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

    def _former_paths(self, row: NoteRow) -> list[str]:
        known = self._by_row.get(row.note_id)
        before = (known.path, *known.former_paths) if known else ()
        return [each for each in dict.fromkeys(before) if each != row.path]

    def _facts(self, token: str) -> dict[str, object]:
        """Return the columns of the vault; `token` names the state of its index that was sent."""
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
