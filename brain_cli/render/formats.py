"""The formats by name, and the entries of a list that they print.

To add a format, see brain_cli/render/__init__.py. One with a function `line(row, view)` prints
every list with it: recalls, the newest notes, related ones, and so on.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import accumulate, compress
from typing import Any

from brain_cli.errors import UnknownNameError, UsageError, did_you_mean
from brain_cli.extension import OWN_FORMATS, Table
from brain_cli.printable import one_line
from brain_cli.record import Record
from brain_cli.render import Traits, View
from brain_cli.types import Quotes

FORMATS: Table[str] = Table("formats", OWN_FORMATS)
AUTO = "auto"
# The fields of a template, as cli.md and the reference list them.
FIELDS = (
    "score",
    "path",
    "line",
    "title",
    "heading",
    "date",
    "text",
    "vault",
    "claim",
)
# A shell's `read` treats two tabs as one, so no field is ever empty.
EMPTY = "-"


class Row(Record):
    """One entry of a list: as a plain line, and as JSON. A note has more, and maybe a passage from
    line `number`, or a `markdown` of more than a link.
    """

    line: str
    document: Mapping[str, object]
    path: str = ""
    title: str = ""
    mark: str = "•"
    remark: str = ""
    passage: str = ""
    number: int = 0
    heading: str = ""
    claim: str = ""
    markdown: str = ""


class Template:
    """The format of a template: `{score}\\t{path}:{line}` with the fields of `FIELDS`."""

    def __init__(self, text: str) -> None:
        # Imported here, because only a template needs its patterns.
        from string import Formatter

        written = text.replace("\\t", "\t").replace("\\n", "\n")
        try:
            self._parts = [(literal, name) for literal, name, *_ in Formatter().parse(written)]
        except ValueError as error:
            raise UsageError(
                f"The format “{text:.59}” cannot be read: {error}.",
                "For example: --format '{score}\\t{path}:{line}\\t{title}'.",
            ) from None
        names = [name for _, name in self._parts if name is not None]
        for name in names:
            if name not in FIELDS:
                raise UsageError(f"There is no field “{name:.59}”.", did_you_mean(name, FIELDS))
        self._end = "" if written.endswith("\n") else "\n"
        # The whole texts are needed only for {text}.
        self.TRAITS = Traits(quotes=Quotes.EVERY if "text" in names else Quotes.LINES)

    def line(self, row: Row, view: View) -> str:
        """Return the template with the fields of one entry."""
        fields = fields_of(row, view)
        filled = (literal + fields.get(name or "", "") for literal, name in self._parts)
        return "".join(filled) + self._end


def is_template(name: str) -> bool:
    """Return whether the name of a format is a template."""
    return "{" in name


def load_format(name: str) -> Any:
    """Return a format by name, or that of a template; raise UsageError for one that does not
    exist.
    """
    if is_template(name):
        return Template(name)
    place = FORMATS.find(name)
    if not place:
        raise UnknownNameError(
            f"There is no format “{name}”.", did_you_mean(name, (AUTO, *FORMATS))
        )
    return import_module(place)


def traits_of(format_name: str) -> Traits:
    """Return the traits of a format; UsageError for one that does not exist."""
    found: Traits = getattr(load_format(format_name), "TRAITS", Traits())
    return found


def fields_of(row: Row, view: View) -> dict[str, str]:
    """Return the fields of an entry as text of one line each."""
    score = row.document.get("score")
    found = {
        "score": f"{score:.3f}" if isinstance(score, int | float) else "",
        "path": view.path_from_here(row.path) if row.path else "",
        "line": str(row.number or 1),
        "title": row.title,
        "heading": row.heading,
        "date": str(row.document.get("date") or ""),
        "text": row.passage,
        "vault": view.place(row.path)[0],
        "claim": row.claim,
    }
    return {name: one_line(value) or EMPTY for name, value in found.items()}


def list_text(form: Any, rows: Sequence[Row], view: View) -> str:
    """Return the first entries in a format, whole, up to the one that does not fit the view's
    budget.
    """
    texts = [form.line(row, view) for row in rows]
    ends = accumulate(map(len, texts))
    fits = (not view.budget or end <= view.budget for end in ends)
    return "".join(compress(texts, fits))
