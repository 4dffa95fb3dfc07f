"""One line of JSON per hit: the objects that the JSON document has in `results`."""

import json

from brain_cli.render import View
from brain_cli.render.formats import Row


def line(row: Row, view: View) -> str:
    """Return an entry as JSON; within a budget without the text of its section."""
    if not view.budget:
        return json.dumps(row.document) + "\n"
    from brain_cli.render import budget

    return budget.compact(budget.without_section(row.document)) + "\n"
