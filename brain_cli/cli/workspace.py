"""The workspace of a command: the vault it works on, its configuration, its clock, its index and
its history.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from brain_cli.cli.output import Row, format_name, view
from brain_cli.config import Config, find_vault, load_config
from brain_cli.config.schema import Key
from brain_cli.errors import (
    BrainError,
    NoVaultError,
    NoVaultHereError,
    UnreachableError,
    UsageError,
    did_you_mean,
    space_advice,
)
from brain_cli.extension import AddedOption, Verb, added_setting, hooks
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
from brain_cli.paths import cache_home, state_home
from brain_cli.printable import one_line
from brain_cli.process import command_context
from brain_cli.render import AUTO
from brain_cli.streams import Progress, say, write, write_json, write_lines
from brain_cli.types import NoteMetadata
from brain_cli.vault.atomic_write import hash_of

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
    since the epoch.

    A plugin may derive a workspace whose notes are not files on this machine; it may have no vault.
    """

    vault: str
    folder: str
    config: Config
    now: float
    cache_home: str
    state_home: str

    @property
    def files(self) -> str:
        """The folder that has the notes as files; empty if they are not on this machine."""
        return self.vault

    @property
    def index_directory(self) -> IndexDirectory:
        """The cache folder of the notes' index."""
        return index_directory_of(self.vault, self.cache_home)

    @property
    def notes(self) -> IndexedVault:
        """The vault as an index reads it."""
        return IndexedVault(self.vault, self.config.archive_folders, self.config.dates)

    @property
    def history(self) -> History:
        """The history of these notes."""
        return history_of(
            self.vault, Path(self.state_home) / "brain", self.index_directory.folder.name
        )

    def record(self, events: list[Event]) -> None:
        """Add events to the history; a failure is only reported, but raised for what the user said
        of a note.
        """
        try:
            self.history.append(events)
        except OSError as error:
            problem = f"This could not be added to the history in {self.history.folder}: {error.strerror}."
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

    def writing(self) -> AbstractContextManager[object]:
        """Let notes be created within this block."""
        from brain_cli.cli.edit import editing

        return editing(self)

    def create(self, paths: Iterable[str], raw: bytes) -> str:
        """Write a note to the first of these paths that is free, as `brain add` does; return the
        path with which commands name it.
        """
        from brain_cli.cli.edit import make_change
        from brain_cli.cli.note import explained
        from brain_cli.vault.change_journal import ChangeSet, PlannedChanges

        plan = PlannedChanges(self.vault)
        for path in paths:
            with explained(path), suppress(FileExistsError):
                plan.create(path, raw)
                make_change(self, ChangeSet("add", plan.changes, self.now))
                return path
        raise BrainError("There is already a note at this path.", "Name another --path.")


