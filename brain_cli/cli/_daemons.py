"""Daemons in the background: start one for a vault, and list the ones that run."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

from brain_cli.cli._output import write_json, write_lines
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import Workspace, open_workspace
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.files import is_locked
from brain_cli.paths import cache_home
from brain_cli.printable import one_line

LOCK_NAME = "watcher"
AUTO_IDLE_MINUTES = 15.0
# A daemon without a limit on idling gets this one, because only an idle limit makes it end with its vault.
A_YEAR_OF_MINUTES = 525_600.0
MAX_LOCK_BYTES = 8_192
STOP_SECONDS = 10.0


class RunningDaemon(NamedTuple):
    """A daemon that holds the lock of a vault's index."""

    pid: int
    vault: str
    index_folder: Path


def ensure_daemon(workspace: Workspace) -> None:
    """Start a daemon that ends after some minutes without a recall, unless the vault has a daemon."""
    if daemon_in(workspace.index_directory.folder) is None:
        start_daemon(workspace, AUTO_IDLE_MINUTES)


def start_daemon(workspace: Workspace, idle_minutes: float) -> int:
    """Start a daemon that outlives this process and its terminal; return its process id.

    It ends when its vault has gone, and after `idle_minutes` without a recall if these are not 0.
    """
    from brain_cli.cli._background import index_command, start_detached

    command = index_command(workspace.vault, "--watch", "--idle", f"{idle_minutes or A_YEAR_OF_MINUTES:g}")
    return start_detached(command, {**os.environ, "BRAIN_MEMORY": workspace.config.memory})


def running_daemons(caches: str) -> list[RunningDaemon]:
    """Return all daemons whose indexes are in this cache folder."""
    found = (daemon_in(path.parent) for path in sorted(Path(caches, "brain").glob(f"*/{LOCK_NAME}")))
    return [daemon for daemon in found if daemon]


def daemon_in(index_folder: Path) -> RunningDaemon | None:
    """Return the daemon that holds the lock of an index; None if the lock is free."""
    try:
        descriptor = os.open(index_folder / LOCK_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _read_lock(descriptor, index_folder) if is_locked(descriptor) else None
    finally:
        os.close(descriptor)


def _read_lock(descriptor: int, index_folder: Path) -> RunningDaemon:
    pid, _, vault = os.fsdecode(os.pread(descriptor, MAX_LOCK_BYTES, 0)).partition("\n")
    return RunningDaemon(int(pid) if pid.isdecimal() else 0, vault.strip("\n"), index_folder)


def report_daemons(vault: str | None, *, stops: bool, as_json: bool) -> int:
    """Print the running daemons, all of them unless a vault is named, after stopping them if that is wanted."""
    daemons = _daemons(vault)
    for daemon in daemons if stops else ():
        _stop(daemon)
    if as_json:
        write_json({"daemons": [{"pid": each.pid, "vault": each.vault} for each in daemons]})
    else:
        did = "Stopped" if stops else "Running"
        lines = [f"{did}: {one_line(each.vault)} (pid {each.pid})" for each in daemons]
        write_lines(lines or ["No daemon is running."])
    return OK if daemons else NOTHING_FOUND


def _daemons(vault: str | None) -> list[RunningDaemon]:
    if vault is None:
        return running_daemons(cache_home(command_context().environ))
    found = daemon_in(open_workspace(vault, None).index_directory.folder)
    return [found] if found else []


def _stop(daemon: RunningDaemon) -> None:
    """Ask a daemon to stop, and wait until it has."""
    deadline = time.monotonic() + STOP_SECONDS
    with contextlib.suppress(ProcessLookupError):
        if daemon.pid:
            os.kill(daemon.pid, signal.SIGTERM)
    while daemon_in(daemon.index_folder) == daemon and time.monotonic() < deadline:
        time.sleep(0.02)
