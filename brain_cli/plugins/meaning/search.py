"""Decide which questions are asked by meaning and with which model, and report a model that cannot
be used.

Sentences are asked by meaning; names and keywords only if their words find hardly anything.
Everything that is slow to import is imported on first use.
"""

from __future__ import annotations

import contextlib
import os
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.cli.workspace import Workspace
from brain_cli.plugins.meaning import AUTO, is_possible, may_offer, models_folder
from brain_cli.process import command_context
from brain_cli.streams import Progress, say
from brain_cli.vault.analyzer import written_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from brain_cli.answer.retriever import Retrieved, Retriever
    from brain_cli.index.note_table import NoteTable
    from brain_cli.index.session import IndexSession
    from brain_cli.index.snapshot import Snapshot
    from brain_cli.plugins.meaning.embedder import Embedder
    from brain_cli.plugins.meaning.models import Model
    from brain_cli.plugins.meaning.vectors import NoteVectors, VectorStore
    from brain_cli.search.relevance import Matches
    from brain_cli.vault.analyzer import Word

CONTENT_WORDS = 4
# A sentence may have one content word less.
SENTENCE_CONTENT_WORDS = 3
SENTENCE_WORDS = 5
# Below this relevance of the best note, keywords are asked by meaning too: less than one mention of
# each gives.
DOUBTFUL_RELEVANCE = 0.5
ALL_CORES = 0
LOWEST_PRIORITY = 19
# In a vault's folder of the user's state, so that the offer is made once.
MARK = "meaning-offered"


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
        from brain_cli.render.phrases import counted

        if self.problem:
            return f"only words: {self.problem}"
        does = "about" if self.running else "brain index embeds the others in about"
        left = (
            f"; {does} {minutes(self.seconds)}{' left' * self.running}"
            if self.embedded < self.notes
            else ""
        )
        return f"{self.model}, {self.embedded} of {counted(self.notes, 'note')} embedded{left}"


def search_by_meaning(workspace: Workspace) -> Retriever:
    """Return the search by meaning for a recall; if a model could be offered, it offers that and
    finds nothing.
    """
    failed: set[str] = set()

    def found(
        query: str, words: Sequence[Word], snapshot: Snapshot, matches: Matches
    ) -> Retrieved | None:
        if may_offer(workspace):
            offer(workspace, snapshot.note_table)
        elif asks_by_meaning(query, words, matches) and (
            name := model_name(workspace, snapshot.note_table.languages)
        ):
            from brain_cli.plugins.meaning.embedder import ModelError

            try:
                return None if name in failed else _found(workspace, name, query, snapshot)
            except ModelError as error:
                failed.add(name)
                say(f"Recall uses only words: {error}.")
        return None

    return found


def asks_by_meaning(query: str, words: Sequence[Word], matches: Matches) -> bool:
    """Return whether meaning helps with a query: a question, or words of which no note has much."""
    best = max(matches.relevances.values(), default=0.0)
    return bool(query) and (is_question(query, words) or best < DOUBTFUL_RELEVANCE)


def is_question(query: str, words: Sequence[Word]) -> bool:
    """Return whether a query is a question that meaning helps with, rather than a name or keywords."""
    length = written_words(query)
    # The parts of a compound count as words of the query, but do not make a name a question.
    content = min(length, sum(not word.optional for word in words))
    return content >= CONTENT_WORDS or (
        content >= SENTENCE_CONTENT_WORDS and length >= SENTENCE_WORDS
    )


def _found(workspace: Workspace, name: str, query: str, snapshot: Snapshot) -> Retrieved | None:
    """Return what a question finds by meaning; None if no note is embedded yet, ModelError if the
    model is broken.
    """
    from brain_cli.plugins.meaning.by_meaning import Asked, ByMeaning
    from brain_cli.plugins.meaning.models import model_of

    vectors = _vectors(workspace, name, snapshot)
    if not vectors.rows:
        return None
    embedder = loaded(name)
    question = embedder.query(query)
    return ByMeaning(
        Asked(model_of(name).fusion, embedder, question, vectors.deviations(question.vector)),
        snapshot,
    )


