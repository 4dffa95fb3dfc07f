"""The workspace of a command: the vault it works on, its configuration, its clock, its index and
its history.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from brain_cli.config import Config, find_vault, load_config
from brain_cli.config.schema import Key
from brain_cli.errors import BrainError, UsageError, space_advice
from brain_cli.history.log import (
    FEEDBACK,
    FEEDBACK_UNDONE,
    SHOWN,
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
    from brain_cli.answer.results import Ranked, Recall
    from brain_cli.ranking import Candidate
    from brain_cli.ranking.note_history import NoteHistory

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


class Workspace(NamedTuple):
    """A vault and the settings to work on it: `folder` is the working folder, `now` is in seconds
    since the epoch, `zone` is the asker's time zone. `past` is the
    folder with the notes as they were, if those are asked; nothing is recorded then.

    A plugin may derive a workspace whose notes are not files on this machine; it may have no vault.
    """

    vault: str
    folder: str
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
        return self.vault

    @property
    def source(self) -> str:
        """The folder that notes are read from: the vault, or its notes as they were."""
        return self.past or self.vault

    @property
    def index_directory(self) -> IndexDirectory:
        """The cache folder of the notes' index."""
        return index_directory_of(self.source, self.cache_home)

    @property
    def notes(self) -> IndexedVault:
        """The vault as an index reads it."""
        return IndexedVault(self.source, self.config.archive_folders, self.config.dates)

    @property
    def history(self) -> History:
        """The history of these notes."""
        name = index_directory_of(self.vault, self.cache_home).folder.name
        return history_of(self.vault, Path(self.state_home) / "brain", name)

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


def open_workspace(
    vault: str | None, now: str | None, flags: Mapping[str, object] | None = None
) -> Workspace:
    """Find the vault and load its configuration; raise NoVaultError or UsageError if
    either fails.
    """
    context = command_context()
    folder = find_vault(vault, context.folder, context.environ, context.folder)
    return Workspace(
        vault=folder,
        folder=context.folder,
        config=load_config(folder, flags or {}, context.environ, say, check_setting),
        now=now_of(now),
        cache_home=cache_home(context.environ),
        state_home=state_home(context.environ),
        zone=local_zone(context.environ),
    )


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


def index_session(workspace: Workspace, *, touch: bool = True) -> IndexSession:
    """Return the session of the vault's index; without `touch` a refresh records nothing in the
    history.
    """

    def record_now(events: list[Event]) -> None:
        # A refresh does not read the clock, so its events get the time of this command.
        workspace.record([event._replace(at=workspace.now) for event in events])

    context = command_context()
    arguments = (
        workspace.notes,
        workspace.index_directory,
        say,
        Progress(),
        record_now if touch and not workspace.past else None,
    )
    if workspace.past:
        return IndexSession(*arguments)
    if context.warm_index:
        return context.warm_index.index_session(*arguments)
    return IndexSession(*arguments, refresh_later=lambda: _refresh_in_background(workspace))


def _refresh_in_background(workspace: Workspace) -> None:
    from brain_cli.daemon.processes import refresh_in_background

    refresh_in_background(workspace.vault, workspace.index_directory.folder)


def ensure_wanted_daemon(workspace: Workspace) -> None:
    """Start a daemon for the next recalls, if the settings ask for one and there is none."""
    if (
        workspace.config.daemon == "auto"
        and workspace.vault
        and command_context().warm_index is None
    ):
        from brain_cli.daemon.processes import AUTO_IDLE_MINUTES, daemon_in, start_daemon

        if daemon_in(workspace.index_directory.folder) is None:
            start_daemon(workspace.vault, workspace.config.of_plugins, AUTO_IDLE_MINUTES)


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


def note_history_of(workspace: Workspace, snapshot: Snapshot) -> "NoteHistory":
    """Return the history of the present notes, up to the time of this command."""
    return note_histories_of(workspace, snapshot)(workspace.now)


def note_histories_of(workspace: Workspace, snapshot: Snapshot) -> "Callable[[float], NoteHistory]":
    """Return a function from a time to the history up to it; all calls share one reading of the
    history.
    """
    # Imported here, because refreshing an index reads no history.
    from brain_cli.history.log_reader import HistoryReader
    from brain_cli.history.usage import configured_kinds
    from brain_cli.ranking.note_history import NoteHistory

    kinds = configured_kinds(workspace.config.kinds)
    warm_index = command_context().warm_index
    cache = workspace.index_directory.folder / "history.json"
    if warm_index:
        return lambda now: NoteHistory(
            warm_index.remembered(workspace.history, cache, now, say), snapshot.note_table, kinds
        )
    reading = HistoryReader(workspace.history, cache)
    return lambda now: NoteHistory(reading.at(now, say), snapshot.note_table, kinds)


def events_until(
    workspace: Workspace, until: float, *, newest_first: bool = False
) -> Iterator[Event]:
    """Yield the events of the history up to `until` (seconds), in order of time; report a read
    error.
    """
    from brain_cli.history.fold import events_in_order

    try:
        yield from events_in_order(workspace.history, until, newest_first=newest_first)
    except OSError as error:
        say(f"The history in {workspace.history.folder} cannot be read: {error.strerror}.")


def shown(recall: "Recall", config: Config, notes: "Sequence[Ranked] | None" = None) -> Event:
    """Return the event of a recall that presented notes (these, if given); its query is included
    only if configured.
    """
    candidates = [ranked.candidate for ranked in (recall.presented if notes is None else notes)]
    return Event(
        recall.now,
        SHOWN,
        [
            Mention(each.metadata.path, each.content_hash, each.metadata.timestamp)
            for each in candidates
        ],
        recall.query if config.record_queries else "",
        _certainty(candidates),
        session_name(command_context().environ.get("BRAIN_SESSION", "")),
    )


def _certainty(candidates: "Sequence[Candidate]") -> float | None:
    """Return the probability that the first note is right, if the ranking is calibrated."""
    claim = candidates[0].claim if candidates else None
    return claim.certainty.probability if claim and claim.certainty else None


def session_name(session_id: str) -> str:
    """Return the name of a session in the history: a short hash, because an agent's id may be
    sensitive.
    """
    if not session_id:
        return ""
    # Imported here because it loads OpenSSL.
    from hashlib import sha256

    return sha256(session_id.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def mention(raw: bytes, metadata: NoteMetadata) -> Mention:
    """Return a note as named in events, from its file's bytes."""
    return Mention(metadata.path, hash_of(raw), metadata.timestamp)
