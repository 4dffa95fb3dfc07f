"""The streams of a command: its answer on stdout, messages and progress on stderr."""

import contextlib
import json
import re
import sys
import time
from collections.abc import Iterable, Mapping

from brain_cli.errors import UsageError
from brain_cli.printable import for_terminal, one_line
from brain_cli.process import command_context
from brain_cli.version import DOCUMENT_VERSION

# The file that an option names for stdout.
STANDARD_OUTPUT = "-"
SILENT_SECONDS = 1.0
LINE_SECONDS = 5.0
BAR_WIDTH = 30


def write(text: str, *, is_paged: bool = False) -> None:
    """Write an answer as bytes, so that a file name that is not UTF-8 is written as on disk.

    One that `is_paged` goes through the pager if it is longer than the terminal.
    """
    context = command_context()
    out = (context.page if is_paged else None) or context.out
    shown = for_terminal(text) if context.screen().out else text
    out(shown.encode("utf-8", "surrogateescape"))


def write_lines(lines: Iterable[str], *, is_paged: bool = False) -> None:
    """Write all lines of an answer at once: the reader gets all of it or nothing."""
    write("".join(f"{line}\n" for line in lines), is_paged=is_paged)


def write_json(document: Mapping[str, object]) -> None:
    """Write an answer as one JSON document, with the version of its format."""
    write(json.dumps({"version": DOCUMENT_VERSION, **document}, indent=2) + "\n")


def say(line: str, *more: str) -> None:
    """Write a message to stderr, and lines below it; a closed stderr is not an error."""
    context = command_context()
    lines = [f"brain: {line}", *(f"  {each}" for each in more if each)]
    columns = context.width if context.screen().err else 0
    context.err("".join(f"{folded(one_line(each), columns)}\n" for each in lines))


def say_once(line: str) -> None:
    """Write a message that other steps of the same command may repeat."""
    said = command_context().said
    if line not in said:
        said.add(line)
        say(line)


def folded(line: str, columns: int) -> str:
    """Break a message between words if it is longer than a row. A sentence that introduces a
    command begins a row, and the command stays whole, so that it can be copied.
    """
    if not columns or len(line) <= columns:
        return line
    import textwrap

    text, mark, command = line.partition(": brain ")
    indent = " " * (len(text) - len(text.lstrip()))
    *before, introduction = re.split("(?<=[.?!]) ", text) if mark else (text,)

    def wrap(text: str) -> list[str]:
        whole = re.sub("`[^`]*`", lambda match: match[0].replace(" ", "\0"), text)
        rows = textwrap.wrap(
            whole,
            columns,
            subsequent_indent=f"{indent}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        return [row.replace("\0", " ") for row in rows]

    if not mark:
        return "\n".join(wrap(text))
    rows = wrap(" ".join(before))
    last = f"{indent if before else ''}{introduction}{mark}{command}"
    if len(last) <= columns:
        return "\n".join([*rows, last])
    rows += wrap(last.removesuffix(f" brain {command}"))
    return "\n".join([*rows, f"{indent}  brain {command}"])


def confirmed(question: str, why_yes: str) -> bool:
    """Ask on the terminal; without a terminal, raise UsageError, whose message is `why_yes`."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(why_yes, "Add --yes to do it.")
    asked = folded(one_line(f"{question} [y/N]"), command_context().width)
    print(f"{asked} ", end="", file=sys.stderr, flush=True)
    # A terminal that cannot be read, such as that of a job in the background, says no.
    with contextlib.suppress(OSError):
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    return False


class Progress:
    """Show the progress of long work: a bar on a terminal, elsewhere a line every few seconds.

    Call it with (done, total), and what else is known. Work shorter than a second shows nothing.
    """

    def __init__(self, task: str = "reading notes") -> None:
        self._task = task
        self._started = time.monotonic()
        self._last_line = self._started

    def __call__(self, done: int, total: int, known: str = "") -> None:
        now = time.monotonic()
        context = command_context()
        if now - self._started < SILENT_SECONDS:
            return
        if context.screen().err:
            bar = ("█" * (BAR_WIDTH * (done + 1) // max(1, total))).ljust(BAR_WIDTH, "░")
            end = "\r\x1b[K" if done + 1 >= total else ""
            context.err(f"\r\x1b[Kbrain: {self._task} {bar} {done + 1}/{total}{known}{end}")
        elif now - self._last_line >= LINE_SECONDS:
            self._last_line = now
            context.err(f"brain: {self._task}: {done} of {total}{known}\n")
