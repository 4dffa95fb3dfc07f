"""What every command on a vault starts from: where it runs, the settings that hold there, the clock, the index."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from brain_cli.cli._context import command_context
from brain_cli.cli._output import say
from brain_cli.config import Config, find_vault, load_config
from brain_cli.errors import BrainError, UsageError
from brain_cli.index.directory import IndexDirectory, LockedError, index_directory_of
from brain_cli.index.session import IndexSession
from brain_cli.index.sync import Refreshed, Vault
from brain_cli.memory.events import Event
from brain_cli.memory.history import History, history_of
from brain_cli.paths import cache_home, state_home

# A command that must have the last change waits this long for another that is writing the index.
LOCK_SECONDS = 30.0


class Workspace(NamedTuple):
    """Where a command runs: `folder` is the working folder, `now` seconds since the epoch."""

    vault: str
    folder: str
    config: Config
    now: float
    cache_home: str
    state_home: str

    @property
    def index_directory(self) -> IndexDirectory:
        """The cache folder of the vault's index."""
        return index_directory_of(self.vault, self.cache_home)

    @property
    def history(self) -> History:
        """The vault's history."""
        return history_of(self.vault, Path(self.state_home) / "brain", self.index_directory.folder.name)


def open_workspace(vault: str | None, now: str | None, flags: Mapping[str, object] | None = None) -> Workspace:
    """Find the vault and its configuration; NoVaultError or UsageError when that cannot be."""
    context = command_context()
    found = find_vault(vault, context.folder, context.environ, context.folder)
    return Workspace(
        vault=found,
        folder=context.folder,
        config=load_config(found, flags or {}, context.environ),
        now=clock(now),
        cache_home=cache_home(context.environ),
        state_home=state_home(context.environ),
    )


def clock(flag: str | None) -> float:
    """Return the moment of this command: --now, else BRAIN_NOW, else the system's clock."""
    named = flag or command_context().environ.get("BRAIN_NOW")
    return timestamp_named(named) if named else time.time()


def timestamp_named(text: str) -> float:
    """Read a moment, as seconds since the epoch; UsageError when it is none."""
    from brain_cli.vault.dates import timestamp_of

    seconds = timestamp_of(text)
    if seconds is None:
        raise UsageError(f"“{text}” is no date.", "Write it as 2026-11-21 or 2026-11-21T10:00:00Z.")
    return seconds


def index_session(workspace: Workspace, *, touch: bool = True) -> IndexSession:
    """Return the vault's index, ready to be refreshed and asked; without `touch` the history is left alone."""
    from brain_cli.cli._history import record
    from brain_cli.cli._progress import Progress

    def found(events: list[Event]) -> None:
        # A refresh reads no clock: what it finds, it finds at this command's moment.
        record(workspace, [event._replace(at=workspace.now) for event in events])

    vault, warm_index = Vault(workspace.vault, workspace.config.archive_folders), command_context().warm_index
    known = (vault, workspace.index_directory, say, Progress(), found if touch else None)
    return warm_index.index_session(*known) if warm_index else IndexSession(*known)


def refreshed(index: IndexSession, *, full: bool = False) -> Refreshed:
    """Bring the index up to date; BrainError when another command keeps it for too long."""
    try:
        return index.refresh(full=full, wait_seconds=LOCK_SECONDS)
    except LockedError:
        raise BrainError("Another brain is refreshing this index.", "Try again when it is done.") from None
