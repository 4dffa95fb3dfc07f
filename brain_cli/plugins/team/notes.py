"""A note of a shared memory in a command, named `vault:path` or by a name that a note there has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

from brain_cli.cli._note import text_of
from brain_cli.errors import UsageError, did_you_mean
from brain_cli.history.log import Event, Mention
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.team.snapshot import TeamSnapshot
from brain_cli.plugins.team.workspace import TeamWorkspace, using_store
from brain_cli.types import Fragment, NoteMetadata
from brain_cli.vault.analyzer import same_name

Answer = TypeVar("Answer")
MAX_CHOICES = 10
_LINE = re.compile(r":([1-9][0-9]{0,8})\Z")


class Named(NamedTuple):
    """The note that an argument names, with its vault's name in its path; heading and line are the argument's."""

    note_id: int
    path: str
    heading: str
    line: int | None


class FetchedNote(NamedTuple):
    """A note as stored in the memory, and its sections."""

    named: Named
    metadata: NoteMetadata
    content_hash: str
    fragments: list[Fragment]


class TeamNote:
    """The note of a shared memory that an argument names."""

    def __init__(self, workspace: TeamWorkspace, argument: str) -> None:
        self.workspace = workspace
        self._argument = argument

    def ask(self, question: Callable[[Snapshot, str], Answer]) -> Answer:
        """Answer a question about the note, from a snapshot that has it and the notes within two links of it."""
        return self._ask(lambda snapshot, named: question(snapshot, named.path))

    def _ask(self, question: Callable[[Snapshot, Named], Answer]) -> Answer:
        def answer(snapshot: Snapshot) -> Answer:
            assert isinstance(snapshot, TeamSnapshot)
            named = _note_named(snapshot, self._argument)
            return question(TeamSnapshot(snapshot.reader, snapshot.reader.notes([named.note_id])), named)

        return self.workspace.session(touch=True).ask(answer)

    @cached_property
    def _note(self) -> FetchedNote:
        def read(snapshot: Snapshot, named: Named) -> FetchedNote:
            fragments = [snapshot.index.fragment(number) for number in snapshot.numbers_of(named.note_id)]
            metadata = snapshot.as_shown(snapshot.note_table.metadata(named.note_id), named.note_id)
            return FetchedNote(named, metadata, snapshot.note_table.rows[named.note_id].content_hash, fragments)

        return self._ask(read)

    def section(self) -> tuple[NoteMetadata, str, list[str], int]:
        """Return its metadata, the text that the argument names, and the headings and the first line of that text."""
        note = self._note
        shown = _requested(note)
        heading = list(shown[0].trail) if shown and (note.named.heading or note.named.line) else []
        return note.metadata, text_of(shown, tuple(heading[:-1])), heading, shown[0].line if shown else 1

    def pin(self, *, pinned: bool) -> tuple[str, bool]:
        """Pin or unpin it for this user; return its path, and whether that changes anything."""
        with self.workspace.opened():
            metadata = self._note.metadata
            if changes := metadata.pinned != pinned:
                with using_store(self.workspace.address) as store:
                    store.pin(metadata.path, pinned=pinned)
        return metadata.path, changes

    def record(self, event: str, value: str) -> str:
        """Record an event of it in the user's history; return its path."""
        with self.workspace.opened():
            note = self._note
            mention = Mention(note.metadata.path, note.content_hash, note.metadata.timestamp)
            self.workspace.record([Event(self.workspace.now, event, [mention], value)])
        return note.metadata.path


def _note_named(snapshot: TeamSnapshot, argument: str) -> Named:
    """Return the note that an argument names; UsageError if no note has that name, or several have."""
    for name, heading, line in _readings(argument):
        found = snapshot.reader.named(name)
        if len(found) > 1:
            choices = ", ".join(list(found)[:MAX_CHOICES])
            raise UsageError(f"“{name}” may be any of {len(found)} notes.", f"Name one by its path: {choices}.")
        for path, note_id in found.items():
            return Named(note_id, path, heading, line)
    raise UsageError(
        f"There is no note “{argument}” in the shared memory.", "Name it as VAULT:PATH, as a recall prints it."
    )


def _readings(argument: str) -> Iterator[tuple[str, str, int | None]]:
    """Yield the ways to read an argument: as a name, as `NOTE:LINE`, and as `NOTE#heading`."""
    yield argument, "", None
    if line := _LINE.search(argument):
        yield argument[: line.start()], "", int(line[1])
    parts = argument.split("#")
    for count in range(len(parts) - 1, 0, -1):
        yield "#".join(parts[:count]), "#".join(parts[count:]), None


def _requested(note: FetchedNote) -> Sequence[Fragment]:
    """Return the sections that the argument names: those below its heading or around its line, else all."""
    if note.named.heading:
        return _below(note, note.named.heading)
    if note.named.line:
        before = [each for each in note.fragments if each.line <= note.named.line]
        return _within(note, before[-1].trail) if before else note.fragments[:1]
    return note.fragments


def _below(note: FetchedNote, heading: str) -> Sequence[Fragment]:
    wanted = same_name(heading.rpartition("#")[2])
    for each in note.fragments:
        if each.trail and same_name(each.trail[-1]) == wanted:
            return _within(note, each.trail)
    known = [each.trail[-1] for each in note.fragments if each.trail]
    hint = did_you_mean(heading, known) if known else "It has no headings at all."
    raise UsageError(f"{note.metadata.path} has no heading “{heading}”.", hint)


def _within(note: FetchedNote, trail: tuple[str, ...]) -> Sequence[Fragment]:
    return [each for each in note.fragments if each.trail[: len(trail)] == trail]
