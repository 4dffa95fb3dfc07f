"""Markdown, for a note or a prompt: the same four answers, with links to their notes."""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from brain_cli.answer.results import Ranked, Recall, Related
from brain_cli.answer.shown import heading_of
from brain_cli.history.usage import decayed_strength
from brain_cli.index.sync_plan import stale_answer
from brain_cli.printable import one_line, printable
from brain_cli.render import Traits, View
from brain_cli.render.formats import Row
from brain_cli.render.phrases import (
    Sum,
    archive_found,
    last_access,
    newer_words,
    nothing_found,
    related_topics,
    remarks,
    resemblance,
    sums_of,
    times,
    title,
)
from brain_cli.types import Quotes, Strategy
from brain_cli.vault.inline_text import inline_text
from brain_cli.vault.markdown import read_blocks

TRAITS = Traits(Quotes.SHOWN, for_people=True, tells_all=True)


def render(recall: Recall, view: View) -> str:
    render_strategy = {
        Strategy.SINGLE_STRONG: _single_strong,
        Strategy.SYNTHESIZE: _synthesis,
        Strategy.MANY_WEAK: _weak,
        Strategy.ARCHIVE_FALLBACK: _archive,
    }[recall.strategy]
    lines = [f"> {stale_answer(recall.behind)}", ""] if recall.behind else []
    lines += [*_newer(recall, view), *render_strategy(recall, view)]
    if view.explain:
        lines += [line for each in sums_of(recall) for line in _sum(each)]
    return printable("\n".join(lines)) + "\n"


def _newer(recall: Recall, view: View) -> Iterator[str]:
    if recall.newer:
        said, place = newer_words(recall.newer, view.zone)
        yield f"newer: {said}  [{place}]({_address(recall.newer.note.path, view)})"
        yield ""


def line(row: Row, view: View) -> str:
    """Return an entry of any other list: a link to the note, and a remark."""
    if row.markdown or not row.path:
        return printable(row.markdown or f"- {row.line}") + "\n"
    remark = f" ({row.remark})" if row.remark else ""
    return printable(f"- {_link(row.path, row.title, view)}{remark}") + "\n"


def _single_strong(recall: Recall, view: View) -> Iterator[str]:
    best = recall.answer
    candidate = best.candidate
    about = (
        f"Strength {decayed_strength(candidate.signals):.2f}",
        f"recalled {times(candidate.usage.recalled)}",
        f"last {last_access(candidate, recall.now, view.zone)}",
        f"score {candidate.score.share:.2f}",
    )
    yield from (f"## {_named(best, recall, view)}", "", " · ".join(about), "")
    if (view.budget or recall.is_partial) and recall.shown:
        yield "\n\n".join(each.text for each in recall.shown)
    else:
        yield _below_title(view.body_of(best.path), best.title)
    if recall.related:
        yield from ("", "Related memories also activated:", "")
    for each in recall.related:
        repeated = [resemblance(each.title, each.resembles)] if each.resembles else []
        strength = f"strength {each.strength:.2f}"
        yield f"- {_named(each, recall, view, strength, *repeated)}"


def _below_title(body: str, title: str) -> str:
    """Return the text of a note without the heading that is its title, which stands above it."""
    lines = body.split("\n")
    for heading in read_blocks(body).headings[:1]:
        if inline_text(heading.text) == title and not any(
            map(str.strip, lines[: heading.start])
        ):
            lines = lines[heading.end :]
    return "\n".join(lines).strip("\n")


def _synthesis(recall: Recall, view: View) -> Iterator[str]:
    if recall.synthesis:
        yield from (recall.synthesis, "")
    for each in recall.shown:
        heading = f" {heading_of(each)}".rstrip()
        link = f"[{each.path}:{each.line}]({_address(each.path, view)}){heading}"
        yield from (link, "", each.text, "")
    sources = (_named(each, recall, view, *remarks(each)) for each in recall.sources)
    yield f"Sources: {', '.join(sources)}"


def _weak(recall: Recall, view: View) -> Iterator[str]:
    for each in recall.results:
        yield f"{each.rank}. {_scored(each, recall, view, *remarks(each))}"


def _archive(recall: Recall, view: View) -> Iterator[str]:
    yield f"{nothing_found(recall)} {archive_found(recall)}"
    for each in recall.archive:
        yield f"- {_scored(each, recall, view)}"
    if topics := related_topics(recall):
        yield from ("", f"Related topics: {topics}")


def _scored(ranked: Ranked, recall: Recall, view: View, *about: str) -> str:
    score = f"score {ranked.candidate.score.share:.2f}"
    return _named(ranked, recall, view, score, *about)


def _named(note: Ranked | Related, recall: Recall, view: View, *about: str) -> str:
    """Return a link to a note, and remarks on it."""
    remark = f" ({', '.join(about)})" if about else ""
    return f"{_link(note.path, title(note, recall), view)}{remark}"


def _sum(found: Sum) -> Iterator[str]:
    yield from ("", f"### {found.title}", "") if found.title else ("",)
    yield from map(_row, (found.heads, ["---"] * len(found.heads), *found.rows, found.end))


def _row(cells: Sequence[str]) -> str:
    return f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in cells)}|"


def _link(path: str, text: str, view: View) -> str:
    return f"[{one_line(text).replace('[', '(').replace(']', ')')}]({_address(path, view)})"


def _address(path: str, view: View) -> str:
    return quote(view.path_from_here(path).encode("utf-8", "surrogateescape"))
