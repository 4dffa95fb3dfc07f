"""Print `brain --help` from the tables of options and commands, without click, whose import takes longer.

The layout is click's; a test compares the two at every width.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from brain_cli.cli import ABOUT, COMMANDS, START, USAGE, grouped

OPTIONS = {
    "--vault DIR": "The folder of notes.",
    "--now ISO": "Set the clock.",
    "--json": "Print one JSON document.",
    "--version": "Print the version and what it runs on.",
    "-h, --help": "Show this message and exit.",
}
INDENT = "  "
MIN_WIDTH, MAX_WIDTH = 50, 78


def is_help(arguments: list[str]) -> bool:
    """Return whether a command line only asks for the help of `brain` itself."""
    return arguments in (["--help"], ["-h"]) and "_BRAIN_COMPLETE" not in os.environ


def help_text(columns: int) -> str:
    """Return the help for a terminal of this width."""
    width = max(MIN_WIDTH, min(MAX_WIDTH, columns - len(INDENT)))
    about = [f"{INDENT}{line}" for line in _wrapped(ABOUT, width - len(INDENT))]
    lines = [f"Usage: brain {USAGE}", "", *about, "", "Options:", *_listed(OPTIONS, width)]
    longest = max(map(len, COMMANDS))
    for title, commands in grouped():
        aligned = {name.ljust(longest): text for name, text in commands.items()}
        lines += ["", f"{title}:", *_listed(aligned, width)]
    start = [f"{INDENT}{line}" for line in _wrapped(START, width - len(INDENT))]
    return "\n".join([*lines, "", *start, ""])


def _listed(texts: Mapping[str, str], width: int) -> Iterator[str]:
    """Yield names and their texts in two columns."""
    first_column = max(map(len, texts)) + len(INDENT)
    for name, text in texts.items():
        label = name.ljust(first_column)
        for line in _wrapped(text, width - first_column - len(INDENT)):
            yield f"{INDENT}{label}{line}"
            label = " " * first_column


def _wrapped(text: str, width: int) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}".lstrip()
    yield line
