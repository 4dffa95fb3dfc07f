"""The entry point: asks a running watcher first, else runs the command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `brain` and leave the process."""
    from brain_cli.serve.client import ask

    arguments = sys.argv[1:]
    try:
        served = ask(arguments)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        close_stdout()
        sys.exit(0)
    sys.exit(run(arguments, served.stdin) if served.code is None else served.code)


def run(arguments: list[str], stdin: bytes | None = None) -> int:
    """Run one command in this process; return its exit code. `stdin` is what has been read of it already."""
    from brain_cli.commands.boundary import bounded
    from brain_cli.commands.surroundings import own, within

    with within(own(stdin)):
        code, broken = bounded(arguments)
    if broken:
        close_stdout()
    return code


def close_stdout() -> None:
    """The reader has gone; what Python would still flush on leaving goes nowhere."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


if __name__ == "__main__":
    main()
