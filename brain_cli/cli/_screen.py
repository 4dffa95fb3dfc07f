"""`brain -i`: draw the state of the browser on the whole terminal with prompt_toolkit, and read the
keys.
"""

import asyncio
import contextlib
import os
import signal
import sys
import termios
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, FilterOrBool, has_focus
from prompt_toolkit.formatted_text import (
    ANSI,
    AnyFormattedText,
    StyleAndTextTuples,
    fragment_list_to_text,
    to_formatted_text,
)
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import (
    AnyContainer,
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    VSplit,
    Window,
)
from prompt_toolkit.layout.dimension import AnyDimension
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.layout.utils import explode_text_fragments
from prompt_toolkit.output import Output

from brain_cli.cli._browser import Browser, NoteList, Reading
from brain_cli.cli._editor import edit
from brain_cli.errors import OK, BrainError
from brain_cli.history.log import USEFUL, WRONG
from brain_cli.library.vault import Vault
from brain_cli.printable import one_line

# On a narrower terminal the preview is under the list instead of beside it.
SIDE_BY_SIDE_COLUMNS = 100
# Leave the second screen, show the cursor, paste as before, and write in the usual colours.
LEAVE_SCREEN = b"\x1b[?1049l\x1b[?25h\x1b[?2004l\x1b[0m"
# As in the answers of the normal screen.
MARKED = "bold fg:ansimagenta"
QUIET = "fg:ansibrightblack"
ASK_KEYS = "↑↓ select  ⏎ read  ^L links  ^K kept  ^O editor  ^Y useful  F1 keys  Esc leave"
NOTE_KEYS = "⏎ follow  b back  e edit  a append  p pin  d forget  u undo  ? keys  q leave"
HELP = """
 While you ask
   letters      ask while you type; without any, the newest notes are listed
   ↑ ↓          select a note (also ^P ^N PageUp PageDown)
   Enter        read the whole note; this counts as a recall
   ^L   ^O      list its links; open it in your editor
   ^K           list what the hooks of your agents have kept
   ^Y   ^X      rate it useful, or wrong
   Esc          leave (also ^C)

 In a note, and in a list of its links
   ↑ ↓          scroll, or select (also k j PageUp PageDown Space)
   Enter        follow: a note lists its links and backlinks, these open a note
   b            back (also Esc ← Backspace); / goes back to the question
   e            open the note in your editor
   a            append a line to it, below today's date
   p    d       pin it, so that it does not fade (again: unpin it); forget it
   +    -       rate it useful, or wrong
   u            undo the last change made here
   q            leave

 Any key closes this help."""


