"""Processes of brain in the background: refreshes and daemons, started and found."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from brain_cli.config import variable_of
from brain_cli.extension import added_options, added_settings
from brain_cli.files import is_locked, lock_file
from brain_cli.process import command_context

LOCK_NAME = "watcher"
REFRESH_LOCK_NAME = "background"
AUTO_IDLE_MINUTES = 15.0
# A daemon without a limit on idling gets this one, because only an idle limit makes it end with its
# vault.
A_YEAR_OF_MINUTES = 525_600.0
MAX_LOCK_BYTES = 8_192


class RunningDaemon(NamedTuple):
    """A daemon that holds the lock of a vault's index."""

    pid: int
    vault: str
    index_folder: Path


def index_command(vault: str, *options: str) -> list[str]:
    """Return the command line of `brain index` for a vault, as this program's Python runs it."""
    # -P: import nothing from the working folder, which may be the vault and hold files of
    # strangers.
    return [sys.executable, "-P", "-m", "brain_cli", "index", "--vault", vault, *options]


def start_detached(
    command: list[str], environ: Mapping[str, str], pass_fds: tuple[int, ...] = ()
) -> int:
    """Start a process of its own session, which outlives this one and its terminal; return its
    process id.
    """
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
    """Start a refresh, unless one is running, so that a recall can answer now and the next one has
    the changes.

    If that fails, the next recall tries again. The process inherits the lock that prevents a second
    one, so the lock is free as soon as the process ends.
    """
    with contextlib.suppress(OSError):
        lock = os.open(
            index_folder / REFRESH_LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            if lock_file(lock):
                start_detached(index_command(vault), command_context().environ, (lock,))
        finally:
            os.close(lock)


def start_daemon(
    vault: str, settings: Mapping[str, object], idle_minutes: float = AUTO_IDLE_MINUTES
) -> int:
    """Start a daemon that outlives this process and its terminal; return its process id.

    `settings` are those of plugins. It ends when its vault has gone, and after `idle_minutes`
    without a recall if these are not 0.
    """
    command = index_command(
        vault, "--watch", "--idle", f"{idle_minutes or A_YEAR_OF_MINUTES:g}"
    )
    # What plugins' options have set for this call holds for the daemon.
    of_options = {
        variable_of(option.parameter): str(settings[option.parameter])
        for option in added_options()
        if option.parameter in added_settings()
    }
    return start_detached(command, {**os.environ, **of_options})


def running_daemons(caches: str) -> list[RunningDaemon]:
    """Return all daemons whose indexes are in this cache folder."""
    locks = sorted(Path(caches, "brain").glob(f"*/{LOCK_NAME}"))
    return [daemon for lock in locks if (daemon := daemon_in(lock.parent))]


def daemon_in(index_folder: Path) -> RunningDaemon | None:
    """Return the daemon that holds the lock of an index; None if the lock is free."""
    try:
        descriptor = os.open(
            index_folder / LOCK_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        )
    except OSError:
        return None
    try:
        if not is_locked(descriptor):
            return None
        pid, _, vault = os.fsdecode(os.pread(descriptor, MAX_LOCK_BYTES, 0)).partition("\n")
        return RunningDaemon(int(pid or 0), vault.strip("\n"), index_folder)
    finally:
        os.close(descriptor)