class CommonOptions(NamedTuple):
    """The options --vault, --now and --json, which may stand before or after any command, and those
    of plugins.
    """

    vault: str | None
    now: str | None
    json: bool
    # Whether the command only reads, so that any folder of notes is a vault.
    reads: bool = False
    # The options that plugins add to the command, by parameter.
    added: Mapping[str, object] = MappingProxyType({})
    # The formats of what the command lists, and its --format and -n.
    lists: tuple[str, ...] = ()
    format: str = AUTO
    limit: int | None = None

    @property
    def settings(self) -> dict[str, str]:
        """The settings of plugins that the command line names."""
        return {
            name: str(value)
            for name, value in self.added.items()
            if value is not None and added_setting(name)
        }

    def open_workspace(self, flags: Mapping[str, object] | None = None) -> Workspace:
        """Open the vault that the options name; `flags` override its configuration."""
        flags = {**(flags or {}), **self.settings}
        try:
            return open_workspace(self.vault, self.now, flags)
        except NoVaultHereError:
            from brain_cli.cli._any_folder import readable_folder

            return open_workspace(readable_folder(writes=not self.reads), self.now, flags)

    def again(self, *words: str) -> str:
        """Return a command line for the same notes, quoted for a shell."""
        import shlex

        return shlex.join(["brain", *words, *self.same_vault()])

    def same_vault(self) -> tuple[str, ...]:
        """Return the options with which another command finds the same notes."""
        vault = ("--vault", self.vault) if self.vault else ()
        return (
            *vault,
            *(word for name, value in self.settings.items() for word in (f"--{name}", value)),
        )

    def answer(self, document: Mapping[str, object], lines: Iterable[str]) -> None:
        """Print an answer to stdout: a document with --json, else lines."""
        if self.json:
            write_json(document)
        else:
            write_lines(lines, is_paged=True)

    @property
    def list_format(self) -> str:
        """The format of a list: that of --json or --format, else the usual one on a terminal or in
        a pipe.
        """
        if self.format != AUTO:
            return self.format
        usual = format_name(AUTO)
        return usual if usual in self.lists else next(each for each in self.lists if each != "rich")

    def list_rows(
        self,
        name: str,
        rows: Sequence[Row],
        more: Mapping[str, object] = MappingProxyType({}),
        notes_of: Workspace | None = None,
        heading: str = "",
    ) -> None:
        """Print a list, of notes if their workspace is given; `more` stands beside it in its JSON
        document.
        """
        shown = rows[: self.limit]
        form = self.list_format
        screen = view(notes_of) if notes_of else None
        if form == "json":
            write_json({name: [row.document for row in shown], **more})
        elif form == "jsonl":
            write_lines(json.dumps(row.document) for row in shown)
        elif form == "paths" and screen:
            write_lines(screen.path_from_here(row.path) for row in shown)
        elif form == "rich" and screen and shown:
            from brain_cli.render.terminal import ListedNote, note_list

            notes = (
                ListedNote(row.title, row.path, row.number, row.mark, row.remark, row.passage)
                for row in shown
            )
            write(note_list(notes, screen, heading), is_paged=True)
        else:
            write_lines((row.line for row in shown), is_paged=True)

    def report(self, did: str, document: Mapping[str, object], undo: str = "") -> None:
        """Print what was done to stdout, as one line or as JSON, and how to undo it to stderr."""
        self.answer(document, [one_line(did)])
        if undo:
            say(f"To undo: {undo}")


def common_options(
    parameters: dict[str, Any], verb: Verb, added: Iterable[AddedOption]
) -> CommonOptions:
    """Take the options of every command, and those `added` by plugins, out of the parameters of a
    command.
    """
    names = [option.parameter for option in added]
    of_plugins = {name: parameters.pop(name) for name in names if name in parameters}
    vault = parameters.pop("vault", None)
    now = parameters.pop("now", None)
    json = parameters.pop("json", False)
    options = CommonOptions(vault, now, json, verb.reads, of_plugins, verb.lists)
    if not verb.lists:
        return options
    form = parameters.pop("format", AUTO)
    limit = parameters.pop("limit", None)
    if form not in (AUTO, *verb.lists):
        raise UsageError(
            f"There is no format “{form}” here.", did_you_mean(form, (AUTO, *verb.lists))
        )
    return options._replace(
        format="json" if json else form, json=json or form == "json", limit=limit
    )


def open_workspace(
    vault: str | None, now: str | None, flags: Mapping[str, object] | None = None
) -> Workspace:
    """Find the vault and load its configuration; raise NoVaultError or UsageError if either fails."""
    context = command_context()
    folder = find_vault(vault, context.folder, context.environ, context.folder)
    return Workspace(
        vault=folder,
        folder=context.folder,
        config=load_config(folder, flags or {}, context.environ, say, check_setting),
        now=clock(now),
        cache_home=cache_home(context.environ),
        state_home=state_home(context.environ),
    )


