"""Choose the embedding model that a command uses, load it and its vectors, and report if it cannot be used."""

from __future__ import annotations

import contextlib
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.cli._output import Progress, say
from brain_cli.cli._workspace import Workspace
from brain_cli.plugins.meaning import AUTO, is_possible, may_offer, models_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from brain_cli.answer.retriever import Retrieved, Retriever
    from brain_cli.index.note_table import NoteTable
    from brain_cli.index.session import IndexSession
    from brain_cli.index.snapshot import Snapshot
    from brain_cli.plugins.meaning.by_meaning import Asked
    from brain_cli.plugins.meaning.cosines import NoteVectors
    from brain_cli.plugins.meaning.embedders import Embedder
    from brain_cli.plugins.meaning.vectors import VectorStore
    from brain_cli.search.relevance import Matches
    from brain_cli.vault.analyzer import Word

ALL_CORES = 0


class State(NamedTuple):
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
        from brain_cli.plugins.meaning.offer import minutes
        from brain_cli.render.phrases import counted

        if self.problem:
            return f"only words: {self.problem}"
        does = "about" if self.running else "brain index embeds the others in about"
        left = f"; {does} {minutes(self.seconds)}{' left' * self.running}" if self.embedded < self.notes else ""
        return f"{self.model}, {self.embedded} of {counted(self.notes, 'note')} embedded{left}"


def search_by_meaning(workspace: Workspace) -> Retriever:
    """Return the search by meaning for a recall; if a model could be offered, it offers that and finds nothing."""
    search = _MeaningSearch(workspace)

    def found(query: str, words: Sequence[Word], snapshot: Snapshot, matches: Matches) -> Retrieved | None:
        if may_offer(workspace):
            from brain_cli.plugins.meaning.offer import offer

            offer(workspace, snapshot.note_table)
            return None
        from brain_cli.plugins.meaning.by_meaning import by_meaning

        return by_meaning(search, query, words, snapshot, matches)

    return found


def after_index(workspace: Workspace, session: IndexSession, added: Mapping[str, object]) -> None:
    """Embed the notes of a vault that are not embedded yet, or offer to, unless the command has `--no-embed`."""
    if added.get("no_embed"):
        return
    if is_possible() or may_offer(workspace):
        session.ask(lambda snapshot: _embed_or_offer(workspace, snapshot))


def _embed_or_offer(workspace: Workspace, snapshot: Snapshot) -> None:
    from brain_cli.plugins.meaning.offer import embed_in_background, embeds_in_background, offer

    if not is_possible():
        offer(workspace, snapshot.note_table)
    elif not embeds_in_background():
        embed_notes(workspace, snapshot)
    elif (state := state_of(workspace, snapshot.note_table)) and (state.problem or state.embedded < state.notes):
        if not (state.problem or state.running):
            embed_in_background(workspace)
            state = state._replace(running=True)
        say(f"{state}.")


def embed_notes(workspace: Workspace, snapshot: Snapshot) -> None:
    """Embed the notes that are not embedded yet. A problem is reported, without an error."""
    name = model_name(workspace, snapshot.note_table.languages)
    if not name:
        return
    from brain_cli.cli._workspace import note_history_of
    from brain_cli.plugins.meaning.embedding import embed
    from brain_cli.plugins.meaning.installed import ModelError
    from brain_cli.plugins.meaning.vectors import BusyError

    try:
        embedder = loaded(name, _threads())
        timestamps, history = snapshot.note_table.column("timestamp"), note_history_of(workspace, snapshot)

        def last_used(note_id: int) -> float:
            timestamp: float = timestamps[note_id]
            return max(timestamp, history.usage(note_id).last_access or 0.0)

        embed(snapshot, store_of(workspace, name), embedder, Progress("embedding notes"), last_used)
    except BusyError:
        say("Another brain process is embedding these notes.")
    except ModelError as error:
        say(f"Notes are not embedded: {error}.")


def status(workspace: Workspace, note_table: NoteTable) -> tuple[str, State] | None:
    """Return the name and the state of the search by meaning; None if a recall uses only words."""
    state = state_of(workspace, note_table)
    return ("meaning", state) if state else None


