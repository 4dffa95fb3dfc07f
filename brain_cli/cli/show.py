"""`brain show` and `brain open`: print a note, or one section of it, or open it in the editor at
the right line.
"""

from __future__ import annotations

import os
from typing import Annotated

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import AsOfOption, SectionArgument, flag
from brain_cli.cli.output import format_name, view
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.library.note import Opened, section_at, section_of
from brain_cli.library.vault import Vault, as_it_was
from brain_cli.process import command_context
from brain_cli.render.formats import AUTO
from brain_cli.render.phrases import one_line
from brain_cli.streams import say, write, write_json
from brain_cli.types import NoteMetadata
from brain_cli.vault.dates import iso_date
from brain_cli.vault.decode import as_read, lines_of, round_trip_text
from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.markdown import code_blocks
from brain_cli.vault.not_text import without_data
from brain_cli.vault.sections import Section


def command(
    options: CommonOptions,
    note: SectionArgument,
    code: Annotated[bool, flag("--code", "Print only its code blocks.")] = False,
    as_of: AsOfOption = None,
) -> int:
    """Show a note, or the section below a heading: unchanged in a pipe, formatted on a terminal.

    On a terminal, `brain show 1` shows the first note of its last answer.

    Examples:
      brain show grpc
      brain show 'grpc#Consequences'
    """
    vault = as_it_was(options.open_any_vault().holding(note), as_of)
    named = vault.find(note)
    found = named.opened()
    _, heading, line = named.ref
    if code:
        return _print_code(options, found, heading, line)
    _show(vault, found, heading, line, as_json=options.json)
    return OK


def _print_code(options: CommonOptions, note: Opened, heading: str, line: int | None) -> int:
    """Print the code blocks of a note or section, with an empty line between two; return 1 if there
    are none.
    """
    path = note.metadata.path
    text = as_read(note.raw)
    blocks = code_blocks(_text(text, _section(text, path, heading, line)))
    if options.json:
        write_json({"path": path, "code": blocks})
    else:
        write("\n".join(blocks))
    if not blocks:
        say(f"{one_line(path)} has no code block{' there' if heading or line else ''}.")
    return OK if blocks else NOTHING_FOUND


def _section(text: str, path: str, heading: str, line: int | None) -> Section | None:
    """Return the section that is asked for by its heading or one of its lines; None for all."""
    if heading:
        return section_of(text, path, heading)
    return section_at(text, line) if line else None


def _text(text: str, section: Section | None) -> str:
    """Return the text of a section, else that of the note below its frontmatter."""
    if section is None:
        return text[split_head(text).body_start :]
    return "\n".join(text.split("\n")[section.line - 1 : section.end - 1]) + "\n"


def open_in_editor(options: CommonOptions, note: SectionArgument = "1") -> int:
    """Open a note in $VISUAL or $EDITOR, at a heading or a line if one is named.

    On a terminal, `brain open` alone opens the first note of its last answer, and `brain open 2`
    the second.

    Examples:
      brain open grpc
      brain open 'grpc#Consequences'
    """
    from brain_cli.cli._editor import edit

    named = options.open_any_vault().holding(note).find(note)
    path, heading, line = named.ref
    if heading:
        line = section_of(as_read(named.opened().raw), path, heading).line
    arguments = edit(named.file(), line, os.environ)
    if options.json:
        options.report("", {"path": path, "line": line or 1, "editor": arguments})
    return OK


def _show(vault: Vault, note: Opened, heading: str, line: int | None, *, as_json: bool) -> None:
    """Print the note's text; in a pipe the bytes of its file."""

    metadata = note.metadata
    text = as_read(note.raw)
    section = _section(text, metadata.path, heading, line)
    start = split_head(text).body_start
    shown = without_data(_text(text, section))
    if as_json:
        first = section.line if section else 1 + text.count("\n", 0, start)
        write_json(
            _document(
                metadata,
                iso_date(metadata, vault.zone),
                shown,
                list(section.trail) if section else [],
                first,
            )
        )
    elif command_context().screen().out:
        write(
            _rich_text(vault, metadata, shown) if format_name(AUTO) == "rich" else shown,
            is_paged=True,
        )
    else:
        # Flush Python's own buffer first, because the bytes bypass it.
        command_context().out(_bytes(note, section))


def _bytes(note: Opened, section: Section | None) -> bytes:

    if section is None:
        return note.raw
    try:
        file = round_trip_text(note.raw)
    except ValueError:
        return note.raw
    return file.write("".join(lines_of(file.text)[section.line - 1 : section.end - 1]))


def _document(
    metadata: NoteMetadata, date: str, text: str, heading: list[str], line: int
) -> dict[str, object]:
    """Return the JSON of a note and the shown text of it, which begins at a line."""

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
        "date": date,
        "properties": dict(metadata.properties),
        "heading": heading,
        "line": line,
        "text": text,
    }


def _rich_text(vault: Vault, metadata: NoteMetadata, text: str) -> str:
    from rich.text import Text

    from brain_cli.render.terminal import formatted, printed

    screen = view(vault)
    about = [
        metadata.path,
        metadata.kind,
        iso_date(metadata, vault.zone)[:10],
        *(f"#{tag}" for tag in metadata.tags),
    ]
    about += ["pinned"] * metadata.pinned + ["archived"] * metadata.archived
    head = Text(one_line("  ".join(about)), style="dim")
    return printed([head, Text(), formatted(text, screen)], screen)
