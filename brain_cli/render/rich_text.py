"""The terminal: the four answers in their published forms, for reading."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from brain_cli.answer.recall import MOST_LISTED_PASSAGES
from brain_cli.answer.results import Ranked, Recall, Related
from brain_cli.index.staleness import staleness
from brain_cli.ranking.certainty import Certainty
from brain_cli.ranking.scorers.brain import decayed_strength
from brain_cli.render import View
from brain_cli.render.phrases import (
    RELATED_IN_MEANING,
    archive_found,
    counted,
    in_one_line,
    last_access,
    nothing_found,
    one_line,
    origin,
    quoted,
    shortened,
    times,
    title,
    unknown_words,
)
from brain_cli.render.terminal import MOST_COLUMNS, highlighted, link_style, listed, printed, readable
from brain_cli.types import KeyPoint, Strategy

MOST_OTHER_SOURCES = 5
# What the frame of a panel takes of a line with its title or its place.
FRAME_COLUMNS = 6
LIST_MARK_COLUMNS = 4
SHORTEST_PLACE = 16


def render(recall: Recall, view: View) -> str:
    """Return the answer as terminal text."""
    return printed(parts(recall, view), view)


def parts(recall: Recall, view: View) -> Iterator[RenderableType]:
    """Yield what stands on the screen, top to bottom."""
    form = {
        Strategy.SINGLE_STRONG: _single_strong,
        Strategy.SYNTHESIZE: _synthesis,
        Strategy.MANY_WEAK: _weak,
        Strategy.ARCHIVE_FALLBACK: _archive,
    }[recall.strategy]
    if recall.behind:
        yield Text(staleness(recall.behind), style="yellow")
    yield from form(recall, view)
    if view.explain:
        if recall.certainty:
            yield _certainty(recall.certainty)
        for ranked in (*recall.results, *recall.archive):
            yield _ledger(ranked)


def _single_strong(recall: Recall, view: View) -> Iterator[RenderableType]:
    yield Text("Found a strong match:", style="bold green")
    yield _panel(recall.answer, recall, view)
    if recall.excerpt and recall.excerpt.lines_left:
        left = counted(recall.excerpt.lines_left, "more line", "more lines")
        path = one_line(view.path_from_here(recall.answer.metadata.path))
        yield Text.assemble((f"{left} below; read on with ", "dim"), (f"brain show {quoted(path)}", "cyan"))
    if recall.related:
        yield Text("Related memories also activated:", style="bold")
        yield listed(("•", _activated(each, view)) for each in recall.related)
    yield from _unknown(recall)


def _panel(best: Ranked, recall: Recall, view: View) -> Panel:
    """The matching stretch of a note, between its title and its place; neither of them is cut."""
    candidate = best.candidate
    vitals = Text(
        f"Strength: {decayed_strength(candidate.signals):.2f} | Recalled {times(candidate.usage.recalled)}"
        f" | Last: {last_access(candidate, recall.now)}",
        style="dim",
    )
    name = Text.assemble(("📝 ", ""), (one_line(title(best, recall)), "bold"))
    place = Text.assemble(_answer_place(recall, view), f"  score {candidate.score.share:.2f}")
    room = min(view.width, MOST_COLUMNS) - FRAME_COLUMNS
    above = [] if name.cell_len <= room else [name]
    below = [] if place.cell_len <= room else [place]
    return Panel(
        Group(*above, vitals, *_answer_trail(recall), Text(), _answer_text(recall, view), *below),
        title=None if above else name,
        title_align="left",
        subtitle=None if below else place,
        subtitle_align="right",
        border_style="green",
        padding=(0, 1),
    )


def _answer_text(recall: Recall, view: View) -> RenderableType:
    text = recall.excerpt.text if recall.excerpt else view.body_of(recall.answer.metadata.path)
    return Markdown(_readable(text, recall.answer.metadata.title), hyperlinks=view.color)


def _answer_trail(recall: Recall) -> Iterator[Text]:
    """Yield the headings that the text begins under, where they say more than the title."""
    headings = recall.excerpt.heading if recall.excerpt else ()
    below = headings[1:] if headings[:1] == (recall.answer.metadata.title,) else headings
    if below:
        yield Text(one_line(" › ".join(below)), style="bold")


def _answer_place(recall: Recall, view: View) -> Text:
    path = recall.answer.metadata.path
    line = recall.excerpt.line if recall.excerpt else recall.answer.hits[0].fragment.line
    return Text(f"{one_line(path)}:{line}", style=link_style("dim", path, view))


def _activated(related: Related, view: View) -> Text:
    return Text.assemble(_name(related.path, related.title, view), (f" (strength {related.strength:.2f})", "dim"))


def _synthesis(recall: Recall, view: View) -> Iterator[RenderableType]:
    memories = counted(len(recall.sources), "related memory", "related memories")
    yield Text(f"Found {memories}:", style="bold green")
    yield Text()
    yield listed((f"{number}.", _point(point, recall, view)) for number, point in enumerate(recall.key_points, start=1))
    if recall.other_sources:
        yield Text()
        yield Text("See also:", style="bold")
        yield listed(("•", _source(each, recall, view)) for each in recall.other_sources[:MOST_OTHER_SOURCES])
    yield from _unknown(recall)
    yield from _more(recall)


def _source(ranked: Ranked, recall: Recall, view: View) -> Text:
    return _with_place(_name(ranked.metadata.path, title(ranked, recall), view), _place(ranked, view), view)


def _point(point: KeyPoint, recall: Recall, view: View) -> RenderableType:
    """A passage below the title of its note and its place."""
    place = Text(f"{one_line(point.path)}:{point.line}", style=link_style("dim", point.path, view))
    project = next((origin(each, recall) for each in recall.results if each.metadata.path == point.path), "")
    name = Text(one_line(point.title or point.path) + project, style=link_style("bold", point.path, view))
    return Group(_with_place(name, place, view), highlighted(point.text, recall, view))


def _more(recall: Recall) -> Iterator[Text]:
    if recall.worth_showing > len(recall.results):
        more = counted(recall.worth_showing - len(recall.results), "more match", "more matches")
        yield Text(f"… and {more}; -n {recall.worth_showing} shows all.", style="dim")


def _unknown(recall: Recall) -> Iterator[Text]:
    """Say which words of the question no note has; a word that was corrected is told elsewhere."""
    if said := unknown_words(recall):
        yield Text(said, style="yellow")


def _weak(recall: Recall, view: View) -> Iterator[RenderableType]:
    matches = counted(max(recall.worth_showing, len(recall.results)), "partial match", "partial matches")
    yield Text(f"Found {matches}. Which is most relevant?", style="bold yellow")
    yield from _unknown(recall)
    yield Text()
    yield _numbered(recall.results, recall, view)
    yield from _more(recall)


def _archive(recall: Recall, view: View) -> Iterator[RenderableType]:
    yield Text(nothing_found(recall), style="bold yellow")
    yield Text(archive_found(recall))
    if recall.archive:
        yield Text()
        yield _numbered(recall.archive, recall, view)
        yield Text()
    yield from _unknown(recall)
    if recall.suggestions:
        yield Text.assemble(
            "Related topics you have memories about: ", (one_line(", ".join(recall.suggestions)), "cyan")
        )


def _numbered(found: tuple[Ranked, ...], recall: Recall, view: View) -> Table:
    """Titles with scores to choose from; below each, what it says of the question."""
    return listed((f"{ranked.rank}.", _choice(ranked, recall, view)) for ranked in found)


def _choice(ranked: Ranked, recall: Recall, view: View) -> RenderableType:
    """A title with its score and place; below it, what the note says of the question."""
    name = _name(ranked.metadata.path, title(ranked, recall), view)
    near = f", {RELATED_IN_MEANING}" if ranked.only_by_meaning else ""
    name.append(f" (score: {ranked.candidate.score.share:.2f}{near})", style="dim")
    return Group(_with_place(name, _place(ranked, view), view), *_said(ranked, recall, view))


def _with_place(name: Text, place: Text, view: View) -> Text:
    """Return a name and its place on one line; of a place that is too long, the end: its file and line."""
    room = min(view.width, MOST_COLUMNS) - LIST_MARK_COLUMNS - name.cell_len - 2
    if place.cell_len > room >= SHORTEST_PLACE:
        end = place.plain[-room + 1 :]
        while Text(end).cell_len >= room:
            end = end[1:]
        place = Text(f"…{end[end.find('/') :] if '/' in end else end}", style=place.style)
    return Text.assemble(name, "  ", place)


def _said(ranked: Ranked, recall: Recall, view: View) -> Iterator[Text]:
    """Yield the passage of a note on one line of text; those of the first notes fill a screen."""
    if ranked.passage and ranked.rank <= MOST_LISTED_PASSAGES:
        yield highlighted(in_one_line(ranked.passage.text), recall, view)


def _certainty(certainty: Certainty) -> RenderableType:
    """Explain the certainty of the first note, from the parts of the sum to the probability."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("certainty")
    for column in ("value", "weight", "product"):
        table.add_column(column, justify="right")
    for part in certainty.parts:
        product = part.value * part.weight
        table.add_row(part.name.replace("_", " "), f"{part.value:.3f}", f"{part.weight:.3f}", f"{product:.3f}")
    table.add_section()
    table.add_row(certainty.rule or "probability", "", "", f"{certainty.probability:.3f}", style="bold")
    return Group(Text(), table)


