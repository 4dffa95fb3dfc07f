"""The option --budget: the text of an answer, of any format, in at most so many characters, filled best first.

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

# What a list of a document is filled with, best first. The texts of whole sections come last.
FILLED = ("key_points", "results", "archive", "related", "suggestions")
SEPARATOR_CHARS = 2
MIN_TEXT_CHARS = 40
MAX_ATTEMPTS = 8
_ESCAPES = re.compile(r"\x1b\[[\d;]*m|\x1b\]8;[^\x1b]*\x1b\\")
_SURROGATE = re.compile("[\ud800-\udfff]")


def compact(value: object) -> str:
    """Return JSON in as few characters as may be; only bytes of a name that is not UTF-8 are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def bounded_document(document: dict[str, Any], most: int, write: Callable[[object], str] = compact) -> dict[str, Any]:
    """Return as much of a document as can be written in `most` characters.

    All keys stay, and all values that are not lists.
    """
    bounded = {**document, **{key: [] for key in FILLED if key in document}}
    if document.get("answer"):
        bounded["answer"] = None
    room = most - len(write(bounded))
    if answer := document.get("answer"):
        bounded["answer"] = with_text(answer, room, write)
        room = most - len(write(bounded))
    for key in FILLED:
        for item in document.get(key, ()):
            slim = _without_sections(item)
            room -= len(write(slim)) + SEPARATOR_CHARS
            if room < 0:
                room += len(write(slim)) + SEPARATOR_CHARS
                break
            bounded[key].append(slim)
    return _with_sections(document, _with_count(document, bounded), room, write)


def bounded_line(result: dict[str, Any], room: int, write: Callable[[object], str] = compact) -> str | None:
    """Return a result as a line of at most so many characters, with as much of its section as fits; else None."""
    slim = _without_sections(result)
    room -= len(write(slim))
    if room < 0:
        return None
    if "fragment" in result:
        slim["fragment"] = with_text(result["fragment"], room, write) or slim["fragment"]
    return write(slim)


def with_text(quoted: dict[str, Any], room: int, write: Callable[[object], str] = compact) -> dict[str, Any] | None:
    """Return a value with as much of its text as fits into the room; None where that is next to nothing."""
    text = quoted["text"]
    room -= len(write({**quoted, "text": ""}))
    while len(write(text)) - SEPARATOR_CHARS > room:
        chars = min(len(text) - 1, len(text) * max(0, room) // len(write(text)))
        if chars < MIN_TEXT_CHARS:
            return None
        text = _cut(text, chars)
    return {**quoted, "text": text}


def _without_sections(item: Any) -> Any:
    """Return a result with an empty section: it may be as long as its note."""
    if not isinstance(item, dict) or "fragment" not in item:
        return dict(item) if isinstance(item, dict) else item
    return {**item, "fragment": {**item["fragment"], "text": ""}}


def _with_sections(
    document: dict[str, Any], bounded: dict[str, Any], room: int, write: Callable[[object], str]
) -> dict[str, Any]:
    for key in ("results", "archive"):
        for slim, full in zip(bounded.get(key, ()), document.get(key, ()), strict=False):
            if "fragment" in full:
                fitting = with_text(full["fragment"], room + len(write(slim["fragment"])), write) or slim["fragment"]
                room -= len(write(fitting)) - len(write(slim["fragment"]))
                slim["fragment"] = fitting
    return bounded


def _with_count(document: dict[str, Any], bounded: dict[str, Any]) -> dict[str, Any]:
    """Count in `more` the results that were left out."""
    if "more" in bounded and "results" in bounded:
        bounded["more"] += len(document["results"]) - len(bounded["results"])
    return bounded


def bounded_text(name: str, recall: Recall, view: View) -> str:
    """Return an answer in a format for people or for lines, within the view's budget."""
    form = load_format(name)
    text = form.render(recall, view._replace(budget=0))
    if _size(text) <= view.budget:
        return text
    if name in ("plain", "paths"):
        return _whole_lines(text, view)

    def size(less: Recall) -> int:
        return _size(form.render(less, view))

    counts = range(1, _items(recall) + 1)
    fitting = bisect_right(counts, view.budget, key=lambda count: size(_first(recall, count)))
    less = _first(recall, fitting) if fitting else _shortened(recall, size, view.budget)
    text = form.render(less, view)
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
    """Return a recall with its first passages or notes alone."""
    if recall.strategy is Strategy.SINGLE_STRONG:
        return recall._replace(related=recall.related[: count - 1])
    if recall.strategy is not Strategy.SYNTHESIZE:
        return recall._replace(results=recall.results[:count], archive=recall.archive[:count])
    points = recall.key_points[:count]
    quoted = {point.path for point in points}
    others = recall.other_sources[: max(0, count - len(points))]
    results = tuple(each for each in recall.results if each.metadata.path in quoted or each in others)
    return recall._replace(key_points=points, results=results)


def _shortened(recall: Recall, size: Callable[[Recall], int], most: int) -> Recall:
    """Return the first text of a recall alone, cut until it fits."""
    less = _first(recall, 1)
    for _ in range(MAX_ATTEMPTS):
        over = size(less) - most
        if over <= 0:
            break
        less = _with_less(less, over)
    return less


def _with_less(recall: Recall, over: int) -> Recall:
    if recall.excerpt:
        return recall._replace(excerpt=recall.excerpt.shortened(Space(max(1, len(recall.excerpt.text) - over), 0)))
    if recall.key_points:
        return recall._replace(key_points=(_less_of(recall.key_points[0], over),))
    return recall._replace(results=_less_of_first(recall.results, over), archive=_less_of_first(recall.archive, over))


def _less_of(point: KeyPoint, over: int) -> KeyPoint:
    return point._replace(text=_cut(point.text, max(1, len(point.text) - over)))


def _less_of_first(found: tuple[Ranked, ...], over: int) -> tuple[Ranked, ...]:
    return tuple(each._replace(passage=_less_of(each.passage, over) if each.passage else None) for each in found[:1])


def _cut(text: str, chars: int) -> str:
    """Return the beginning of a text, to the end of a word, in at most so many characters."""
    if len(text) <= chars:
        return text
    kept = text[: max(0, chars - 1)]
    return (kept.rsplit(None, 1)[0] if len(kept.split()) > 1 else kept).rstrip() + CUT_OFF
