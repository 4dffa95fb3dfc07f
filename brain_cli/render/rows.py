"""The entries of a list of notes: each as a plain line, as JSON, and by the fields of a template.

A format with a function `line(row, view)` prints every list with it: recalls, the newest notes,
related ones, and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, compress
from typing import NamedTuple, Protocol

from brain_cli.errors import UsageError, did_you_mean
from brain_cli.printable import one_line
from brain_cli.render import Traits, View
from brain_cli.types import Quotes

# The fields of a template, as cli.md and the reference list them.
FIELDS = ("score", "path", "line", "title", "heading", "date", "text", "vault", "claim")
# A shell's `read` treats two tabs as one, so no field is ever empty.
EMPTY = "-"


class Row(NamedTuple):
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


class LineFormat(Protocol):
    """A format that prints each entry of a list by itself."""

    def line(self, row: Row, view: View) -> str:
        """Return the text of one entry, with its end."""


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
        for _, name in self._parts:
            if name is not None and name not in FIELDS:
                raise UsageError(f"There is no field “{name:.59}”.", did_you_mean(name, FIELDS))
        self._end = "" if written.endswith("\n") else "\n"

    def line(self, row: Row, view: View) -> str:
        """Return the template with the fields of one entry."""
        fields = fields_of(row, view)
        filled = (
            literal + (fields[name] if name is not None else "")
            for literal, name in self._parts
        )
        return "".join(filled) + self._end

    @property
    def TRAITS(self) -> Traits:  # noqa: N802 - as in the modules of formats
        """The whole texts are needed only for {text}."""
        has_text = any(name == "text" for _, name in self._parts)
        return Traits(quotes=Quotes.EVERY if has_text else Quotes.LINES)


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


def list_text(form: LineFormat, rows: Sequence[Row], view: View) -> str:
    """Return the first entries, whole, up to the one that does not fit the view's budget."""
    texts = [form.line(row, view) for row in rows]
    ends = accumulate(map(len, texts))
    fits = (not view.budget or end <= view.budget for end in ends)
    return "".join(compress(texts, fits))
