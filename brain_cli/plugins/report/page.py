"""A vault's report as one HTML page that needs no network: `brain report`.

Charts and lists are plain HTML and SVG, which can be printed and read aloud without a script; only
the map is drawn by one (graph.js). Colours come from the page's style, by class, so that one
drawing serves light, dark and paper. A content security policy forbids the page to load anything.
A section is in page.html; `render` fills it in. Its numbers have the names of `brain status
--json`.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from html import escape
from importlib.resources import files
from math import ceil
from string import Template

from brain_cli.answer.health import (
    TIER_RULE,
    WEAK,
    NoteHealth,
    notes_health,
    vault_stats,
)
from brain_cli.answer.links import broken_links
from brain_cli.answer.proposals import Pair, Proposals, proposals
from brain_cli.answer.usage_over_time import failed_questions
from brain_cli.history.log import SHOWN
from brain_cli.history.log_reader import events_until
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.vault import Vault
from brain_cli.plugins.report.tasks import newest_first, open_tasks
from brain_cli.printable import one_line
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.render import note_uri
from brain_cli.render.phrases import days_ago, times, undated_notes
from brain_cli.types import SECONDS_PER_DAY
from brain_cli.vault.clock import day_of, local_date, on_calendar, today

MAX_LISTED = 50
MAX_TO_DO = 5
SOON_SECONDS = 30 * SECONDS_PER_DAY
# A calendar of fewer days says less than a sentence.
MIN_DAYS = 28
WEEKS = 53
# The size of a day in a calendar, with its margin, and the space for the months above it.
CELL = 13
HEAD = 16
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def render(vault: Vault, snapshot: Snapshot, note_history: NoteHistory) -> str:
    """Return the whole page."""
    found = notes_health(snapshot.note_table, note_history, vault.now)
    archived = len(snapshot.note_table.rows) - len(found)
    stats = vault_stats(found, vault.zone, archived=archived)
    proposed = proposals(snapshot, found)
    last = today(vault.clock)
    written = [day_of(local_date(each.metadata, vault.zone)) for each in found if each.is_dated]
    recalled = [
        day_of(on_calendar(each.at, vault.zone))
        for each in events_until(vault.history, vault.now)
        if each.event == SHOWN and each.notes
    ]
    undated = f"<p>{undated_notes(stats.undated, stats.notes)}</p>" if stats.undated else ""
    broken = [
        (_link_to(vault, each.path, each.path), _text(each.target))
        for each in broken_links(snapshot.note_table)
    ]
    unlinked = [(_link(each, vault),) for each in proposed.unlinked]
    name = vault.folder.rstrip("/").rpartition("/")[2] or vault.folder
    return Template(_asset("page.html")).substitute(
        stats._asdict(),
        name=_text(name),
        folder=_text(vault.folder),
        today=last,
        style=_asset("page.css"),
        to_do=_to_do(vault, snapshot, found, proposed),
        year=calendar("Notes by their date", "notes", written, last)
        + undated
        + calendar("Recalls", "recalls", recalled, last),
        useful="–" if stats.useful_share is None else f"{stats.useful_share:.0%}",
        bars=bars_by_name("How notes fade", stats.strengths)
        + f"<p>{escape('; '.join(TIER_RULE))}</p>"
        + bars_by_name("Kinds", stats.kinds)
        + bars_by_name("Dated by", stats.dated_by),
        links=_listing(
            "Notes that nothing links to, and that link to nothing", "note", unlinked
        )
        + _listing("Links that lead to no note", "note, link", broken),
        graph=_graph_data(vault, snapshot, note_history, found),
        script=_asset("graph.js"),
    )


def _to_do(
    vault: Vault,
    snapshot: Snapshot,
    found: Sequence[NoteHealth],
    proposed: Proposals,
) -> str:
    """Return what a person can act on today, most urgent first; empty lists are omitted."""
    failed = failed_questions(events_until(vault.history, vault.now, newest_first=True))
    ends = snapshot.note_table.column("ends")
    soon = vault.clock.local + SOON_SECONDS
    ending = [each for each in found if ends[each.note_id] and ends[each.note_id] < soon]
    last = today(vault.clock).isoformat()
    tasks = sorted(
        open_tasks(snapshot, newest_first(found)),
        key=lambda each: min(_DAY.findall(each.words), default="9") > last,
    )
    lists: list[tuple[str, str, list[Sequence[str]]]] = [
        (
            "Open tasks",
            "task, note",
            [
                (_text(each.words), _link_to(vault, each.metadata.path, each.metadata.title))
                for each in tasks
            ],
        ),
        (
            "Notes that end",
            "note, last day",
            [
                (_link(each, vault), str(day_of(ends[each.note_id] - 1)))
                for each in sorted(ending, key=lambda each: ends[each.note_id])
            ],
        ),
        (
            "Look again: about to fade",
            "note, strength, last used",
            [
                (_link(each, vault), f"{each.strength:.2f}", days_ago(each.idle_days))
                for each in found
                if each.tier == WEAK
            ],
        ),
        (
            "Replaced, but still active",
            "note, replaced by",
            _pairs(proposed.superseded, vault),
        ),
        (
            "Rated wrong",
            "note, rated",
            [
                (_link(each, vault), times(each.usage.wrong))
                for each in found
                if each.usage.wrong > each.usage.useful
            ],
        ),
        (
            "Questions that found nothing",
            "question, asked",
            [(_text(each), times(count)) for each, count in failed],
        ),
        ("Say much the same", "note, note", _pairs(proposed.repeated, vault)),
    ]
    shown = "".join(
        f"<div>{_listing(title, heads, rows, MAX_TO_DO)}</div>"
        for title, heads, rows in lists
        if rows
    )
    return f'<div class="to-do">{shown}</div>' if shown else "<p>Nothing.</p>"


def _pairs(pairs: Iterable[Pair], vault: Vault) -> list[Sequence[str]]:
    return [(_link(pair.one, vault), _link(pair.other, vault)) for pair in pairs]


def _listing(
    title: str, heads: str, rows: Sequence[Sequence[str]], most: int = MAX_LISTED
) -> str:
    """Return a table of the first rows, which are HTML, with the total number of rows."""
    if not rows:
        return f"<h3>{title}</h3><p>None.</p>"
    more = f"<p>and {len(rows) - most} more</p>" if len(rows) > most else ""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads.split(", "))
    body = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows[:most])
    return (
        f"<h3>{title} ({len(rows)})</h3>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
    )


def _link(each: NoteHealth, vault: Vault) -> str:
    return _link_to(vault, each.path, each.title)


def _link_to(vault: Vault, path: str, text: str) -> str:
    address = note_uri(vault.config.editor_uri, vault.folder, path)
    return f'<a href="{escape(address)}" title="{_text(path)}">{_text(text)}</a>'


def _graph_data(
    vault: Vault, snapshot: Snapshot, note_history: NoteHistory, found: Sequence[NoteHealth]
) -> str:
    """Return the graph as JSON for a script element, which no `<` may end.

    An edge has two indexes of nodes, and 1 for a link or 0 for notes that were only recalled
    together.
    """
    nodes = sorted(found, key=lambda each: each.path)
    indexes = {each.note_id: index for index, each in enumerate(nodes)}
    edges: dict[tuple[int, int], int] = {}
    for index, each in enumerate(nodes):
        linked = snapshot.note_table.rows[each.note_id].neighbours
        near = {*note_history.shown_together(each.note_id), *linked} - {each.note_id}
        for other in near & indexes.keys():
            pair = min(index, indexes[other]), max(index, indexes[other])
            edges[pair] = int(other in linked)
    documents = [
        {
            "title": one_line(each.title),
            "path": one_line(each.path),
            "link": note_uri(vault.config.editor_uri, vault.folder, each.path),
            "kind": one_line(each.metadata.kind),
            "tags": [one_line(tag) for tag in each.metadata.tags],
            "strength": round(each.strength, 3),
        }
        for each in nodes
    ]
    joined = [[*pair, is_link] for pair, is_link in sorted(edges.items())]
    data = json.dumps({"nodes": documents, "edges": joined}, separators=(",", ":"))
    return data.replace("<", "\\u003c")


def _text(text: str) -> str:
    """Return a text of a note on one line, escaped for HTML, without control characters."""
    return escape(one_line(text).encode("utf-8", "replace").decode())


def _asset(name: str) -> str:
    return files("brain_cli.plugins.report").joinpath(name).read_text(encoding="utf-8")


def calendar(title: str, name: str, days: Sequence[date], last: date) -> str:
    """Draw how many there are on each day of a year, with a table of the numbers by month; for a
    young vault, say how many there are.
    """
    first = last - timedelta(days=last.weekday() + 7 * (WEEKS - 1))
    counts = Counter(day for day in days if first <= day <= last)
    if not counts or (max(counts) - min(counts)).days < MIN_DAYS:
        since = f" since {min(counts)}" if counts else ""
        total = f"{counts.total() or 'no'} {name}{since}"
        why = "too young for a calendar, which takes four weeks"
        return f"<h3>{title}</h3><p>So far {total}: {why}.</p>"
    months = Counter[str]()
    for day in sorted(counts):
        months[f"{day:%Y-%m}"] += counts[day]
    drawn = "".join(_drawn_days(name, counts, first, last))
    return (
        f"<figure><figcaption>{title}</figcaption>"
        f'<svg viewBox="0 0 {WEEKS * CELL} {HEAD + 7 * CELL}" role="img" aria-label="{title}">'
        f"{drawn}</svg><details><summary>By month</summary>{bars_by_name(title, months)}"
        "</details></figure>"
    )


def _drawn_days(name: str, counts: Counter[date], first: date, last: date) -> Iterator[str]:
    most = max(counts.values())
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        left = number // 7 * CELL
        if day.day == 1:
            yield f'<text class="axis" x="{left}" y="{HEAD - 4}">{day:%b}</text>'
        yield (
            f'<rect class="{name} d{ceil(4 * counts[day] / most)}" x="{left}"'
            f' y="{HEAD + number % 7 * CELL}" width="{CELL - 2}" height="{CELL - 2}">'
            f"<title>{day}: {counts[day]} {name}</title></rect>"
        )


def bars_by_name(title: str, counts: Mapping[str, int]) -> str:
    """Draw one horizontal bar for each name, a table whose last column is the bar; say what there
    is if that is one.
    """
    present = [name for name, count in counts.items() if count]
    if len(present) == 1:
        return f"<p>{title}: all {escape(present[0])}.</p>"
    most = max(counts.values(), default=0) or 1
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{count}</td>'
        f'<td class="bar"><span style="width:{count / most:.1%}"></span></td></tr>'
        for name, count in counts.items()
    )
    return f'<table class="bars"><caption>{title}</caption><tbody>{rows}</tbody></table>'
