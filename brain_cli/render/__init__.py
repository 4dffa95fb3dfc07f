"""Render a recall as text: one file per format, each a pure function of the recall and the view of
the screen.

To add a format: one file with `line(row, view) -> str`, which prints an entry of any list
(formats.py), or with `render(recall, view) -> str` for a whole answer, and its `TRAITS` if they are
not the defaults; one line in `OWN_FORMATS` (extension.py).
"""

import os
from collections.abc import Callable, Mapping

from brain_cli.record import Record
from brain_cli.types import DEFAULT_ZONE, MAX_COLUMNS, USUAL_SCREEN, Quotes, Screen

# The rows of the smallest window that an answer fits.
MIN_ROWS = 12


def note_uri(template: str, vault: str, path: str, line: int = 1) -> str:
    """Fill in a template of links, such as `vscode://file{path}:{line}`, with the absolute path of
    a note.
    """
    from urllib.parse import quote

    absolute = quote(f"{vault}/{path}".encode("utf-8", "surrogateescape"))
    return template.replace("{path}", absolute).replace("{line}", str(line))


class View(Record):
    """Everything a format may use besides the recall: the vault, the working folder, and the
    screen.

    `body_of` returns a note's text without its frontmatter. `elapsed_ms` is the duration of the
    recall. `width` and `height` are columns and rows of the window (height 0: unknown). `budget` is
    the maximum of characters (0: no limit), `listed` that of results in a list on a terminal, if
    one was asked for. `editor_uri` is the template of links to notes, with {path} and {line}.
    `same_vault` are the options with which another command finds this vault. `numbered`: a command
    on this terminal finds a note by its number in the answer. `zone` is the asker's time zone.
    `roots` are the folders of several vaults, by the names with which paths begin.
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
    budget: int = 0
    listed: int = 0
    editor_uri: str = "file://{path}"
    same_vault: tuple[str, ...] = ()
    numbered: bool = False
    zone: str = DEFAULT_ZONE
    roots: Mapping[str, str] = {}

    @property
    def columns(self) -> int:
        """The width of text in columns: the window's, but long lines are hard to read."""
        return min(self.width, MAX_COLUMNS)

    @property
    def screen(self) -> Screen:
        """The screen that an answer has to fit; the usual one if the window's height is unknown."""
        if self.height:
            return Screen(max(MIN_ROWS, self.height), self.width, self.listed)
        rows = self.budget // self.width if self.budget else 0
        return Screen(max(USUAL_SCREEN.rows, rows), self.width, self.listed)

    def path_from_here(self, path: str) -> str:
        """Return a path that opens from the working folder: relative below it, else absolute."""
        return os.path.join(*self.place(path)).removeprefix(self.folder.rstrip("/") + "/")

    def place(self, path: str) -> tuple[str, str]:
        """Return the vault of a note, and its path there."""
        for name, vault in self.roots.items():
            if path.startswith(f"{name}/"):
                return vault, path.removeprefix(f"{name}/")
        return self.vault, path


class Traits(Record):
    """The traits of a format; those of a new one are the defaults. A module states others as
    `TRAITS`.

    A format for people shows as much of the one strong match as the window or the budget has room
    for, contains the hints that other formats leave to stderr, and is cut to --budget from outside,
    which others keep themselves. `tells_all` says that the answer contains the warning that it may
    be stale, and the synthesis of the user's own program.
    """

    quotes: Quotes = Quotes.EVERY
    for_people: bool = False
    tells_all: bool = False
