"""What a command sees of the world: its process's own, or, where a watcher answers for it, its asker's."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from brain_cli.daemon.warm_index import WarmIndex


class Screen(NamedTuple):
    """Whether stdout and stderr are terminals, and how wide stdout's is (0: unknown)."""

    out: bool
    err: bool
    columns: int


class CommandContext(NamedTuple):
    """Environment, working folder and streams; `held` is the index that a watcher keeps open."""

    environ: Mapping[str, str]
    folder: str
    stdin: Callable[[], bytes]
    out: Callable[[bytes], None]
    err: Callable[[str], None]
    screen: Callable[[], Screen]
    warm_index: WarmIndex | None = None

    @property
    def width(self) -> int:
        """Columns of the terminal: COLUMNS, else what the terminal says, else 80."""
        named = self.environ.get("COLUMNS", "")
        return (int(named) if named.isdecimal() else 0) or self.screen().columns or 80


_current: ContextVar[CommandContext] = ContextVar("surroundings")


def command_context() -> CommandContext:
    """Return the surroundings of the command that is running."""
    return _current.get(None) or process_context()


@contextlib.contextmanager
def using_context(context: CommandContext) -> Iterator[None]:
    """Let the commands run inside the block have these surroundings."""
    token = _current.set(context)
    try:
        yield
    finally:
        _current.reset(token)


def process_context(stdin: bytes | None = None) -> CommandContext:
    """Return this process's own surroundings; `stdin` is what has been read of it already."""
    return CommandContext(
        environ=os.environ,
        folder=_working_folder(),
        stdin=lambda: sys.stdin.buffer.read() if stdin is None else stdin,
        out=_out,
        err=_err,
        screen=_screen,
    )


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"


def _out(content: bytes) -> None:
    # What Python has for stdout goes out before bytes are written past it.
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _err(text: str) -> None:
    """Write to stderr; nobody listening there is no error."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(text, end="", file=sys.stderr, flush=True)


def _screen() -> Screen:
    try:
        columns = os.get_terminal_size(1).columns
    except OSError:
        columns = 0
    return Screen(_is_terminal(sys.stdout), _is_terminal(sys.stderr), columns)


def _is_terminal(stream: object) -> bool:
    return stream is not None and bool(stream.isatty())  # type: ignore[attr-defined]