def after_index(workspace: Workspace, session: IndexSession, added: Mapping[str, object]) -> None:
    """Embed the notes of a vault that are not embedded yet, or offer to, unless the command has
    `--no-embed`.
    """
    if added.get("no_embed"):
        return
    if is_possible() or may_offer(workspace):
        session.ask(lambda snapshot: _embed_or_offer(workspace, snapshot))


def _embed_or_offer(workspace: Workspace, snapshot: Snapshot) -> None:
    if not is_possible():
        offer(workspace, snapshot.note_table)
    elif not embeds_in_background():
        embed_notes(workspace, snapshot)
    elif (state := state_of(workspace, snapshot.note_table)) and (
        state.problem or state.embedded < state.notes
    ):
        if not (state.problem or state.running):
            _embed_in_background(workspace)
            state = state._replace(running=True)
        say(f"{state}.")


def embeds_in_background() -> bool:
    """Return whether someone watches who would wait for the embedding; a script waits, and so does
    a CI job.
    """
    context = command_context()
    return context.screen().err and not context.environ.get("CI")


def _embed_in_background(workspace: Workspace) -> None:
    """Start a process of the lowest priority that embeds; its store's lock prevents a second one."""
    from brain_cli.cli.daemons import index_command, start_detached

    pid = start_detached(
        index_command(workspace.vault), {**command_context().environ, "BRAIN_MEMORY": "off"}
    )
    os.setpriority(os.PRIO_PROCESS, pid, LOWEST_PRIORITY)


def embed_notes(workspace: Workspace, snapshot: Snapshot) -> None:
    """Embed the notes that are not embedded yet. A problem is reported, without an error."""
    name = model_name(workspace, snapshot.note_table.languages)
    if not name:
        return
    from brain_cli.cli.workspace import note_history_of
    from brain_cli.plugins.meaning.embedder import ModelError
    from brain_cli.plugins.meaning.embedding import embed
    from brain_cli.plugins.meaning.vectors import BusyError

    try:
        embedder = loaded(name, _threads())
        timestamps = snapshot.note_table.column("timestamp")
        history = note_history_of(workspace, snapshot)

        def last_used(note_id: int) -> float:
            timestamp: float = timestamps[note_id]
            return max(timestamp, history.usage(note_id).last_access or 0.0)

        embed(snapshot, store_of(workspace, name), embedder, Progress("embedding notes"), last_used)
    except BusyError:
        say("Another brain process is embedding these notes.")
    except ModelError as error:
        say(f"Notes are not embedded: {error}.")


def offer(workspace: Workspace, note_table: NoteTable) -> None:
    """Say once per vault, in one line, which model would find its notes by meaning and what that
    costs.
    """
    from brain_cli.paths import make_private_folder
    from brain_cli.plugins.meaning.models import PACKAGES, model_of, recommended

    mark = Path(workspace.state_home, "brain", workspace.index_directory.folder.name, MARK)
    if mark.exists() or not all(map(find_spec, PACKAGES)):
        return
    try:
        make_private_folder(mark.parent)
        mark.touch()
    except OSError:
        return  # Without the mark, every recall would say it again.
    model = model_of(recommended(note_table.languages))
    seconds = sum(note_table.column("length").values()) / model.words_per_second
    say(
        f"`brain model install {model.name}` finds notes by meaning too: {description(model)}, and about"
        f" {minutes(seconds)} to embed this vault. `brain config set meaning off` silences this."
    )


def description(model: Model) -> str:
    """Describe what an installation brings."""
    return f"{model.about}, {model.megabytes} MB, licence {model.licence}"


def minutes(seconds: float) -> str:
    """Return a duration as a number of minutes."""
    from brain_cli.render.phrases import counted

    return counted(max(1, round(seconds / 60)), "minute")


