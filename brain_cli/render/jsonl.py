"""One JSON object per hit and line, as `results` of the JSON document has them."""

from __future__ import annotations

import json

from brain_cli.answer.results import Recall
from brain_cli.render import View
from brain_cli.render.json_text import result


def render(recall: Recall, view: View) -> str:
    found = (*recall.results, *recall.archive)
    return "".join(json.dumps(result(ranked, explain=view.explain), allow_nan=False) + "\n" for ranked in found)