def state_of(workspace: Workspace, note_table: NoteTable, *, thorough: bool = False) -> State | None:
    """Return the state of the search by meaning in a vault; None if a recall uses only words."""
    name = model_name(workspace, note_table.languages)
    if not name:
        return None
    from brain_cli.plugins.meaning.embedders import model_of
    from brain_cli.plugins.meaning.installed import Models

    notes = len(note_table.rows)
    if problem := Models(Path(models_folder())).problem(name, thorough=thorough):
        return State(name, 0, notes, problem)
    from brain_cli.plugins.meaning.embedding import work

    store = store_of(workspace, name)
    done = work(note_table, store)
    seconds = round(done.words_left / model_of(name).words_per_second)
    return State(name, done.embedded, done.notes, "", store.is_busy(), seconds)


class _MeaningSearch:
    """Searches by meaning; the model is loaded for the first query that it can help with."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._failed = False

    def __call__(self, query: str, snapshot: Snapshot) -> Asked | None:
        name = "" if self._failed else model_name(self._workspace, snapshot.note_table.languages)
        if not name:
            return None
        from brain_cli.plugins.meaning.installed import ModelError

        try:
            return self._search(name, query, snapshot)
        except ModelError as error:
            self._failed = True
            say(f"Recall uses only words: {error}.")
            return None

    def _search(self, name: str, query: str, snapshot: Snapshot) -> Asked | None:
        from brain_cli.plugins.meaning.installed import ModelError, Models

        if problem := Models(Path(models_folder())).problem(name):
            raise ModelError(problem)
        from brain_cli.plugins.meaning.by_meaning import Asked
        from brain_cli.plugins.meaning.embedders import model_of

        vectors = _vectors(self._workspace, name, snapshot)
        if not vectors.rows:
            return None
        embedder = loaded(name)
        question = embedder.query(query)
        return Asked(model_of(name).fusion, embedder, question, vectors.deviations(question.vector))


def near_notes(workspace: Workspace, snapshot: Snapshot, note_id: int) -> list[int]:
    """Return the notes that are nearest in meaning to a note, the nearest one first; none without a model."""
    name = model_name(workspace, snapshot.note_table.languages) if workspace.files else ""
    if not name:
        return []
    from brain_cli.plugins.meaning.onnx_session import SessionError

    with contextlib.suppress(SessionError):
        return _vectors(workspace, name, snapshot).near(note_id)
    return []


def _vectors(workspace: Workspace, name: str, snapshot: Snapshot) -> NoteVectors:
    from brain_cli.plugins.meaning.cosines import note_vectors

    if kept := snapshot.vectors(name):
        from brain_cli.plugins.meaning.kept import kept_vectors

        return kept_vectors(kept, loaded(name).dimensions)
    store, note_table = store_of(workspace, name), snapshot.note_table
    return snapshot.cache.get(("vectors", name, store.stamp()), lambda: note_vectors(store, note_table))


def model_name(workspace: Workspace, languages: Sequence[str]) -> str:
    """Return the name of the model to use: the configured one, else the best installed one; empty if there is none."""
    if not is_possible():
        return ""
    if (name := workspace.config.of_plugins["meaning"]) != AUTO:
        return str(name)
    from brain_cli.plugins.meaning.embedders import recommended
    from brain_cli.plugins.meaning.installed import Models

    installed = Models(Path(models_folder())).installed()
    best = recommended(languages)
    return best if best in installed else next(iter(installed), "")


def store_of(workspace: Workspace, name: str) -> VectorStore:
    from brain_cli.plugins.meaning.vectors import VectorStore

    return VectorStore(workspace.index_directory.folder, name)


def models_stamp(_workspace: Workspace) -> dict[str, int] | None:
    """Return a value that changes when a model is installed or removed; None if none is possible."""
    return _manifest_times() if is_possible() else None


def _manifest_times() -> dict[str, int]:
    from brain_cli.plugins.meaning.embedders import EMBEDDERS, MANIFEST

    found = {}
    for name in EMBEDDERS:
        with contextlib.suppress(OSError):
            found[name] = os.stat(os.path.join(models_folder(), name, MANIFEST)).st_mtime_ns
    return found


def _threads() -> int:
    """Return the number of cores for embedding: all, or one in a process of low priority."""
    return 1 if os.getpriority(os.PRIO_PROCESS, 0) > 0 else ALL_CORES


def loaded(name: str, threads: int = 1) -> Embedder:
    return _load(models_folder(), name, threads, _manifest_times().get(name, 0))


@lru_cache(maxsize=2)
def _load(folder: str, name: str, threads: int, _changed_ns: int) -> Embedder:
    """Load a model once per process, and again after it was reinstalled."""
    from brain_cli.plugins.meaning.installed import Models

    return Models(Path(folder)).load(name, threads)
