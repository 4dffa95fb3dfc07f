"""One tab-separated line per hit: `score path:line heading title`.

No column is ever empty, because a shell's `read` treats two tabs as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brain_cli.answer.results import Quotes, Ranked, Recall
from brain_cli.render import Traits, View
from brain_cli.render.phrases import one_line, title, trail

TRAITS = Traits(quotes=Quotes.LINES)


def _fields(ranked: Ranked, view: View) -> str:
    """Return the columns of --fields, in the order in which they were requested."""
    from brain_cli.render.json_text import result
    from brain_cli.render.shape import column

    values: dict[str, Any] = {
        **result(ranked, view.zone, explain=view.explain),
        "path": view.path_from_here(ranked.metadata.path),
    }
    return "\t".join(one_line(column(values.get(name))) for name in view.fields)


def render(recall: Recall, view: View) -> str:
    lines = (
        line for ranked in recall.results or recall.archive for line in _lines(ranked, recall, view)
    )
    return "".join(f"{line}\n" for line in lines)


def _lines(ranked: Ranked, recall: Recall, view: View) -> Iterator[str]:
    if view.fields:
        yield _fields(ranked, view)
        return
    location = f"{view.path_from_here(ranked.metadata.path)}:{ranked.line}"
    score = f"{ranked.candidate.score.share:.3f}"
    yield "\t".join(map(one_line, (score, location, trail(ranked), title(ranked, recall))))
    if view.explain:
        for step in ranked.candidate.score.steps:
            weight = "" if step.weight is None else f"{step.weight:.4f}"
            yield f"\t{step.name}\t{step.op}\t{step.value:.4f}\t{weight}\t{step.total:.4f}"
        certainty = ranked.candidate.claim.certainty if ranked.candidate.claim else None
        for part in certainty.parts if certainty else ():
            yield f"\tcertainty {part.name}\t+\t{part.value:.4f}\t{part.weight:.4f}\t{part.value * part.weight:.4f}"
