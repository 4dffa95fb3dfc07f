"""A vault with its settings, clock, index and history: the base of the verbs, and of programs of
one's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from brain_cli.config import Config, find_vault, load_config
from brain_cli.config.schema import Key
from brain_cli.errors import BrainError, UsageError, space_advice
from brain_cli.history.log import (
    FEEDBACK,
    FEEDBACK_UNDONE,
    Event,
    History,
    Mention,
    history_of,
)
from brain_cli.index.directory import IndexDirectory, LockedError, index_directory_of
from brain_cli.index.session import IndexSession
from brain_cli.index.snapshot import Snapshot
from brain_cli.index.sync import IndexedVault, Refreshed
from brain_cli.paths import cache_home, local_zone, state_home
from brain_cli.process import command_context
from brain_cli.streams import Progress, say
from brain_cli.types import UTC, NoteMetadata
from brain_cli.vault.atomic_write import hash_of
from brain_cli.vault.clock import Clock

if TYPE_CHECKING:
    from brain_cli.answer.results import Recall
    from brain_cli.library.recalling import SessionOptions
    from brain_cli.search.query import Query

Answer = TypeVar("Answer")
# A command that needs the latest changes waits this long for another process that is writing the
# index.
LOCK_SECONDS = 30.0


class RecallSession(Protocol):
    """A source of answers, such as an index that is brought up to date first."""

    behind: int

    def ask(
        self, question: Callable[[Snapshot], Answer], *, tells_staleness: bool = False
    ) -> Answer:
        """Answer from one state of the notes."""
        ...


class Vault(NamedTuple):
    """A folder of notes and its settings, at one time. Every answer brings the index up to date
    first.

    `working_folder` is the asker's, `now` is in seconds since the epoch, `zone` is the asker's time
    zone. `past` is the folder with the notes as they were, if those are asked; nothing is recorded
    then.

    A plugin may derive a vault whose notes are not files on this machine; it may have no folder.
    """

    folder: str
    working_folder: str
    config: Config
    now: float
    cache_home: str
    state_home: str
    zone: str = UTC
    past: str = ""

    @property
    def clock(self) -> Clock:
        """The time of the command, in the asker's time zone."""
        return Clock(self.now, self.zone)

    @property
    def files(self) -> str:
        """The folder that has the notes as files; empty if they are not on this machine."""
        return self.folder

    @property
    def source(self) -> str:
        """The folder that notes are read from: the vault, or its notes as they were."""
        return self.past or self.folder

    @property
    def index_directory(self) -> IndexDirectory:
        """The cache folder of the notes' index."""
        return index_directory_of(self.source, self.cache_home)

    @property
    def indexed(self) -> IndexedVault:
        """The vault as an index reads it."""
        return IndexedVault(self.source, self.config.archive_folders, self.config.dates)

    @property
    def history(self) -> History:
        """The history of these notes."""
        name = index_directory_of(self.folder, self.cache_home).folder.name
        return history_of(self.folder, Path(self.state_home) / "brain", name)

    def record(self, events: list[Event]) -> None:
        """Add events to the history; a failure is only reported, but raised for what the user said
        of a note.
        """
        if self.past:
            return
        try:
            self.history.append(events)
        except OSError as error:
            problem = (
                f"This could not be added to the history in {self.history.folder}: "
                f"{error.strerror}."
            )
            if any(event.event in (FEEDBACK, FEEDBACK_UNDONE) for event in events):
                raise BrainError(problem, space_advice(error)) from None
            say(problem)

    def recall(
        self, query: Query | str, work: SessionOptions | None = None, *, touch: bool = False
    ) -> Recall:
        """Answer a query; with `touch`, the history records which notes were shown, as `brain
        remember` does.
        """
        # Imported here, because most commands rank nothing.
        from brain_cli.library.recalling import SessionOptions, recalling, shown
        from brain_cli.search.query import Query

        asked = Query(query) if isinstance(query, str) else query
        session = self.session(touch=touch)
        found = session.ask(recalling(self, asked, work or SessionOptions()))
        if touch and found.presented:
            self.record([shown(found, self.config)])
        return found._replace(behind=session.behind)

    def notes(self) -> list[NoteMetadata]:
        """Return the metadata of every note, archived ones too."""
        return index_session(self).ask(
            lambda snapshot: [*map(snapshot.note_table.metadata, snapshot.note_table.rows)]
        )

    def session(self, *, touch: bool) -> RecallSession:
        """Return the session that answers from these notes; without `touch` nothing is recorded in
        the history.
        """
        return index_session(self, touch=touch)

    def opened(self) -> AbstractContextManager[object]:
        """Keep what answers open for the length of one command."""
        return nullcontext()

    def create(self, paths: Iterable[str], raw: bytes) -> str:
        """Write a note to the first of these paths that is free, where notes are no files here;
        return the path with which commands name it.
        """
        raise NotImplementedError


