"""Start `brain index` in a process of its own: to refresh an index for the next recall, or as a daemon."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from brain_cli.cli._process import command_context
from brain_cli.files import lock_file

LOCK_NAME = "background"


def index_command(vault: str, *options: str) -> list[str]:
    """Return the command line of `brain index` for a vault, as this program's Python runs it."""
    # -P: import nothing from the working folder, which may be the vault and hold files of strangers.
    return [sys.executable, "-P", "-m", "brain_cli", "index", "--vault", vault, *options]


def start_detached(command: list[str], environ: Mapping[str, str], pass_fds: tuple[int, ...] = ()) -> int:
    """Start a process of its own session, which outlives this one and its terminal; return its process id."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        command,
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        cwd="/",
        env=dict(environ),
        pass_fds=pass_fds,
        start_new_session=True,
    )
    # No process waits for it: this one ends first.
    process.returncode = 0
    return process.pid


def refresh_in_background(vault: str, index_folder: Path) -> None:
    """Start a refresh, unless one is running, so that a recall can answer now and the next one has the changes.

    If that fails, the next recall tries again. The process inherits the lock that prevents a second one, so the lock
    is free as soon as the process ends.
    """
    with contextlib.suppress(OSError):
        lock = os.open(index_folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if lock_file(lock):
                start_detached(index_command(vault), command_context().environ, (lock,))
        finally:
            os.close(lock)
