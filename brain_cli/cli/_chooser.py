"""`brain remember -i`: choose one of the results on the terminal, with a preview beside the list.

Arrow keys move, typing narrows the list, Enter opens the note in the editor, and two keys give feedback. The state is
plain values; prompt_toolkit draws it and reads the keys.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import termios
from collections.abc import Callable, Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from brain_cli.answer.results import Ranked, Recall
from brain_cli.cli._editor import edit
from brain_cli.cli._output import write_lines
from brain_cli.cli._workspace import Workspace, shown
from brain_cli.cli.feedback import Verdict, give_feedback
from brain_cli.errors import OK
from brain_cli.printable import one_line, printable
from brain_cli.vault.dates import iso

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.layout import AnyContainer
    from prompt_toolkit.output import Output

Value = TypeVar("Value")
# On a narrower terminal the preview is under the list instead of beside it.
SIDE_BY_SIDE_COLUMNS = 80
# Leave the second screen, show the cursor, paste as before, and write in the usual colours.
LEAVE_SCREEN = b"\x1b[?1049l\x1b[?25h\x1b[?2004l\x1b[0m"
HELP = " ↑↓ move  ⏎ open  ^Y useful  ^X wrong  Esc leave"


class Item(NamedTuple):
    """One line of the list: a note with the line of its best section, and the preview."""

    path: str
    line: int
    title: str
    preview: str

    def matches(self, words: Sequence[str]) -> bool:
        """Return whether every word is in the title, the path or the preview, in any case."""
        text = f"{self.title}\n{self.path}\n{self.preview}".casefold()
        return all(word in text for word in words)


def _item(ranked: Ranked) -> Item:
    fragment, metadata = ranked.hits[0].fragment, ranked.metadata
    head = [one_line(metadata.title), f"{one_line(metadata.path)}:{fragment.line}  {iso(metadata.timestamp)[:10]}"]
    if fragment.trail:
        head.append(" › ".join(map(one_line, fragment.trail)))
    preview = "\n".join([*head, "", printable(fragment.text)])
    return Item(metadata.path, fragment.line, one_line(metadata.title), preview)


class Choice:
    """The state of the list: the items that match the typed words, the selected one, and the feedback given."""

    def __init__(self, items: Sequence[Item], give_feedback: Callable[[str, str], None]) -> None:
        self._items = items
        self._give_feedback = give_feedback
        self.shown = list(items)
        self.index = 0
        self.message = ""

    @property
    def selected(self) -> Item | None:
        return self.shown[self.index] if self.shown else None

    def narrow(self, typed: str) -> None:
        """Show only the items that have every word of the text; the selected one stays selected if it can."""
        before, words = self.selected, typed.casefold().split()
        self.shown = [item for item in self._items if item.matches(words)]
        self.index = self.shown.index(before) if before in self.shown else 0

    def move(self, steps: int) -> None:
        """Select another item, stopping at the ends of the list."""
        self.index = max(0, min(len(self.shown) - 1, self.index + steps))

    def judge(self, verdict: str) -> None:
        """Give feedback on the selected note."""
        if self.selected:
            self._give_feedback(self.selected.path, verdict)
            self.message = f"{self.selected.title}: {verdict}"


def numbered(items: Sequence[Item]) -> Iterator[str]:
    """Yield the results as numbered lines, for use without a terminal."""
    for number, item in enumerate(items, start=1):
        yield f"{number}\t{one_line(item.path)}:{item.line}\t{item.title}"


def choose_result(workspace: Workspace, recall: Recall, *, touches: bool) -> int:
    """Let the user choose one of the results and open it; without a terminal, print them as a numbered list."""
    items = list(map(_item, recall.results or recall.archive))
    if not _is_on_terminal():
        write_lines(numbered(items))
        return OK
    with _restoring_terminal():
        chosen = choose(items, lambda path, verdict: give_feedback(workspace, [path], Verdict(verdict)))
    if chosen:
        if touches:
            opened = [ranked for ranked in recall.results if ranked.metadata.path == chosen.path]
            workspace.record([shown(recall, workspace.config, opened)])
        edit(os.path.join(workspace.vault, chosen.path), chosen.line, os.environ)
    return OK


@contextlib.contextmanager
def _restoring_terminal() -> Iterator[None]:
    """Restore the terminal if this process is terminated or its window is closed."""
    terminal = sys.stdin.fileno()
    settings = termios.tcgetattr(terminal)

    def leave(number: int, _frame: object) -> None:
        # An exception could be lost in the event loop, wherever it happens to be.
        with contextlib.suppress(OSError, termios.error):
            os.write(sys.stdout.fileno(), LEAVE_SCREEN)
            termios.tcsetattr(terminal, termios.TCSANOW, settings)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_on_terminal() -> bool:
    return sys.stdin is not None and sys.stdout is not None and sys.stdin.isatty() and sys.stdout.isatty()


def choose(
    items: Sequence[Item],
    give_feedback: Callable[[str, str], None],
    keys: Input | None = None,
    screen: Output | None = None,
) -> Item | None:
    """Let the user choose; return the item to open, None to leave. `keys` and `screen` default to the terminal."""
    return _application(Choice(items, give_feedback), keys, screen).run()


def _application(choice: Choice, keys: Input | None, screen: Output | None) -> Application[Item | None]:
    from prompt_toolkit.application import Application
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.layout import BufferControl, HSplit, Layout, Window
    from prompt_toolkit.layout.processors import BeforeInput

    typed = Buffer(on_text_changed=lambda buffer: choice.narrow(buffer.text), multiline=False)
    line = Window(BufferControl(typed, input_processors=[BeforeInput("> ")]), height=1)
    application: Application[Item | None] = Application(
        layout=Layout(HSplit([line, _list_and_preview(choice), _bottom(choice)]), focused_element=line),
        key_bindings=_key_bindings(choice),
        full_screen=True,
        input=keys,
        output=screen,
    )
    # Esc leaves at once, without waiting for further bytes of an escape sequence.
    application.ttimeoutlen = application.timeoutlen = 0.05
    return application


def _list_and_preview(choice: Choice) -> AnyContainer:
    """Return the list with the preview: beside it on a wide terminal, else below it."""
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.layout import ConditionalContainer, Dimension, FormattedTextControl, HSplit, VSplit, Window

    half = Dimension(weight=1)
    listed = Window(FormattedTextControl(lambda: _lines(choice)), width=_list_columns, height=half)
    preview = Window(FormattedTextControl(lambda: _preview(choice)), height=half)
    is_wide = Condition(lambda: _columns() >= SIDE_BY_SIDE_COLUMNS)
    beside = VSplit([listed, Window(width=1, char="│"), preview], padding=1)
    below = HSplit([listed, Window(height=1, char="─"), preview])
    return HSplit([ConditionalContainer(beside, is_wide), ConditionalContainer(below, ~is_wide)])


def _columns() -> int:
    from prompt_toolkit.application import get_app

    return get_app().output.get_size().columns


def _list_columns() -> int:
    columns = _columns()
    return columns * 2 // 5 if columns >= SIDE_BY_SIDE_COLUMNS else columns


def _preview(choice: Choice) -> str:
    """Return the preview of the selected note, its lines folded between words."""
    columns = _columns() - (_list_columns() + 3 if _columns() >= SIDE_BY_SIDE_COLUMNS else 0)
    text = choice.selected.preview if choice.selected else "Nothing matches."
    return "\n".join(fill(line, max(10, columns)) for line in text.splitlines())


def _lines(choice: Choice) -> StyleAndTextTuples:
    lines: StyleAndTextTuples = []
    for index, item in enumerate(choice.shown):
        is_selected = index == choice.index
        if is_selected:
            # The window scrolls to the cursor.
            lines.append(("[SetCursorPosition]", ""))
        lines.append(("reverse" if is_selected else "", f"{item.title}\n"))
    return lines


def _bottom(choice: Choice) -> AnyContainer:
    from prompt_toolkit.layout import FormattedTextControl, Window

    return Window(FormattedTextControl(lambda: choice.message or HELP), height=1, style="reverse")


def _key_bindings(choice: Choice) -> KeyBindings:
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()
    moves = {"up": -1, "c-p": -1, "down": 1, "c-n": 1, "pageup": -10, "pagedown": 10}
    for key, steps in moves.items():
        keys.add(key)(_doing(choice.move, steps))
    keys.add("c-y")(_doing(choice.judge, "useful"))
    keys.add("c-x")(_doing(choice.judge, "wrong"))
    keys.add("enter")(lambda event: event.app.exit(result=choice.selected))
    for key in ("escape", "c-c", "c-q", "<sigint>"):
        keys.add(key)(lambda event: event.app.exit(result=None))
    return keys


def _doing(act: Callable[[Value], None], value: Value) -> Callable[[KeyPressEvent], None]:
    return lambda _event: act(value)
