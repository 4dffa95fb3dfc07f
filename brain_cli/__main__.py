"""The entry point: runs the command line, and turns whatever happens into an exit code and one sentence."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `brain` and leave the process."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; return its exit code. Nothing but an answer ever reaches stdout, no traceback stderr."""
    from brain_cli.errors import BUG, INTERRUPTED, WRONG_USAGE, BrainError

    try:
        return _command(arguments)
    except BrainError as error:
        _say(error.message, error.hint)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _close_stdout()
        return 0
    except Exception as error:
        import click

        if isinstance(error, click.Abort):
            return INTERRUPTED
        if isinstance(error, click.ClickException):
            _say(error.format_message(), _usage_hint(error))
            return WRONG_USAGE
        _say(f"This is a bug in brain: {type(error).__name__}.", f"The traceback is in {_logged(arguments)}.")
        return BUG


def _command(arguments: list[str]) -> int:
    from brain_cli.commands.app import app

    code = app(args=arguments, prog_name="brain", standalone_mode=False)
    return code if isinstance(code, int) else 0


def _usage_hint(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f"See `{context.command_path if context else 'brain'} --help`."


def _say(message: str, hint: str) -> None:
    try:
        print(f"brain: {message}", file=sys.stderr)
        if hint:
            print(f"  {hint}", file=sys.stderr)
    except OSError:
        pass


def _close_stdout() -> None:
    """The reader has gone; what Python would still flush on leaving goes nowhere."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _logged(arguments: list[str]) -> str:
    """Write the traceback to a log of the user's own; return its path."""
    import os
    import time
    import traceback

    from brain_cli.config import state_home

    folder = os.path.join(state_home(os.environ), "brain")
    path = os.path.join(folder, "errors.log")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {arguments}\n{traceback.format_exc()}\n")
    except OSError:
        traceback.print_exc()
        return "the lines above"
    return path


if __name__ == "__main__":
    main()