def open_vault(
    folder: str | PathLike[str] | None = None,
    now: str | None = None,
    *,
    as_of: str | None = None,
    **settings: object,
) -> Vault:
    """Open a vault: this folder, else the one that `brain` finds from the working folder.

    `now` is an ISO date and time, by default the clock; with `as_of`, a date or a commit, the vault
    answers as it would have then; `settings` override the configuration, such as `limit=5`. Raise
    NoVaultError for a missing folder, and UsageError for a wrong setting.
    """
    context = command_context()
    named = None if folder is None else fspath(folder)
    found = find_vault(named, context.folder, context.environ, context.folder)
    vault = Vault(
        folder=found,
        working_folder=context.folder,
        config=load_config(found, settings, context.environ, say, check_setting),
        now=now_of(now),
        cache_home=cache_home(context.environ),
        state_home=state_home(context.environ),
        zone=local_zone(context.environ),
    )
    return as_it_was(vault, as_of)


def recall(
    query: Query | str, folder: str | PathLike[str] | None = None, *, now: str | None = None
) -> Recall:
    """Answer one query from a vault; to ask several, open it once."""
    return open_vault(folder, now).recall(query)


def as_it_was(vault: Vault, as_of: str | None) -> Vault:
    """Return a vault as it was on a day or at a commit, if one is named."""
    if not as_of:
        return vault
    # Imported here, because few questions are about the past.
    from brain_cli.library.past import vault_at

    return vault_at(vault, as_of)


def check_setting(key: Key, value: object) -> None:
    """Raise UnknownNameError for a formula or a constant that this version does not know."""
    from brain_cli.ranking import scorers

    scorers.check_setting(key, value)


def now_of(flag: str | None) -> float:
    """Return the time of this command: --now, else BRAIN_NOW, else the system's clock."""
    text = flag or command_context().environ.get("BRAIN_NOW")
    return timestamp_named(text) if text else time.time()


def timestamp_named(text: str) -> float:
    """Parse a date, of the asker's calendar unless it names a zone, into seconds since the epoch;
    raise UsageError if it is not one.
    """
    from brain_cli.vault.dates import written_time

    written = written_time(text)
    if written is None:
        raise UsageError(
            f"“{text}” is not a date.", "Write it as 2026-11-21 or 2026-11-21T10:00:00Z."
        )
    if written.offset is None:
        return Clock(0.0, local_zone(command_context().environ)).moment(written.local)
    return written.moment


def index_session(vault: Vault, *, touch: bool = True) -> IndexSession:
    """Return the session of the vault's index; without `touch` a refresh records nothing in the
    history.
    """

    def record_now(events: list[Event]) -> None:
        # A refresh does not read the clock, so its events get the time of this command.
        vault.record([event._replace(at=vault.now) for event in events])

    context = command_context()
    arguments = (
        vault.indexed,
        vault.index_directory,
        say,
        Progress(),
        record_now if touch and not vault.past else None,
    )
    if vault.past:
        return IndexSession(*arguments)
    if context.warm_index:
        return context.warm_index.index_session(*arguments)
    return IndexSession(*arguments, refresh_later=lambda: _refresh_in_background(vault))


def _refresh_in_background(vault: Vault) -> None:
    from brain_cli.daemon.processes import refresh_in_background

    refresh_in_background(vault.folder, vault.index_directory.folder)


def ensure_wanted_daemon(vault: Vault) -> None:
    """Start a daemon for the next recalls, if the settings ask for one and there is none."""
    if vault.config.daemon == "auto" and vault.folder and command_context().warm_index is None:
        from brain_cli.daemon.processes import AUTO_IDLE_MINUTES, daemon_in, start_daemon

        if daemon_in(vault.index_directory.folder) is None:
            start_daemon(vault.folder, vault.config.of_plugins, AUTO_IDLE_MINUTES)


def refreshed(index: IndexSession, *, full: bool = False) -> Refreshed:
    """Bring the index up to date; raise BrainError if another process keeps it locked for
    too long.
    """
    try:
        return index.refresh(full=full, wait_seconds=LOCK_SECONDS)
    except LockedError:
        raise BrainError(
            "Another brain process is refreshing this index.", "Try again when it is done."
        ) from None


def events_until(vault: Vault, until: float, *, newest_first: bool = False) -> Iterator[Event]:
    """Yield the events of the history up to `until` (seconds), in order of time; report a read
    error.
    """
    from brain_cli.history.log_reader import events_in_order

    try:
        yield from events_in_order(vault.history, until, newest_first=newest_first)
    except OSError as error:
        say(f"The history in {vault.history.folder} cannot be read: {error.strerror}.")


def mention(raw: bytes, metadata: NoteMetadata) -> Mention:
    """Return a note as named in events, from its file's bytes."""
    return Mention(metadata.path, hash_of(raw), metadata.timestamp)
