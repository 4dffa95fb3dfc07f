"""The option --budget: limit an answer in any format to a number of characters, best parts first.

A JSON document stays valid, and lines for programs stay whole; in the formats for people the last
text may end in “…”.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from brain_cli.answer.results import Ranked, Recall
from brain_cli.render import View
from brain_cli.types import Strategy

# The lists of a document in the order in which they are filled.
FILLED = ("shown", "key_points", "results", "archive", "related", "suggestions")
SEPARATOR_CHARS = 2
MIN_TEXT_CHARS = 40
CUT_OFF = "…"
_ESCAPES = re.compile(r"\x1b\[[\d;]*m|\x1b\]8;[^\x1b]*\x1b\\")
_SURROGATE = re.compile("[\ud800-\udfff]")


def compact(value: object) -> str:
    """Return JSON in as few characters as possible; only bytes of names that are not UTF-8 are
    escaped.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def bounded_document(
    document: dict[str, Any], limit: int, write: Callable[[object], str] = compact
) -> dict[str, Any]:
    """Return as much of a document as fits into `limit` characters.

    All keys stay, and all values that are not lists; results lose the text of their section.
    """
    if len(write(document)) <= limit:
        return document
    bounded = {**document, **{key: [] for key in FILLED if key in document}}
    if answer := document.get("answer"):
        bounded["answer"] = None
        bounded["answer"] = with_text(answer, limit - len(write(bounded)), write)
    space = limit - len(write(bounded))
    for key in FILLED:
        for item in map(without_section, document.get(key, ())):
            chars = len(write(item)) + SEPARATOR_CHARS
            if chars > space:
                break
            space -= chars
            bounded[key].append(item)
    if "more" in bounded:
        bounded["more"] += len(document["results"]) - len(bounded["results"])
    return bounded


def with_text(
    quoted: dict[str, Any], space: int, write: Callable[[object], str] = compact
) -> dict[str, Any] | None:
    """Return a value with as much of its text as fits; None if hardly any of it does."""
    text = quoted["text"]
    space -= len(write({**quoted, "text": ""})) - SEPARATOR_CHARS
    while len(write(text)) > space:
        chars = min(len(text) - 1, len(text) * max(0, space) // len(write(text)))
        if chars < MIN_TEXT_CHARS:
            return None
        text = _cut(text, chars)
    return {**quoted, "text": text}


def without_section(item: Any) -> Any:
    """Return a result without the text of its section, which may be as long as the note."""
    if not isinstance(item, dict) or "fragment" not in item:
        return item
    return {**item, "fragment": {**item["fragment"], "text": ""}}


def bounded_text(form: Any, recall: Recall, view: View) -> str:
    """Return an answer in a format other than JSON, within the view's budget."""

    def first(count: int) -> str:
        return str(form.render(_first(recall, count), view))

    def size(text: str) -> int:
        return len(_ESCAPES.sub("", text))

    whole: str = form.render(recall, view._replace(budget=0))
    if size(whole) <= view.budget:
        return whole
    counts = range(1, len(recall.shown) + len(recall.results or recall.archive) + 1)
    fitting = bisect_right(counts, view.budget, key=lambda count: size(first(count)))
    text = first(max(1, fitting))
    if fitting:
        return text
    return _cut(_ESCAPES.sub("", text), view.budget - 1) + "\n"


def _first(recall: Recall, count: int) -> Recall:
    """Return a recall with only its first `count` passages and, after these, notes without a
    passage.
    """
    shown = recall.shown[:count]
    opened = {each.path for each in shown}
    others = count - len(shown)

    def kept(found: tuple[Ranked, ...]) -> tuple[Ranked, ...]:
        closed = [each for each in found if each.path not in opened][:others]
        return tuple(each for each in found if each.path in opened or each in closed)

    is_strong = recall.strategy is Strategy.SINGLE_STRONG
    return recall._replace(
        shown=shown,
        results=recall.results if is_strong else kept(recall.results),
        archive=kept(recall.archive),
        related=recall.related[:others],
    )


def _cut(text: str, chars: int) -> str:
    """Cut a text at the end of a word, to at most `chars` characters."""
    if len(text) <= chars:
        return text
    kept = text[: max(0, chars - 1)]
    return (kept.rsplit(None, 1)[0] if len(kept.split()) > 1 else kept).rstrip() + CUT_OFF
