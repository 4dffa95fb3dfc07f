"""One tab-separated line per hit: `score path:line heading title`.

No column is ever empty, because a shell's `read` treats two tabs as one.
"""

from collections.abc import Iterator

from brain_cli.answer.results import Ranked, Recall
from brain_cli.printable import one_line
from brain_cli.render import Traits, View
from brain_cli.render.formats import Row
from brain_cli.render.json_text import placed, result
from brain_cli.render.phrases import ended, title, trail
from brain_cli.types import Quotes

TRAITS = Traits(quotes=Quotes.LINES)


def line(row: Row, view: View) -> str:  # noqa: ARG001 - the protocol of formats
    return f"{row.line}\n"


def rows_of(recall: Recall, view: View) -> list[Row]:
    """Return the results of a recall, or else what the archive has, as entries of a list."""
    return [_row(ranked, recall, view) for ranked in recall.results or recall.archive]


def _row(ranked: Ranked, recall: Recall, view: View) -> Row:
    metadata = ranked.metadata
    passage = ranked.passage
    return Row(
        line="\n".join(_lines(ranked, recall, view)),
        document=placed(result(ranked, view.zone, explain=view.explain), view),
        path=metadata.path,
        title=metadata.title,
        passage=passage.text if passage else "",
        number=ranked.line,
        heading=" › ".join(passage.heading) if passage else "",
        claim=recall.claim,
    )


def _lines(ranked: Ranked, recall: Recall, view: View) -> Iterator[str]:
    location = f"{view.path_from_here(ranked.path)}:{ranked.line}"
    score = f"{ranked.candidate.score.share:.3f}"
    yield "\t".join(
        map(one_line, (score, location, trail(ranked), title(ranked, recall) + ended(ranked)))
    )
    if view.explain:
        for step in ranked.candidate.score.steps:
            weight = "" if step.weight is None else f"{step.weight:.4f}"
            yield f"\t{step.name}\t{step.op}\t{step.value:.4f}\t{weight}\t{step.total:.4f}"
        for part in ranked.certainty.parts if ranked.certainty else ():
            product = part.value * part.weight
            yield f"\tcertainty {part.name}\t+\t{part.value:.4f}\t{part.weight:.4f}\t{product:.4f}"
