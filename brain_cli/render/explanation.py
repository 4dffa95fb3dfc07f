"""The tables of `--explain`: how a certainty and a score were computed."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from brain_cli.answer.results import Ranked
from brain_cli.ranking.candidate import Certainty
from brain_cli.render.phrases import one_line, shortened


def certainty_table(certainty: Certainty) -> RenderableType:
    """Return a table of the first note's certainty: the parts of the sum, then the probability."""
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


def score_table(ranked: Ranked) -> RenderableType:
    """Return a table of a score: its steps with running totals, and its share."""
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
