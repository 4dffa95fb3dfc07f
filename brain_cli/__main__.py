"""The entry point: ask a running daemon first, else run the command line in this process."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Run `brain` and exit."""
    if sys.stdin is None:
        # A closed stdin is an empty one.
        sys.stdin = open("/dev/null", encoding="utf-8")  # noqa: SIM115
    code = _exit_code()
    for number, stream in enumerate((sys.stdout, sys.stderr), 1):
        # If its reader is gone, its disk is full, or it was closed, Python's last flush would fail.
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    # A short command leaves nothing worth collecting; the system frees its memory.
    gc.disable()
    gc.freeze()
    sys.exit(code)


def _exit_code() -> int:
    arguments = _without_pager(sys.argv[1:])
    is_alone = len(arguments) == 1 or (len(arguments) == 3 and arguments[1] == "--vault")
    if is_alone and (hook := _hook_of(arguments[0])):
        return int(hook(*arguments[2:]))
    from brain_cli.daemon.client import ask

    try:
        code, stdin = ask(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0
    except OSError as error:
        sys.stderr.write(
            f"brain: The answer cannot be written: {error.strerror}.\n  Check where stdout is "
            "redirected.\n"
        )
        return 3
    if code is not None:
        return code
    if "--watch" in arguments:
        # A daemon collects its garbage between its answers (daemon/loop.py).
        gc.disable()
    else:
        # A short command ends before it has garbage worth collecting.
        gc.set_threshold(200_000, 50, 100)
    return run(arguments, stdin)


def _hook_of(word: str) -> Callable[..., int] | None:
    """Return the function of a plugin's command that a program waits for; None for another word.

    It is found by the name of its file, before anything of the plugins is imported.
    """
    if not word.isalpha():
        return None
    folder = os.path.join(os.path.dirname(__file__), "plugins")
    for plugin in os.listdir(folder):
        if os.path.isfile(os.path.join(folder, plugin, f"{word}_hook.py")):
            from importlib import import_module

            run: Callable[..., int] = import_module(
                f"brain_cli.plugins.{plugin}.{word}_hook"
            ).run
            return run
    return None


def _without_pager(arguments: list[str]) -> list[str]:
    """Return the arguments without --no-pager, which may stand anywhere before `--`: it empties
    BRAIN_PAGER.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    if "--no-pager" not in arguments[:end]:
        return arguments
    os.environ["BRAIN_PAGER"] = ""
    return [*(each for each in arguments[:end] if each != "--no-pager"), *arguments[end:]]


def run(arguments: list[str], stdin: bytes | None = None) -> int:
    """Run one command in this process and return its exit code; `stdin` is its input if that was
    read already.
    """
    from brain_cli.cli.boundary import run_here

    return run_here(arguments, stdin)


if __name__ == "__main__":
    main()
