"""Decide which questions are asked by meaning and with which model, embed notes, and report a model
that cannot be used.

Sentences are asked by meaning; names and keywords only if their words find hardly anything.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from brain_cli.answer.retriever import Retrieved, Retriever
from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.vault import Vault
from brain_cli.paths import make_private_folder
from brain_cli.plugins.meaning.embedder import Embedder, Models, user_models
from brain_cli.plugins.meaning.models import by_languages, recommended
from brain_cli.plugins.meaning.onnx_session import SessionError
from brain_cli.plugins.meaning.settings import (
    AUTO,
    ModelError,
    is_possible,
    manifest_times,
)
from brain_cli.plugins.meaning.vectors import (
    BusyError,
    NoteVectors,
    VectorStore,
    joined_vectors,
    kept_vectors,
    name_of_rows,
    note_keys,
    note_vectors,
)
from brain_cli.printable import counted
from brain_cli.process import command_context
from brain_cli.record import Record
from brain_cli.search.relevance import Matches
from brain_cli.streams import Progress, say
from brain_cli.vault.analyzer import Word, written_words

if TYPE_CHECKING:
    from brain_cli.plugins.meaning.endpoint import ServerEmbedder

CONTENT_WORDS = 4
# With words such as “on” or “my” among them, so many are a question as well.
SENTENCE_CONTENT_WORDS = 2
# Below this relevance of the best note, keywords are asked by meaning too: less than one mention of
# each gives.
DOUBTFUL_RELEVANCE = 0.5
ALL_CORES = 0
# A process in the background has nearly the usual priority, and pauses for a share of its time.
BACKGROUND_PRIORITY = 1
PAUSE_SHARE = 0.25
# The first batches are slower than the others.
MEASURED_SECONDS = 3.0
# Weighted words of notes that are embedded in a second, until this was measured.
USUAL_SPEED = 2_000
# In the state of a vault, so that it is said once.
PARTIAL_MARK = "meaning-partial"


class State(Record):
    """The model in use, the number of notes it has embedded, and the reason if it cannot be used.

    A process is `running` that embeds the others, or would take about `seconds` for them.
    """

    model: str
    embedded: int
    notes: int
    problem: str
    running: bool = False
    seconds: int = 0

    def __str__(self) -> str:

        if self.problem:
            return f"only words: {self.problem}"
        does = "about" if self.running else "brain index embeds the others in about"
        left = (
            f"; {does} {duration(self.seconds)}{' left' * self.running}"
            if self.embedded < self.notes
            else ""
        )
        return f"{self.model}, {self.embedded} of {counted(self.notes, 'note')} embedded{left}"


class UsedModel(Record):
    """The model that is used in a vault: of a server, or an installed one."""

    vault: Vault
    name: str
    server: ServerEmbedder | None = None

    def __str__(self) -> str:
        return str(self.server) if self.server else self.name

    @property
    def store(self) -> VectorStore:
        """The vectors of the vault by this model."""
        return VectorStore(self.vault.index_directory.folder, self.name)

    @property
    def consent(self) -> Path:
        """The file that says that the user lets a server on another machine read notes."""
        return Path(self.vault.state_home, "brain", f"meaning-{self.name}")

    def loaded(self, threads: int | None = None) -> Embedder:
        """Return the model, ready to embed; ModelError if it cannot be used."""
        if not self.server:
            return _load(user_models(), self.name, threads, manifest_times().get(self.name, 0))
        if not (self.server.is_here or self.consent.exists()):
            raise ModelError(
                f"{self} is on another machine; `brain model` asks before it is used"
            )
        return self.server

    def problem(self, *, thorough: bool) -> str:
        """Return why the model cannot be used, empty if it can; `thorough` checks its files, or
        asks the server.
        """
        if not self.server:
            return user_models().problem(self.name, thorough=thorough)
        try:
            if thorough:
                self.loaded().query("brain")
        except ModelError as error:
            return str(error)
        return ""

    def vectors(self, snapshot: Snapshot) -> NoteVectors:
        """Return the vectors of the notes of a snapshot."""
        if kept := snapshot.vectors(name_of_rows(self.name)):
            return kept_vectors(kept, self.loaded().dimensions)
        key = ("vectors", self.name, self.store.stamp())
        return snapshot.cache.get(key, lambda: self._vectors(snapshot))

    def _vectors(self, snapshot: Snapshot) -> NoteVectors:
        if not self.vault.parts:
            return note_vectors(self.store, snapshot.note_table)
        from brain_cli.library.several import JoinedSnapshot

        assert isinstance(snapshot, JoinedSnapshot)
        return joined_vectors(
            {
                part.first_note: UsedModel(vault, self.name).vectors(part.snapshot)
                for vault, part in zip(self.vault.parts, snapshot.parts, strict=True)
            }
        )

    def state(self, note_table: NoteTable, *, thorough: bool = False) -> State:
        """Return how much of a vault is embedded, or why the model cannot be used."""
        notes = len(note_table.rows)
        if problem := self.problem(thorough=thorough):
            return State(str(self), 0, notes, problem)
        store = self.store
        lengths = note_table.column("length")
        known = store.notes()
        left = [
            lengths[each] for each, key in note_keys(note_table).items() if key not in known
        ]
        seconds = round(sum(left) / (store.speed() or USUAL_SPEED))
        return State(str(self), notes - len(left), notes, "", store.is_busy(), seconds)


def model_in(vault: Vault, fits: Callable[[], str] = str) -> UsedModel | None:
    """Return the model to use: the configured one, else the installed one; None if there is none.

    Of several, it is the one with which the notes were embedded last, so that a new note in another
    language does not change it; at first the one that `fits`.
    """
    if not is_possible(vault.config):
        return None
    if (name := vault.config.of_plugins["meaning"]) != AUTO:
        return UsedModel(vault, str(name))
    if server := server_of(vault):
        return UsedModel(vault, server.name, server)
    vaults = vault.parts or (vault,)
    stamps = {
        name: max(UsedModel(each, name).store.stamp() for each in vaults)
        for name in manifest_times()
    }
    if not stamps:
        return None
    last = max(stamps, key=stamps.__getitem__)
    return UsedModel(vault, last if len(stamps) == 1 or any(stamps[last]) else fits() or last)


def model_for(vault: Vault, snapshot: Snapshot) -> UsedModel | None:
    """Return the model to use for these notes; at first the one that fits their languages."""

    def fits() -> str:
        if vault.files:
            return recommended(snapshot)
        return by_languages(snapshot.note_table.languages)

    return model_in(vault, fits)


def search_by_meaning(vault: Vault) -> Retriever:
    """Return the search by meaning for a recall."""
    failed: set[str] = set()

    def found(
        query: str, words: Sequence[Word], snapshot: Snapshot, matches: Matches
    ) -> Retrieved | None:
        if asks_by_meaning(query, words, matches) and (model := model_for(vault, snapshot)):
            try:
                return None if model.name in failed else _found(model, query, snapshot)
            except ModelError as error:
                failed.add(model.name)
                say(f"Recall uses only words: {error}.")
        return None

    return found


def asks_by_meaning(query: str, words: Sequence[Word], matches: Matches) -> bool:
    """Return whether meaning helps with a query: a question, or words of which no note has much."""
    best = max(matches.relevances.values(), default=0.0)
    return bool(query) and (is_question(query, words) or best < DOUBTFUL_RELEVANCE)


def is_question(query: str, words: Sequence[Word]) -> bool:
    """Return whether a query is a question that meaning helps with, rather than a name or
    keywords.
    """
    length = written_words(query)
    # The parts of a compound count as words of the query, but do not make a name a question.
    content = min(length, sum(not word.optional for word in words))
    return content >= CONTENT_WORDS or (content >= SENTENCE_CONTENT_WORDS and length > content)


def _found(model: UsedModel, query: str, snapshot: Snapshot) -> Retrieved | None:
    """Return what a question finds by meaning; None if no note is embedded yet, ModelError if the
    model is broken.
    """
    from brain_cli.plugins.meaning.by_meaning import ByMeaning

    vectors = model.vectors(snapshot)
    if not vectors.rows:
        return None
    _say_partial(model.vault, len(vectors.rows), snapshot.note_table.notes)
    embedder = model.loaded()
    question = embedder.query(query)
    if len(question.vector) != vectors.matrix.dimensions:
        raise ModelError(
            f"{embedder} has other vectors than before; `brain index` embeds again"
        )
    found = vectors.deviations(question.vector, embedder.fusion.usual)
    return ByMeaning(embedder, question, found, snapshot)


def _say_partial(vault: Vault, embedded: int, notes: int) -> None:
    """Print once per vault that a part of its notes is found by words only."""
    folder = Path(vault.state_home, "brain", vault.index_directory.folder.name)
    if vault.files and embedded < notes and said_once(folder, PARTIAL_MARK):
        share = 100 * embedded // notes
        say(f"{share} % of the notes are embedded; the others are found by their words only.")


def said_once(folder: Path, mark: str) -> bool:
    """Return whether something is said for the first time; a mark in the user's state
    remembers it.
    """
    with contextlib.suppress(OSError):
        make_private_folder(folder)
        (folder / mark).touch(exist_ok=False)
        return True
    return False


def embed_or_start(vault: Vault) -> None:
    """Embed the notes of a vault that are not embedded yet, here or in a process of its own."""
    vault.ask(lambda snapshot: _embed_or_start(vault, snapshot))


def _embed_or_start(vault: Vault, snapshot: Snapshot) -> None:
    if not embeds_in_background():
        embed_notes(vault, snapshot)
    elif model := model_for(vault, snapshot):
        state = model.state(snapshot.note_table)
        if not (state.problem or state.running) and state.embedded < state.notes:
            _embed_in_background(vault)
            state = state._replace(running=True)
        if state.problem or state.embedded < state.notes:
            say(f"{state}.")


def embeds_in_background() -> bool:
    """Return whether someone watches who would wait for the embedding; a script waits, and so does
    a CI job.
    """
    context = command_context()
    return context.screen().err and not context.environ.get("CI")


def _embed_in_background(vault: Vault) -> None:
    """Start a process that embeds; its store's lock prevents a second one."""
    from brain_cli.daemon import processes

    pid = processes.start_detached(
        processes.index_command(vault.folder),
        {**command_context().environ, "BRAIN_MEMORY": "off"},
    )
    os.setpriority(os.PRIO_PROCESS, pid, BACKGROUND_PRIORITY)


