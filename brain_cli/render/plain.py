"""One tab-separated line per hit: `score path:line heading title`.

No column is ever empty, because a shell's `read` treats two tabs as one.
"""

from __future__ import annotations

from brain_cli.render import Traits, View
from brain_cli.render.rows import Row
from brain_cli.types import Quotes

TRAITS = Traits(quotes=Quotes.LINES)


def line(row: Row, view: View) -> str:  # noqa: ARG001 - the protocol of formats
    return f"{row.line}\n"