def _ledger(ranked: Ranked) -> RenderableType:
    """A score as it came about, from the first step to the total."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("step")
    for column in ("", "value", "weight", "total"):
        table.add_column(column, justify="right")
    for step in ranked.candidate.score.steps:
        weight = "" if step.weight is None else f"{step.weight:.3f}"
        table.add_row(step.name.replace("_", " "), step.op, f"{step.value:.3f}", weight, f"{step.total:.3f}")
    score = ranked.candidate.score
    table.add_section()
    table.add_row("share", "", "", "", f"{score.share:.3f}", style="bold")
    name = Text(f"{ranked.rank}. {shortened(one_line(ranked.metadata.title), 60)}", style="bold")
    return Group(Text(), name, table)


def _name(path: str, text: str, view: View) -> Text:
    return Text(one_line(text), style=link_style("bold", path, view))


def _place(ranked: Ranked, view: View) -> Text:
    path = ranked.metadata.path
    line = ranked.passage.line if ranked.passage else ranked.hits[0].fragment.line
    return Text(f"{one_line(path)}:{line}", style=link_style("dim", path, view))


def _readable(body: str, heading: str) -> str:
    """The panel has the title, so a first heading that repeats it is left out."""
    body = readable(body)
    first, _, rest = body.lstrip("\n").partition("\n")
    return rest.lstrip("\n") if first.lstrip("# ").strip() == heading.strip() and first.startswith("# ") else body
