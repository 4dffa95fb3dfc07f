"""Send the notes of a vault that a shared memory lacks, after `brain index` and in a daemon.

Each portion is one transaction, so a reader sees every note complete, old or new. After an
interruption, the next run sends the rest.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from brain_cli.answer.retriever import VectorsToKeep
from brain_cli.config import switched_off, variable_of
from brain_cli.daemon.loop import BackgroundWork
from brain_cli.daemon.processes import index_command
from brain_cli.errors import BrainError
from brain_cli.index.damage import fingerprint
from brain_cli.index.directory import read_note_table, stamp
from brain_cli.index.note_reader import in_order
from brain_cli.index.note_table import Anchors, NoteTable
from brain_cli.library.vault import Vault
from brain_cli.paths import make_private_folder
from brain_cli.plugins.team.note import SharedNotes, SharedReader, StoredNote, storable
from brain_cli.plugins.team.patience import PORTION
from brain_cli.plugins.team.stores import (
    address_of,
    first_found,
    identity,
    identity_file,
    using_store,
)
from brain_cli.plugins.team.writer import VaultWriter
from brain_cli.plugins.team.written import fetch
from brain_cli.printable import counted, one_line
from brain_cli.streams import Progress, confirmed
from brain_cli.vault.atomic_write import replace_file

PORTION_NOTES = 200
MAX_TAGS = 50


class Sent(NamedTuple):
    """The outcome: the numbers of notes that were added, changed, removed and renamed."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: int = 0


class Sending:
    """One run: the notes of a vault that a shared memory has otherwise or not at all; nothing is
    written before `run`.

    A token identifies the state of the notes and their vectors; nothing is compared if the memory
    has that state.
    """

    def __init__(self, vault: Vault, target: VaultWriter) -> None:
        directory = vault.index_directory
        self._vault = vault.indexed
        self._note_table = read_note_table(directory) or NoteTable()
        self._target = target
        self._vectors = vectors = _vectors_of(vault)
        of_vectors = vectors.stamp() if vectors else ""
        self._token = f"{target.origin} {stamp(directory)} {of_vectors}".strip()
        self.known: dict[str, Any] = {}
        self.planned = Sent()
        self._is_sent = target.token == self._token
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
        paths = {storable(row.path): row for row in rows.values()}
        moved = {
            known.content_hash: known for path, known in self.known.items() if path not in paths
        }
        before = self._before = {
            row.note_id: known
            for path, row in paths.items()
            if (known := self.known.get(path) or moved.pop(row.content_hash, None))
        }
        new = sorted(rows.keys() - before.keys())
        # New ids keep the order of the vault's.
        ids = dict(zip(new, target.new_ids(len(new)), strict=True))
        ids |= {note_id: known.note_id for note_id, known in before.items()}
        rules = fingerprint() + self._vault.rules.decode("utf-8", "replace")
        anchors = links_by_note(self._note_table.anchors)
        self._notes = SharedNotes(self._note_table, ids, anchors, rules)
        self._outdated = [
            row
            for row in rows.values()
            if row.note_id not in before
            or before[row.note_id].version != self._notes.version(row)
        ]
        waiting = {storable(change.path) for change in target.waiting()}
        kept = {*ids.values()}
        self._removed = [
            known.note_id
            for path, known in self.known.items()
            if path not in waiting and known.note_id not in kept
        ]
        self.planned = Sent(
            added=len(new),
            changed=sum(
                known.content_hash != rows[note_id].content_hash
                for note_id, known in before.items()
            ),
            removed=len(self._removed),
            renamed=sum(known.path not in paths for known in before.values()),
        )

    def run(self, progress: Callable[[int, int], None]) -> Sent:
        """Send what differs; the next run sends the notes that change meanwhile."""
        if self._is_sent:
            self._target.fetched()
            return self.planned
        sent = 0
        notes = self._stored(progress)
        while portion := list(islice(notes, PORTION_NOTES)):
            self._target.write(portion)
            sent += len(portion)
        if self._vectors:
            self._put_vectors(self._vectors)
        token = self._token if sent == len(self._outdated) else ""
        self._target.write([], self._removed, self._facts(token))
        self._target.close()
        return self.planned

    def _stored(self, progress: Callable[[int, int], None]) -> Iterator[StoredNote]:
        """Yield the notes that differ, but not those that have changed since."""
        with closing(in_order(SharedReader(self._vault).read, self._outdated)) as results:
            for done, (row, found) in enumerate(zip(self._outdated, results, strict=True)):
                progress(done, len(self._outdated))
                if found:
                    known = self._before.get(row.note_id)
                    former = (known.path, *known.former_paths) if known else ()
                    others = [each for each in dict.fromkeys(former) if each != row.path]
                    yield self._notes.stored(row, found.prepared, others)

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
    lines = anchors.lines.strip().replace("\n", ",")
    terms = json.loads("{" + lines + "}")
    for term, values in terms.items():
        for note_id, links in zip(values[::2], values[1::2], strict=True):
            found.setdefault(note_id, {})[term] = links
    return found


