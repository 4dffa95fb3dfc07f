"""`brain report --week`: summarize a period as Markdown, for a mail or a daily note."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from brain_cli.cli._workspace import CommonOptions, Workspace, events_until, index_session, note_histories_of
from brain_cli.errors import OK, UsageError
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.report.period_digest import Contradiction, Digest, digest, period_of
from brain_cli.render.phrases import one_line, times
from brain_cli.search.filters import moment
from brain_cli.types import SECONDS_PER_DAY, NoteMetadata
from brain_cli.vault.dates import iso

DAY, WEEK, MONTH = 1, 7, 30
MAX_LINES = 15


class AskedPeriod(NamedTuple):
    """The period asked for, as typed: `days`, or from `since`, up to `until`."""

    days: int | None
    since: str | None
    until: str | None


def summarize(options: CommonOptions, asked: AskedPeriod) -> int:
    """Print the summary of a period as Markdown: new, recalled, fading and contradicting notes, and open tasks."""
    workspace = options.open_workspace()
    end = workspace.now if asked.until is None else moment(asked.until, workspace.now)
    days = WEEK if asked.days is None else asked.days
    start = end - days * SECONDS_PER_DAY if asked.since is None else moment(asked.since, workspace.now)
    if start >= end:
        raise UsageError("The period ends before it starts.", "Name an earlier --since or a later --until.")
    found = index_session(workspace).ask(lambda snapshot: _digest(workspace, snapshot, start, end))
    options.answer({"since": iso(start), "until": iso(end), **_document(found)}, _markdown(found, start, end))
    return OK


def _digest(workspace: Workspace, snapshot: Snapshot, start: float, end: float) -> Digest:
    history_at = note_histories_of(workspace, snapshot)
    period = period_of(events_until(workspace, end), start, end)
    return digest(snapshot, history_at(start), history_at(end), period, start, end)


def _markdown(found: Digest, start: float, end: float) -> Iterator[str]:
    yield f"# {iso(start)[:10]} to {iso(end)[:10]}"
    parts = {
        "New": (f"{_link(each.metadata)} ({each.metadata.kind})" for each in found.new),
        "Recalled": (f"{_link(each.metadata)}, {times(each.times)}" for each in found.recalled),
        "Fading": (f"{_link(each.metadata)}, {each.before:.2f} → {each.after:.2f}" for each in found.fading),
        "Contradicting": map(_contradiction, found.contradicting),
        "Open tasks": (f"[ ] {one_line(each.words)} ({_link(each.metadata)})" for each in found.tasks),
    }
    sections = [(name, list(lines)) for name, lines in parts.items()]
    for name, lines in sections:
        if lines:
            yield from ("", f"## {name} ({len(lines)})", "")
            yield from (f"- {line}" for line in lines[:MAX_LINES])
            yield from [f"- and {len(lines) - MAX_LINES} more"] if len(lines) > MAX_LINES else []
    if not any(lines for _, lines in sections):
        yield from ("", "Nothing happened.")


def _contradiction(each: Contradiction) -> str:
    replaced = f"is replaced by {_link(each.by)}, but still active" if each.by else "was called wrong"
    return f"{_link(each.metadata)} {replaced}"


def _link(metadata: NoteMetadata) -> str:
    title = one_line(metadata.title).replace("[", r"\[").replace("]", r"\]")
    return f"[{title}]({quote(os.fsencode(metadata.path))})"


def _document(found: Digest) -> dict[str, object]:
    return {
        "new": [_note(each.metadata) for each in found.new],
        "recalled": [{**_note(each.metadata), "recalled": each.times} for each in found.recalled],
        "fading": [{**_note(each.metadata), "before": each.before, "after": each.after} for each in found.fading],
        "contradicting": [
            {**_note(each.metadata), "replaced_by": each.by.path if each.by else None} for each in found.contradicting
        ],
        "tasks": [{"path": each.metadata.path, "line": each.line, "text": each.words} for each in found.tasks],
    }


def _note(metadata: NoteMetadata) -> dict[str, object]:
    date = iso(metadata.timestamp)
    return {"path": metadata.path, "title": metadata.title, "kind": metadata.kind, "date": date}
