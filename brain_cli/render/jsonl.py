"""One line of JSON per hit: the objects that the JSON document has in `results`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from brain_cli.answer.results import Recall
from brain_cli.render import Traits, View
from brain_cli.render.json_text import result
from brain_cli.render.rows import Row

TRAITS = Traits(keeps_budget=True)


def render(recall: Recall, view: View) -> str:
    ranked = recall.results or recall.archive
    found: list[dict[str, Any]] = [
        {**result(each, view.zone, explain=view.explain)} for each in ranked
    ]
    if view.budget:
        return "".join(_within(found, view.budget))
    return "".join(json.dumps(each, allow_nan=False) + "\n" for each in found)


def line(row: Row, view: View) -> str:  # noqa: ARG001 - the protocol of formats
    return json.dumps(row.document) + "\n"


def _within(found: list[dict[str, Any]], available: int) -> Iterator[str]:
    """Yield the lines that fit, best first, without the text of sections."""
    from brain_cli.render.budget import compact, without_section

    for each in found:
        line = compact(without_section(each)) + "\n"
        available -= len(line)
        if available < 0:
            return
        yield line
