"""The entry point: asks a running watcher first, else runs the command line."""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> None:
    """Run `brain` and leave the process."""
    arguments = sys.argv[1:]
    if arguments == ["capture"]:
        from brain_cli.capture.front import hook

        leave(hook())
    from brain_cli.daemon.client import ask

    try:
        served = ask(arguments)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        close_stdout()
        sys.exit(0)
    if served.code is not None:
        leave(served.code)
    if "--watch" in arguments:
        # What it holds is no garbage, and to look through it for some takes a tenth of the time of an answer.
        gc.set_threshold(50_000, 20, 20)
        sys.exit(run(arguments, served.stdin))
    # Such a command is over before there is garbage worth looking for; the catalogue alone would be looked
    # through dozens of times while it is read.
    gc.set_threshold(200_000, 50, 100)
    leave(run(arguments, served.stdin))


def run(arguments: list[str], stdin: bytes | None = None) -> int:
    """Run one command in this process; return its exit code. `stdin` is what has been read of it already."""
    from brain_cli.cli._context import process_context, using_context
    from brain_cli.cli._errors import bounded

    with using_context(process_context(stdin)):
        code, broken = bounded(arguments)
    if broken:
        close_stdout()
    return code


def leave(code: int) -> NoReturn:
    """End the process without taking apart what the system frees anyway: that would take a tenth of a recall."""
    import atexit
    import os

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # the reader has gone, or it was closed
            continue
    os._exit(code)


def close_stdout() -> None:
    """The reader has gone; what Python would still flush on leaving goes nowhere."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


if __name__ == "__main__":
    main()