def status(workspace: Workspace, note_table: NoteTable) -> tuple[str, State] | None:
    """Return the name and the state of the search by meaning; None if a recall uses only words."""
    state = state_of(workspace, note_table)
    return ("meaning", state) if state else None


def state_of(
    workspace: Workspace, note_table: NoteTable, *, thorough: bool = False
) -> State | None:
    """Return the state of the search by meaning in a vault; None if a recall uses only words."""
    name = model_name(workspace, note_table.languages)
    if not name:
        return None
    from brain_cli.plugins.meaning.embedder import Models
    from brain_cli.plugins.meaning.models import model_of

    notes = len(note_table.rows)
    if problem := Models(Path(models_folder())).problem(name, thorough=thorough):
        return State(name, 0, notes, problem)
    from brain_cli.plugins.meaning.vectors import note_keys

    store = store_of(workspace, name)
    lengths = note_table.column("length")
    known = store.notes()
    left = [lengths[note_id] for note_id, key in note_keys(note_table).items() if key not in known]
    seconds = round(sum(left) / model_of(name).words_per_second)
    return State(name, notes - len(left), notes, "", store.is_busy(), seconds)


def near_notes(workspace: Workspace, snapshot: Snapshot, note_id: int) -> list[int]:
    """Return the notes that are nearest in meaning to a note, the nearest one first; none without a
    model.
    """
    name = model_name(workspace, snapshot.note_table.languages) if workspace.files else ""
    if not name:
        return []
    from brain_cli.plugins.meaning.onnx_session import SessionError

    with contextlib.suppress(SessionError):
        return _vectors(workspace, name, snapshot).near(note_id)
    return []


def _vectors(workspace: Workspace, name: str, snapshot: Snapshot) -> NoteVectors:
    from brain_cli.plugins.meaning.vectors import name_of_rows, note_vectors

    if kept := snapshot.vectors(name_of_rows(name)):
        from brain_cli.plugins.meaning.kept import kept_vectors

        return kept_vectors(kept, loaded(name).dimensions)
    store = store_of(workspace, name)
    note_table = snapshot.note_table
    return snapshot.cache.get(
        ("vectors", name, store.stamp()), lambda: note_vectors(store, note_table)
    )


def model_name(workspace: Workspace, languages: Sequence[str]) -> str:
    """Return the name of the model to use: the configured one, else the best installed one; empty
    if there is none.
    """
    if not is_possible():
        return ""
    if (name := workspace.config.of_plugins["meaning"]) != AUTO:
        return str(name)
    from brain_cli.plugins.meaning.models import recommended

    installed = [*_manifest_times()]
    best = recommended(languages)
    return best if best in installed else next(iter(installed), "")


def store_of(workspace: Workspace, name: str) -> VectorStore:
    from brain_cli.plugins.meaning.vectors import VectorStore

    return VectorStore(workspace.index_directory.folder, name)


def models_stamp(_workspace: Workspace) -> dict[str, int] | None:
    """Return a value that changes when a model is installed or removed; None if none is possible."""
    return _manifest_times() if is_possible() else None


def _manifest_times() -> dict[str, int]:
    """Return when each installed model was installed, in nanoseconds."""
    from brain_cli.plugins.meaning.models import EMBEDDERS, MANIFEST

    found = {}
    for name in EMBEDDERS:
        with contextlib.suppress(OSError):
            found[name] = os.stat(os.path.join(models_folder(), name, MANIFEST)).st_mtime_ns
    return found


def _threads() -> int:
    """Return the number of cores for embedding: all, or one in a process of low priority."""
    return 1 if os.getpriority(os.PRIO_PROCESS, 0) > 0 else ALL_CORES


def loaded(name: str, threads: int | None = None) -> Embedder:
    return _load(models_folder(), name, threads, _manifest_times().get(name, 0))


@lru_cache(maxsize=2)
def _load(folder: str, name: str, threads: int | None, _changed_ns: int) -> Embedder:
    """Load a model once per process, and again after it was reinstalled."""
    from brain_cli.plugins.meaning.embedder import Models

    return Models(Path(folder)).load(name, threads)
