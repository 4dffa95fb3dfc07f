"""One path per note, for `xargs`, `fzf` and editors; ended by NUL with `-0`."""

from __future__ import annotations

from brain_cli.answer.results import Quotes, Recall
from brain_cli.render import Traits, View

TRAITS = Traits(quotes=Quotes.NOTHING)


def render(recall: Recall, view: View) -> str:
    found = recall.results or recall.archive
    return "".join(view.path_from_here(ranked.metadata.path) + view.separator for ranked in found)
