"""Show a long answer, of those that may be paged, in a pager: BRAIN_PAGER, else PAGER, else `less
-FRX`.

If it cannot run, or if stdout is not a terminal, answers are printed directly.
"""

import os
from collections.abc import Mapping

from brain_cli.paths import terminal_size

# Like git: `less` exits if the text fits one screen, keeps colours, and does not clear the screen.
LESS = "FRX"


def shown_by_pager(content: bytes, environ: Mapping[str, str]) -> bool:
    """Show an answer in the pager, and wait until it exits; return False if it must be printed
    instead.
    """
    if not _is_longer_than_the_window(content) or not (command := pager_command(environ)):
        return False
    import signal
    import subprocess

    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env={"LESS": LESS, **environ})
    except OSError:
        return False
    # Ctrl-C belongs to the pager from here on: it stops a search, not brain.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        # communicate() ignores a pager that exits before it has read everything.
        pager.communicate(content)
    finally:
        signal.signal(signal.SIGINT, before)
    # A shell returns 127 if there is no such program.
    return pager.returncode != 127


def pager_command(environ: Mapping[str, str]) -> list[str]:
    """Return the pager and its arguments; empty if it is set to nothing, or to `cat`."""
    import shlex

    try:
        command = shlex.split(environ.get("BRAIN_PAGER", environ.get("PAGER", "less")))
    except ValueError:
        return []
    return [] if command in ([], ["cat"]) else command


def _is_longer_than_the_window(content: bytes) -> bool:
    _, rows = terminal_size()
    return (
        os.isatty(0)
        and os.isatty(1)
        and os.environ.get("TERM") != "dumb"
        and content.count(b"\n") >= rows
    )
