"""Answers on a terminal: the four strategies, in the published layout for the published
formulas.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from brain_cli.answer.results import LIKELY, Ranked, Recall, Related
from brain_cli.answer.screen_rows import (
    ADDRESS,
    BREAK,
    display_lines,
    with_short_addresses,
    wrapped,
)
from brain_cli.answer.shown import heading_of, place_of
from brain_cli.history.usage import decayed_strength
from brain_cli.index.sync_plan import stale_answer
from brain_cli.printable import counted, one_line, printable
from brain_cli.render import Traits, View
from brain_cli.render.phrases import (
    RELATED_TOPICS,
    Sum,
    archive_found,
    is_published,
    last_access,
    left_out,
    newer_words,
    notes_with_a_word,
    quoted,
    related_topics,
    resemblance,
    sums_of,
    times,
    title,
    unknown_words,
    verdict,
)
from brain_cli.render.phrases import remarks as remarks_on
from brain_cli.render.terminal import (
    CODE_STYLE,
    formatted,
    link_style,
    note_row,
    printed,
    with_location,
)
from brain_cli.types import MARGIN_COLUMNS, QuotedPart, Quotes, Shown, Strategy
from brain_cli.vault.analyzer import is_spaceless
from brain_cli.vault.analyzer import terms as terms_of
from brain_cli.vault.inline_text import inline_text

TRAITS = Traits(Quotes.SHOWN, for_people=True, tells_all=True)

# The columns of the numbers of results, and of the line numbers of passages below them.
MARGIN = 8
# The columns of line numbers beside several passages of one note, and those that the frame of a
# panel takes.
PANEL_MARGIN = 5
FRAME_COLUMNS = 4
MAX_RELATED = 2
# It stands out on light and dark backgrounds, and does not look like an error.
MARK_STYLE = "bold magenta"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\((https?://[^()\s]+)\)")


def render(recall: Recall, view: View) -> str:
    """Return the answer as terminal text; its passages were chosen to fit the window."""
    return printed(parts(recall, view), view)


def parts(recall: Recall, view: View) -> Iterator[RenderableType]:
    """Yield the parts of the screen, top to bottom."""
    if recall.behind:
        yield Text(stale_answer(recall.behind), style="yellow")
    if recall.strategy is Strategy.ARCHIVE_FALLBACK or _is_off_topic(recall, view):
        yield from _archive(recall, view)
    elif recall.strategy is Strategy.SINGLE_STRONG:
        yield from _single_strong(recall, view)
    else:
        yield from _list(recall, view)
    for each in sums_of(recall) if view.explain else ():
        yield from _sum(each)


def _single_strong(recall: Recall, view: View) -> Iterator[RenderableType]:
    best = recall.answer
    published = is_published(recall)
    remarks = [*_remarks(recall, view)]
    yield Text(verdict(recall), style="bold green")
    yield _answer_panel(best, recall, view, published=published)
    if not published:
        yield _status(best, recall, view)
    yield from _newer(recall, view)
    if not all(each.is_whole for each in recall.shown):
        note = "1" if view.numbered else view.path_from_here(best.path)
        command = " ".join(quoted(one_line(word)) for word in (note, *view.same_vault))
        yield Text.assemble(
            (f"brain show {command}", "cyan"), ("  # the whole note", "dim"), no_wrap=True
        )
    # A remark takes the row of one of them.
    most = len(recall.related) if published else max(0, MAX_RELATED - len(remarks))
    related = recall.related[:most]
    if related:
        heading = "Related memories also activated:" if published else "Related:"
        yield Text(heading, style="bold")
    for each in related:
        about = [f"strength {each.strength:.2f}"] * published
        about += [resemblance(each.title, each.resembles)] if each.resembles else []
        yield _note_row(each, about, recall, view, mark=("  • ", ""))
    yield from remarks


def _list(recall: Recall, view: View) -> Iterator[RenderableType]:
    if recall.synthesis:
        yield formatted(recall.synthesis, view._replace(color=False))
        yield Text()
    is_weak = recall.strategy is Strategy.MANY_WEAK and recall.claim != LIKELY
    style = "bold yellow" if is_weak else "bold green"
    heading = Text(verdict(recall, view.listed), style=style)
    remarks = _remarks(recall, view)
    yield from (heading, *remarks) if is_published(recall) else (*remarks, heading)
    yield Text()
    yield from _listed(recall, view)


def _is_off_topic(recall: Recall, view: View) -> bool:
    # A number that was asked for overrules it.
    return recall.is_off_topic and not view.listed


def _archive(recall: Recall, view: View) -> Iterator[RenderableType]:
    off_topic = _is_off_topic(recall, view)
    yield Text(verdict(recall, view.listed), style="bold yellow")
    yield Text(archive_found(recall))
    if recall.archive:
        yield Text()
        yield from _listed(recall, view)
    yield from _remarks(recall, view)
    if topics := one_line(related_topics(recall)):
        yield Text.assemble(RELATED_TOPICS, (topics, "cyan"))
    if off_topic:
        yield Text(notes_with_a_word(recall), style="dim")


def _listed(recall: Recall, view: View) -> Iterator[Text]:
    """Yield the results: those that are opened with their passages, the others on one row each."""
    listed = recall.listed(view.listed)
    was_opened = False
    for ranked in listed:
        own = [each for each in recall.shown if each.path == ranked.path]
        if was_opened:
            yield Text()
        share = f"score: {ranked.candidate.score.share:.2f}"
        about = [share] * is_published(recall) + remarks_on(ranked)
        mark = (f"{ranked.rank:>2}. ", "green")
        line = 0 if own else ranked.line
        yield _note_row(ranked, about, recall, view, mark=mark, line=line)
        yield from _passage_rows(own, ranked, recall, view, margin=MARGIN)
        if ranked is listed[0]:
            yield from _newer(recall, view)
        was_opened = bool(own)
    more = recall.clear - len(listed)
    first = view.numbered and not view.same_vault
    hint = "brain show 1 shows the whole first note." * first
    if more > 0 and not _is_off_topic(recall, view):
        wider = (
            "a larger --budget shows more" if view.budget else f"-n {recall.clear} shows all"
        )
        also = ", brain show 1 the first" * first
        hint = f"… and {counted(more, 'more note')}; {wider}{also}."
    if hint:
        yield Text(hint, style="dim")


def _note_row(
    note: Ranked | Related,
    about: Sequence[str],
    recall: Recall,
    view: View,
    *,
    mark: tuple[str, str],
    line: int = 0,
) -> Text:
    place = place_of(note.path, line, "" if is_published(recall) else note.title)
    return note_row(
        note.path,
        title(note, recall),
        view,
        view.columns,
        mark=mark,
        remark=f" ({', '.join(about)})" if about else "",
        place=place or " ",
        line=line,
    )


def _passage_rows(
    passages: Sequence[Shown], ranked: Ranked, recall: Recall, view: View, *, margin: int
) -> Iterator[Text]:
    """Yield the rows of the passages of one note; in the margin, of so many columns, is the line
    of the piece in each that says most about the query, as in every other format.
    """
    mark = partial(_mark, terms=recall.terms, language=ranked.language)
    blank = Text(" " * margin)
    for index, each in enumerate(passages):
        heading = heading_of(each)
        if heading and (not index or passages[index - 1].heading != each.heading):
            row = Text(one_line(heading), style="bold")
            row.truncate(view.columns - MARGIN_COLUMNS, overflow="ellipsis")
            yield Text.assemble(blank, row)
        number = f"{each.best_line}".rjust(margin - 2) + "  " if margin else ""
        numbered = Text(number, style=link_style("dim", each.path, view, each.best_line))
        line = each.line
        for part in each.parts:
            line += part.gap.count("\n")
            # The piece that says most may begin before the part of it that is quoted.
            start = numbered if line == max(each.best_line, each.line) else blank
            if part.has_blank_row:
                yield Text()
            for row in _rows(part, view, mark, goes_on=not each.ends_sentence):
                yield Text.assemble(start, row)
                start = blank
            line += part.text.count("\n")
        if each.more_lines:
            yield Text.assemble(blank, (f"… {counted(each.more_lines, 'more line')}", "dim"))


def _rows(
    part: QuotedPart, view: View, mark: Callable[[Text], None], *, goes_on: bool
) -> Iterator[Text]:
    """Yield the rows of a part of a passage; `goes_on` if its last sentence breaks off."""
    links = _links(part.text) if view.color else {}
    lines = [*display_lines(part.kind, printable(part.text))]
    if lines and goes_on and not lines[-1].is_code:
        lines[-1] = lines[-1]._replace(text=f"{lines[-1].text}{BREAK}")
    for line in lines:
        style = CODE_STYLE if line.is_code else "bold" if line.is_heading else ""
        text = Text(line.text, style=style)
        if view.color:
            if not line.is_code:
                text.highlight_regex(_CODE_SPAN, style=CODE_STYLE)
            for shown, address in links.items():
                text.highlight_regex(re.escape(shown), style=f"link {address}")
            mark(text)
        indent = line.mark
        for start, end in wrapped(line, view.columns - MARGIN_COLUMNS):
            yield Text.assemble(indent, text[start:end])
            indent = " " * len(indent)


def _links(text: str) -> dict[str, str]:
    """Return the addresses of the links in a text, and those that are cut, by what is shown."""
    links = {inline_text(shown): address for shown, address in _LINK.findall(text)}
    cut = ((with_short_addresses(each), each) for each in ADDRESS.findall(text))
    return links | dict(cut)


def _mark(text: Text, terms: frozenset[str], language: str) -> None:
    """Mark the whole words that are searched as a term of the query; pairs of characters in scripts
    without spaces.
    """
    for word in _WORD.finditer(text.plain):
        if not is_spaceless(word[0][:2]) and not terms.isdisjoint(terms_of(word[0], language)):
            text.stylize(MARK_STYLE, *word.span())
    if not text.plain.isascii():
        for pair in filter(is_spaceless, terms):
            text.highlight_regex(re.escape(pair), MARK_STYLE)


def _remarks(recall: Recall, view: View) -> Iterator[Text]:
    """Yield which words of the question no note has, and which notes match but are omitted, each
    on one row.
    """
    others = () if is_published(recall) else left_out(recall)
    for remark in filter(None, (unknown_words(recall), *others)):
        row = Text(remark, style="yellow")
        row.truncate(view.columns, overflow="ellipsis")
        yield row


def _answer_panel(best: Ranked, recall: Recall, view: View, *, published: bool) -> Panel:
    """Return the passages of a note between its title, which is cut at one row, and its location,
    which stands below them if it is longer than one.

    In the published layout, the line of its strength stands at the top.
    """
    above = [_status(best, recall, view), Text()] if published else []
    margin = PANEL_MARGIN if len(recall.shown) > 1 else 0
    rows = list(_passage_rows(recall.shown, best, recall, view, margin=margin))
    if ended := next((each.ended for each in recall.shown if each.ended), ""):
        rows += [Text(), Text(ended, style="yellow")]
    space = view.columns - FRAME_COLUMNS - 2
    name = Text.assemble("📝 ", (one_line(title(best, recall)), "bold"))
    name.truncate(space, overflow="ellipsis")
    score = f"  score {best.candidate.score.share:.2f}" * published
    style = link_style("dim", best.path, view, best.line)
    place = place_of(best.path, best.line, "" if published else best.title)
    location = Text(place, style=style)
    if location.cell_len + len(score) > space:
        rows += [Text(), location]
        location = Text()
    return Panel(
        Group(*above, *rows),
        title=name,
        title_align="left",
        subtitle=Text.assemble(location, score),
        subtitle_align="right",
        border_style="green",
        padding=(0, 1),
    )


def _newer(recall: Recall, view: View) -> Iterator[Text]:
    """Yield what a newer note says, if one does."""
    if not recall.newer:
        return
    said, place = newer_words(recall.newer, view.zone)
    style = link_style("dim", recall.newer.note.path, view, recall.newer.line)
    name = Text.assemble(("newer: ", "yellow"), said)
    yield with_location(name, Text(place, style=style), view.columns)


def _status(best: Ranked, recall: Recall, view: View) -> Text:
    """Return the strength of a note and its last use, as published; with `blend`, only when it was
    written if it was never recalled.
    """
    candidate = best.candidate
    last = last_access(candidate, recall.now, view.zone)
    if not candidate.usage.recalled and not is_published(recall):
        when, _, what = last.rstrip(")").partition(" (")
        return Text(f"{what} {when}".capitalize(), style="dim")
    strength = f"Strength: {decayed_strength(candidate.signals):.2f}"
    recalled = times(candidate.usage.recalled)
    return Text(f"{strength} | Recalled {recalled} | Last: {last}", style="dim")


def _sum(found: Sum) -> Iterator[RenderableType]:
    """Yield the terms of a sum as a table with the result in its last row."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for number, head in enumerate(found.heads):
        table.add_column(head, justify="right" if number else "left")
    for name, *values in found.rows:
        table.add_row(name.replace("_", " "), *values)
    table.add_section()
    table.add_row(*found.end, style="bold")
    yield Text()
    if found.title:
        yield Text(found.title, style="bold")
    yield table
