"""Refresh an index in the background, so that a recall can answer now and the next one has the changes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from brain_cli.cli._process import command_context
from brain_cli.file_lock import lock_file

LOCK_NAME = "background"


def refresh_in_background(vault: str, index_folder: Path) -> None:
    """Start `brain index` in a process of its own, unless one is running. If that fails, the next recall tries again.

    The process inherits the lock that prevents a second one, so the lock is free as soon as the process ends.
    """
    with contextlib.suppress(OSError):
        lock = os.open(index_folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if lock_file(lock):
                _start(vault, lock)
        finally:
            os.close(lock)


def _start(vault: str, lock: int) -> None:
    # -P: import nothing from the working folder, which may be the vault and hold files of strangers.
    subprocess.Popen(
        [sys.executable, "-P", "-m", "brain_cli", "index", "--vault", vault],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=dict(command_context().environ),
        pass_fds=(lock,),
        start_new_session=True,
    )
