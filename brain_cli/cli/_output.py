"""What a command says: its answer on stdout, everything else on stderr."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from brain_cli.cli._context import command_context
from brain_cli.version import DOCUMENT_VERSION

# A note's name or tag may not steer the terminal.
_CONTROL_CHARACTERS = dict.fromkeys([*range(32), *range(127, 160)])


def write(text: str) -> None:
    """Write an answer as bytes: a file name that is not UTF-8 comes out as it is on disk."""
    command_context().out(text.encode("utf-8", "surrogateescape"))


def write_lines(lines: Iterable[str]) -> None:
    """Write an answer of lines at once, so that it is there in full or not at all."""
    write("".join(f"{line}\n" for line in lines))


def write_json(document: Mapping[str, object]) -> None:
    """Write an answer as one JSON document."""
    write(json.dumps({"version": DOCUMENT_VERSION, **document}, indent=2) + "\n")


def say(line: str) -> None:
    """Write one line to stderr; nobody listening there is no error."""
    command_context().err(f"brain: {without_controls(line)}\n")


def without_controls(text: str) -> str:
    """Return a text without control characters, line breaks and tabs among them."""
    return text.translate(_CONTROL_CHARACTERS)
