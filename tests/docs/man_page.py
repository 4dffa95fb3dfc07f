"""Write the manual page `brain(1)` from the help of the commands: `python tests/docs/man_page.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from doc_parts import EXITS, ROOT, context_of

from brain_cli import errors
from brain_cli.cli import ABOUT, verbs
from brain_cli.cli._app import Command, Context, command_line, command_named
from brain_cli.config.schema import all_settings
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
    yield from (".SH SYNOPSIS", ".B brain", r"[\fIOPTIONS\fR] [\fICOMMAND\fR | \fIWORDS\fR]...")
    yield from (".SH DESCRIPTION", _text(ABOUT))
    yield ".SH OPTIONS"
    yield from _options(group, context_of(group, "brain"))


def _commands() -> Iterator[str]:
    yield ".SH COMMANDS"
    for name in verbs():
        command = command_named(name)
        inner = context_of(command, f"brain {name}")
        yield f".SS brain {_text(name)} {_text(' '.join(command.collect_usage_pieces(inner)))}"
        about, _, examples = str(command.help).partition("\n\nExamples:\n")
        for number, paragraph in enumerate(about.split("\n\n")):
            yield from [".PP"] if number else []
            yield from map(_text, paragraph.split("\n"))
        for example in examples.split("\n") if examples else ():
            yield from (".br", _text(example.strip()))
        yield from _options(command, inner)


def _options(command: Command, context: Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and record[1]:
            yield from (".TP", rf"\fB{_text(record[0])}\fR", _text(" ".join(record[1].split())))


def _settings() -> Iterator[str]:
    yield from (
        ".SH CONFIGURATION",
        "Settings of one word are also read from variables such as BRAIN_LIMIT.",
    )
    for name, setting in all_settings().items():
        yield from (
            ".TP",
            rf"\fB{_text(name)}\fR",
            _text(f"{setting.help} Takes {setting.value.takes}."),
        )


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
