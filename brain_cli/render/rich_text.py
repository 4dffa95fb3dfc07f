"""Answers on a terminal: the four strategies, in the published layout for the published formulas."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from brain_cli.answer.results import Quotes, Ranked, Recall, Related
from brain_cli.index.sync_plan import stale_answer
from brain_cli.render import View
from brain_cli.render.answer_panel import answer_panel, status
from brain_cli.render.explanation import certainty_table, score_table
from brain_cli.render.passages import passage_rows
from brain_cli.render.phrases import (
    archive_found,
    counted,
    is_published,
    nothing_found,
    one_line,
    quoted,
    readable_title,
    remarks,
    resemblance,
    shortened,
    title,
    unknown_words,
)
from brain_cli.render.terminal import link_style, on_one_row, printed
from brain_cli.render.traits import Traits
from brain_cli.types import Shown, Strategy

TRAITS = Traits(Quotes.SHOWN, for_people=True, tells_stale=True, shows_synthesis=True)

# Above this certainty, the first note of a list is introduced as the likely one.
LIKELY = 0.55
# The columns of the numbers of results, and of the line numbers of passages below them.
MARGIN = 8
MAX_RELATED = 2


def render(recall: Recall, view: View) -> str:
    """Return the answer as terminal text; its passages were chosen to fit the window."""
    return printed(parts(recall, view), view)


def parts(recall: Recall, view: View) -> Iterator[RenderableType]:
    """Yield the parts of the screen, top to bottom."""
    render_strategy = {
        Strategy.SINGLE_STRONG: _single_strong,
        Strategy.SYNTHESIZE: _synthesis,
        Strategy.MANY_WEAK: _weak,
        Strategy.ARCHIVE_FALLBACK: _archive,
    }[Strategy.ARCHIVE_FALLBACK if _is_off_topic(recall, view) else recall.strategy]
    if recall.behind:
        yield Text(stale_answer(recall.behind), style="yellow")
    yield from render_strategy(recall, view)
    if view.explain:
        if recall.certainty:
            yield certainty_table(recall.certainty)
        for ranked in (*recall.results, *recall.archive):
            yield score_table(ranked)


def _single_strong(recall: Recall, view: View) -> Iterator[RenderableType]:
    best, published = recall.answer, is_published(recall.scorer)
    yield Text("Found a strong match:", style="bold green")
    yield answer_panel(best, recall, view, published=published)
    if not published:
        yield status(best, recall)
    if not all(each.is_whole for each in recall.shown):
        words = map(one_line, ("1" if view.numbered else view.path_from_here(best.metadata.path), *view.same_vault))
        command = f"brain show {' '.join(map(quoted, words))}"
        yield Text.assemble((command, "cyan"), ("  # the whole note", "dim"), no_wrap=True)
    if recall.related:
        yield Text("Related memories also activated:" if published else "Related:", style="bold")
        for each in recall.related[: len(recall.related) if published else MAX_RELATED]:
            yield _activated(each, view, with_strength=published)
    yield from _unknown(recall)


def _activated(related: Related, view: View, *, with_strength: bool) -> Text:
    notes = [f"strength {related.strength:.2f}"] if with_strength else []
    if related.resembles:
        notes.append(resemblance(related.title, related.resembles))
    remark = f" ({', '.join(notes)})" if notes else ""
    name = Text.assemble("  • ", _name(related.path, readable_title(related.title), view), (remark, "dim"))
    return on_one_row(name, Text(one_line(related.path), style=link_style("dim", related.path, view)), view)


def _synthesis(recall: Recall, view: View) -> Iterator[RenderableType]:
    if recall.synthesis:
        from rich.markdown import Markdown

        from brain_cli.render.terminal import readable

        yield Markdown(readable(recall.synthesis), hyperlinks=False)
        yield Text()
    notes = {each.path for each in recall.shown}
    passages = counted(len(recall.shown), "passage")
    if is_published(recall.scorer):
        memories = counted(len(recall.sources), "related memory", "related memories")
        yield Text(f"Found {memories}, quoted in {passages}:", style="bold green")
    else:
        more = max(recall.worth_showing, len(recall.results)) - len(notes)
        others = f"; {counted(more, 'more note matches', 'more notes match')}" if more > 0 else ""
        yield Text(f"{passages} of {counted(len(notes), 'note')}{others}", style="bold green")
    yield Text()
    yield from _listed(recall, view)
    yield from _unknown(recall)


def _weak(recall: Recall, view: View) -> Iterator[RenderableType]:
    if is_published(recall.scorer):
        matches = counted(max(recall.worth_showing, len(recall.results)), "partial match", "partial matches")
        yield Text(f"Found {matches}. Which is most relevant?", style="bold yellow")
    elif recall.certainty and recall.certainty.probability > LIKELY:
        yield Text("Most likely:", style="bold yellow")
    else:
        yield Text("No note clearly answers. The nearest:", style="bold yellow")
    yield from _unknown(recall)
    yield Text()
    yield from _listed(recall, view)


def _is_off_topic(recall: Recall, view: View) -> bool:
    # A number that was asked for overrules it.
    return recall.is_off_topic and not view.listed


def _archive(recall: Recall, view: View) -> Iterator[RenderableType]:
    off_topic = _is_off_topic(recall, view)
    heading = f"No note about “{shortened(recall.query)}”." if off_topic else nothing_found(recall)
    yield Text(heading, style="bold yellow")
    yield Text(archive_found(recall))
    if recall.archive:
        yield Text()
        yield from _listed(recall, view)
    yield from _unknown(recall)
    if recall.suggestions:
        yield Text.assemble(
            "Related topics you have memories about: ", (one_line(", ".join(recall.suggestions)), "cyan")
        )
    if off_topic:
        yield Text(f"-n {len(recall.results)} lists the notes with a word of it.", style="dim")


def _listed(recall: Recall, view: View) -> Iterator[Text]:
    """Yield the results: those that are opened with their passages, the others on one row each."""
    listed = recall.listed(view.listed)
    was_opened = False
    for ranked in listed:
        own = [each for each in recall.shown if each.path == ranked.metadata.path]
        if was_opened:
            yield Text()
        yield _title(ranked, recall, view, own)
        yield from passage_rows(own, recall, view, margin=MARGIN)
        was_opened = bool(own)
    count = max(recall.worth_showing, len(recall.results or recall.archive)) - len(listed)
    first = view.numbered and not view.same_vault
    if count > 0 and not _is_off_topic(recall, view):
        wider = "a larger --budget shows more" if view.budget else f"-n {count + len(listed)} shows all"
        yield Text(f"… and {counted(count, 'more note')}; {wider}{', brain show 1 the first' * first}.", style="dim")
    elif first:
        yield Text("brain show 1 shows the whole first note.", style="dim")


def _title(ranked: Ranked, recall: Recall, view: View, own: list[Shown]) -> Text:
    """Return the row of a result: its number, its title, remarks, and its path, with its line if it is not opened."""
    path = ranked.metadata.path
    notes = [f"score: {ranked.candidate.score.share:.2f}"] if is_published(recall.scorer) else []
    notes += remarks(ranked)
    name = Text.assemble((f"{ranked.rank:>2}. ", "green"), _name(path, title(ranked, recall), view))
    if notes:
        name.append(f" ({', '.join(notes)})", style="dim")
    place = one_line(path) if own else f"{one_line(path)}:{ranked.line}"
    return on_one_row(name, Text(place, style=link_style("dim", path, view, ranked.line)), view)


def _name(path: str, text: str, view: View) -> Text:
    return Text(one_line(text), style=link_style("bold", path, view))


def _unknown(recall: Recall) -> Iterator[Text]:
    """Yield which words of the question no note has, except corrected ones, which are printed elsewhere."""
    if remark := unknown_words(recall):
        yield Text(remark, style="yellow")
