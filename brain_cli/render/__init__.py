"""Render a recall as text: one file per format, each a pure function of the recall and the view of the screen.

To add a format: one file with `render(recall, view) -> str`, one line in `FORMATS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from brain_cli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from brain_cli.answer.results import Recall

FORMATS: Mapping[str, str] = {
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
    """All that a format may use besides the recall: the vault's folder, where paths open from, and the screen.

    `body_of` returns a note's text without its frontmatter; `elapsed_ms` is what the recall took; `height` is that of
    the window in rows (0: unknown). `fields` are those that are asked for, empty where all are; `budget` is how many
    characters may be printed (0: any number). `editor_uri` is the link to a note, with
    {path} and {line} to be filled in. `same_vault` are the options with which another command finds this vault.
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
    editor_uri: str = "file://{path}"
    same_vault: tuple[str, ...] = ()

    def path_from_here(self, path: str) -> str:
        """Return a path that opens from the working folder: relative below it, else absolute."""
        absolute = os.path.join(self.vault, path)
        below = absolute.startswith(self.folder.rstrip("/") + "/")
        return absolute[len(self.folder.rstrip("/")) + 1 :] if below else absolute

    def uri_of(self, path: str, line: int = 1) -> str:
        """Return the link that opens a note at a line."""
        return note_uri(self.editor_uri, self.vault, path, line)


class Format(Protocol):
    """One form of an answer."""

    def render(self, recall: Recall, view: View) -> str:
        """Return all that is printed, to the last line's end."""


def load_format(name: str) -> Format:
    """Return a format by name; UsageError for one that does not exist."""
    if name not in FORMATS:
        raise UsageError(f"There is no format “{name}”.", did_you_mean(name, (AUTO, *FORMATS)))
    return cast(Format, import_module(FORMATS[name]))
