"""Write the manual page `brain(1)` from the help of the commands: `python tests/docs/man_page.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
from doc_parts import EXITS, ROOT

from brain_cli import errors
from brain_cli.cli import COMMANDS
from brain_cli.cli._app import app, command_line
from brain_cli.config.schema import SETTINGS
from brain_cli.version import VERSION

PAGE = ROOT / "docs" / "man" / "brain.1"
FILES = {
    "~/.config/brain/config.toml": "your settings",
    "VAULT/.brain/config.toml": "a vault's own settings",
    "VAULT/.brainignore": "files that are not notes, written like a .gitignore",
    "~/.local/state/brain/": "the history of recalls, where the vault has no .brain/history folder",
    "~/.cache/brain/": "the indexes, which may be deleted at any time",
}


def page() -> str:
    """Return the page in the man macros of roff."""
    return "\n".join([*_head(), *_commands(), *_settings(), *_files(), *_exits()]) + "\n"


def _head() -> Iterator[str]:
    group = command_line()
    yield f'.TH BRAIN 1 "" "brain {VERSION}" "User Commands"'
    yield from (".SH NAME", r"brain \- a command\-line memory over a folder of markdown notes")
    yield from (".SH SYNOPSIS", ".B brain", r"[\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGUMENTS\fR]")
    yield from (".SH DESCRIPTION", _text(app.info.help or ""))
    yield ".SH OPTIONS"
    yield from _options(group, _context(group))


def _context(group: click.Command) -> click.Context:
    """Return the context of `brain`; with its own settings, because click remembers the names of the help option."""
    return click.Context(group, info_name="brain", **group.context_settings)


def _commands() -> Iterator[str]:
    group = command_line()
    assert isinstance(group, click.Group)
    context = _context(group)
    yield ".SH COMMANDS"
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, **command.context_settings)
        yield f".SS brain {_text(name)} {_text(' '.join(command.collect_usage_pieces(inner)))}"
        for number, paragraph in enumerate(re.split(r"\n\s*\n", (command.help or "").strip())):
            yield from [".PP"] if number else []
            yield _text(" ".join(paragraph.split()))
        yield from _options(command, inner)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and record[1]:
            yield from (".TP", rf"\fB{_text(record[0])}\fR", _text(" ".join(record[1].split())))


def _settings() -> Iterator[str]:
    yield from (".SH CONFIGURATION", "Settings of one word are also read from variables such as BRAIN_LIMIT.")
    for name, setting in SETTINGS.items():
        yield from (".TP", rf"\fB{_text(name)}\fR", _text(f"{setting.help} Takes {setting.value.takes}."))


def _files() -> Iterator[str]:
    yield ".SH FILES"
    for path, about in FILES.items():
        yield from (".TP", rf"\fI{_text(path)}\fR", _text(f"{about}."))


def _exits() -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for name, about in EXITS.items():
        yield from (".TP", rf"\fB{getattr(errors, name)}\fR", _text(f"{about}."))


def _text(text: str) -> str:
    """Escape a text for roff: backslashes, hyphens, and a line that would begin as a macro."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    Path(PAGE).write_text(page(), encoding="utf-8")