def embed_notes(
    vault: Vault,
    snapshot: Snapshot,
    *,
    seconds: float = float("inf"),
    first: Collection[int] = (),
) -> None:
    """Embed the notes that are not embedded yet, for at most so many seconds, some notes `first`.

    A problem is reported, without an error.
    """
    model = model_for(vault, snapshot)
    if not model:
        return
    from brain_cli.library.recalling import note_history_of
    from brain_cli.plugins.meaning.embedding import embed

    timestamps = snapshot.note_table.column("timestamp")
    history = note_history_of(vault, snapshot)

    def last_used(note_id: int) -> tuple[bool, float]:
        timestamp: float = timestamps[note_id]
        used = history.usage(note_id).last_access or 0.0
        return note_id in first, max(timestamp, used)

    is_background = os.getpriority(os.PRIO_PROCESS, 0) > 0
    store = model.store
    show = Progress("embedding notes")
    started = time.monotonic()
    paused = 0.0
    try:
        embedder = model.loaded(1 if is_background else ALL_CORES)
        for step in embed(snapshot, store, embedder, last_used):
            seconds_so_far = time.monotonic() - started
            left = seconds_so_far * (step.all_words / max(1, step.words) - 1)
            speed = step.passages / max(0.001, seconds_so_far)
            show(step.done, step.total, f", {speed:.0f} passages/s, {duration(left)} left")
            worked = seconds_so_far - paused
            if worked > MEASURED_SECONDS:
                store.keep_speed(step.words / worked)
            if worked > seconds:
                break
            if is_background:
                pause = worked * PAUSE_SHARE - paused
                time.sleep(pause)
                paused += pause
    except BusyError:
        say("Another brain process is embedding these notes.")
    except ModelError as error:
        say(f"Notes are not embedded: {error}.")


