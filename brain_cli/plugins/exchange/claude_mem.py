"""claude-mem's database: observations, and summaries of sessions."""

from __future__ import annotations

from collections.abc import Iterator

from brain_cli.plugins.exchange.database import Database, Row, database, items, moment, text
from brain_cli.types import Memory
from brain_cli.vault.edit import first_sentence

# Columns were renamed between versions; the present name comes first.
_OWN_IDS = ("memory_session_id", "sdk_session_id")
_AGENT_IDS = ("content_session_id", "claude_session_id")
# Memories of a worktree belong to the project that it was merged into.
_PROJECT = ("merged_into_project", "project")
_SUMMARY_SECTIONS = (
    ("Asked", "request"),
    ("Investigated", "investigated"),
    ("Learned", "learned"),
    ("Done", "completed"),
    ("Left open", "next_steps"),
    ("Notes", "notes"),
)


def memories(path: str) -> Iterator[Memory]:
    """Yield all memories of a database."""
    with database(path) as source:
        sessions = _sessions(source)
        yield from (_observation(row, sessions) for row in source.rows("observations"))
        yield from (_summary(row, sessions) for row in source.rows("session_summaries"))
        yield from source.unreadable


def _sessions(source: Database) -> dict[str, str]:
    """Return the id of each session as the coding agent knows it, by claude-mem's own id."""
    found = source.rows("sdk_sessions")
    pairs = ((text(row, *_OWN_IDS), text(row, *_AGENT_IDS)) for row in found)
    return {own: theirs or own for own, theirs in pairs if own}


def _observation(row: Row, sessions: dict[str, str]) -> Memory:
    facts = "\n".join(f"- {fact}" for fact in items(row, "facts"))
    parts = [text(row, "subtitle"), text(row, "narrative", "text"), facts]
    return Memory(
        source_id=f"claude-mem:observation:{row.get('id')}",
        title=text(row, "title")
        or first_sentence(text(row, "text", "narrative"))
        or "Observation",
        text="\n\n".join(filter(None, parts)),
        kind=text(row, "type") or "observation",
        at=moment(row, "created_at_epoch", "created_at"),
        project=text(row, *_PROJECT),
        session=_session(row, sessions),
        files=items(row, "files_modified", "files_read"),
        tags=items(row, "concepts"),
    )


def _summary(row: Row, sessions: dict[str, str]) -> Memory:
    sections = ((name, text(row, column)) for name, column in _SUMMARY_SECTIONS)
    return Memory(
        source_id=f"claude-mem:summary:{row.get('id')}",
        title="Handoff: "
        f"{first_sentence(text(row, 'request', 'completed', 'learned'), 70) or 'a session'}",
        text="\n\n".join(f"## {name}\n\n{words}" for name, words in sections if words),
        kind="handoff",
        at=moment(row, "created_at_epoch", "created_at"),
        project=text(row, *_PROJECT),
        session=_session(row, sessions),
        files=items(row, "files_edited", "files_read"),
    )


def _session(row: Row, sessions: dict[str, str]) -> str:
    own = text(row, *_OWN_IDS)
    return sessions.get(own, own)
