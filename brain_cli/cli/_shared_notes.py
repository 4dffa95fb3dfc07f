"""Run commands on one note of a shared memory, named `vault:path` or by a name that a note there has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from brain_cli.cli._shared import SharedSession
from brain_cli.cli._shared_connections import connected, using_store
from brain_cli.cli._workspace import Workspace
from brain_cli.errors import UsageError, did_you_mean
from brain_cli.index.shared_snapshot import SharedSnapshot
from brain_cli.index.snapshot import Snapshot
from brain_cli.memory.events import Event, Mention
from brain_cli.types import Fragment, NoteMetadata
from brain_cli.vault.folding import same_name

Answer = TypeVar("Answer")
MAX_CHOICES = 10
_LINE = re.compile(r":([1-9][0-9]{0,8})\Z")


class SharedNote(NamedTuple):
    """A note of a shared memory: `path` has its vault's name; `heading` and `line` are those of the argument."""

    note_id: int
    path: str
    heading: str
    line: int | None


class ReadNote(NamedTuple):
    """A note as stored in the memory, and its sections."""

    named: SharedNote
    metadata: NoteMetadata
    content_hash: str
    fragments: list[Fragment]


def ask_of_note(
    workspace: Workspace, argument: str, question: Callable[[SharedSnapshot, SharedNote], Answer]
) -> Answer:
    """Answer a question about the note that an argument names, from one state of the memory."""

    def answer(snapshot: Snapshot) -> Answer:
        assert isinstance(snapshot, SharedSnapshot)
        note = _note_named(snapshot, argument)
        snapshot.hold([note.note_id])
        return question(snapshot, note)

    return SharedSession(workspace).ask(answer)


def read_note(workspace: Workspace, argument: str) -> ReadNote:
    """Return the note that an argument names, with its text."""

    def read(snapshot: SharedSnapshot, note: SharedNote) -> ReadNote:
        snapshot.read_ahead([note.note_id], whole=True)
        fragments = [snapshot.index.fragment(number) for number in snapshot.numbers_of(note.note_id)]
        metadata = snapshot.as_shown(snapshot.note_table.metadata(note.note_id), note.note_id)
        return ReadNote(note, metadata, snapshot.note_table.rows[note.note_id].content_hash, fragments)

    return ask_of_note(workspace, argument, read)


def record_of_note(workspace: Workspace, argument: str, event: str, value: str) -> str:
    """Record an event of one note in the user's history on the server; return the note's path there."""
    with connected():
        note = read_note(workspace, argument)
        mention = Mention(note.metadata.path, note.content_hash, note.metadata.timestamp)
        workspace.record([Event(workspace.now, event, [mention], value)])
    return note.metadata.path


def pin_note(workspace: Workspace, argument: str, *, pinned: bool) -> tuple[str, bool]:
    """Pin or unpin a note for this user; return its path, and whether that changes anything."""
    with connected():
        metadata = read_note(workspace, argument).metadata
        changes = metadata.pinned != pinned
        if changes:
            with using_store(workspace.memory) as store:
                store.pin(metadata.path, pinned=pinned)
    return metadata.path, changes


def _note_named(snapshot: SharedSnapshot, argument: str) -> SharedNote:
    """Return the note that an argument names; UsageError if no note has that name, or several have."""
    for name, heading, line in _readings(argument):
        found = snapshot.reader.named(name)
        if len(found) > 1:
            choices = ", ".join(list(found)[:MAX_CHOICES])
            raise UsageError(f"“{name}” may be any of {len(found)} notes.", f"Name one by its path: {choices}.")
        for path, note_id in found.items():
            return SharedNote(note_id, path, heading, line)
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


def shared_section(workspace: Workspace, argument: str) -> tuple[NoteMetadata, str, list[str], int]:
    """Return a note, its text or that of one section as stored in the memory, and the heading and line of that text."""
    note = read_note(workspace, argument)
    shown = _requested(note)
    heading = list(shown[0].trail) if shown and (note.named.heading or note.named.line) else []
    return note.metadata, text_of(shown, tuple(heading[:-1])), heading, shown[0].line if shown else 1


def text_of(fragments: Iterable[Fragment], above: tuple[str, ...] = ()) -> str:
    """Return the text of some sections with their headings; those `above` are left out."""
    parts: list[str] = []
    for each in fragments:
        level = 0
        while above[level : level + 1] == each.trail[level : level + 1] != ():
            level += 1
        parts += [f"{'#' * (level + number)} {heading}" for number, heading in enumerate(each.trail[level:], start=1)]
        parts += [each.text] if each.text else []
        above = each.trail
    return "\n\n".join(parts).rstrip("\n") + "\n"


def _requested(note: ReadNote) -> Sequence[Fragment]:
    """Return the sections that the argument names: those below its heading or around its line, else all."""
    if note.named.heading:
        return _below(note, note.named.heading)
    if note.named.line:
        before = [each for each in note.fragments if each.line <= note.named.line]
        return _within(note, before[-1].trail) if before else note.fragments[:1]
    return note.fragments


def _below(note: ReadNote, heading: str) -> Sequence[Fragment]:
    wanted = same_name(heading.rpartition("#")[2])
    for each in note.fragments:
        if each.trail and same_name(each.trail[-1]) == wanted:
            return _within(note, each.trail)
    known = [each.trail[-1] for each in note.fragments if each.trail]
    hint = did_you_mean(heading, known) if known else "It has no headings at all."
    raise UsageError(f"{note.metadata.path} has no heading “{heading}”.", hint)


def _within(note: ReadNote, trail: tuple[str, ...]) -> Sequence[Fragment]:
    return [each for each in note.fragments if each.trail[: len(trail)] == trail]
