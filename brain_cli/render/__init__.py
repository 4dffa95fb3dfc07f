"""Render a recall as text: one file per format, each a pure function of the recall and the view of the screen.

To add a format: one file with `render(recall, view) -> str`, one line in `FORMATS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from brain_cli.errors import UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from brain_cli.answer.results import Recall

FORMATS: dict[str, str] = {
    "rich": "brain_cli.render.rich_text",
    "plain": "brain_cli.render.plain",
    "json": "brain_cli.render.json_text",
    "jsonl": "brain_cli.render.jsonl",
    "paths": "brain_cli.render.paths",
    "markdown": "brain_cli.render.markdown",
}
AUTO = "auto"


def note_uri(template: str, vault: str, path: str, line: int = 1) -> str:
    """Fill in a template of links, such as `vscode://file{path}:{line}`, with the absolute path of a note."""
    from urllib.parse import quote

    absolute = quote(f"{vault}/{path}".encode("utf-8", "surrogateescape"))
    return template.replace("{path}", absolute).replace("{line}", str(line))


class View(NamedTuple):
    """Everything a format may use besides the recall: the vault, the working folder, and the screen.

    `body_of` returns a note's text without its frontmatter. `elapsed_ms` is the duration of the recall. `width` and
    `height` are columns and rows of the window (height 0: unknown). `fields` are the requested ones, empty for all.
    `budget` is the maximum of characters (0: no limit), `listed` that of results in a list on a terminal, if one was
    asked for.
    `editor_uri` is the template of links to notes, with {path} and {line}. `same_vault` are the options with which
    another command finds this vault. `numbered`: a command on this terminal finds a note by its number in the answer.
    """

    vault: str
    folder: str
    body_of: Callable[[str], str]
    explain: bool = False
    elapsed_ms: float = 0.0
    width: int = 80
    height: int = 0
    color: bool = False
    separator: str = "\n"
    fields: tuple[str, ...] = ()
    budget: int = 0
    listed: int = 0
    editor_uri: str = "file://{path}"
    same_vault: tuple[str, ...] = ()
    numbered: bool = False

    def path_from_here(self, path: str) -> str:
        """Return a path that opens from the working folder: relative below it, else absolute."""
        absolute = os.path.join(self.vault, path)
        below = absolute.startswith(self.folder.rstrip("/") + "/")
        return absolute[len(self.folder.rstrip("/")) + 1 :] if below else absolute

    def uri_of(self, path: str, line: int = 1) -> str:
        """Return the link that opens a note at a line."""
        return note_uri(self.editor_uri, self.vault, path, line)


class Format(Protocol):
    """One output format."""

    def render(self, recall: Recall, view: View) -> str:
        """Return the complete output, with its last line end."""


def load_format(name: str) -> Format:
    """Return a format by name; UsageError for one that does not exist."""
    if name not in FORMATS:
        raise UnknownNameError(f"There is no format “{name}”.", did_you_mean(name, (AUTO, *FORMATS)))
    return cast(Format, import_module(FORMATS[name]))
