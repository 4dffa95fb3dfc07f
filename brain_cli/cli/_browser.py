"""The state of `brain -i`: what was asked, the notes found, and the note that is read, as plain
values.

Everything comes from commands, which this process runs on an index that stays open.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from brain_cli.answer.screen_rows import ScreenLine, display_lines, wrapped
from brain_cli.cli.boundary import run_command
from brain_cli.daemon.warm_index import DeclinedError, WarmIndex
from brain_cli.daemon.watcher import FileWatcher
from brain_cli.errors import BrainError
from brain_cli.history.log import SHOWN, Event
from brain_cli.library.note import opened
from brain_cli.library.vault import Vault, now_of
from brain_cli.printable import one_line, printable
from brain_cli.process import Terminal, command_context, using_context
from brain_cli.vault.analyzer import detected_language, terms
from brain_cli.vault.blocks import CODE
from brain_cli.vault.inline_text import plain_title

MAX_LISTED = 50
MAX_LINKED = 200
FILTERS = (
    "--type",
    "--tag",
    "--path",
    "--where",
    "--since",
    "--until",
    "--archived",
)
ARROWS = {"to": "→ ", "from": "← ", "both": "↔ "}
_STYLE = re.compile(r"\x1b\[[\d;]*m")
# Links of the terminal, which open a note elsewhere.
_ADDRESS = re.compile(r"\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)")
_LETTERS = partial(re.compile(r"[\W_]+").sub, "")
_WORD = re.compile(r"[^\W_]+")


class Item(NamedTuple):
    """A note in a list, with the line and the text of its passages; a mark before its title says
    which way a link goes, or how often the note was recalled.
    """

    path: str
    line: int
    title: str
    passages: tuple[ScreenLine, ...] = ()
    mark: str = ""


@dataclass
class NoteList:
    """A list of notes, of which one is selected, below a heading.

    `ask` returns its notes, also after a change.
    """

    ask: Callable[[], Sequence[Item]]
    items: Sequence[Item]
    heading: str = ""
    index: int = 0

    @property
    def item(self) -> Item | None:
        return self.items[self.index] if self.items else None

    def move(self, steps: int) -> None:
        """Select another item, stopping at the ends of the list."""
        self.index = max(0, min(len(self.items) - 1, self.index + steps))


@dataclass
class Reading:
    """A note that is read: its text with escape codes, as `brain show` prints it, and the first row
    on the screen.
    """

    item: Item
    text: str
    height: int
    top: int = 0

    def __post_init__(self) -> None:
        self._rows = _STYLE.sub("", self.text).split("\n")
        # Begin at the passage, which is printed with other marks and in other lines than it is
        # written.
        lines = (line.text for line in self.item.passages if line.text and not line.is_heading)
        if words := _LETTERS(next(lines, ""))[:16]:
            rows = (at for at, row in enumerate(self._rows) if _LETTERS(row).startswith(words))
            self.move(next(rows, 0) - 3)

    def move(self, rows: int) -> None:
        """Scroll, stopping at the ends of the note."""
        self.top = max(0, min(len(self._rows) - self.height, self.top + rows))


@dataclass
class Browser:
    """The content of the screen: the last of `places`, and a message about the last change."""

    _vault: Vault
    _now: str | None
    _options: Sequence[str] = ()
    touches: bool = field(kw_only=True)
    # The columns of the screen, and its rows for a note.
    columns: int = 80
    height: int = 22
    asked: str | None = None
    message: str = ""

    def __post_init__(self) -> None:
        self.places: list[NoteList | Reading] = [NoteList(list, ())]
        # The day or commit of the notes, if it is not today: an option of every question.
        self._then = [each for each in self._options if each.startswith("--as-of=")]
        self._watcher = FileWatcher(self._vault.folder, lambda _: None)
        self._warm_index: WarmIndex | None = None
        # How many changes of this screen can be undone.
        self._changes = 0
        # The notes as they are shown, by path and width, until something changes.
        self._texts: dict[tuple[str, int], str] = {}

    @property
    def here(self) -> NoteList | Reading:
        return self.places[-1]

    def file_of(self, item: Item) -> str:
        return os.path.join(self._vault.folder, item.path)

    def close(self) -> None:
        self._watcher.close()

    def found(self, text: str) -> NoteList:
        """Return the notes that a text recalls, best first, below the sentence which says how sure
        they are; with neither a text nor a filter the newest ones.
        """
        verdict = ""
        if text.strip() or any(each.startswith(FILTERS) for each in self._options):
            document = self._recalled(*self._options, "--", text)
            if not document.get("results") and text[-1:].isalnum():
                # The last word may be the beginning of one.
                begun = self._recalled(*self._options, "--", f"{text}*")
                document = begun if begun.get("results") else document
            verdict = document.get("verdict", "")
        else:
            document = self._document("recent", *self._then, "-n", str(MAX_LISTED))
        return NoteList(lambda: self.found(text).items, _items(document), verdict)

    def show(self, text: str, found: NoteList) -> None:
        """Show the answer to a text, and nothing else."""
        self.asked = text
        self.places = [found]

    def show_kept(self) -> None:
        """List the notes that the hooks of agents have kept, newest first, with how often each was
        recalled.
        """

        def kept() -> list[Item]:
            document = self._recalled("--tag=captured", "--sort=date")
            counts = (each["recalled"] for each in document.get("results", ()))
            return [
                item._replace(mark=f"{count:>3}× ")
                for item, count in zip(_items(document), counts, strict=False)
            ]

        self._open_list(
            kept, "Kept by hooks, with how often recalled:", "Nothing was kept yet."
        )

    def follow_links(self) -> None:
        """List the notes that the note links to, and those that link to it."""
        if not (item := self.here.item):
            return

        def linked() -> list[Item]:
            words = ("--archived", "-n", str(MAX_LINKED), "--", item.path)
            related = self._document("related", *self._then, *words).get("related", ())
            return [
                Item(each["path"], 1, one_line(each["title"]), mark=ARROWS[each["link"]])
                for each in related
                if each["link"]
            ]

        heading = f"{item.title}: → its links, ← links to it"
        self._open_list(linked, heading, "No note is linked with this one.")

    def _open_list(self, ask: Callable[[], Sequence[Item]], heading: str, empty: str) -> None:
        if items := ask():
            self.places.append(NoteList(ask, items, heading))
        else:
            self.message = empty

    def read(self) -> None:
        """Read the selected note, which counts as a recall."""
        if item := self.here.item:
            self.places.append(Reading(item, self._text(item, self.columns), self.height))
            if self.touches:
                note = opened(self._vault, item.path)
                self._vault.record([Event(now_of(self._now), SHOWN, [note.mention])])

    def read_again(self) -> None:
        """Read the note again after a change, at the same row, or the list, at the same note."""
        self._texts.clear()
        here = self.here
        if isinstance(here, NoteList):
            here.items = here.ask()
            here.move(0)
        else:
            again = Reading(here.item, self._text(here.item, self.columns), self.height)
            again.move(here.top - again.top)
            self.places[-1] = again

    def back(self) -> None:
        """Go back to where the reader was before."""
        del self.places[max(1, len(self.places) - 1) :]

    def leave_notes(self) -> None:
        """Go back to the answer."""
        del self.places[1:]

    def pin(self) -> None:
        """Pin the note; if it is pinned, unpin it."""
        if "pinned already" in self._change_note("pin"):
            self._changes -= 1
            self._change_note("unpin")

    def forget(self) -> None:
        """Move the note to the trash, and go back to the list."""
        item = self.here.item
        if isinstance(self.here, Reading):
            self.back()
        if item:
            self._change("forget", "--yes", "--", item.path)

    def judge(self, verdict: str) -> None:
        """Rate the note as useful or wrong."""
        self._change_note("feedback", verdict)

    def append(self, line: str) -> None:
        """Append a line to the note, below a heading with today's date."""
        if self.here.item and line.strip():
            self._change("add", "--append", self.here.item.path, stdin=line)
            if isinstance(self.here, Reading):
                self.here.move(len(self.here.text))

    def _change_note(self, command: str, *words: str) -> str:
        """Run a command that changes the selected note, if there is one."""
        item = self.here.item
        return self._change(command, "--", item.path, *words) if item else ""

    def undo(self) -> None:
        """Undo the last change of this screen; what was changed elsewhere is not its to undo."""
        if not self._changes:
            self.message = (
                "Nothing was changed here. brain undo takes back what was changed elsewhere."
            )
            return
        left = self._changes - 1
        self._change("undo")
        self._changes = left

    def asked_words(self, text: str) -> list[tuple[int, int]]:
        """Return where (start, end) a text has words that were asked for, in any form."""
        language = detected_language(text) or "english"
        asked = set(terms(self.asked or "", language))
        words = _WORD.finditer(text) if asked else ()
        return [word.span() for word in words if not asked.isdisjoint(terms(word[0], language))]

    def preview_of(self, item: Item, width: int) -> Iterator[tuple[str, str]]:
        """Yield the passages of a note, or of a linked note its text, in rows of at most this
        width, each with its style.
        """
        for line in item.passages:
            mark = line.mark
            for start, end in wrapped(line, width - 1):
                yield "bold" if line.is_heading else "", f" {mark}{line.text[start:end]}"
                mark = " " * len(mark)
        if not item.passages:
            for row in _STYLE.sub("", self._text(item, width)).split("\n"):
                yield "", row

    def _text(self, item: Item, width: int) -> str:
        if (item.path, width) not in self._texts:
            code, out, err = self._run("show", *self._then, "--", item.path, columns=width)
            if code:
                raise BrainError(_first_line(err))
            self._texts[item.path, width] = _ADDRESS.sub("", out)
        return self._texts[item.path, width]

    def _change(self, *words: str, stdin: str = "") -> str:
        """Run a command that changes something, and show what it says."""
        code, out, err = self._run(*words, stdin=stdin)
        self._changes += not code
        self.read_again()
        self.message = _first_line(out or err)
        return self.message

    def _recalled(self, *words: str) -> dict[str, Any]:
        return self._document("remember", "--no-touch", "-n", str(MAX_LISTED), *words)

    def _document(self, name: str, *words: str) -> dict[str, Any]:
        _, out, err = self._run(name, "--json", *words)
        self.message = "" if out else _first_line(err)
        document: dict[str, Any] = json.loads(out or "{}")
        return document

    def _run(
        self, name: str, *words: str, stdin: str = "", columns: int = 0
    ) -> tuple[int, str, str]:
        """Run a command on the vault: exit code, stdout and stderr; with `columns` as on a terminal
        of that width.
        """
        now = ["--now", self._now] if self._now else []
        argv = [name, "--vault", self._vault.folder, *now, *words]
        context = command_context()
        if self._warm_index is None:
            self._watcher.start()
            self._warm_index = WarmIndex(
                self._vault.indexed, self._vault.index_directory, self._watcher
            )
        out = list[bytes]()
        err = list[str]()
        as_here = context._replace(
            environ={**context.environ, "COLUMNS": str(columns or context.width)},
            stdin=stdin.encode,
            out=out.append,
            page=None,
            err=err.append,
            screen=lambda: Terminal(bool(columns), False, columns),
            types=bool,
            warm_index=self._warm_index,
        )
        try:
            with using_context(as_here):
                code = run_command(argv)
        except DeclinedError:
            # The settings say now that other notes, or other dates, are indexed.
            with using_context(as_here._replace(warm_index=None)):
                code = run_command(argv)
        return code, b"".join(out).decode("utf-8", "replace"), "".join(err)


def _items(document: Mapping[str, Any]) -> list[Item]:
    """Return the notes of a recall, with their passages below the headings."""
    passages: dict[str, list[ScreenLine]] = {}
    for each in document.get("shown", ()):
        lines = passages.setdefault(each["path"], [])
        lines += [ScreenLine("")] if lines else []
        if each["heading"] and each["heading"][-1] != each["title"]:
            heading = one_line(plain_title(each["heading"][-1]))
            lines.append(ScreenLine(heading, is_heading=True))
        lines += display_lines(CODE if each["code"] else "", printable(each["text"]))
    return [
        Item(
            each["path"],
            each["line"],
            one_line(each["title"]),
            tuple(
                passages.get(each["path"])
                or display_lines("", printable(each["fragment"]["text"]))
            ),
        )
        for each in (*document.get("results", ()), *document.get("archive", ()))
    ]


def _first_line(said: str) -> str:
    return one_line(said.strip().split("\n")[0].removeprefix("brain: "))
