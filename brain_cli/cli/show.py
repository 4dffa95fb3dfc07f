"""`brain show`: print a note, or one section of it."""

from typing import Annotated

from brain_cli.cli.common import CommonOptions, view
from brain_cli.cli.options import AsOfOption, SectionArgument, flag
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.library.note import NotePart
from brain_cli.printable import one_line
from brain_cli.process import command_context
from brain_cli.streams import say, write, write_json
from brain_cli.vault.clock import iso_date
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

    On a terminal, `brain show 1` shows the first note of its last answer or list.

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
        metadata = found.metadata
        document = {
            **{name: getattr(metadata, name) for name in METADATA},
            "date": iso_date(metadata, vault.zone),
            "dated_by": metadata.dated_by,
            "properties": dict(metadata.properties),
            "heading": list(found.section.trail) if found.section else [],
            "line": found.line,
            "text": text,
        }
        write_json(document)
    elif command_context().screen().out:
        if command_context().is_terminal:
            # Imported here, because most notes go into a pipe, and rich takes long to import.
            from brain_cli.render.terminal import note_page

            text = note_page(found.metadata, text, view(vault))
        write(text, is_paged=True)
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
