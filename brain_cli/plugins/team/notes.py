"""A note of a shared memory in a command, named `vault:path` or by a name that a note there has."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from brain_cli.errors import UsageError
from brain_cli.history.log import Event
from brain_cli.index.note_names import vaults_and_paths
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.edit import Changed
from brain_cli.library.note import NamedNote, Opened
from brain_cli.library.verbs import appended, dated_section
from brain_cli.paths import make_private_folder
from brain_cli.plugins.team import queries
from brain_cli.plugins.team.history import record_in_memory
from brain_cli.plugins.team.note import name_key, storable
from brain_cli.plugins.team.question import TeamSnapshot
from brain_cli.plugins.team.reading import Reader
from brain_cli.plugins.team.stores import identity, using_store
from brain_cli.plugins.team.writer import APPEND, ARCHIVE, RESTORE, WrittenChange
from brain_cli.plugins.team.written import put
from brain_cli.printable import some_of
from brain_cli.types import Fragment, NoteMetadata
from brain_cli.vault.atomic_write import replace_file
from brain_cli.vault.decode import as_read
from brain_cli.vault.edit import UneditableError, with_property
from brain_cli.vault.resolve import LINE, NoteRef, names_and_headings

if TYPE_CHECKING:
    from brain_cli.plugins.team.vault import TeamVault

Answer = TypeVar("Answer")


class TeamNote(NamedNote):
    """The note of a shared memory that an argument names, which is looked up on first use."""

    vault: TeamVault
    _place: tuple[str, int | None] = "", None

    def ask(self, question: Callable[[Snapshot, str], Answer]) -> Answer:
        """Answer a question about the note, from a snapshot that has it and the notes within two
        links of it.
        """

        def answer(snapshot: Snapshot) -> Answer:
            assert isinstance(snapshot, TeamSnapshot)
            path, note_id = self._named(snapshot.reader)
            chosen = queries.CHOSEN.format(matched=queries.ALL_NOTES, more=queries.NO_MORE)
            asked = {"note_id": note_id, "most": 0, "kept": []}
            notes = snapshot.reader.notes((), (f"{queries.BY_ID}{chosen}", asked))
            return question(TeamSnapshot(snapshot.reader, notes, {}, [note_id]), path)

        return self.vault.ask_server(answer)

    def _named(self, reader: Reader) -> tuple[str, int]:
        """Return the path and the id of the note; UsageError if no note has the name, or several
        have.
        """
        for name, heading, line in _readings(self._argument):
            named = (("", name), *vaults_and_paths(name))
            readings = [
                {"vault": vault, "path": storable(path), "key": name_key(path)}
                for vault, path in named
            ]
            [rows] = reader.ask((queries.NAMED, {"readings": json.dumps(readings)}))
            found = {
                row.path: row.note_id for row in rows if row.by_path or not rows[0].by_path
            }
            if len(found) > 1:
                choices = some_of(list(found), 10)
                raise UsageError(
                    f"“{name}” may be any of {len(found)} notes.",
                    f"Name one by its path: {choices}.",
                )
            for path, note_id in found.items():
                self._place = heading, line
                return path, note_id
        raise UsageError(
            f"There is no note “{self._argument}” in the shared memory.",
            "Name it as VAULT:PATH, as a recall prints it.",
        )

    @cached_property
    def ref(self) -> NoteRef:
        return NoteRef(self.opened().metadata.path, *self._place)

    def opened(self) -> Opened:
        return self._found[0]

    @cached_property
    def _found(self) -> tuple[Opened, str, str]:
        """The note as the memory has it, its vault, and its path there."""

        def read(snapshot: Snapshot, path: str) -> tuple[Opened, str, str]:
            note_id = snapshot.note_table.ids[path]
            metadata = snapshot.note_table.metadata(note_id)
            shown = snapshot.shown(note_id)
            note = Opened(
                _as_file(shown, map(snapshot.index.fragment, snapshot.numbers_of(note_id))),
                shown,
                snapshot.note_table.value("content_hash", note_id),
            )
            return note, path.removesuffix(f":{metadata.path}"), metadata.path

        return self.ask(read)

    def file(self) -> str:
        """Return its file where the working folder's vault is the one that has it, else a copy."""
        note, vault, path = self._found
        own = os.path.join(self.vault.folder, path)
        if self.vault.folder and identity(self.vault)[0] == vault and os.path.isfile(own):
            return own
        copy = self.vault.index_directory.folder / "copies" / os.path.basename(path)
        make_private_folder(copy.parent)
        replace_file(copy, note.raw, mode=0o400)
        return str(copy)

    def append(self, title: str, text: str) -> str:
        """Add a section with today's date at its end; return its path."""
        section = dated_section(self.vault, title, text)
        raw = appended(self.opened().raw, section)
        return self._put(APPEND, raw, f"{section}\n".encode("utf-8", "surrogateescape"))

    def archive(self, *, archived: bool) -> Changed:
        """Archive or restore it."""
        raw, metadata, _ = self.opened()
        if changes := metadata.archived != archived:
            self._put(ARCHIVE if archived else RESTORE, raw)
        return Changed(metadata.path, changed=changes, is_shared=True)

    def _put(self, kind: str, raw: bytes, content: bytes = b"") -> str:
        """Send the note as a change makes it; return its path."""
        note, vault, path = self._found
        with using_store(self.vault) as store:
            change = WrittenChange(kind, path, content)
            put(self.vault, store.own_vault(vault), change, raw, note.metadata.timestamp)
        return note.metadata.path

    def pin(self, *, pinned: bool) -> Changed:
        """Pin or unpin it for this user."""
        metadata = self.opened().metadata
        if changes := metadata.pinned != pinned:
            with using_store(self.vault) as store:
                store.call("pin", storable(metadata.path), pinned)
        return Changed(metadata.path, changed=changes, is_shared=True)

    def record(self, event: str, value: str) -> str:
        """Record an event of it in the user's history; return its path."""
        mention = self.opened().mention
        record_in_memory(self.vault, [Event(self.vault.now, event, [mention], value)])
        return mention.path


def _readings(argument: str) -> Iterator[tuple[str, str, int | None]]:
    """Yield the ways to read an argument: as a name, as `NOTE#heading`, and as `NOTE:LINE`."""
    for name, heading in names_and_headings(argument):
        yield name, heading, None
    if line := re.search(LINE, argument):
        yield argument[: line.start()], "", int(line[1])


def _as_file(metadata: NoteMetadata, fragments: Iterable[Fragment]) -> bytes:
    """Return a note as its file has it, line by line; only its frontmatter may be written in
    another way.
    """
    head = b""
    for key, value in metadata.properties.items():
        with suppress(UneditableError):
            head = with_property(head, key, value)
    lines = as_read(head).rstrip("\n").split("\n") if head else []
    for each in fragments:
        above = each.above.split("\n")
        # Those above the first text begin with lines of the frontmatter.
        missing = max(0, each.text_line - 1 - len(lines))
        lines += ([""] * missing + above)[len(above) :] + each.text.split("\n")
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
