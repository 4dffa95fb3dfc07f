"""Synchronize the notes of a vault with a shared memory: compare them, and send the differences in batches.

Each batch is one transaction, so a reader sees every note complete, old or new. After an interruption, the next run
sends the rest.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from brain_cli.index.checked_file import fingerprint
from brain_cli.index.field_weights import anchor_weight
from brain_cli.index.note_reader import NoteReader, ReadNote, Undetermined
from brain_cli.index.note_table import Anchors, NoteRow, NoteTable
from brain_cli.index.parallel import in_order
from brain_cli.index.shared_note import SharedEngine, SharedNotes, digest, words_of
from brain_cli.index.shared_store import VaultInStore, Writer
from brain_cli.index.shared_store_values import KnownNote, VaultFacts
from brain_cli.index.sync_plan import Progress, Source, Vault
from brain_cli.vault.walk import File

BATCH_FRAGMENTS, BATCH_NOTES = 4_000, 1_000


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
    vault: Vault,
    note_table: NoteTable,
    target: VaultInStore,
    token: str,
    progress: Progress,
    check: Check = lambda _planned, _stored: None,
) -> Sent:
    """Update the notes of a vault in a shared memory; `token` identifies the state of the vault's index.

    Nothing is written before `check` returns.
    """
    if token and target.token == token:
        return Sent()
    return _Sending(vault, note_table, target, progress).run(token, check)


class _Sending:
    """One run: the notes that differ, and the batch that is being filled."""

    def __init__(self, vault: Vault, note_table: NoteTable, target: VaultInStore, progress: Progress) -> None:
        self._vault = vault
        self._note_table = note_table
        self._target = target
        self._progress = progress
        self._known = target.known()
        self._by_row = dict(self._matched())
        self._notes = SharedNotes(note_table, self._ids(), fingerprint() + vault.rules.decode("utf-8", "replace"))
        self._writer: Writer | None = None
        self._fragments = self._count = 0

    def _matched(self) -> Iterator[tuple[int, tuple[str, KnownNote]]]:
        """Yield the notes that the memory has, by their id in the vault, with their path in the memory."""
        moved = {
            known.content_key.partition("/")[0]: (path, known)
            for path, known in self._known.items()
            if path not in self._note_table.ids
        }
        for row in self._note_table.rows.values():
            if row.path in self._known:
                yield row.note_id, (row.path, self._known[row.path])
            elif row.content_hash in moved:
                yield row.note_id, moved.pop(row.content_hash)

    def _ids(self) -> Mapping[int, int]:
        """Return the id in the memory of every note; new ids keep the order of the vault's."""
        new = sorted(self._note_table.rows.keys() - self._by_row.keys())
        fresh = dict(zip(new, self._target.new_ids(len(new)) if new else (), strict=True))
        return {**fresh, **{note_id: known.note_id for note_id, (_, known) in self._by_row.items()}}

    def run(self, token: str, check: Check) -> Sent:
        rows = self._note_table.rows
        kept_ids = {known.note_id for _, known in self._by_row.values()}
        removed = [known.note_id for known in self._known.values() if known.note_id not in kept_ids]
        renamed = sum(path != rows[note_id].path for note_id, (path, _) in self._by_row.items())
        outdated = [row for row in rows.values() if self._known_key(row) != self._notes.content_key(row)]
        changed = sum(row.note_id in self._by_row for row in outdated) - renamed
        planned = Sent(len(outdated) - changed - renamed, changed, len(removed), renamed)
        check(planned, len(self._known))
        if removed:
            self._batch(0).remove(removed)
        left_out = self._put_all(outdated)
        self._update({row.note_id for row in outdated})
        self._link()
        self._batch(0).settle(self._facts("" if left_out else token))
        self._commit()
        self._target.close()
        return planned._replace(left_out=left_out)

    def _known_key(self, row: NoteRow) -> str:
        found = self._by_row.get(row.note_id)
        return found[1].content_key if found else ""

    def _put_all(self, outdated: list[NoteRow]) -> int:
        """Send the notes whose words have changed; return how many have changed since they were indexed."""
        reader, left_out = NoteReader(self._vault, SharedEngine()), 0
        sources = [(row.note_id, Source(File(row.path, row.size, row.mtime_ns))) for row in outdated]
        with contextlib.closing(in_order(reader.read, sources)) as results:
            for done, (row, result) in enumerate(zip(outdated, results, strict=True)):
                self._progress(done, len(outdated))
                if isinstance(result, Undetermined):
                    result = reader.in_language(row.note_id, result, row.language)
                if not isinstance(result, ReadNote) or result.row.content_hash != row.content_hash:
                    left_out += 1
                    continue
                lengths = result.prepared.lengths
                stored = self._notes.stored(row, lengths, self._former_paths(row))
                self._batch(len(lengths)).put(stored, words_of(result.prepared))
        return left_out

    def _update(self, written: set[int]) -> None:
        """Send the other data of notes whose words have not changed."""
        for note_id, (_, known) in self._by_row.items():
            row = self._note_table.rows[note_id]
            if note_id not in written and known.row_key != self._notes.row_key(row):
                self._batch(1).update(self._notes.stored(row, known.lengths, self._former_paths(row)))

    def _former_paths(self, row: NoteRow) -> list[str]:
        found = self._by_row.get(row.note_id)
        if not found:
            return []
        path, known = found
        return [each for each in dict.fromkeys((path, *known.former_paths)) if each != row.path]

    def _link(self) -> None:
        """Send the words of links to notes that have changed."""
        anchors = anchors_by_note(self._note_table.anchors)
        for row in self._note_table.rows.values():
            weights = anchors.get(row.note_id, {})
            key = digest(json.dumps(weights, sort_keys=True)) if weights else ""
            found = self._by_row.get(row.note_id)
            if key != (found[1].anchors_key if found else ""):
                self._batch(1).link(self._notes.id_of(row), weights, key)

    def _facts(self, token: str) -> VaultFacts:
        table = self._note_table
        tags = {tag: (sorted(table.tag_terms[tag]), count) for tag, count in table.tags.items()}
        return VaultFacts(token, table.oldest_date, sorted(table.projects), sorted(table.boilerplate), tags)

    def _batch(self, fragments: int) -> Writer:
        """Return the writer of the current batch; a full batch is committed first."""
        if self._fragments >= BATCH_FRAGMENTS or self._count >= BATCH_NOTES:
            self._commit()
        self._fragments += fragments
        self._count += 1
        self._writer = self._writer or self._target.writer()
        return self._writer

    def _commit(self) -> None:
        if self._writer:
            self._writer.commit()
        self._writer, self._fragments, self._count = None, 0, 0


def anchors_by_note(anchors: Anchors) -> dict[int, dict[str, float]]:
    """Return the words of the links to each note, with their weights."""
    found: dict[int, dict[str, float]] = {}
    for line in filter(None, anchors.lines.split("\n")):
        [(term, values)] = json.loads(f"{{{line}}}").items()
        for note_id, links in zip(values[::2], values[1::2], strict=True):
            found.setdefault(note_id, {})[term] = anchor_weight(links)
    return found
