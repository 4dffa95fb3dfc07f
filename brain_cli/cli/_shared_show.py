"""`brain show` of a note in a shared memory, whose file may lie on another machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brain_cli.cli._output import format_name, write, write_json
from brain_cli.cli._shared_notes import ReadNote, read_note
from brain_cli.cli._workspace import Workspace
from brain_cli.errors import OK, UsageError, did_you_mean
from brain_cli.render import AUTO
from brain_cli.types import Fragment
from brain_cli.vault.folding import same_name


def show_shared(workspace: Workspace, argument: str, *, as_json: bool) -> int:
    """Print the text of a note, or of one section, as the memory has it."""
    from brain_cli.cli.show import document, rich_text

    note = read_note(workspace, argument)
    shown = _asked(note)
    heading = list(shown[0].trail) if shown and (note.named.heading or note.named.line) else []
    text = text_of(shown, tuple(heading[:-1]))
    if as_json:
        write_json(document(note.metadata, text, heading, shown[0].line if shown else 1))
    else:
        write(rich_text(workspace, note.metadata, text) if format_name(AUTO) == "rich" else text)
    return OK


def draw_shared(workspace: Workspace, argument: str, *, as_json: bool) -> int:
    """Draw the strength of a note over time, by what this user has recalled."""
    from brain_cli.answer.curve import curve
    from brain_cli.cli._history import events_until
    from brain_cli.cli.show import write_curve
    from brain_cli.memory.event_stream import recalls_of
    from brain_cli.memory.strength import configured_kinds

    metadata = read_note(workspace, argument).metadata
    recalls = recalls_of(events_until(workspace, workspace.now, newest_first=True), metadata.path)
    found = curve(metadata, recalls, workspace.now, configured_kinds(workspace.config.kinds))
    return write_curve(metadata.path, found, as_json=as_json)


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


def _asked(note: ReadNote) -> Sequence[Fragment]:
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
