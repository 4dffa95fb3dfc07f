"""Answers on a terminal: the four strategies in their published forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from brain_cli.answer.passages.excerpt import Excerpt
from brain_cli.answer.quotes import Quotes, Space
from brain_cli.answer.quoting import MAX_LISTED_PASSAGES
from brain_cli.answer.results import Ranked, Recall, Related
from brain_cli.index.refresh_limit import stale_answer
from brain_cli.render import View
from brain_cli.render.answer_panel import answer_panel
from brain_cli.render.explanation import certainty_table, score_table
from brain_cli.render.phrases import (
    archive_found,
    counted,
    in_one_line,
    lines_left,
    nothing_found,
    one_line,
    origin,
    quoted,
    readable_title,
    remarks,
    resemblance,
    title,
    unknown_words,
)
from brain_cli.render.terminal import (
    LIST_MARK_COLUMNS,
    highlighted,
    link_style,
    listed,
    printed,
    readable,
    with_location,
)
from brain_cli.render.traits import Traits
from brain_cli.render.window import OTHER_ROWS, answer_space, columns_of
from brain_cli.types import KeyPoint, Strategy

TRAITS = Traits(Quotes.SHOWN, for_people=True, tells_stale=True, shows_synthesis=True)

MAX_OTHER_SOURCES = 5
MIN_ROWS = 3
MAX_FITTINGS = 8
# The passages of a list take at most this many rows together, but the first ones are always shown.
MAX_PASSAGE_ROWS = 16
MIN_LISTED_PASSAGES = 3


def render(recall: Recall, view: View) -> str:
    """Return the answer as terminal text; the text of one strong match is shortened to fit the window."""
    text = printed(parts(recall, view), view)
    for _ in range(MAX_FITTINGS):
        rows = text.count("\n")
        if not view.height or not recall.excerpt or view.explain or rows < view.height:
            break
        recall = recall._replace(excerpt=_shortened(recall.excerpt, rows, view))
        text = printed(parts(recall, view), view)
    return text


def _shortened(shown: Excerpt, rows: int, view: View) -> Excerpt:
    """Shorten a text whose whole screen takes `rows` rows; the next prompt takes one more."""
    space, text_rows = answer_space(view), max(1, rows - OTHER_ROWS)
    share = max(MIN_ROWS, text_rows - (rows + 1 - view.height)) / text_rows
    return shown.shortened(Space(int(shown.chars(space) * share), space.row))


def parts(recall: Recall, view: View) -> Iterator[RenderableType]:
    """Yield the parts of the screen, top to bottom."""
    render_strategy = {
        Strategy.SINGLE_STRONG: _single_strong,
        Strategy.SYNTHESIZE: _synthesis,
        Strategy.MANY_WEAK: _weak,
        Strategy.ARCHIVE_FALLBACK: _archive,
    }[recall.strategy]
    if recall.behind:
        yield Text(stale_answer(recall.behind), style="yellow")
    yield from render_strategy(recall, view)
    if view.explain:
        if recall.certainty:
            yield certainty_table(recall.certainty)
        for ranked in (*recall.results, *recall.archive):
            yield score_table(ranked)


def _single_strong(recall: Recall, view: View) -> Iterator[RenderableType]:
    yield Text("Found a strong match:", style="bold green")
    yield answer_panel(recall.answer, recall, view)
    if recall.excerpt and (more := lines_left(recall.excerpt)):
        words = map(one_line, (view.path_from_here(recall.answer.metadata.path), *view.same_vault))
        yield Text(f"{more}; read on with:", style="dim")
        yield Text(f"  brain show {' '.join(map(quoted, words))}", style="cyan", no_wrap=True)
    if recall.related:
        yield Text("Related memories also activated:", style="bold")
        titles = Counter([recall.answer.metadata.title, *(each.title for each in recall.related)])
        yield listed(("•", _activated(each, view, alone=titles[each.title] == 1)) for each in recall.related)
    yield from _unknown(recall)


def _activated(related: Related, view: View, *, alone: bool) -> Text:
    """Return the title of a related note with its strength; with its path if it is not alone with that title."""
    remark = f"strength {related.strength:.2f}"
    if related.resembles:
        remark += f", {resemblance(related.title, related.resembles)}"
    name = Text.assemble(_name(related.path, readable_title(related.title), view), (f" ({remark})", "dim"))
    if alone:
        return name
    # The path is shown whole, because a folder may be all that tells it from the other note's.
    path = Text(one_line(related.path), style="dim")
    available = columns_of(view) - LIST_MARK_COLUMNS
    return Text.assemble(name, "  " if name.cell_len + 2 + path.cell_len <= available else "\n", path)


def _synthesis(recall: Recall, view: View) -> Iterator[RenderableType]:
    memories = counted(len(recall.sources), "related memory", "related memories")
    if len(recall.key_points) > len({point.path for point in recall.key_points}):
        memories += f", quoted in {counted(len(recall.key_points), 'passage')}"
    if recall.synthesis:
        yield Markdown(readable(recall.synthesis), hyperlinks=False)
        yield Text()
    yield Text(f"Found {memories}:", style="bold green")
    yield Text()
    yield listed((f"{number}.", _point(point, recall, view)) for number, point in enumerate(recall.key_points, start=1))
    if recall.other_sources:
        yield Text()
        yield Text("See also:", style="bold")
        yield listed(("•", _source(each, recall, view)) for each in recall.other_sources[:MAX_OTHER_SOURCES])
    yield from _unknown(recall)
    yield from _more(recall, view)


def _source(ranked: Ranked, recall: Recall, view: View) -> Text:
    name = _name(ranked.metadata.path, title(ranked, recall), view)
    if remark := ", ".join(remarks(ranked)):
        name.append(f" ({remark})", style="dim")
    return with_location(name, _location(ranked, view), view)


def _point(point: KeyPoint, recall: Recall, view: View) -> RenderableType:
    """Return a passage below the title and the location of its note."""
    location = Text(f"{one_line(point.path)}:{point.line}", style=link_style("dim", point.path, view, point.line))
    source = next((each for each in recall.results if each.metadata.path == point.path), None)
    name = Text(
        one_line(readable_title(point.title) or point.path) + (origin(source, recall) if source else ""),
        style=link_style("bold", point.path, view, point.line),
    )
    if source and source.date is not None:
        name.append(f" ({', '.join(remarks(source))})", style="dim")
    return Group(with_location(name, location, view), highlighted(point.text, recall, view))


def _more(recall: Recall, view: View) -> Iterator[Text]:
    """Yield how many matches are left out, and how to see them."""
    if recall.worth_showing > len(recall.results):
        more = counted(recall.worth_showing - len(recall.results), "more match", "more matches")
        wider = "a larger --budget shows more" if view.budget else f"-n {recall.worth_showing} shows all"
        yield Text(f"… and {more}; {wider}.", style="dim")


def _unknown(recall: Recall) -> Iterator[Text]:
    """Yield which words of the question no note has, except corrected ones, which are printed elsewhere."""
    if remark := unknown_words(recall):
        yield Text(remark, style="yellow")


def _weak(recall: Recall, view: View) -> Iterator[RenderableType]:
    matches = counted(max(recall.worth_showing, len(recall.results)), "partial match", "partial matches")
    yield Text(f"Found {matches}. Which is most relevant?", style="bold yellow")
    yield from _unknown(recall)
    yield Text()
    yield _numbered(recall.results, recall, view)
    yield from _more(recall, view)


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
    """Return a list of titles with scores to choose from, the first ones with their passages."""
    quoted_ranks = set(_quoted_ranks(found, view))
    return listed(
        (f"{ranked.rank}.", _choice(ranked, recall, view, with_passage=ranked.rank in quoted_ranks)) for ranked in found
    )


def _quoted_ranks(found: tuple[Ranked, ...], view: View) -> Iterator[int]:
    """Yield the ranks of the notes that are shown with a passage, until the passages fill their rows."""
    columns, rows = columns_of(view) - LIST_MARK_COLUMNS, 0
    for ranked in found[:MAX_LISTED_PASSAGES]:
        if ranked.passage:
            rows += 1 + Text(in_one_line(ranked.passage.text)).cell_len // max(1, columns)
        if rows <= MAX_PASSAGE_ROWS or ranked.rank <= MIN_LISTED_PASSAGES:
            yield ranked.rank


def _choice(ranked: Ranked, recall: Recall, view: View, *, with_passage: bool) -> RenderableType:
    """Return a title with its score and location, and below it the note's passage."""
    name = _name(ranked.metadata.path, title(ranked, recall), view)
    name.append(f" (score: {', '.join((f'{ranked.candidate.score.share:.2f}', *remarks(ranked)))})", style="dim")
    passage = (highlighted(in_one_line(ranked.passage.text), recall, view),) if with_passage and ranked.passage else ()
    return Group(with_location(name, _location(ranked, view), view), *passage)


def _name(path: str, text: str, view: View) -> Text:
    return Text(one_line(text), style=link_style("bold", path, view))


def _location(ranked: Ranked, view: View) -> Text:
    path = ranked.metadata.path
    return Text(f"{one_line(path)}:{ranked.line}", style=link_style("dim", path, view, ranked.line))
