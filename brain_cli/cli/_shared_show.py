"""`brain show` for a note of a shared memory, whose file may be on another machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brain_cli.cli._shared_notes import ReadNote, read_note
from brain_cli.cli._workspace import Workspace
from brain_cli.errors import UsageError, did_you_mean
from brain_cli.types import Fragment, NoteMetadata
from brain_cli.vault.folding import same_name


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
