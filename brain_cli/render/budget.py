"""The option --budget: limit an answer in any format to a number of characters, best parts first.

A JSON document stays valid, and lines for programs stay whole; in the formats for people the last text may end in “…”.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from brain_cli.answer.passages.excerpt import CUT_OFF
from brain_cli.answer.quotes import Space
from brain_cli.answer.results import Ranked, Recall
from brain_cli.render import View, load_format
from brain_cli.types import KeyPoint, Strategy

# The lists of a document in the order in which they are filled. The texts of whole sections come last.
FILLED = ("key_points", "results", "archive", "related", "suggestions")
SEPARATOR_CHARS = 2
MIN_TEXT_CHARS = 40
MAX_ATTEMPTS = 8
_ESCAPES = re.compile(r"\x1b\[[\d;]*m|\x1b\]8;[^\x1b]*\x1b\\")
_SURROGATE = re.compile("[\ud800-\udfff]")


def compact(value: object) -> str:
    """Return JSON in as few characters as possible; only bytes of names that are not UTF-8 are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def bounded_document(document: dict[str, Any], limit: int, write: Callable[[object], str] = compact) -> dict[str, Any]:
    """Return as much of a document as fits into `limit` characters.

    All keys stay, and all values that are not lists.
    """
    bounded = {**document, **{key: [] for key in FILLED if key in document}}
    if document.get("answer"):
        bounded["answer"] = None
    space = limit - len(write(bounded))
    if answer := document.get("answer"):
        bounded["answer"] = with_text(answer, space, write)
        space = limit - len(write(bounded))
    for key in FILLED:
        for item in document.get(key, ()):
            slim = _without_sections(item)
            space -= len(write(slim)) + SEPARATOR_CHARS
            if space < 0:
                space += len(write(slim)) + SEPARATOR_CHARS
                break
            bounded[key].append(slim)
    return _with_sections(document, _with_count(document, bounded), space, write)


def bounded_line(result: dict[str, Any], space: int, write: Callable[[object], str] = compact) -> str | None:
    """Return a result as a line of at most `space` characters, with as much of its section as fits, or None."""
    slim = _without_sections(result)
    space -= len(write(slim))
    if space < 0:
        return None
    if "fragment" in result:
        slim["fragment"] = with_text(result["fragment"], space, write) or slim["fragment"]
    return write(slim)


def with_text(quoted: dict[str, Any], space: int, write: Callable[[object], str] = compact) -> dict[str, Any] | None:
    """Return a value with as much of its text as fits; None if hardly any of it does."""
    text = quoted["text"]
    space -= len(write({**quoted, "text": ""}))
    while len(write(text)) - SEPARATOR_CHARS > space:
        chars = min(len(text) - 1, len(text) * max(0, space) // len(write(text)))
        if chars < MIN_TEXT_CHARS:
            return None
        text = _cut(text, chars)
    return {**quoted, "text": text}


def _without_sections(item: Any) -> Any:
    """Return a result without the text of its section, which may be as long as the note."""
    if not isinstance(item, dict) or "fragment" not in item:
        return dict(item) if isinstance(item, dict) else item
    return {**item, "fragment": {**item["fragment"], "text": ""}}


def _with_sections(
    document: dict[str, Any], bounded: dict[str, Any], space: int, write: Callable[[object], str]
) -> dict[str, Any]:
    for key in ("results", "archive"):
        for slim, full in zip(bounded.get(key, ()), document.get(key, ()), strict=False):
            if "fragment" in full:
                fitting = with_text(full["fragment"], space + len(write(slim["fragment"])), write) or slim["fragment"]
                space -= len(write(fitting)) - len(write(slim["fragment"]))
                slim["fragment"] = fitting
    return bounded


def _with_count(document: dict[str, Any], bounded: dict[str, Any]) -> dict[str, Any]:
    """Count in `more` the results that were left out."""
    if "more" in bounded and "results" in bounded:
        bounded["more"] += len(document["results"]) - len(bounded["results"])
    return bounded


def bounded_text(name: str, recall: Recall, view: View) -> str:
    """Return an answer in a format other than JSON, within the view's budget."""
    format_ = load_format(name)
    text = format_.render(recall, view._replace(budget=0))
    if _size(text) <= view.budget:
        return text
    if name in ("plain", "paths"):
        return _whole_lines(text, view)

    def size(part: Recall) -> int:
        return _size(format_.render(part, view))

    counts = range(1, _items(recall) + 1)
    fitting = bisect_right(counts, view.budget, key=lambda count: size(_first(recall, count)))
    part = _first(recall, fitting) if fitting else _shortened(recall, size, view.budget)
    text = format_.render(part, view)
    return text if _size(text) <= view.budget else _cut(_ESCAPES.sub("", text), view.budget - 1) + "\n"


def _whole_lines(text: str, view: View) -> str:
    return text[: text[: view.budget].rfind(view.separator) + 1]


def _size(text: str) -> int:
    return len(_ESCAPES.sub("", text))


def _items(recall: Recall) -> int:
    if recall.strategy is Strategy.SINGLE_STRONG:
        return 1 + len(recall.related)
    if recall.strategy is Strategy.SYNTHESIZE:
        return len(recall.key_points) + len(recall.other_sources)
    return len(recall.results or recall.archive)


def _first(recall: Recall, count: int) -> Recall:
    """Return a recall with only its first `count` passages or notes."""
    if recall.strategy is Strategy.SINGLE_STRONG:
        return recall._replace(related=recall.related[: count - 1])
    if recall.strategy is not Strategy.SYNTHESIZE:
        return recall._replace(results=recall.results[:count], archive=recall.archive[:count])
    points = recall.key_points[:count]
    quoted = {point.path for point in points}
    others = recall.other_sources[: max(0, count - len(points))]
    results = tuple(each for each in recall.results if each.metadata.path in quoted or each in others)
    return recall._replace(key_points=points, results=results)


def _shortened(recall: Recall, size: Callable[[Recall], int], limit: int) -> Recall:
    """Return a recall with only its first text, cut until it fits."""
    part = _first(recall, 1)
    for _ in range(MAX_ATTEMPTS):
        excess = size(part) - limit
        if excess <= 0:
            break
        part = _cut_by(part, excess)
    return part


def _cut_by(recall: Recall, excess: int) -> Recall:
    if recall.excerpt:
        return recall._replace(excerpt=recall.excerpt.shortened(Space(max(1, len(recall.excerpt.text) - excess), 0)))
    if recall.key_points:
        return recall._replace(key_points=(_shortened_point(recall.key_points[0], excess),))
    return recall._replace(
        results=_shortened_first(recall.results, excess), archive=_shortened_first(recall.archive, excess)
    )


def _shortened_point(point: KeyPoint, excess: int) -> KeyPoint:
    return point._replace(text=_cut(point.text, max(1, len(point.text) - excess)))


def _shortened_first(found: tuple[Ranked, ...], excess: int) -> tuple[Ranked, ...]:
    return tuple(
        each._replace(passage=_shortened_point(each.passage, excess) if each.passage else None) for each in found[:1]
    )


def _cut(text: str, chars: int) -> str:
    """Cut a text at the end of a word, to at most `chars` characters."""
    if len(text) <= chars:
        return text
    kept = text[: max(0, chars - 1)]
    return (kept.rsplit(None, 1)[0] if len(kept.split()) > 1 else kept).rstrip() + CUT_OFF
