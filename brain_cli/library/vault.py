"""A vault with its settings, clock, index and history: the base of the verbs, and of programs of
one's own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from brain_cli.config import Config, find_vault, load_config
from brain_cli.config.schema import Key
from brain_cli.errors import BrainError, UsageError, space_advice
from brain_cli.history.log import (
    FEEDBACK,
    FEEDBACK_UNDONE,
    Event,
    History,
    history_of,
)
from brain_cli.index.directory import IndexDirectory, LockedError, index_directory_of
from brain_cli.index.session import IndexSession
from brain_cli.index.snapshot import Snapshot
from brain_cli.index.sync import IndexedVault, Refreshed
from brain_cli.paths import cache_home, local_zone, state_home
from brain_cli.process import command_context
from brain_cli.streams import Progress, say, say_once
from brain_cli.types import DEFAULT_ZONE, USUAL_SCREEN, NoteMetadata, Quotes, Screen
from brain_cli.vault.clock import Clock

if TYPE_CHECKING:
    from brain_cli.answer.results import Recall
    from brain_cli.history.log_reader import HistorySnapshot
    from brain_cli.library.edit import Changed
    from brain_cli.library.note import NamedNote, NotePart
    from brain_cli.library.recalling import OnAnswer, SessionOptions
    from brain_cli.library.status import VaultStatus
    from brain_cli.search.query import Query
    from brain_cli.vault.move import ByteEdit

Answer = TypeVar("Answer")
# A command that needs the latest changes waits this long for another process that is writing the
# index.
LOCK_SECONDS = 30.0


class Vault:
    """A folder of notes and its settings, at one time. Every answer brings the index up to date
    first.

    `working_folder` is the asker's, `now` is in seconds since the epoch, `zone` is the asker's time
    zone. `past` is the folder with the notes as they were, if those are asked; nothing is recorded
    then.

    A plugin may derive a vault whose notes are not files on this machine: then `files`, the folder
    that has them, is empty, and there may be no `folder`. `parts` are the vaults that one of
    another class is made of; `roots` has their folders by the names with which paths begin.
    """

    def __init__(
        self,
        folder: str,
        working_folder: str,
        config: Config,
        now: float,
        cache_home: str,
        state_home: str,
        zone: str = DEFAULT_ZONE,
    ) -> None:
        self.folder = folder
        self.working_folder = working_folder
        self.config = config
        self.now = now
        self.cache_home = cache_home
        self.state_home = state_home
        self.zone = zone
        self.files = folder
        self.past = ""
        self.parts: tuple[Vault, ...] = ()
        self.roots: Mapping[str, str] = {}

    def replaced(self, **changes: object) -> Self:
        """Return a copy with other values of some attributes."""
        return self.of(self, **changes)

    @classmethod
    def of(cls, vault: Vault, **changes: object) -> Self:
        """Return a vault of this class with the values of another one, but for some changes."""
        made = cls.__new__(cls)
        vars(made).update(vars(vault), **changes)
        return made

    @property
    def clock(self) -> Clock:
        """The time of the command, in the asker's time zone."""
        return Clock(self.now, self.zone)

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

    def histories(self) -> Callable[[float], HistorySnapshot]:
        """Return a function from a time to the history up to it; all calls share one reading."""
        # Imported here, because refreshing an index reads no history.
        from brain_cli.history.log_reader import HistoryReader

        cache = self.index_directory.folder / "history.json"
        if warm_index := command_context().warm_index:
            return lambda now: warm_index.remembered(self.history, cache, now, say)
        reading = HistoryReader(self.history, cache)
        return lambda now: reading.at(now, say)

    def at(self, as_of: str | None) -> Vault:
        """Return the vault as it was on a day or at a commit, if one is named."""
        if not as_of:
            return self
        # Imported here, because few questions are about the past.
        from brain_cli.library.past import vault_at

        return vault_at(self, as_of)

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
        found = self.answer(query, work, touch=touch)
        if touch and found.presented:
            # Imported here, because most commands rank nothing.
            from brain_cli.library.recalling import shown

            self.record([shown(found, self.config)])
        return found

    def answer(
        self,
        query: Query | str,
        work: SessionOptions | None = None,
        quotes: Quotes = Quotes.EVERY,
        screen: Screen = USUAL_SCREEN,
        *,
        touch: bool = False,
        tells_staleness: bool = False,
        on_answer: OnAnswer | None = None,
    ) -> Recall:
        """Answer a query, and record nothing that is shown; without `touch`, a refresh of the
        index records nothing either.

        `on_answer` gets the snapshot of the notes that may answer, and the answer. With
        `tells_staleness` the answer itself says that it lacks the last changes.
        """
        # Imported here, because most commands rank nothing.
        from brain_cli.library.recalling import Recalling

        recalling = Recalling(self, work)
        question = partial(
            recalling.answer, query=query, quotes=quotes, screen=screen, on_answer=on_answer
        )
        return self.ask(question, touch=touch, tells_staleness=tells_staleness)

    def notes(self) -> list[NoteMetadata]:
        """Return the metadata of every note, archived ones too."""
        return self.ask(
            lambda snapshot: [*map(snapshot.note_table.metadata, snapshot.note_table.rows)]
        )

    def find(self, argument: str) -> NamedNote:
        """Return the note that an argument names, and the heading or line in it: by its path,
        title, alias or file name, or on a terminal by its number in the last answer.
        """
        # Imported here, because a recall names no note.
        from brain_cli.library.note import NamedNote

        return NamedNote(self, argument)

    def show(self, argument: str) -> NotePart:
        """Return the note that an argument names, or the section of it, with its text and its
        metadata.
        """
        return self.find(argument).part()

    def status(self) -> VaultStatus:
        """Return how strong each memory is, counts of the notes that are files here, and the states
        of plugins, such as that of a server.
        """
        from brain_cli.library.status import status_of

        return self.ask(partial(status_of, self))

    def holding(self, argument: str) -> Vault:  # noqa: ARG002 - there is no other
        """Return the vault that has the note which an argument names, or gets the new one."""
        return self

    def body(self, path: str) -> str:
        """Return the text of a note below its frontmatter."""
        # Imported here, because few answers have the whole text of a note.
        from brain_cli.library.note import body_of

        return body_of(os.path.join(self.source, path))

    def ask(
        self,
        question: Callable[[Snapshot], Answer],
        *,
        touch: bool = True,
        tells_staleness: bool = False,
    ) -> Answer:
        """Answer from one state of these notes; without `touch` a refresh of the index records
        nothing in the history.
        """
        session = index_session(self, touch=touch)
        return session.ask(question, tells_staleness=tells_staleness)

    def index(self, *, full: bool = False, touch: bool = True) -> Refreshed:
        """Bring the index up to date; raise BrainError if another process keeps it locked for too
        long.
        """
        session = index_session(self, touch=touch)
        try:
            return session.refresh(full=full, wait_seconds=LOCK_SECONDS)
        except LockedError:
            raise BrainError(
                "Another brain process is refreshing this index.", "Try again when it is done."
            ) from None

    def change(self, argument: str, edit: ByteEdit) -> str:
        """Change the note that an argument names, as `brain undo` takes back; return its path."""
        from brain_cli.library import edit as edits

        with edits.editing(self) as completed:
            [path] = edits.notes_named(self, [argument], completed)
            edits.change_notes(self, "edit", {path: edit})
        return path

    def pin(self, arguments: Iterable[str], *, pinned: bool = True) -> list[Changed]:
        """Keep the named notes from fading, or let them fade again."""
        from brain_cli.library.verbs import pin

        return pin(self, arguments, pinned=pinned)

    def archive(
        self, arguments: Iterable[str], *, archived: bool = True, by_status: bool = False
    ) -> list[Changed]:
        """Take the named notes out of recalls, or bring them back: by moving them with all links to
        them, or `by_status` alone.
        """
        from brain_cli.library.verbs import archive

        return archive(self, arguments, archived=archived, by_status=by_status)

    def rate(self, arguments: Iterable[str], verdict: str, *, given: bool = True) -> list[str]:
        """Rate the named notes as useful or wrong, or take that back; return their paths."""
        from brain_cli.library.verbs import rate

        return rate(self, arguments, verdict, given=given)

    def append(self, argument: str, title: str, text: str) -> str:
        """Add a section with today's date at the end of the named note; return its path."""
        from brain_cli.library.verbs import append

        return append(self, argument, title, text)

    def adding(self) -> AbstractContextManager[object]:
        """Let notes be added within this block."""
        from brain_cli.library.edit import editing

        return editing(self)

    def add(self, paths: Iterable[str], raw: bytes) -> str:
        """Write a note to the first of these paths that is free; return the path with which
        commands name it.
        """
        from brain_cli.library.edit import create_new_note

        return create_new_note(self, paths, raw)


