"""Read the history for a command, and describe its recalls and notes as events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from brain_cli.answer.results import Ranked, Recall
from brain_cli.cli._output import say
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import Workspace
from brain_cli.config import Config
from brain_cli.index.snapshot import Snapshot
from brain_cli.memory.history import SHOWN, Event, Mention
from brain_cli.memory.usage import configured_kinds
from brain_cli.ranking.candidate import Candidate
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.types import NoteMetadata
from brain_cli.vault.decode import hash_of


def note_history_of(workspace: Workspace, snapshot: Snapshot) -> NoteHistory:
    """Return the history of the present notes, up to the time of this command."""
    return note_histories_of(workspace, snapshot)(workspace.now)


def note_histories_of(workspace: Workspace, snapshot: Snapshot) -> Callable[[float], NoteHistory]:
    """Return a function from a time to the history up to it; all calls share one reading of the history."""
    from brain_cli.memory.history_reader import HistoryReader

    kinds = configured_kinds(workspace.config.kinds)
    warm_index, cache = command_context().warm_index, workspace.index_directory.folder / "history.json"
    if warm_index:
        return lambda now: NoteHistory(
            warm_index.remembered(workspace.history, cache, now, say), snapshot.note_table, kinds
        )
    reading = HistoryReader(workspace.history, cache)
    return lambda now: NoteHistory(reading.at(now, say), snapshot.note_table, kinds)


def events_until(workspace: Workspace, until: float, *, newest_first: bool = False) -> Iterator[Event]:
    """Yield the events of the history up to `until` (seconds), in order of time; report a read error."""
    from brain_cli.memory.fold import events_in_order

    try:
        yield from events_in_order(workspace.history, until, newest_first=newest_first)
    except OSError as error:
        say(f"The history in {workspace.history.folder} cannot be read: {error.strerror}.")


def shown(recall: Recall, config: Config, notes: Sequence[Ranked] | None = None) -> Event:
    """Return the event of a recall that presented notes (these, if given); its query is included only if configured."""
    candidates = [ranked.candidate for ranked in (recall.presented if notes is None else notes)]
    return Event(
        recall.now,
        SHOWN,
        [Mention(each.metadata.path, each.content_hash, each.metadata.timestamp) for each in candidates],
        recall.query if config.record_queries else "",
        _certainty(candidates),
        session_name(command_context().environ.get("BRAIN_SESSION", "")),
    )


def _certainty(candidates: Sequence[Candidate]) -> float | None:
    """Return the probability that the first note is right, if the ranking is calibrated."""
    claim = candidates[0].claim if candidates else None
    return claim.certainty.probability if claim and claim.certainty else None


def session_name(session_id: str) -> str:
    """Return the name of a session in the history: a short hash, because an agent's id may be sensitive."""
    if not session_id:
        return ""
    # Imported here because it loads OpenSSL.
    from hashlib import sha256

    return sha256(session_id.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def mention(raw: bytes, metadata: NoteMetadata) -> Mention:
    """Return a note as named in events, from its file's bytes."""
    return Mention(metadata.path, hash_of(raw), metadata.timestamp)
