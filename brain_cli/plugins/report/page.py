"""A vault's report as one HTML page that needs no network: `brain report`.

Charts and lists are plain HTML and SVG, which can be printed and read aloud without a script; only the graph is drawn
by one (graph.js). A content security policy forbids the page to load anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import NamedTuple

from brain_cli.answer.broken_links import BrokenLink
from brain_cli.answer.health import TIER_RULE, NoteHealth
from brain_cli.answer.proposals import Pair
from brain_cli.plugins.report.charts import Series, bars_by_name, bars_over_time, certainty_curve
from brain_cli.plugins.report.vault_report import DrawnGraph, VaultReport
from brain_cli.printable import one_line
from brain_cli.render import note_uri
from brain_cli.render.phrases import days_ago, times
from brain_cli.vault.dates import iso

# The first line of every report: a file that begins with it may be replaced.
FIRST_LINE = "<!doctype html><!-- brain report -->"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
MAX_LISTED = 50
MAX_FADING = 20
MAX_TO_DO = 15


class ReportView(NamedTuple):
    """Everything the page needs besides the report: the vault's folder, the time (seconds), the template of links."""

    vault: str
    now: float
    editor_uri: str = "file://{path}"

    def link_to(self, path: str) -> str:
        return note_uri(self.editor_uri, self.vault, path)


def render(report: VaultReport, view: ReportView) -> str:
    """Return the whole page."""
    name = view.vault.rstrip("/").rpartition("/")[2] or view.vault
    sections = [
        ("To do", _to_do(report, view)),
        ("Over time", _over_time(report)),
        ("Strength", _strength(report, view)),
        ("Recall", _recall(report)),
        ("Links", _links(report, view)),
    ]
    navigation = "".join(f'<a href="#{_anchor(title)}">{title}</a>' for title, _ in sections)
    body = "".join(
        f'<section id="{_anchor(title)}" aria-labelledby="{_anchor(title)}-title">'
        f'<h2 id="{_anchor(title)}-title">{title}</h2>{content}</section>'
        for title, content in sections
    )
    return (
        f'{FIRST_LINE}\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(name)}: memory report</title><style>{_asset('page.css')}</style></head><body>"
        f"<header><h1>{_text(name)}</h1><p>{_text(view.vault)}, {iso(view.now)[:10]}</p>"
        f"<nav>{navigation}</nav>{_totals(report)}</header><main>{body}</main>"
        f'<script type="application/json" id="graph-data">{_graph_data(report.graph, view)}</script>'
        f"<script>{_asset('graph.js')}</script></body></html>\n"
    )


def _totals(report: VaultReport) -> str:
    """Return the numbers of `brain status --json`, under the same names."""
    stats = report.stats
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
        f'<div><dt>{label}</dt><dd data-key="{key}">{value}</dd></div>' for key, (label, value) in values.items()
    )
    return f'<dl class="totals">{items}</dl>'


def _over_time(report: VaultReport) -> str:
    periods = report.stats.periods
    labels, notes = list(periods), Series("notes", "notes", list(periods.values()))
    return (
        bars_over_time("Active notes by their date", labels, [notes])
        + bars_by_name("Kinds", report.stats.kinds)
        + bars_by_name("Dated by", report.stats.dated_by)
    )


def _strength(report: VaultReport, view: ReportView) -> str:
    fading = [
        (_link(each, view), f"{each.strength:.2f}", days_ago(each.idle_days)) for each in report.fading[:MAX_FADING]
    ]
    heads, rule = ("note", "strength", "last used"), escape("; ".join(TIER_RULE))
    has_history = bool(report.weeks)
    weakest = _listing("The weakest notes that may fade", heads, fading, len(report.fading)) if has_history else ""
    return f"{bars_by_name('How notes fade', report.stats.strengths)}<p>{rule}</p>{weakest}"


def _recall(report: VaultReport) -> str:
    labels = [iso(week.start)[:10] for week in report.weeks]
    recalls = Series("recalls", "notes", [week.recalls for week in report.weeks])
    useful = Series("useful", "useful", [week.useful for week in report.weeks])
    wrong = Series("wrong", "wrong", [week.wrong for week in report.weeks])
    if not labels:
        return "<p>Nothing has been recalled yet.</p>"
    return (
        _weeks("Recalls by week", labels, [recalls])
        + _weeks("Feedback by week", labels, [useful, wrong])
        + certainty_curve("Certainty of an answer, and how often its first note was found useful", report.certainty)
    )


