"""One tab-separated line per hit: `score path:line heading title`.

No column is ever empty: a shell's `read` takes two tabs for one.
"""

from __future__ import annotations

from collections.abc import Iterator

from brain_cli.answer.results import Ranked, Recall
from brain_cli.render import View
from brain_cli.render.phrases import one_line, title, trail


def render(recall: Recall, view: View) -> str:
    lines = (line for ranked in (*recall.results, *recall.archive) for line in _lines(ranked, recall, view))
    return "".join(f"{line}\n" for line in lines)


def _lines(ranked: Ranked, recall: Recall, view: View) -> Iterator[str]:
    place = f"{view.path_from_here(ranked.metadata.path)}:{ranked.hits[0].fragment.line}"
    score = f"{ranked.candidate.score.share:.3f}"
    yield "\t".join(map(one_line, (score, place, trail(ranked), title(ranked, recall))))
    if view.explain:
        for step in ranked.candidate.score.steps:
            weight = "" if step.weight is None else f"{step.weight:.4f}"
            yield f"\t{step.name}\t{step.op}\t{step.value:.4f}\t{weight}\t{step.total:.4f}"
        certainty = ranked.candidate.claim.certainty if ranked.candidate.claim else None
        for part in certainty.parts if certainty else ():
            yield f"\tcertainty {part.name}\t+\t{part.value:.4f}\t{part.weight:.4f}\t{part.value * part.weight:.4f}"
