"""The entry point: ask a running daemon first, else run the command line in this process."""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> None:
    """Run `brain` and exit."""
    arguments = sys.argv[1:]
    if arguments == ["capture"]:
        from brain_cli.capture.intake import hook

        exit_now(hook())
    from brain_cli.daemon.client import ask

    try:
        reply = ask(arguments)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        close_stdout()
        sys.exit(0)
    except OSError as error:
        sys.stderr.write(
            f"brain: The answer cannot be written: {error.strerror}.\n  Check where stdout is redirected.\n"
        )
        close_stdout()
        sys.exit(3)
    if reply.code is not None:
        exit_now(reply.code)
    if "--watch" in arguments:
        # A daemon collects its garbage between its answers (daemon/garbage.py).
        gc.disable()
        sys.exit(run(arguments, reply.stdin))
    # A short command ends before it has garbage worth collecting; reading the note table alone would trigger dozens
    # of collections.
    gc.set_threshold(200_000, 50, 100)
    exit_now(run(arguments, reply.stdin))


def run(arguments: list[str], stdin: bytes | None = None) -> int:
    """Run one command in this process and return its exit code; `stdin` is its input if that was read already."""
    from brain_cli.cli._errors import run_command
    from brain_cli.cli._process import process_context, using_context

    with using_context(process_context(stdin)):
        code, stdout_has_closed = run_command(arguments)
    if stdout_has_closed:
        close_stdout()
    return code


def exit_now(code: int) -> NoReturn:
    """Exit without freeing memory, which the system does anyway: that would take a tenth of a recall's time."""
    import atexit
    import os

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # its reader is gone, its disk is full, or it was closed
            continue
    os._exit(code)


def close_stdout() -> None:
    """Redirect stdout to nowhere, so that Python's last flush does not fail."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


if __name__ == "__main__":
    main()