def duration(seconds: float) -> str:
    """Return a duration in minutes; one below a minute in seconds, rounded up to the next ten."""
    if seconds <= 50:
        return f"{max(10, ceil(seconds / 10) * 10)} seconds"
    return counted(round(seconds / 60), "minute")


def status(vault: Vault, note_table: NoteTable) -> tuple[str, State] | None:
    """Return the name and the state of the search by meaning; None if a recall uses only words."""
    model = model_in(vault)
    return ("meaning", model.state(note_table)) if model else None


def near_notes(vault: Vault, snapshot: Snapshot, note_id: int) -> list[int]:
    """Return the notes that are nearest in meaning to a note, the nearest one first; none without a
    model.
    """
    model = model_in(vault) if vault.files else None
    if not model:
        return []

    with contextlib.suppress(SessionError):
        return model.vectors(snapshot).near(note_id)
    return []


def models_stamp(vault: Vault) -> dict[str, int] | None:
    """Return a value that changes when another model is used; None if none is possible."""
    if not is_possible(vault.config):
        return None
    server = server_of(vault)
    return {**manifest_times(), **({server.name: 0} if server else {})}


def server_of(vault: Vault) -> ServerEmbedder | None:
    """Return the model of the server that the user's configuration names, if any."""
    of_plugins = vault.config.of_plugins
    if not of_plugins["meaning.endpoint"] or of_plugins["meaning"] != AUTO:
        return None
    settings = {
        name: value for name, value in of_plugins.items() if name.startswith("meaning.")
    }
    variable = settings["meaning.key_variable"] or ""
    return _server(tuple(settings.items()), command_context().environ.get(variable, ""))


@lru_cache(maxsize=2)
def _server(settings: tuple[tuple[str, object], ...], key: str) -> ServerEmbedder:
    from brain_cli.plugins.meaning.endpoint import ServerEmbedder

    return ServerEmbedder(dict(settings), key)


@lru_cache(maxsize=2)
def _load(models: Models, name: str, threads: int | None, _changed_ns: int) -> Embedder:
    """Load a model once per process, and again after it was reinstalled."""
    return models.load(name, threads)
