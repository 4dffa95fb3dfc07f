"""The panel that shows the one strong match on a terminal."""

from __future__ import annotations

from rich.console import Group
from rich.panel import Panel
from rich.text import Text

from brain_cli.answer.results import Ranked, Recall
from brain_cli.memory.usage import decayed_strength
from brain_cli.render import View
from brain_cli.render.passages import passage_rows
from brain_cli.render.phrases import last_access, one_line, times, title
from brain_cli.render.terminal import link_style
from brain_cli.render.window import FRAME_COLUMNS, columns_of

# The columns of line numbers beside several passages.
MARGIN = 5


def answer_panel(best: Ranked, recall: Recall, view: View, *, published: bool) -> Panel:
    """Return the passages of a note between its title and its location; each of these is cut at one row.

    In the published layout, the line of its strength stands at the top.
    """
    above = [status(best, recall), Text()] if published else []
    rows = list(passage_rows(recall.shown, recall, view, margin=MARGIN if len(recall.shown) > 1 else 0))
    name = Text.assemble("📝 ", (one_line(title(best, recall)), "bold"))
    name.truncate(columns_of(view) - FRAME_COLUMNS - 2, overflow="ellipsis")
    return Panel(
        Group(*above, *rows),
        title=name,
        title_align="left",
        subtitle=_location(best, view, with_score=published),
        subtitle_align="right",
        border_style="green",
        padding=(0, 1),
    )


def status(best: Ranked, recall: Recall) -> Text:
    """Return the strength of a note and its last use, as published."""
    candidate = best.candidate
    return Text(
        f"Strength: {decayed_strength(candidate.signals):.2f} | Recalled {times(candidate.usage.recalled)}"
        f" | Last: {last_access(candidate, recall.now)}",
        style="dim",
    )


def _location(best: Ranked, view: View, *, with_score: bool) -> Text:
    score = f"  score {best.candidate.score.share:.2f}" if with_score else ""
    path, space = one_line(best.metadata.path), columns_of(view) - FRAME_COLUMNS - 2 - len(score)
    location = f"{path}:{best.line}"
    while len(location) > space and "/" in location.removeprefix("…/"):
        location = f"…/{location.removeprefix('…/').partition('/')[2]}"
    shown = Text(location, style=link_style("dim", best.metadata.path, view, best.line))
    shown.truncate(space, overflow="ellipsis")
    return Text.assemble(shown, score)