def _weeks(title: str, labels: Sequence[str], series: Sequence[Series]) -> str:
    """Return a chart by week, or a sentence if all values are zero."""
    if not any(any(each.values) for each in series):
        return f"<h3>{title}</h3><p>None yet.</p>"
    return bars_over_time(title, labels, series)


def _links(report: VaultReport, view: ReportView) -> str:
    return (
        f"{_asset('graph.html')}"
        + _listing("Notes that nothing links to, and that link to nothing", ("note",), _notes(report.unlinked, view))
        + _listing("Links that lead to no note", ("note", "link"), _broken(report.broken_links, view))
    )


def _to_do(report: VaultReport, view: ReportView) -> str:
    """Return what deserves a look, most urgent first; empty lists are left out."""
    weak = [(_link(each, view), f"{each.strength:.2f}", days_ago(each.idle_days)) for each in report.weak]
    tasks = [(_text(each.words), _link_to(view, each.metadata.path, each.metadata.title)) for each in report.tasks]
    lists: list[tuple[str, Sequence[str], Sequence[Sequence[str]]]] = [
        ("Contradicted in a session", ("note",), _notes(report.disputed, view)),
        ("Replaced, but still active", ("note", "replaced by"), _pairs(report.superseded, view)),
        ("Look again: about to fade", ("note", "strength", "last used"), weak),
        ("Open tasks", ("task", "note"), tasks),
        ("Questions that found nothing", ("question", "asked"), [(_text(each), times(n)) for each, n in report.failed]),
        ("Say much the same", ("note", "note"), _pairs(report.repeated, view)),
    ]
    shown = "".join(_listing(title, heads, rows[:MAX_TO_DO], len(rows)) for title, heads, rows in lists if rows)
    return shown or "<p>Nothing.</p>"


def _notes(notes: Iterable[NoteHealth], view: ReportView) -> list[tuple[str, ...]]:
    return [(_link(each, view),) for each in notes]


def _broken(links: Iterable[BrokenLink], view: ReportView) -> list[tuple[str, ...]]:
    return [(_link_to(view, each.path, each.path), _text(each.target)) for each in links]


def _pairs(pairs: Iterable[Pair], view: ReportView) -> list[tuple[str, ...]]:
    return [(_link(pair.one, view), _link(pair.other, view)) for pair in pairs]


def _listing(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], total: int | None = None) -> str:
    """Return a table of the first rows, which are HTML, with the total number of rows."""
    total = len(rows) if total is None else total
    if not rows:
        return f"<h3>{title}</h3><p>None.</p>"
    listed = rows[:MAX_LISTED]
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in listed)
    more = f"<p>and {total - len(listed)} more</p>" if total > len(listed) else ""
    return f"<h3>{title} ({total})</h3><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _link(each: NoteHealth, view: ReportView) -> str:
    return _link_to(view, each.metadata.path, each.metadata.title)


def _link_to(view: ReportView, path: str, text: str) -> str:
    return f'<a href="{escape(view.link_to(path))}" title="{_text(path)}">{_text(text)}</a>'


def _graph_data(graph: DrawnGraph, view: ReportView) -> str:
    """Return the graph as JSON for a script element, which no `<` may end."""
    nodes = [
        {
            "title": one_line(each.metadata.title),
            "path": one_line(each.metadata.path),
            "link": view.link_to(each.metadata.path),
            "kind": one_line(each.metadata.kind),
            "tags": [one_line(tag) for tag in each.metadata.tags],
            "strength": round(each.strength, 3),
        }
        for each in graph.nodes
    ]
    edges = [[edge.one, edge.other, int(edge.is_link)] for edge in graph.edges]
    return json.dumps({"nodes": nodes, "edges": edges}, separators=(",", ":")).replace("<", "\\u003c")


def _text(text: str) -> str:
    """Return a text of a note on one line, escaped for HTML, without control characters."""
    return escape(one_line(text).encode("utf-8", "replace").decode())


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _asset(name: str) -> str:
    return files("brain_cli.plugins.report").joinpath(name).read_text(encoding="utf-8")
