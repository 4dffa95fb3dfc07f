"""One path per note, for `xargs`, `fzf` and editors; ended by NUL with `-0`."""

from brain_cli.render import Traits, View
from brain_cli.render.formats import Row
from brain_cli.types import Quotes

TRAITS = Traits(quotes=Quotes.NOTHING)


def line(row: Row, view: View) -> str:
    return view.path_from_here(row.path) + view.separator
