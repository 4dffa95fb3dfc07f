"""A vault's report as one HTML page that needs no network: `brain report`.

Charts and lists are plain HTML and SVG, which can be printed and read aloud without a script; only
the graph is drawn by one (graph.js). Colours come from the page's style, by class, so that one
drawing serves light, dark and paper. A chart is a table with bars, or has a table of its numbers
below it. A content security policy forbids the page to load anything. To add a chart, call
`bars_over_time` or `bars_by_name` in the function of a section, such as `_over_time`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from math import ceil
from typing import NamedTuple

from brain_cli.answer.health import (
    STRONG,
    TIER_RULE,
    WEAK,
    NoteHealth,
    VaultStats,
    notes_health,
    vault_stats,
)
from brain_cli.answer.links import broken_links
from brain_cli.answer.proposals import Pair, Proposals, proposals
from brain_cli.answer.usage_over_time import Week, failed_questions, weeks_of_use
from brain_cli.history.log import Event
from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.report.tasks import newest_first, open_tasks
from brain_cli.printable import one_line
from brain_cli.ranking.note_history import NoteHistory
from brain_cli.render import note_uri
from brain_cli.render.phrases import days_ago, times, undated_notes
from brain_cli.vault.clock import Clock
from brain_cli.vault.dates import today

# The first line of every report: a file that begins with it may be replaced.
FIRST_LINE = "<!doctype html><!-- brain report -->"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
MAX_LISTED = 50
MAX_FADING = 20
MAX_TO_DO = 15
WIDTH = 720
HEIGHT = 180
# Space for the labels below the bars, and for the largest value above them.
FOOT = 22
HEAD = 16
MAX_LABELS = 8
# The maximum width of a bar: a few bars do not fill the chart.
MAX_STEP = WIDTH / 16


class ReportView(NamedTuple):
    """The settings of a page: the vault's folder, the asker's clock, the template of links."""

    vault: str
    clock: Clock
    editor_uri: str = "file://{path}"

    def link_to(self, path: str) -> str:
        return note_uri(self.editor_uri, self.vault, path)


def render(
    snapshot: Snapshot,
    note_history: NoteHistory,
    events: Callable[[], Iterable[Event]],
    view: ReportView,
) -> str:
    """Return the whole page; `events` reads those of the history up to now, newest first."""
    table = snapshot.note_table
    found = notes_health(table, note_history, view.clock.now)
    proposed = proposals(snapshot, found)
    weeks = weeks_of_use(events(), view.clock.zone)
    stats = vault_stats(found, view.clock.zone, archived=len(table.rows) - len(found))
    name = view.vault.rstrip("/").rpartition("/")[2] or view.vault
    sections = {
        "To do": _to_do(snapshot, found, proposed, failed_questions(events()), view),
        "Over time": _over_time(stats),
        "Strength": _strength(stats, found, view, has_history=bool(weeks)),
        "Recall": _recall(weeks),
        "Links": _links(table, proposed, view),
    }
    navigation = "".join(f'<a href="#{_anchor(title)}">{title}</a>' for title in sections)
    body = "".join(
        f'<section id="{_anchor(title)}" aria-labelledby="{_anchor(title)}-title">'
        f'<h2 id="{_anchor(title)}-title">{title}</h2>{content}</section>'
        for title, content in sections.items()
    )
    return (
        f'{FIRST_LINE}\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(name)}: memory "
        f"report</title><style>{_asset('page.css')}</style></head><body>"
        f"<header><h1>{_text(name)}</h1><p>{_text(view.vault)}, {today(view.clock)}</p>"
        f"<nav>{navigation}</nav>{_totals(stats)}</header><main>{body}</main>"
        '<script type="application/json" '
        f'id="graph-data">{_graph_data(table, note_history, found, view)}</script>'
        f"<script>{_asset('graph.js')}</script></body></html>\n"
    )


def _totals(stats: VaultStats) -> str:
    """Return the numbers of `brain status --json`, under the same names."""
    useful = "–" if stats.useful_share is None else f"{stats.useful_share:.0%}"
    values = {
        "notes": ("active notes", stats.notes),
        "archived": ("archived", stats.archived),
        "pinned": ("pinned", stats.pinned),
        "recalls": ("times recalled", stats.recalls),
        "recalled_notes": ("notes recalled", stats.recalled_notes),
        "feedback": ("feedback given", stats.feedback),
        "useful_share": ("found useful", useful),
    }
    items = "".join(
        f'<div><dt>{label}</dt><dd data-key="{key}">{value}</dd></div>'
        for key, (label, value) in values.items()
    )
    return f'<dl class="totals">{items}</dl>'


def _over_time(stats: VaultStats) -> str:
    notes = Series("notes", "notes", list(stats.periods.values()))
    undated = f"<p>{undated_notes(stats.undated, stats.notes)}</p>" if stats.undated else ""
    return (
        bars_over_time("Active notes by their date", list(stats.periods), [notes])
        + undated
        + bars_by_name("Kinds", stats.kinds)
        + bars_by_name("Dated by", stats.dated_by)
    )


def _strength(
    stats: VaultStats, found: Sequence[NoteHealth], view: ReportView, *, has_history: bool
) -> str:
    """Return how strong the notes are, and those that may fade and are not strong,
    weakest first.
    """
    weakest = sorted(
        (each for each in found if each.may_fade and each.tier != STRONG),
        key=lambda each: each.kept,
    )
    fading = _strengths(weakest[:MAX_FADING], view)
    heads = ("note", "strength", "last used")
    rule = escape("; ".join(TIER_RULE))
    listed = (
        _listing("The weakest notes that may fade", heads, fading, len(weakest))
        if has_history
        else ""
    )
    return f"{bars_by_name('How notes fade', stats.strengths)}<p>{rule}</p>{listed}"


def _strengths(notes: Iterable[NoteHealth], view: ReportView) -> list[tuple[str, ...]]:
    return [(_link(each, view), f"{each.strength:.2f}", days_ago(each.idle_days)) for each in notes]


def _recall(weeks: Sequence[Week]) -> str:
    labels = [str(week.start) for week in weeks]
    recalls = Series("recalls", "notes", [week.recalls for week in weeks])
    useful = Series("useful", "useful", [week.useful for week in weeks])
    wrong = Series("wrong", "wrong", [week.wrong for week in weeks])
    if not labels:
        return "<p>Nothing has been recalled yet.</p>"
    return _weeks("Recalls by week", labels, [recalls]) + _weeks(
        "Feedback by week", labels, [useful, wrong]
    )


def _weeks(title: str, labels: Sequence[str], series: Sequence[Series]) -> str:
    """Return a chart by week, or a sentence if all values are zero."""
    if not any(any(each.values) for each in series):
        return f"<h3>{title}</h3><p>None yet.</p>"
    return bars_over_time(title, labels, series)


def _links(table: NoteTable, proposed: Proposals, view: ReportView) -> str:
    broken = [
        (_link_to(view, each.path, each.path), _text(each.target)) for each in broken_links(table)
    ]
    unlinked = _notes(proposed.unlinked, view)
    return (
        f"{_asset('graph.html')}"
        + _listing("Notes that nothing links to, and that link to nothing", ("note",), unlinked)
        + _listing("Links that lead to no note", ("note", "link"), broken)
    )


def _to_do(
    snapshot: Snapshot,
    found: Sequence[NoteHealth],
    proposed: Proposals,
    failed: Iterable[tuple[str, int]],
    view: ReportView,
) -> str:
    """Return what deserves a look, most urgent first; empty lists are left out.

    `failed` are the recorded questions that found nothing, with their counts.
    """
    weak = _strengths((each for each in found if each.tier == WEAK), view)
    tasks = [task for each in newest_first(found) for task in open_tasks(snapshot, each)]
    to_do = [
        (_text(each.words), _link_to(view, each.metadata.path, each.metadata.title))
        for each in tasks
    ]
    lists: list[tuple[str, Sequence[str], Sequence[Sequence[str]]]] = [
        ("Replaced, but still active", ("note", "replaced by"), _pairs(proposed.superseded, view)),
        ("Look again: about to fade", ("note", "strength", "last used"), weak),
        ("Open tasks", ("task", "note"), to_do),
        (
            "Questions that found nothing",
            ("question", "asked"),
            [(_text(each), times(n)) for each, n in failed],
        ),
        ("Say much the same", ("note", "note"), _pairs(proposed.repeated, view)),
    ]
    shown = "".join(
        _listing(title, heads, rows[:MAX_TO_DO], len(rows)) for title, heads, rows in lists if rows
    )
    return shown or "<p>Nothing.</p>"


def _notes(notes: Iterable[NoteHealth], view: ReportView) -> list[tuple[str, ...]]:
    return [(_link(each, view),) for each in notes]


def _pairs(pairs: Iterable[Pair], view: ReportView) -> list[tuple[str, ...]]:
    return [(_link(pair.one, view), _link(pair.other, view)) for pair in pairs]


def _listing(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], total: int | None = None
) -> str:
    """Return a table of the first rows, which are HTML, with the total number of rows."""
    total = len(rows) if total is None else total
    if not rows:
        return f"<h3>{title}</h3><p>None.</p>"
    listed = rows[:MAX_LISTED]
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in listed)
    more = f"<p>and {total - len(listed)} more</p>" if total > len(listed) else ""
    return (
        f"<h3>{title} "
        f"({total})</h3><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
    )


def _link(each: NoteHealth, view: ReportView) -> str:
    return _link_to(view, each.metadata.path, each.metadata.title)


def _link_to(view: ReportView, path: str, text: str) -> str:
    return f'<a href="{escape(view.link_to(path))}" title="{_text(path)}">{_text(text)}</a>'


def _graph_data(
    table: NoteTable, note_history: NoteHistory, found: Sequence[NoteHealth], view: ReportView
) -> str:
    """Return the graph as JSON for a script element, which no `<` may end.

    An edge has two indexes of nodes, and 1 for a link or 0 for notes that were only recalled
    together.
    """
    nodes = sorted(found, key=lambda each: each.metadata.path)
    indexes = {each.note_id: index for index, each in enumerate(nodes)}
    edges: dict[tuple[int, int], int] = {}
    for index, each in enumerate(nodes):
        linked = table.rows[each.note_id].neighbours
        for other in {*note_history.shown_together(each.note_id), *linked} & indexes.keys() - {
            each.note_id
        }:
            pair = min(index, indexes[other]), max(index, indexes[other])
            edges[pair] = max(edges.get(pair, 0), int(other in linked))
    documents = [
        {
            "title": one_line(each.metadata.title),
            "path": one_line(each.metadata.path),
            "link": view.link_to(each.metadata.path),
            "kind": one_line(each.metadata.kind),
            "tags": [one_line(tag) for tag in each.metadata.tags],
            "strength": round(each.strength, 3),
        }
        for each in nodes
    ]
    data = {
        "nodes": documents,
        "edges": [[*pair, is_link] for pair, is_link in sorted(edges.items())],
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _text(text: str) -> str:
    """Return a text of a note on one line, escaped for HTML, without control characters."""
    return escape(one_line(text).encode("utf-8", "replace").decode())


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _asset(name: str) -> str:
    return files("brain_cli.plugins.report").joinpath(name).read_text(encoding="utf-8")


class Series(NamedTuple):
    """One stack of every bar: its name in the table, the style class that colours it, and its
    values.
    """

    name: str
    style: str
    values: Sequence[int]


def bars_over_time(title: str, labels: Sequence[str], series: Sequence[Series]) -> str:
    """Draw stacked bars, one for each label, with a table of the numbers."""
    totals = [sum(values) for values in zip(*(each.values for each in series), strict=True)]
    most = max(totals, default=0) or 1
    step = min(MAX_STEP, WIDTH / max(1, len(labels)))
    drawn = [f'<text class="axis" x="0" y="{HEAD - 4}">{most}</text>']
    for index, label in enumerate(labels):
        drawn += _stack(
            index * step, step, label, [(each, each.values[index]) for each in series], most
        )
    drawn += _labels(labels, step)
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}">{"".join(drawn)}</svg>'
        f"<details><summary>Numbers</summary>{_table(labels, series)}</details></figure>"
    )


def _stack(
    left: float, step: float, label: str, parts: Sequence[tuple[Series, int]], most: int
) -> list[str]:
    """Draw the parts of one bar on top of each other."""
    drawn = []
    bottom = float(HEIGHT - FOOT)
    full = HEIGHT - FOOT - HEAD
    for series, value in parts:
        height = value / most * full
        bottom -= height
        if value:
            tooltip = escape(f"{label}: {value} {series.name}")
            drawn.append(
                f'<rect class="{series.style}" x="{left + step * 0.1:.1f}" y="{bottom:.1f}" '
                f'width="{step * 0.8:.1f}"'
                f' height="{height:.1f}"><title>{tooltip}</title></rect>'
            )
    return drawn


def _labels(labels: Sequence[str], step: float) -> list[str]:
    # Labels that would overlap are left out.
    every = ceil(WIDTH / MAX_LABELS / step)
    return [
        f'<text class="axis" x="{index * step + step * 0.1:.1f}" '
        f'y="{HEIGHT - 6}">{escape(labels[index])}</text>'
        for index in range(0, len(labels), every)
    ]


def bars_by_name(title: str, counts: Mapping[str, int]) -> str:
    """Draw one horizontal bar for each name: a table whose last column is the bar, so no second
    table is needed.
    """
    most = max(counts.values(), default=0) or 1
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{count}</td>'
        f'<td class="bar"><span style="width:{count / most:.1%}"></span></td></tr>'
        for name, count in counts.items()
    )
    return f'<table class="bars"><caption>{escape(title)}</caption><tbody>{rows}</tbody></table>'


def _table(labels: Sequence[str], series: Sequence[Series]) -> str:
    head = "".join(
        f'<th scope="col">{escape(name)}</th>' for name in ("", *(each.name for each in series))
    )
    rows = "".join(
        f'<tr><th scope="row">{escape(label)}</th>'
        + "".join(f'<td class="number">{each.values[index]}</td>' for each in series)
        + "</tr>"
        for index, label in enumerate(labels)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