def refreshed(vault: Vault, added: Mapping[str, Any]) -> tuple[str, str, dict[str, object]]:
    """Send a vault's notes to the shared memory; return what `brain index` reports of it."""
    called, fetched, sent = send_notes(vault, added.get("as_name"), yes=bool(added.get("yes")))
    counts = {"fetched": fetched, **sent._asdict()}
    changes = (f"{count} {what}" for what, count in counts.items() if count)
    sentence = (
        f"Shared memory, as “{one_line(called)}”: {', '.join(changes) or 'nothing to send'}."
    )
    return "shared", sentence, {"vault": called, **counts}


def background(
    vault: Vault, say: Callable[[str], None], added: Mapping[str, Any]
) -> BackgroundWork:
    """Return the work of a daemon that sends the notes whenever the index has changed."""
    from brain_cli.cli.run_daemon import BackgroundIndex

    @lru_cache(maxsize=1)
    def vectors_at(_notes: object) -> VectorsToKeep | None:
        return _vectors_of(vault)

    def state() -> object:
        notes = stamp(vault.index_directory)
        vectors = vectors_at(notes)
        return notes and (notes, vectors and vectors.stamp())

    def failed(error: str) -> None:
        first = error.partition("\n")[0].removeprefix("brain: ")
        say(f"Not sent to the shared memory yet. {first}".strip())

    options = ("--as", name) if (name := added.get("as_name")) else ()
    return BackgroundIndex(
        index_command(vault.folder, *options),
        {**switched_off("background", "vectors"), variable_of("memory"): address_of(vault)},
        state,
        failed=failed,
    )


def send_notes(vault: Vault, name: str | None, *, yes: bool = False) -> tuple[str, int, Sent]:
    """Fetch what was written in a shared memory, and send it the notes of a vault; return the
    vault's name there.

    With `yes`, nothing is asked. BrainError if the user declines.
    """
    known, key = identity(vault)
    called = name or known or os.path.basename(os.path.realpath(vault.folder))
    origin = key or os.urandom(8).hex()
    with using_store(vault, PORTION) as store:
        target = store.vault(called, origin, join=name is not None)
        sending = Sending(vault, target)
        if not yes:
            _ask(target.name, sending, is_foreign=target.origin != origin)
        file = identity_file(vault)
        make_private_folder(file.parent)
        replace_file(file, json.dumps({"name": target.name, "origin": target.origin}).encode())
        if fetched := fetch(vault, target):
            vault.index()
            sending = Sending(vault, target)
        return target.name, fetched, sending.run(Progress("sending notes"))


def _vectors_of(vault: Vault) -> VectorsToKeep | None:
    note_table = read_note_table(vault.index_directory)
    return first_found("vectors", vault, note_table) if note_table else None


def _ask(name: str, sending: Sending, *, is_foreign: bool) -> None:
    """Ask before most notes of a vault, or those of another one, are replaced; BrainError if the
    user declines.
    """
    planned = sending.planned
    if not (is_foreign and sending.known) and 2 * planned.removed <= len(sending.known):
        return
    whose = ", which was sent from another vault" if is_foreign else ""
    changes = (
        f"adds {planned.added} and removes {planned.removed} of its "
        f"{counted(len(sending.known), 'note')}"
    )
    doing = f"Sending to “{name}” of the shared memory{whose}, {changes}"
    if not confirmed(f"{doing}. Do it?", f"{doing}; there is no terminal to ask."):
        raise BrainError("Nothing was sent.")
