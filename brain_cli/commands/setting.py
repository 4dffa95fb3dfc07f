"""What every command starts from: the vault, its settings, the clock, and a voice on stderr."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from brain_cli.commands.surroundings import surroundings
from brain_cli.config import Config, find_vault, load_config
from brain_cli.errors import UsageError
from brain_cli.index.place import Place, place_of
from brain_cli.index.refresh import Vault
from brain_cli.memory.events import Event
from brain_cli.memory.history import History, history_of
from brain_cli.places import cache_home, state_home
from brain_cli.recall.freshness import Library

# A note's name or tag may not steer the terminal.
CONTROL_CHARACTERS = dict.fromkeys([*range(32), *range(127, 160)])


class Setting(NamedTuple):
    """Where a command runs: `folder` is the working folder, `now` seconds since the epoch."""

    vault: str
    folder: str
    config: Config
    now: float
    cache_home: str
    state_home: str

    @property
    def place(self) -> Place:
        """The cache folder of the vault's index."""
        return place_of(self.vault, self.cache_home)

    @property
    def history(self) -> History:
        """The vault's history."""
        return history_of(self.vault, Path(self.state_home) / "brain", self.place.folder.name)


def setting(vault: str | None, now: str | None, flags: Mapping[str, object]) -> Setting:
    """Find the vault and its configuration; NoVaultError or UsageError when that cannot be."""
    there = surroundings()
    found = find_vault(vault, there.folder, there.environ, there.folder)
    return Setting(
        vault=found,
        folder=there.folder,
        config=load_config(found, flags, there.environ),
        now=clock(now),
        cache_home=cache_home(there.environ),
        state_home=state_home(there.environ),
    )


def working_folder() -> str:
    return surroundings().folder


def clock(flag: str | None) -> float:
    """Return the moment of this command: --now, else BRAIN_NOW, else the system's clock."""
    named = flag or surroundings().environ.get("BRAIN_NOW")
    return timestamp_named(named) if named else time.time()


def timestamp_named(text: str) -> float:
    """Read a moment; UsageError when it is none."""
    from brain_cli.notes.dates import timestamp_of

    seconds = timestamp_of(text)
    if seconds is None:
        raise UsageError(f"“{text}” is no date.", "Write it as 2026-11-21 or 2026-11-21T10:00:00Z.")
    return seconds


def say(line: str) -> None:
    """Write one line to stderr; nobody listening there is no error."""
    surroundings().err(f"brain: {line.translate(CONTROL_CHARACTERS)}\n")


def library(here: Setting, *, touch: bool = True) -> Library:
    """Return the vault's index, ready to be refreshed and asked; without `touch` the history is left alone."""
    from brain_cli.commands.progress import Progress
    from brain_cli.commands.touch import record

    def revised(events: list[Event]) -> None:
        # A refresh reads no clock: what it finds, it finds at this command's moment.
        record(here, [event._replace(at=here.now) for event in events])

    vault, held = Vault(here.vault, here.config.archive_folders), surroundings().held
    known = (vault, here.place, say, Progress(), revised if touch else None)
    return held.library(*known) if held else Library(*known)


def write(text: str) -> None:
    """Write an answer as bytes: a file name that is not UTF-8 comes out as it is on disk."""
    surroundings().out(text.encode("utf-8", "surrogateescape"))
