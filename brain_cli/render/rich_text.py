"""The terminal: the four answers in their published forms, for reading."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from brain_cli.answer.results import Ranked, Recall, Related
from brain_cli.ranking.certainty import Certainty
from brain_cli.ranking.scorers.brain import decayed_strength
from brain_cli.render import View
from brain_cli.render.phrases import (
    archive_found,
    counted,
    last_access,
    nothing_found,
    one_line,
    origin,
    printable,
    shortened,
    times,
    title,
    trail_below_title,
)
from brain_cli.render.terminal import link_style, listed, printed, readable
from brain_cli.types import KeyPoint, Strategy

MOST_OTHER_SECTIONS = 2


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
    yield from form(recall, view)
    if view.explain:
        if recall.certainty:
            yield _certainty(recall.certainty)
        for ranked in (*recall.results, *recall.archive):
            yield _ledger(ranked)


def _single_strong(recall: Recall, view: View) -> Iterator[RenderableType]:
    yield Text("Found a strong match:", style="bold green")
    yield _panel(recall.answer, recall, view)
    if recall.related:
        yield Text("Related memories also activated:", style="bold")
        yield listed(("•", _activated(each, view)) for each in recall.related)


def _panel(best: Ranked, recall: Recall, view: View) -> Panel:
    """A note in full, between its title and its place."""
    candidate = best.candidate
    notes_health = Text(
        f"Strength: {decayed_strength(candidate.signals):.2f} | Recalled {times(candidate.usage.recalled)}"
        f" | Last: {last_access(candidate, recall.now)}",
        style="dim",
    )
    body = Markdown(_readable(view.body_of(best.metadata.path), best.metadata.title), hyperlinks=view.color)
    return Panel(
        Group(notes_health, Text(), body),
        title=Text.assemble(("📝 ", ""), (one_line(title(best, recall)), "bold")),
        title_align="left",
        subtitle=Text.assemble(_place(best, view), f"  score {candidate.score.share:.2f}"),
        subtitle_align="right",
        border_style="green",
        padding=(0, 1),
    )


def _activated(related: Related, view: View) -> Text:
    return Text.assemble(_name(related.path, related.title, view), (f" (strength {related.strength:.2f})", "dim"))


def _synthesis(recall: Recall, view: View) -> Iterator[RenderableType]:
    count = len(recall.sources)
    memories = counted(count, "related memory", "related memories")
    points = listed((f"{number}.", _point(point, view)) for number, point in enumerate(recall.key_points, start=1))
    yield Text(f"Found {memories} — synthesizing:", style="bold green")
    yield Text()
    yield Text("Based on past experiences and learnings:")
    yield Text()
    yield Padding(points, (0, 0, 0, 1))
    yield Text()
    yield Text.assemble(("Sources: ", "bold"), Text(", ").join(_source(each, recall, view) for each in recall.sources))
    if beside := recall.considered - count:
        more = counted(beside, "more match", "more matches")
        yield Text(f"{more} not shown here; --format plain -n {recall.considered} lists all.", style="dim")


def _source(ranked: Ranked, recall: Recall, view: View) -> Text:
    path = ranked.metadata.path
    return Text(one_line(path) + origin(ranked, recall), style=link_style("cyan", path, view))


def _point(point: KeyPoint, view: View) -> RenderableType:
    place = Text(f"{one_line(point.path)}:{point.line}", style=link_style("dim", point.path, view))
    return Group(Text(printable(point.text)), place)


def _weak(recall: Recall, view: View) -> Iterator[RenderableType]:
    matches = counted(recall.considered, "partial match", "partial matches")
    yield Text(f"Found {matches}. Which is most relevant?", style="bold yellow")
    yield Text()
    yield _numbered(recall.results, recall, view)
    if recall.more:
        yield Text(f"… and {recall.more} more; -n shows more of them.", style="dim")


def _archive(recall: Recall, view: View) -> Iterator[RenderableType]:
    yield Text(nothing_found(recall), style="bold yellow")
    yield Text(archive_found(recall))
    if recall.archive:
        yield Text()
        yield _numbered(recall.archive, recall, view)
        yield Text()
    if recall.suggestions:
        yield Text.assemble(
            "Related topics you have memories about: ", (one_line(", ".join(recall.suggestions)), "cyan")
        )


def _numbered(found: tuple[Ranked, ...], recall: Recall, view: View) -> Table:
    """Titles with scores to choose from; under each, where it matches best and where else."""
    return listed((f"{ranked.rank}.", _choice(ranked, recall, view)) for ranked in found)


def _choice(ranked: Ranked, recall: Recall, view: View) -> RenderableType:
    name = _name(ranked.metadata.path, title(ranked, recall), view)
    score = (f" (score: {ranked.candidate.score.share:.2f})", "dim")
    headings = shortened(one_line(trail_below_title(ranked)), 60)
    under = Text.assemble(_place(ranked, view), (f"  {headings}" if headings else "", "dim"))
    return Group(Text.assemble(name, score), under, *_elsewhere(ranked))


def _elsewhere(ranked: Ranked) -> Iterator[Text]:
    for hit in ranked.hits[1 : 1 + MOST_OTHER_SECTIONS]:
        heading = shortened(one_line(hit.fragment.trail[-1]), 60) if hit.fragment.trail else ""
        yield Text(f"also :{hit.fragment.line}  {heading}".rstrip(), style="dim")


def _certainty(certainty: Certainty) -> RenderableType:
    """How certain the first note is, from the parts of the sum to the probability."""
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
    return Text(f"{one_line(path)}:{ranked.hits[0].fragment.line}", style=link_style("dim", path, view))


def _readable(body: str, heading: str) -> str:
    """The panel has the title, so a first heading that repeats it is left out."""
    body = readable(body)
    first, _, rest = body.lstrip("\n").partition("\n")
    return rest.lstrip("\n") if first.lstrip("# ").strip() == heading.strip() and first.startswith("# ") else body
