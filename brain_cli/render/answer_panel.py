"""The panel that shows the one strong match on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import Heading, Markdown
from rich.panel import Panel
from rich.text import Text

from brain_cli.answer.results import Ranked, Recall
from brain_cli.memory.strength import decayed_strength
from brain_cli.render import View
from brain_cli.render.phrases import last_access, one_line, times, title
from brain_cli.render.terminal import Tight, link_style, readable
from brain_cli.render.window import FRAME_COLUMNS, columns_of


class _LeftHeading(Heading):
    """A heading at the left edge, also on the first level."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.text.copy()


class _NoteText(Markdown):
    """The Markdown of a note, whose headings all begin at the left edge."""

    elements: ClassVar = {**Markdown.elements, "heading_open": _LeftHeading}


def answer_panel(best: Ranked, recall: Recall, view: View) -> Panel:
    """Return the matching part of a note between its title and its location, neither of which is shortened."""
    candidate = best.candidate
    status = Text(
        f"Strength: {decayed_strength(candidate.signals):.2f} | Recalled {times(candidate.usage.recalled)}"
        f" | Last: {last_access(candidate, recall.now)}",
        style="dim",
    )
    name = Text.assemble(("📝 ", ""), (one_line(title(best, recall)), "bold"))
    path, score = _location(recall, view), f"score {candidate.score.share:.2f}"
    location = Text.assemble(path, f"  {score}")
    available = columns_of(view) - FRAME_COLUMNS
    above = [] if name.cell_len <= available else [name]
    below = [] if location.cell_len <= available else [Text.assemble(path, f"\n{score}")]
    return Panel(
        Group(*above, status, *_trail(recall), Text(), _text(recall, view), *below),
        title=None if above else name,
        title_align="left",
        subtitle=None if below else location,
        subtitle_align="right",
        border_style="green",
        padding=(0, 1),
    )


def _text(recall: Recall, view: View) -> RenderableType:
    text = recall.excerpt.text if recall.excerpt else view.body_of(recall.answer.metadata.path)
    # Links are shown by their words, with or without colour; their addresses are in the note.
    return Tight(_NoteText(_readable(text, recall.answer.metadata.title), hyperlinks=True))


def _trail(recall: Recall) -> Iterator[Text]:
    """Yield the headings above the text, if they say more than the title."""
    headings = recall.excerpt.heading if recall.excerpt else ()
    below = headings[1:] if headings[:1] == (recall.answer.metadata.title,) else headings
    if below:
        yield Text(one_line(" › ".join(below)), style="bold")


def _location(recall: Recall, view: View) -> Text:
    path = recall.answer.metadata.path
    line = recall.excerpt.line if recall.excerpt else recall.answer.hits[0].fragment.line
    return Text(f"{one_line(path)}:{line}", style=link_style("dim", path, view, line))


def _readable(body: str, heading: str) -> str:
    """Return the text without a first heading that repeats the title: the panel shows the title already."""
    body = readable(body)
    first, _, rest = body.lstrip("\n").partition("\n")
    return rest.lstrip("\n") if first.lstrip("# ").strip() == heading.strip() and first.startswith("# ") else body