def vault_in(folder: str, now: str | None, settings: Mapping[str, object]) -> Vault:
    """Return the vault in a folder, with its configuration; without a folder, with the user's."""
    context = command_context()
    return Vault(
        folder=folder,
        working_folder=context.folder,
        config=load_config(folder or None, settings, context.environ, say, check_setting),
        now=now_of(now),
        cache_home=cache_home(context.environ),
        state_home=state_home(context.environ),
        zone=local_zone(context.environ),
    )


def folder_of_vault(named: str | None) -> str:
    """Return the folder of the vault: the named one, else the one that is found from the working
    folder; raise NoVaultError if there is none.
    """
    context = command_context()
    return find_vault(named, context.folder, context.environ, context.folder)


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
    named = None if folder is None else fspath(folder)
    vault = vault_in(folder_of_vault(named), now, settings)
    return vault.at(as_of)


def recall(
    query: Query | str, folder: str | PathLike[str] | None = None, *, now: str | None = None
) -> Recall:
    """Answer one query from a vault; to ask several, open it once."""
    return open_vault(folder, now).recall(query)


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

    def refresh_later() -> None:
        # Imported here, because hardly any answer lacks changes.
        from brain_cli.daemon.processes import refresh_in_background

        refresh_in_background(vault.folder, vault.index_directory.folder)

    warm_index = command_context().warm_index
    make: Callable[..., IndexSession] = partial(IndexSession, refresh_later=refresh_later)
    if vault.past:
        make = IndexSession
    elif warm_index:
        make = warm_index.index_session
    record = record_now if touch and not vault.past else None
    return make(vault.indexed, vault.index_directory, say_once, Progress(), record)


def ensure_wanted_daemon(vault: Vault) -> None:
    """Start a daemon for the next recalls, if the settings ask for one and there is none."""
    if vault.config.daemon == "auto" and vault.folder and command_context().warm_index is None:
        # Imported here, because few settings ask for one.
        from brain_cli.daemon import processes

        if processes.daemon_in(vault.index_directory.folder) is None:
            processes.start_daemon(vault.folder, vault.config.of_plugins)