def browse(
    vault: Vault, text: str, options: Sequence[str], now: str | None, *, touches: bool
) -> int:
    """Show the screen until the user leaves it; `options` apply to every recall."""
    vault.ask(lambda _: None)  # Build the index while its progress can be shown.
    with _restoring_terminal():
        FullScreen(Browser(vault, now, options, touches=touches), text).run()
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

    before = {
        number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class FullScreen:
    """The application. All commands run in one other thread, in turn, so that typing never waits
    for an answer.
    """

    def __init__(
        self,
        browser: Browser,
        text: str,
        keys: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._browser = browser
        self._worker = ThreadPoolExecutor(1)
        self._is_asking = self._has_help = False
        self._typed = Buffer(multiline=False)
        self._line = Buffer(multiline=False)
        self._typed.insert_text(text)
        self._typed.on_text_changed += lambda _: self._ask()
        self._application: Application[None] = Application(
            layout=Layout(self._container()),
            key_bindings=self._keys(),
            full_screen=True,
            input=keys,
            output=output,
        )
        # Esc acts at once, without waiting for further bytes of an escape sequence.
        self._application.ttimeoutlen = self._application.timeoutlen = 0.05

    def run(self) -> None:
        """Show the screen until the user leaves it."""
        try:
            self._application.run(pre_run=self._ask)
        finally:
            self._worker.shutdown()
            self._browser.close()

    def _keys(self) -> KeyBindings:
        browser = self._browser
        keys = KeyBindings()

        def bind(when: FilterOrBool, actions: Mapping[str, Callable[[], object]]) -> None:
            for names, act in actions.items():
                for name in names.split():
                    keys.add(name, filter=when)(partial(self._act, act))

        def run(act: Callable[..., None], *values: str) -> Callable[[], None]:
            return partial(self._run, act, *values)

        def move(steps: int) -> Callable[[], None]:
            return partial(self._move, steps)

        appending = has_focus(self._line)
        helping = Condition(lambda: self._has_help)
        asking = ~appending & ~helping & Condition(lambda: len(browser.places) == 1)
        reading = ~appending & ~helping & ~asking
        everywhere: dict[str, Callable[[], object]] = {
            "up": move(-1),
            "down": move(1),
            "pageup": move(-10),
            "pagedown": move(10),
            "enter": self._follow,
            "f1": self._toggle_help,
            "c-o": self._edit,
            "c-k": run(browser.show_kept),
        }
        while_asking = {
            "c-p": move(-1),
            "c-n": move(1),
            "c-l": run(browser.follow_links),
            "c-y": run(browser.judge, USEFUL),
            "c-x": run(browser.judge, WRONG),
        }
        in_notes: dict[str, Callable[[], object]] = {
            "<any>": lambda: None,
            "k": move(-1),
            "j": move(1),
            "space": move(10),
            "l right": self._follow,
            "e": self._edit,
            "b escape left backspace": browser.back,
            "/": browser.leave_notes,
            "+": run(browser.judge, USEFUL),
            "-": run(browser.judge, WRONG),
            "?": self._toggle_help,
            "p": run(browser.pin),
            "d": run(browser.forget),
            "u": run(browser.undo),
            "a": partial(self._focus, self._line),
        }
        bind(asking | reading, everywhere)
        bind(asking, while_asking)
        bind(asking & Condition(lambda: not self._typed.text), {"?": self._toggle_help})
        bind(reading, in_notes)
        bind(appending, {"enter": self._append, "escape": partial(self._focus, self._typed)})
        bind(helping, {"<any> enter escape f1": self._toggle_help})
        leave: dict[str, FilterOrBool] = {
            "c-c": True,
            "<sigint>": True,
            "escape": asking,
            "q": reading,
        }
        for name, when in leave.items():
            keys.add(name, filter=when)(lambda event: event.app.exit())
        return keys

    def _act(self, act: Callable[[], object], _event: object) -> None:
        """Act on a key, once the answer to what is typed is there."""
        browser = self._browser
        text = self._typed.text
        browser.message = ""
        if browser.asked != text and not self._has_help:
            self._run(lambda: browser.show(text, browser.found(text)))
        act()

    def _focus(self, buffer: Buffer) -> None:
        self._line.reset()
        self._application.layout.focus(buffer)

    def _toggle_help(self) -> None:
        self._has_help = not self._has_help

    def _move(self, steps: int) -> None:
        if isinstance(self._browser.here, Reading) and abs(steps) > 1:
            steps = steps // abs(steps) * max(1, self._browser.height - 2)
        self._browser.here.move(steps)

    def _run(self, act: Callable[..., None], *values: str) -> None:
        """Run a command, after those that run already; an error becomes the message."""
        try:
            self._worker.submit(act, *values).result()
        except BrainError as error:
            self._browser.message = f"{error.message} {error.hint}"

    def _ask(self) -> None:
        if not self._is_asking:
            self._is_asking = True
            self._application.create_background_task(self._answer())

    async def _answer(self) -> None:
        """Answer what is typed, until the answer is to what stands there."""
        try:
            while self._browser.asked != (text := self._typed.text):
                found = await asyncio.get_running_loop().run_in_executor(
                    self._worker, self._browser.found, text
                )
                # Enter may have shown this answer already, and a note of it.
                if self._browser.asked != text:
                    self._browser.show(text, found)
                self._application.invalidate()
        finally:
            self._is_asking = False

    def _follow(self) -> None:
        """Read the selected note, or list the links of the note that is read."""
        browser = self._browser
        self._measure()
        self._run(browser.read if isinstance(browser.here, NoteList) else browser.follow_links)

    def _append(self) -> None:
        line = self._line.text
        self._focus(self._typed)
        self._run(self._browser.append, line)

    def _edit(self) -> None:
        def open_editor() -> None:
            if item := self._browser.here.item:
                try:
                    edit(self._browser.file_of(item), item.line, os.environ)
                except BrainError as error:
                    self._browser.message = f"{error.message} {error.hint}"
                self._run(self._browser.read_again)

        run_in_terminal(open_editor)

    def _container(self) -> AnyContainer:
        def window(
            draw: Callable[[], AnyFormattedText],
            share: int = 1,
            width: AnyDimension = None,
            wrap_lines: bool = False,
        ) -> Window:
            # The share of the rows is the same whatever is in the windows.
            return Window(
                FormattedTextControl(draw),
                height=Dimension(preferred=share, weight=share),
                width=width,
                wrap_lines=wrap_lines,
            )

        def line(name: str, buffer: Buffer) -> Window:
            control = BufferControl(buffer, [BeforeInput(f" {name}: ", "bold")])
            return Window(control, height=1)

        has_help = Condition(lambda: self._has_help)
        is_reading = Condition(lambda: isinstance(self._browser.here, Reading))
        is_wide = Condition(lambda: self._columns() >= SIDE_BY_SIDE_COLUMNS)
        border = Window(width=1, char="│")
        preview = partial(window, self._preview, wrap_lines=True)
        beside = VSplit([window(self._list, width=self._list_columns), border, preview()])
        below = HSplit([window(self._list, 2), Window(height=1, char="─"), preview(3)])
        bodies = {
            window(lambda: HELP): has_help,
            beside: ~has_help & ~is_reading & is_wide,
            below: ~has_help & ~is_reading & ~is_wide,
            window(self._note): ~has_help & is_reading,
            line("append", self._line): has_focus(self._line),
        }
        return HSplit(
            [
                line("ask", self._typed),
                *(ConditionalContainer(body, when) for body, when in bodies.items()),
                Window(FormattedTextControl(self._bottom), height=1, style="reverse"),
            ]
        )

    def _measure(self) -> bool:
        """Give the browser the size of the screen; return whether it has changed."""
        browser = self._browser
        before = (browser.columns, browser.height)
        size = self._application.output.get_size()
        browser.columns = size.columns
        # The question and the line of keys have a row each.
        browser.height = max(1, size.rows - 2)
        return before != (browser.columns, browser.height)

    def _columns(self) -> int:
        return self._application.output.get_size().columns

    def _list_columns(self) -> int:
        """Return the columns of the list: all, or a part beside the preview."""
        columns = self._columns()
        return (columns - 1) * 2 // 5 if columns >= SIDE_BY_SIDE_COLUMNS else columns

    def _list(self) -> StyleAndTextTuples:
        here = self._browser.here
        if not isinstance(here, NoteList):
            return []
        rows: StyleAndTextTuples = [("bold", f" {here.heading}\n")] if here.heading else []
        for number, item in enumerate(here.items):
            style = "reverse " if number == here.index else ""
            # The window scrolls to the cursor.
            rows += [("[SetCursorPosition]", "")] if style else []
            rows.append((style, f" {item.mark}{item.title}"))
            rows.append((style or QUIET, f"  {one_line(item.path)}\n"))
        return rows

    def _preview(self) -> StyleAndTextTuples:
        browser = self._browser
        item = browser.here.item
        if item is None:
            empty = {None: "", "": " There are no notes yet."}
            return [(QUIET, empty.get(browser.asked, " Nothing was found."))]
        columns = self._columns()
        # Below the list it has as many columns.
        beside = columns - self._list_columns() - 1
        width = max(10, (beside if beside > 0 else columns) - 1)
        styled: StyleAndTextTuples = [
            (style, f"{row}\n") for style, row in browser.preview_of(item, width)
        ]
        return [
            ("bold", f" {item.title}\n"),
            (QUIET, f" {one_line(item.path)}:{item.line}\n\n"),
            *self._marked(styled),
        ]

    def _note(self) -> StyleAndTextTuples:
        browser = self._browser
        if self._measure():
            browser.read_again()
        here = browser.here
        if not isinstance(here, Reading):
            return []
        rows = here.text.split("\n")[here.top :][: browser.height]
        return self._marked(to_formatted_text(ANSI("\n".join(rows))))

    def _marked(self, text: StyleAndTextTuples) -> StyleAndTextTuples:
        """Return a text in which the words that were asked for are marked."""
        letters = explode_text_fragments(text)
        for start, end in self._browser.asked_words(fragment_list_to_text(text)):
            for number in range(start, end):
                letters[number] = (f"{letters[number][0]} {MARKED}", letters[number][1])
        return letters

    def _bottom(self) -> str:
        keys = ASK_KEYS if len(self._browser.places) == 1 else NOTE_KEYS
        return f" {self._browser.message or keys}"