def check_setting(key: Key, value: object) -> None:
    """Raise UnknownNameError for a formula or a constant that this version does not know."""
    from brain_cli.ranking import scorers

    scorers.check_setting(key, value)


def open_elsewhere(
    options: CommonOptions, flags: Mapping[str, object] = MappingProxyType({})
) -> tuple[Workspace, Workspace | None]:
    """Open the vault, if there is one, and the workspace of notes that a plugin has elsewhere, if
    there is one.
    """
    try:
        workspace = options._replace(reads=False).open_workspace(flags)
    except NoVaultError:
        context = command_context()
        if options.vault:
            raise
        config = load_config(None, {**flags, **options.settings}, context.environ)
        homes = cache_home(context.environ), state_home(context.environ)
        workspace = Workspace("", context.folder, config, clock(options.now), *homes)
        found = _elsewhere(workspace)
        return (workspace, found) if found else (options.open_workspace(flags), None)
    return workspace, _elsewhere(workspace)


def _elsewhere(workspace: Workspace) -> Workspace | None:
    return next(
        filter(None, (hook(workspace) for hook in hooks("elsewhere", workspace.config))), None
    )


def open_for_note(options: CommonOptions, path: str) -> Workspace:
    """Open the workspace that a new note goes to: the vault, unless there is none or the command
    names another place.

    `path` is the one asked for; like the name of a note, it may be `vault:path`.
    """
    workspace, elsewhere = open_elsewhere(options)
    return (
        elsewhere
        if elsewhere and (options.settings or not workspace.vault or ":" in path)
        else workspace
    )


def answered(
    options: CommonOptions, flags: Mapping[str, object], run: Callable[[Workspace], int]
) -> int:
    """Run a command on the notes that are elsewhere if there are any, else on the vault; return the
    exit code.

    If those cannot be reached, the vault answers, unless the command itself names them.
    """
    workspace, elsewhere = open_elsewhere(options, flags)
    if not elsewhere:
        return run(workspace)
    try:
        with elsewhere.opened():
            return run(elsewhere)
    except UnreachableError as error:
        if not workspace.vault or options.settings:
            raise
        say(
            f"{error.message} This answer is from the vault alone, and is kept in the vault's history."
        )
        return run(workspace)


def clock(flag: str | None) -> float:
    """Return the time of this command: --now, else BRAIN_NOW, else the system's clock."""
    text = flag or command_context().environ.get("BRAIN_NOW")
    return timestamp_named(text) if text else time.time()


def timestamp_named(text: str) -> float:
    """Parse a date into seconds since the epoch; raise UsageError if it is not one."""
    from brain_cli.vault.dates import timestamp_of

    seconds = timestamp_of(text)
    if seconds is None:
        raise UsageError(
            f"“{text}” is not a date.", "Write it as 2026-11-21 or 2026-11-21T10:00:00Z."
        )
    return seconds


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
        record_now if touch else None,
    )
    if context.warm_index:
        return context.warm_index.index_session(*arguments)
    return IndexSession(*arguments, refresh_later=lambda: _refresh_in_background(workspace))


def _refresh_in_background(workspace: Workspace) -> None:
    from brain_cli.cli.daemons import refresh_in_background

    refresh_in_background(workspace.vault, workspace.index_directory.folder)


def ensure_wanted_daemon(workspace: Workspace) -> None:
    """Start a daemon for the next recalls, if the settings ask for one and there is none."""
    if (
        workspace.config.daemon == "auto"
        and workspace.vault
        and command_context().warm_index is None
    ):
        from brain_cli.cli.daemons import AUTO_IDLE_MINUTES, daemon_in, start_daemon

        if daemon_in(workspace.index_directory.folder) is None:
            start_daemon(workspace, AUTO_IDLE_MINUTES)


def refreshed(index: IndexSession, *, full: bool = False) -> Refreshed:
    """Bring the index up to date; raise BrainError if another process keeps it locked for too long."""
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
