"""The environment of a command: that of its own process, or of a client for which the daemon
answers.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING

from brain_cli.errors import BrainError
from brain_cli.files import MAX_STDIN_BYTES, read_stdin
from brain_cli.paths import terminal_name, terminal_size, working_folder
from brain_cli.record import Record

if TYPE_CHECKING:
    from brain_cli.daemon.warm_index import WarmIndex


class Terminal(Record):
    """The terminal: whether stdout (`out`) and stderr (`err`) are one, and its columns and rows, 0
    if unknown.
    """

    out: bool
    err: bool
    columns: int
    rows: int = 0


class CommandContext(Record):
    """Environment variables, working folder and streams; `warm_index` is the index that a daemon
    keeps open.

    `page` is `out` for a long answer, which a terminal shows in a pager; None: `out` takes these
    too. `types` is true if stdin is a terminal, where a person can type. `said` are the messages
    that a command says once.
    """

    environ: Mapping[str, str]
    folder: str
    stdin: Callable[[], bytes]
    out: Callable[[bytes], None]
    err: Callable[[str], None]
    screen: Callable[[], Terminal]
    said: set[str]
    warm_index: "WarmIndex | None" = None
    # bool() is False.
    types: Callable[[], bool] = bool
    page: Callable[[bytes], None] | None = None

    def text(self) -> str:
        """Return standard input as text; bytes that are not UTF-8 are kept as surrogates."""
        return self.stdin().decode("utf-8", "surrogateescape")

    @property
    def width(self) -> int:
        """Return the columns of the terminal: COLUMNS, else the terminal's own width, else 80."""
        return self._number("COLUMNS") or self.screen().columns or 80

    @property
    def height(self) -> int:
        """Return the rows of the terminal: LINES, else the terminal's own height; 0 if neither is
        known.
        """
        return self._number("LINES") or self.screen().rows * self.is_terminal

    def _number(self, variable: str) -> int:
        text = self.environ.get(variable, "")
        return int(text) if text.isdecimal() else 0

    @property
    def terminal(self) -> str:
        """Return the name of the terminal that a command was typed on, empty if there is none; a
        client says it in BRAIN_TTY.
        """
        name = self.environ.get("BRAIN_TTY")
        return terminal_name() if name is None else name

    @property
    def is_terminal(self) -> bool:
        """Return whether stdout is a terminal that can show more than plain lines."""
        return self.screen().out and self.environ.get("TERM") != "dumb"


_current: ContextVar[CommandContext] = ContextVar("command_context")


def command_context() -> CommandContext:
    """Return the context of the command that is running."""
    return _current.get(None) or process_context()


@contextlib.contextmanager
def using_context(context: CommandContext) -> Iterator[None]:
    """Run the commands inside the block in this context."""
    token = _current.set(context)
    try:
        yield
    finally:
        _current.reset(token)


def process_context(stdin: bytes | None = None) -> CommandContext:
    """Return the context of this process; `stdin` holds its standard input if that has been read
    already.
    """
    return CommandContext(
        environ=os.environ,
        folder=working_folder(),
        stdin=lambda: _bounded(read_stdin() if stdin is None else stdin),
        out=_write_stdout,
        err=_write_stderr,
        screen=_screen,
        said=set(),
        types=lambda: _is_terminal(sys.stdin),
        page=_page,
    )


def _bounded(piped: bytes) -> bytes:
    if len(piped) > MAX_STDIN_BYTES:
        raise BrainError(
            f"More than {MAX_STDIN_BYTES >> 20} MB were piped in.", "Pipe less at once."
        )
    return piped


def _write_stdout(content: bytes) -> None:
    """Write all bytes; raise BrainError if stdout is closed or full, BrokenPipeError if its reader
    is gone.
    """
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        # Flush Python's text buffer first: these bytes bypass it.
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BrainError(
            f"The answer cannot be written: {error.strerror}.",
            "Check where stdout is redirected.",
        ) from None


def _page(content: bytes) -> None:
    if _is_terminal(sys.stdout):
        from brain_cli.pager import shown_by_pager

        sys.stdout.flush()
        if shown_by_pager(content, os.environ):
            return
    _write_stdout(content)


def _write_stderr(text: str) -> None:
    """Write to stderr as UTF-8 in any locale, so that names can be copied; a closed stderr is not
    an error.
    """
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.flush()
            sys.stderr.buffer.write(_encoded(text))
            sys.stderr.buffer.flush()


def _encoded(text: str) -> bytes:
    """Return a text as UTF-8, with the original bytes of a file name, and other lone surrogates as
    escapes.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def _screen() -> Terminal:
    return Terminal(_is_terminal(sys.stdout), _is_terminal(sys.stderr), *terminal_size())


def _is_terminal(stream: object) -> bool:
    return stream is not None and bool(stream.isatty())  # type: ignore[attr-defined]
