"""`brain show` and `brain open`: print a note, or one section of it, or open it in the editor at
the right line.
"""

from __future__ import annotations

import os
from typing import Annotated

from brain_cli.cli.common import CommonOptions, view
from brain_cli.cli.options import AsOfOption, SectionArgument, flag
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.library.note import NotePart, section_of
from brain_cli.library.vault import Vault
from brain_cli.process import command_context
from brain_cli.render.phrases import one_line
from brain_cli.streams import say, write, write_json
from brain_cli.types import NoteMetadata
from brain_cli.vault.clock import iso_date
from brain_cli.vault.decode import as_read
from brain_cli.vault.markdown import code_blocks
from brain_cli.vault.not_text import without_data

# The keys of a note's metadata in its JSON document.
METADATA = (
    "path",
    "title",
    "kind",
    "project",
    "tags",
    "aliases",
    "pinned",
    "archived",
    "salience",
)


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
    vault = options.open_any_vault().holding(note).at(as_of)
    found = vault.show(note)
    if code:
        return _print_code(options, found)
    text = without_data(found.text)
    if options.json:
        heading = list(found.section.trail) if found.section else []
        place = {"heading": heading, "line": found.line}
        write_json({**_document(found.metadata, vault.zone), **place, "text": text})
    elif command_context().screen().out:
        is_rich = command_context().is_terminal
        write(_rich_text(vault, found.metadata, text) if is_rich else text, is_paged=True)
    else:
        command_context().out(found.raw)
    return OK


def _print_code(options: CommonOptions, found: NotePart) -> int:
    """Print code blocks, with an empty line between two; return 1 if there are none."""
    path = found.metadata.path
    blocks = code_blocks(found.text)
    if options.json:
        write_json({"path": path, "code": blocks})
    else:
        write("\n".join(blocks))
    if not blocks:
        say(f"{one_line(path)} has no code block{' there' * bool(found.section)}.")
    return OK if blocks else NOTHING_FOUND


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


def _document(metadata: NoteMetadata, zone: str) -> dict[str, object]:
    """Return the JSON of a note's metadata."""
    return {
        **{name: getattr(metadata, name) for name in METADATA},
        "date": iso_date(metadata, zone),
        "properties": dict(metadata.properties),
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
