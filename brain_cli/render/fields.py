"""The option --fields: which keys of the document and of its results are printed, by the names in `shape`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from brain_cli.errors import UsageError, did_you_mean
from brain_cli.render.shape import Document, Result

RESULT_KEYS = tuple(Result.__annotations__)
DOCUMENT_KEYS = tuple(Document.__annotations__)
LISTS_OF_RESULTS = ("results", "archive")
FORMATS_WITH_FIELDS = ("json", "jsonl", "plain")
EMPTY_COLUMN = "-"


def read_fields(text: str, format_name: str) -> tuple[str, ...]:
    """Return the names in the option's value; raise UsageError for one that this format does not have."""
    if format_name not in FORMATS_WITH_FIELDS:
        raise UsageError(
            f"The format {format_name} has no fields.", f"--fields is for {', '.join(FORMATS_WITH_FIELDS)}."
        )
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    known = (*RESULT_KEYS, *(DOCUMENT_KEYS if format_name == "json" else ()))
    for name in names:
        if name not in known:
            raise UsageError(f"There is no field “{name}”.", did_you_mean(name, known))
    if not names:
        raise UsageError("--fields names no field.", "For example: --fields path,line,score.")
    return names


def chosen(document: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    """Return a document with the requested fields of its results, and of its own keys the requested ones if any is."""
    of_document = [name for name in fields if name in DOCUMENT_KEYS]
    of_results = [name for name in fields if name in RESULT_KEYS]
    kept = {"version", *of_document, *(LISTS_OF_RESULTS if of_results else ())} if of_document else {*document}
    found = {key: value for key, value in document.items() if key in kept}
    for key in LISTS_OF_RESULTS if of_results else ():
        found[key] = [of_result(each, of_results) for each in document[key]]
    return found


def of_result(result: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    """Return the fields of a result in the order in which they were requested."""
    return {name: result[name] for name in fields if name in result}


def column(value: object) -> str:
    """Return a value as a column of the plain format: the text of a passage, the members of a list."""
    if isinstance(value, Mapping):
        value = value.get("text", EMPTY_COLUMN)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list):
        return ", ".join(map(column, value)) or EMPTY_COLUMN
    return EMPTY_COLUMN if value in (None, "") else str(value)
