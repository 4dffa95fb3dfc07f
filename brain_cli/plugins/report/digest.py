"""`brain report --week`: summarize a period as Markdown, for a mail or a daily note.

It has new notes, recalled ones, fading ones, contradicted ones, and open tasks.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from brain_cli.answer.health import MODERATE, TIERS, NoteHealth, notes_health
from brain_cli.answer.proposals import superseded
from brain_cli.cli._workspace import CommonOptions, Workspace, events_until, index_session, note_histories_of
from brain_cli.errors import OK, UsageError
from brain_cli.history.log import FEEDBACK, FEEDBACK_UNDONE, MOVED, SHOWN, WRONG, Event
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.render.phrases import one_line, times
from brain_cli.search.filters import moment
from brain_cli.types import SECONDS_PER_DAY, NoteMetadata
from brain_cli.vault.dates import iso

DAY, WEEK, MONTH = 1, 7, 30
MAX_LINES = 15
# A digest lists the notes whose strength fell below this.
LEAST_MODERATE = dict(TIERS)[MODERATE]
# A checkbox, or one of the words with which Logseq marks an open task.
_TASK = re.compile(r"^\s*[-*+]\s+(?:\[ \]|TODO|DOING|NOW|LATER|WAITING)\s+(?P<words>\S.*)$")
_FENCE = re.compile(r"^\s*(```|~~~)")


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


class Period(NamedTuple):
    """How often each note was recalled, and how often it was rated wrong, by path."""

    recalled: Counter[str]
    wrong: Counter[str]


def period_of(events: Iterable[Event], since: float, until: float) -> Period:
    """Count the events from `since` up to `until`, in seconds since the epoch; `events` are in time order."""
    recalled, wrong = Counter[str](), Counter[str]()
    for event in events:
        paths = [note[0] for note in event.notes]
        if event.event == MOVED and paths:
            for counts in (recalled, wrong):
                counts[paths[0]] += counts.pop(event.value, 0)
        elif since <= event.at < until and event.event == SHOWN:
            recalled.update(paths)
        elif since <= event.at < until and event.value == WRONG and event.event in (FEEDBACK, FEEDBACK_UNDONE):
            wrong.update(dict.fromkeys(paths, 1 if event.event == FEEDBACK else -1))
    return Period(+recalled, +wrong)


class CountedNote(NamedTuple):
    """A note, and how often the event happened for which it is listed."""

    metadata: NoteMetadata
    times: int = 0


class Faded(NamedTuple):
    """A note with its strength (0..1) at the start and at the end of the period."""

    metadata: NoteMetadata
    before: float
    after: float


class Contradiction(NamedTuple):
    """A note that is no longer right, and the note that replaces it; None if the note was rated wrong."""

    metadata: NoteMetadata
    by: NoteMetadata | None = None


class Task(NamedTuple):
    """An open task of a note, with its line."""

    metadata: NoteMetadata
    line: int
    words: str


class Digest(NamedTuple):
    """A digest. Each list has the most important entries first: the newest, most recalled or most faded notes."""

    new: list[CountedNote]
    recalled: list[CountedNote]
    fading: list[Faded]
    contradicting: list[Contradiction]
    tasks: list[Task]


def digest(
    snapshot: Snapshot, before: NoteHistory, after: NoteHistory, period: Period, since: float, until: float
) -> Digest:
    """Return the digest from `since` up to `until` (seconds); the histories are those at these two times."""
    table = snapshot.note_table
    health = [each for each in notes_health(table, after, until) if each.metadata.timestamp < until]
    by_path = {each.metadata.path: each.metadata for each in health}
    recalled = (CountedNote(by_path[path], times) for path, times in period.recalled.items() if path in by_path)
    earlier = {each.note_id: each for each in notes_health(table, before, since)}
    return Digest(
        new=_new(snapshot, health, since),
        recalled=sorted(recalled, key=lambda each: (-each.times, each.metadata.path)),
        fading=_fading(health, earlier, since),
        contradicting=[
            *(Contradiction(pair.one.metadata, pair.other.metadata) for pair in superseded(snapshot, health)),
            *(Contradiction(by_path[path]) for path in period.wrong if path in by_path),
        ],
        tasks=[task for each in newest_first(health) for task in open_tasks(snapshot, each)],
    )


def _new(snapshot: Snapshot, health: Sequence[NoteHealth], since: float) -> list[CountedNote]:
    """Return the notes of the period, without those that have only the file time of a clone."""
    dates = {each.note_id: snapshot.note_table.stated_date(each.note_id) for each in health}
    return [CountedNote(each.metadata) for each in newest_first(health) if (dates[each.note_id] or 0.0) >= since]


def _fading(health: Sequence[NoteHealth], earlier: Mapping[int, NoteHealth], since: float) -> list[Faded]:
    """Return the notes that became weak in the period, of those that may fade."""
    found = [
        Faded(each.metadata, earlier[each.note_id].strength, each.strength)
        for each in health
        if each.kept < LEAST_MODERATE <= earlier[each.note_id].kept
        and each.metadata.timestamp < since
        and each.may_fade
    ]
    return sorted(found, key=lambda each: (each.after - each.before, each.metadata.path))


def open_tasks(snapshot: Snapshot, each: NoteHealth) -> Iterator[Task]:
    """Yield the open tasks of a note."""
    for number in snapshot.numbers_of(each.note_id):
        fragment = snapshot.index.fragment(number)
        is_code = False
        for offset, line in enumerate(fragment.text.splitlines()):
            is_code ^= bool(_FENCE.match(line))
            if not is_code and (task := _TASK.match(line)):
                yield Task(each.metadata, fragment.text_line + offset, task["words"].strip())


def newest_first(health: Sequence[NoteHealth]) -> list[NoteHealth]:
    """Return notes with the newest first."""
    return sorted(health, key=lambda each: (-each.metadata.timestamp, each.metadata.path))
