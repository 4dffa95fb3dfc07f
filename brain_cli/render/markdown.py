"""Markdown, for a note or a prompt: the same four answers, with links to their notes."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from brain_cli.answer.results import Quotes, Ranked, Recall
from brain_cli.history.usage import decayed_strength
from brain_cli.index.sync_plan import stale_answer
from brain_cli.ranking import Certainty
from brain_cli.render import Traits, View
from brain_cli.render.phrases import (
    archive_found,
    last_access,
    newer_words,
    nothing_found,
    one_line,
    printable,
    remarks,
    resemblance,
    times,
    title,
)
from brain_cli.render.rows import Row
from brain_cli.types import Strategy

TRAITS = Traits(
    Quotes.SHOWN, for_people=True, tells_stale=True, shows_synthesis=True, shows_note=True
)


def render(recall: Recall, view: View) -> str:
    render_strategy = {
        Strategy.SINGLE_STRONG: _single_strong,
        Strategy.SYNTHESIZE: _synthesis,
        Strategy.MANY_WEAK: _weak,
        Strategy.ARCHIVE_FALLBACK: _archive,
    }[recall.strategy]
    lines = [f"> {stale_answer(recall.behind)}", ""] if recall.behind else []
    lines += [*_newer(recall, view), *render_strategy(recall, view)]
    if view.explain and recall.certainty:
        lines += _certainty(recall.certainty)
    if view.explain:
        lines += [
            line for ranked in recall.results or recall.archive for line in _score_steps(ranked)
        ]
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
    yield f"## {_link(best.metadata.path, title(best, recall), view)}"
    yield ""
    yield (
        f"Strength {decayed_strength(candidate.signals):.2f} · recalled "
        f"{times(candidate.usage.recalled)}"
        f" · last {last_access(candidate, recall.now, view.zone)} · score "
        f"{candidate.score.share:.2f}"
    )
    yield ""
    if (view.budget or recall.is_partial) and recall.shown:
        yield "\n\n".join(each.text for each in recall.shown)
    else:
        yield view.body_of(best.metadata.path).strip("\n")
    if recall.related:
        yield ""
        yield "Related memories also activated:"
        yield ""
        for related in recall.related:
            repeated = (
                f", {resemblance(related.title, related.resembles)}" if related.resembles else ""
            )
            link = _link(related.path, title(related, recall), view)
            yield f"- {link} (strength {related.strength:.2f}{repeated})"


def _synthesis(recall: Recall, view: View) -> Iterator[str]:
    if recall.synthesis:
        yield from (recall.synthesis, "")
    for each in recall.shown:
        yield from (f"[{each.path}:{each.line}]({_address(each.path, view)})", "", each.text, "")
    yield f"Sources: {', '.join(_source(ranked, recall, view) for ranked in recall.sources)}"


def _source(ranked: Ranked, recall: Recall, view: View) -> str:
    remark = ", ".join(remarks(ranked))
    return _link(ranked.metadata.path, title(ranked, recall), view) + (
        f" ({remark})" if remark else ""
    )


def _weak(recall: Recall, view: View) -> Iterator[str]:
    for ranked in recall.results:
        link = _link(ranked.metadata.path, title(ranked, recall), view)
        remark = ", ".join((f"score {ranked.candidate.score.share:.2f}", *remarks(ranked)))
        yield f"{ranked.rank}. {link} ({remark})"


def _archive(recall: Recall, view: View) -> Iterator[str]:
    yield f"{nothing_found(recall)} {archive_found(recall)}"
    for ranked in recall.archive:
        yield (
            f"- {_link(ranked.metadata.path, title(ranked, recall), view)} (score "
            f"{ranked.candidate.score.share:.2f})"
        )
    if recall.suggestions:
        yield ""
        yield f"Related topics: {', '.join(recall.suggestions)}"


def _certainty(certainty: Certainty) -> Iterator[str]:
    yield from ("", "| certainty | value | weight | product |", "|---|---|---|---|")
    for part in certainty.parts:
        yield (
            f"| {part.name} | {part.value:.3f} | {part.weight:.3f} | "
            f"{part.value * part.weight:.3f} |"
        )
    yield f"| {certainty.rule or 'probability'} | | | {certainty.probability:.3f} |"


def _score_steps(ranked: Ranked) -> Iterator[str]:
    yield from (
        "",
        f"### {ranked.rank}. {ranked.metadata.title}",
        "",
        "| step | | value | weight | total |",
    )
    yield "|---|---|---|---|---|"
    for step in ranked.candidate.score.steps:
        weight = "" if step.weight is None else f"{step.weight:.3f}"
        yield f"| {step.name} | {step.op} | {step.value:.3f} | {weight} | {step.total:.3f} |"


def _link(path: str, text: str, view: View) -> str:
    return f"[{one_line(text).replace('[', '(').replace(']', ')')}]({_address(path, view)})"


def _address(path: str, view: View) -> str:
    return quote(view.path_from_here(path).encode("utf-8", "surrogateescape"))
