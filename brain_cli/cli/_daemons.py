"""Daemons in the background: start one for a vault, and list the ones that run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from brain_cli.cli._workspace import Workspace
from brain_cli.file_lock import is_locked

LOCK_NAME = "watcher"
AUTO_IDLE_MINUTES = 15.0
# A daemon without a limit on idling gets this one, because only an idle limit makes it end with its vault.
A_YEAR_OF_MINUTES = 525_600.0
MAX_LOCK_BYTES = 8_192


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


def running_daemons(cache_home: str) -> list[RunningDaemon]:
    """Return all daemons whose indexes are in this cache folder."""
    found = (daemon_in(path.parent) for path in sorted(Path(cache_home, "brain").glob(f"*/{LOCK_NAME}")))
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
