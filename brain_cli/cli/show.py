"""`brain show`: a note, or one section of it, to read or to pass on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from brain_cli.cli._note import Opened, memory_with, opened, section_named
from brain_cli.cli._options import JsonOption, MemoryOption, NowOption, SectionArgument, VaultOption
from brain_cli.cli._output import format_name, view, write, write_json, write_lines
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK, UsageError, did_you_mean
from brain_cli.render import AUTO
from brain_cli.types import NoteMetadata
from brain_cli.vault.headings import Section

if TYPE_CHECKING:
    from brain_cli.answer.curve import Curve


def command(
    note: SectionArgument,
    curve: Annotated[bool, typer.Option("--curve", help="Draw its strength over time.")] = False,
    memory: MemoryOption = None,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Show a note, or the section below a heading: as it is in a pipe, set for reading on a terminal."""
    options = CommonOptions(vault, now, json)
    if shared := memory_with(options, note, memory):
        from brain_cli.cli._shared_show import draw_shared, show_shared

        return (draw_shared if curve else show_shared)(shared, note, as_json=json)
    return draw(options, note) if curve else run(options, note)


def run(options: CommonOptions, argument: str) -> int:
    """Print the note's own text."""

    from brain_cli.vault.round_trip import as_read

    workspace = options.open_workspace()
    path, heading, line = section_named(workspace, argument)
    note = opened(workspace, path)
    text = as_read(note.raw)
    section = section_of(text, path, heading) if heading else section_at(text, line) if line else None
    if options.json:
        write_json(document(note.metadata, _cut(text, section), _heading_of(section), _first_line(text, section)))
    elif format_name(AUTO) == "rich":
        write(rich_text(workspace, note.metadata, _cut(text, section)))
    elif command_context().screen().out:
        write(_cut(text, section))
    else:
        # Flush Python's own buffer first: the bytes are written past it.
        command_context().out(_bytes(note, section))
    return OK


def draw(options: CommonOptions, argument: str) -> int:
    """Draw a note's strength over time, and its decay from now on without recalls."""
    from brain_cli.answer.curve import curve
    from brain_cli.cli._history import events_until
    from brain_cli.memory.event_stream import recalls_of
    from brain_cli.memory.strength import configured_kinds

    workspace = options.open_workspace()
    path = section_named(workspace, argument).path
    recalls = recalls_of(events_until(workspace, workspace.now, newest_first=True), path)
    kinds = configured_kinds(workspace.config.kinds)
    found = curve(opened(workspace, path).metadata, recalls, workspace.now, kinds)
    return write_curve(path, found, as_json=options.json)


def write_curve(path: str, found: Curve, *, as_json: bool) -> int:
    """Print the strength of a note over time."""
    from brain_cli.answer.curve import drawn
    from brain_cli.render.phrases import one_line
    from brain_cli.vault.iso_dates import iso

    if as_json:
        write_json({"path": path, **found._asdict()})
    else:
        dates = (iso(moment)[:10] for moment in (found.start, found.now, found.end))
        write_lines([one_line(path), *drawn(found, *dates)])
    return OK


def section_of(text: str, path: str, heading: str) -> Section:
    """Return the section with a heading; UsageError if the note has no such heading."""
    from brain_cli.vault.headings import section_named, sections

    found = section_named(text, heading)
    if found is None:
        known = [section.trail[-1] for section in sections(text)]
        hint = did_you_mean(heading, known) if known else "It has no headings at all."
        raise UsageError(f"{path} has no heading “{heading}”.", hint)
    return found


def section_at(text: str, line: int) -> Section | None:
    """Return the innermost section that holds a line of the file; None above the first heading."""
    from brain_cli.vault.headings import sections

    holding = [section for section in sections(text) if section.line <= line < section.end]
    return holding[-1] if holding else None


def _cut(text: str, section: Section | None) -> str:
    """Return a section, or the whole note without its frontmatter."""
    if section:
        return "\n".join(text.split("\n")[section.line - 1 : section.end - 1]) + "\n"
    from brain_cli.vault.frontmatter import split_head

    return text[split_head(text).body_start :]


def _bytes(note: Opened, section: Section | None) -> bytes:
    """Return the bytes of a note, or of the lines of a section."""
    from brain_cli.vault.round_trip import lines_of, round_trip_text

    if section is None:
        return note.raw
    try:
        file = round_trip_text(note.raw)
    except ValueError:
        return note.raw
    return file.write("".join(lines_of(file.text)[section.line - 1 : section.end - 1]))


def _heading_of(section: Section | None) -> list[str]:
    return list(section.trail) if section else []


def _first_line(text: str, section: Section | None) -> int:
    from brain_cli.vault.frontmatter import split_head

    return section.line if section else 1 + text.count("\n", 0, split_head(text).body_start)


def document(metadata: NoteMetadata, text: str, heading: list[str], line: int) -> dict[str, object]:
    """Return the JSON of a note and the shown text of it, which begins at a line."""
    from brain_cli.vault.iso_dates import iso

    return {
        "path": metadata.path,
        "title": metadata.title,
        "kind": metadata.kind,
        "project": metadata.project,
        "tags": list(metadata.tags),
        "aliases": list(metadata.aliases),
        "pinned": metadata.pinned,
        "archived": metadata.archived,
        "salience": metadata.salience,
        "date": iso(metadata.timestamp),
        "properties": dict(metadata.properties),
        "heading": heading,
        "line": line,
        "text": text,
    }


def rich_text(workspace: Workspace, metadata: NoteMetadata, text: str) -> str:
    """Return a note set for reading on a terminal."""
    from rich.markdown import Markdown
    from rich.text import Text

    from brain_cli.render.phrases import one_line
    from brain_cli.render.terminal import printed, readable
    from brain_cli.vault.iso_dates import iso

    screen = view(workspace)
    about = [metadata.path, metadata.kind, iso(metadata.timestamp)[:10], *(f"#{tag}" for tag in metadata.tags)]
    about += ["pinned"] * metadata.pinned + ["archived"] * metadata.archived
    head = Text(one_line("  ".join(about)), style="dim")
    return printed([head, Text(), Markdown(readable(text), hyperlinks=screen.color)], screen)
