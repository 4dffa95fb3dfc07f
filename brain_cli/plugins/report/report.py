"""`brain report`: draw the vault as one HTML page, or summarize a period as Markdown, for a mail or
a daily note.

The summary has new notes, recalled ones, fading ones, contradicted ones, and open tasks.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from brain_cli.answer.health import MODERATE, TIERS, NoteHealth, notes_health
from brain_cli.answer.proposals import superseded
from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import OutOption, flag
from brain_cli.errors import OK, BrainError, UsageError
from brain_cli.files import read_beginning
from brain_cli.history.log import FEEDBACK, FEEDBACK_UNDONE, MOVED, SHOWN, WRONG, Event
from brain_cli.history.log_reader import events_until
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.recalling import note_histories_of, note_history_of
from brain_cli.library.vault import Vault
from brain_cli.plugins.report.page import render
from brain_cli.plugins.report.tasks import newest_first, open_tasks
from brain_cli.printable import one_line
from brain_cli.render.formats import Row
from brain_cli.render.phrases import times
from brain_cli.search.dates import local_time
from brain_cli.streams import STANDARD_OUTPUT, write
from brain_cli.types import NOTE_SUFFIXES, SECONDS_PER_DAY, NoteMetadata
from brain_cli.vault.atomic_write import replace_file
from brain_cli.vault.clock import iso, local_iso

# The first line of every report: a file that begins with it may be replaced.
FIRST_LINE = "<!doctype html><!-- brain report -->"
WEEK_DAYS = 7
# How the events of a rating count.
RATINGS = {FEEDBACK: 1, FEEDBACK_UNDONE: -1}
MAX_LINES = 15
# A digest lists the notes whose strength fell below this.
LEAST_MODERATE = dict(TIERS)[MODERATE]


def command(
    options: CommonOptions,
    out: Annotated[
        str, OutOption(help="The page to write; - is stdout.")
    ] = "brain-report.html",
    browse: Annotated[bool, flag("--open", "Open the page in your browser.")] = False,
    html: Annotated[bool, flag("--html", "Draw the HTML page; the default.")] = False,
    week: Annotated[bool, flag("--week", "Summarize the last seven days as Markdown.")] = False,
    since: Annotated[
        str | None, flag("--since TIME", "Summarize from then on: a date, 2w, 3 months.")
    ] = None,
    until: Annotated[
        str | None, flag("--until TIME", "Summarize up to this date, or a time ago.")
    ] = None,
) -> int:
    """Draw the vault: what to do today, a map of its notes, a year of writing and recalling.

    The page needs no network. An older report is replaced; no other file is. With a period: a
    summary of it as Markdown, with its new, recalled, fading and contradicting notes, and open
    tasks.

    Examples:
      brain report --out report.html
      brain report --week
      brain report --since 2026-11-01 --until 2026-11-15
    """
    if html + week + (since is not None) > 1:
        raise UsageError("Name one period.", "brain report --week, or --since and --until.")
    if week or since is not None or until is not None:
        return summarize(options, since, until)
    vault = options.open_vault()
    page = _page(vault)
    if out == STANDARD_OUTPUT:
        write(page)
        return OK
    path = os.path.join(vault.working_folder, os.path.expanduser(out))
    if path.lower().endswith(NOTE_SUFFIXES):
        raise UsageError(
            f"{out} is the name of a note.", "The report is a page: name it .html."
        )
    _save(path, page)
    options.report(path, {"path": path})
    if browse:
        import webbrowser

        webbrowser.open(f"file://{path}")
    return OK


def _page(vault: Vault) -> str:
    return vault.ask(lambda snapshot: render(vault, snapshot, note_history_of(vault, snapshot)))


def _save(path: str, page: str) -> None:
    """Write the page; raise BrainError if the path has another file, or the folder cannot be
    written.
    """
    begin = FIRST_LINE.encode()
    try:
        if os.path.lexists(path) and read_beginning(path, len(begin), os.O_NOFOLLOW) != begin:
            raise BrainError(
                f"{path} is not a report of brain.", "Name another file with --out."
            )
        replace_file(Path(path), page.encode("utf-8", "replace"))
    except OSError as error:
        raise BrainError(
            f"{path} cannot be written: {error.strerror}.", "Name another file with --out."
        ) from None


def summarize(options: CommonOptions, since: str | None, until: str | None) -> int:
    """Print the summary of a period, by default the last week: new, recalled, fading notes,
    contradictions, tasks.
    """
    vault = options.open_vault()
    clock = vault.clock
    end = clock.local if until is None else local_time(until, clock)
    start = end - WEEK_DAYS * SECONDS_PER_DAY if since is None else local_time(since, clock)
    if start >= end:
        raise UsageError(
            "The period ends before it starts.", "Name an earlier --since or a later --until."
        )
    begins = clock.moment(start)
    ends = clock.moment(end)
    found = vault.ask(lambda snapshot: _entries(vault, snapshot, begins, ends))
    documents = {key: [each.document for each in entries] for key, entries in found.items()}
    period = {"since": local_iso(begins, clock.zone), "until": local_iso(ends, clock.zone)}
    options.answer({**period, **documents}, _markdown(found, *period.values()))
    return OK


def _entries(
    vault: Vault, snapshot: Snapshot, since: float, until: float
) -> dict[str, list[Row]]:
    """Return what happened from `since` up to `until` (seconds), by kind; the most important
    entries come first.
    """
    history_at = note_histories_of(vault, snapshot)

    def health_at(moment: float) -> list[NoteHealth]:
        return notes_health(snapshot.note_table, history_at(moment), moment)

    health = newest_first(
        [each for each in health_at(until) if each.metadata.timestamp < until]
    )
    earlier = {each.note_id: each for each in health_at(since)}
    by_path = {each.path: each.metadata for each in health}
    recalled, wrong = period_of(events_until(vault.history, until), since, until)
    counts = sorted((-count, path) for path, count in recalled.items() if path in by_path)
    new = [
        each.metadata for each in health if each.metadata.timestamp >= since and each.is_dated
    ]
    contradicting = []
    for pair in superseded(snapshot, health):
        newer = pair.other.metadata
        remark = f" is replaced by {_link(newer)}, but still active"
        contradicting.append(_entry(pair.one.metadata, remark, replaced_by=newer.path))
    contradicting += [
        _entry(by_path[path], " was called wrong", replaced_by=None)
        for path in wrong
        if path in by_path
    ]
    return {
        "new": [_entry(each, f" ({each.kind})") for each in new],
        "recalled": [
            _entry(by_path[path], f", {times(-less)}", recalled=-less) for less, path in counts
        ],
        "fading": _fading(health, earlier, since),
        "contradicting": contradicting,
        "tasks": [
            Row(
                f"[ ] {one_line(task.words)} ({_link(task.metadata)})",
                {"path": task.metadata.path, "line": task.line, "text": task.words},
            )
            for task in open_tasks(snapshot, health)
        ],
    }


def _entry(metadata: NoteMetadata, remark: str, **more: object) -> Row:
    document = {
        "path": metadata.path,
        "title": metadata.title,
        "kind": metadata.kind,
        "date": iso(metadata.timestamp, metadata.offset or 0.0),
        **more,
    }
    return Row(f"{_link(metadata)}{remark}", document)


def _link(metadata: NoteMetadata) -> str:
    title = one_line(metadata.title).replace("[", r"\[").replace("]", r"\]")
    return f"[{title}]({quote(os.fsencode(metadata.path))})"


def _markdown(found: Mapping[str, Sequence[Row]], start: str, end: str) -> Iterator[str]:
    yield f"# {start[:10]} to {end[:10]}"
    for key, entries in found.items():
        if entries:
            heading = "Open tasks" if key == "tasks" else key.capitalize()
            yield from ("", f"## {heading} ({len(entries)})", "")
            yield from (f"- {each.line}" for each in entries[:MAX_LINES])
        if len(entries) > MAX_LINES:
            yield f"- and {len(entries) - MAX_LINES} more"
    if not any(found.values()):
        yield from ("", "Nothing happened.")


def period_of(
    events: Iterable[Event], since: float, until: float
) -> tuple[Counter[str], Counter[str]]:
    """Return how often each note was recalled, and how often it was rated wrong, by path, from
    `since` up to `until`, in seconds since the epoch; `events` are in time order.
    """
    recalled = Counter[str]()
    wrong = Counter[str]()
    for event in events:
        paths = [note[0] for note in event.notes]
        if event.event == MOVED and paths:
            for counts in (recalled, wrong):
                counts[paths[0]] += counts.pop(event.value, 0)
        elif not since <= event.at < until:
            continue
        elif event.event == SHOWN:
            recalled.update(paths)
        elif event.value == WRONG and event.event in RATINGS:
            wrong.update(dict.fromkeys(paths, RATINGS[event.event]))
    return +recalled, +wrong


def _fading(
    health: Sequence[NoteHealth], earlier: Mapping[int, NoteHealth], since: float
) -> list[Row]:
    """Return the notes that became weak in the period, of those that may fade, with their strengths
    (0..1).
    """
    found = []
    for each in health:
        before = earlier[each.note_id]
        became_weak = each.kept < LEAST_MODERATE <= before.kept
        if became_weak and each.may_fade and each.metadata.timestamp < since:
            found.append((each.strength - before.strength, each.path, before, each))
    return [
        _entry(
            after.metadata,
            f", {before.strength:.2f} → {after.strength:.2f}",
            before=before.strength,
            after=after.strength,
        )
        for _, _, before, after in sorted(found, key=lambda each: each[:2])
    ]
