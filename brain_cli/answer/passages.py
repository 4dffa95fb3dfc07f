"""The sentences and list items worth quoting: best matches first, each with its line, none said twice."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from brain_cli.types import Fragment, KeyPoint
from brain_cli.vault.analyzer import terms, words_of
from brain_cli.vault.bigrams import Bigram, bigrams

MOST_POINTS = 5
MOST_POINTS_PER_NOTE = 2
FEWEST_WORDS = 3
MAX_CHARS = 280
# A sentence is cut anyway, and markup that never closes would be searched to its end again and again.
MOST_SENTENCE_CHARS = 2_000
# A section of megabytes is a log or a table: what is worth quoting stands near its beginning.
MOST_READ_CHARS = 200_000
TOO_ALIKE = 0.6
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]?[^\W\d_a-z]|[\"'“‘(]?\d)|(?<=[。！？])")
_NOT_PROSE = re.compile(
    r"\s*(?:\||#{1,6}\s|>\s*\[!|-{3,}\s*$|={3,}\s*$|\*{3,}\s*$|<!--|\[[^\]]*\]:|(?:\*\*|__)[^*_]+(?:\*\*|__):?\s*$)"
)
_INDENTED = re.compile(r" {4}|\t")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LABEL = re.compile(r"^(?:\*\*|__)([^*_\n]{1,80}?[^\W_])(?:\*\*|__)\s+(?=[^\W\d_a-z])")
_MARKUP = re.compile(
    r"!?\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]|!?\[([^\]]*)\]\([^)]*\)|\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"
)


class Passage(NamedTuple):
    """A sentence or list item, and its line in the file."""

    text: str
    line: int


class Source(NamedTuple):
    """A fragment to quote from: the note's path and language, and how relevant the note is (0..1)."""

    path: str
    fragment: Fragment
    language: str
    relevance: float


def key_points(sources: Iterable[Source], worth: Mapping[str, float], most: int = MOST_POINTS) -> list[KeyPoint]:
    """Pick the passages that say most about the query, in order of their notes' rank.

    `worth` is the idf of each term of the query. Every note gets one point before any gets two.
    """
    ranked = [list(_best_first(group, worth)) for group in _by_note(sources)]
    chosen: list[tuple[int, KeyPoint]] = []
    for turn in range(MOST_POINTS_PER_NOTE):
        for index_directory, points in enumerate(ranked):
            fresh = (point for point in points[turn:] if not _said(point, chosen))
            point = next(fresh, None)
            if point and len(chosen) < most:
                chosen.append((index_directory, point))
    return [point for _, point in sorted(chosen, key=lambda pair: pair[0])]


def _by_note(sources: Iterable[Source]) -> Iterator[list[Source]]:
    notes: dict[str, list[Source]] = {}
    for source in sources:
        notes.setdefault(source.path, []).append(source)
    yield from notes.values()


def _best_first(sources: list[Source], worth: Mapping[str, float]) -> Iterator[KeyPoint]:
    weighed = []
    for order, source in enumerate(sources):
        for passage in passages(source.fragment):
            value = _value(passage.text, source.language, worth)
            weighed.append((-value, order, passage.line, KeyPoint(passage.text, source.path, passage.line)))
    weighed.sort(key=lambda each: each[:3])
    matching = [point for value, *_, point in weighed if value < 0]
    # A note found by its title alone is quoted from its beginning.
    yield from _telling(matching) or _telling([point for *_, point in weighed])[:1]


def _telling(points: list[KeyPoint]) -> list[KeyPoint]:
    """Leave out what is too short to say anything, unless all of it is."""
    return [point for point in points if _says_something(point.text)] or points


def _says_something(text: str) -> bool:
    # Blanks count faster; only scripts that have none, and dashes between two words, need a closer look.
    return text.count(" ") > 2 * FEWEST_WORDS or len(words_of(text)) >= FEWEST_WORDS


def _value(text: str, language: str, worth: Mapping[str, float]) -> float:
    """Return the worth of the query's terms in a passage; of two that say as much, the shorter is better."""
    found = terms(text, language)
    return sum(worth.get(term, 0.0) for term in dict.fromkeys(found)) / math.sqrt(math.sqrt(8 + len(found)))


def _said(point: KeyPoint, chosen: Collection[tuple[int, KeyPoint]]) -> bool:
    pairs = bigrams(point.text)
    return any(_likeness(pairs, bigrams(other.text)) > TOO_ALIKE or point == other for _, other in chosen)


def _likeness(pairs: frozenset[Bigram], others: frozenset[Bigram]) -> float:
    return len(pairs & others) / max(1, len(pairs | others))


def passages(fragment: Fragment) -> Iterator[Passage]:
    """Yield the sentences and list items of a fragment, without markup; code and tables are left out."""
    for block in _blocks(fragment):
        yield from _sentences(block)


def _blocks(fragment: Fragment) -> Iterator[list[Passage]]:
    """Yield paragraphs and list items as their lines."""
    block: list[Passage] = []
    in_fence = in_list = False
    for number, raw in enumerate(fragment.text[:MOST_READ_CHARS].split("\n"), start=fragment.text_line):
        fence = bool(_FENCE.match(raw))
        in_fence ^= fence
        in_list = bool(_ITEM.match(raw)) or (in_list and (not raw.strip() or raw[0].isspace()))
        # Four blanks make code, but below a list item they only belong to it.
        code = fence or in_fence or (_INDENTED.match(raw) and not block and not in_list)
        prose = bool(raw.strip()) and not code and not _NOT_PROSE.match(raw)
        item = _ITEM.match(raw) if prose else None
        if block and (item or not prose):
            yield block
            block = []
        if prose:
            block.append(Passage(raw[item.end() :] if item else raw, number))
    if block:
        yield block


def _sentences(block: list[Passage]) -> Iterator[Passage]:
    text = ""
    starts: list[tuple[int, int]] = []
    for line in block:
        starts.append((len(text), line.line))
        text += line.text.strip().lstrip("> ") + " "
    position = 0
    for piece in [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]:
        plain = plain_text(text[position : min(piece, position + MOST_SENTENCE_CHARS)])
        if len(plain) > 2:
            number = next(number for start, number in reversed(starts) if start <= position)
            yield Passage(_clipped(plain), number)
        position = piece


def plain_text(markdown: str) -> str:
    """Return a line of markdown as it reads: links by their words, no emphasis."""
    # A bold beginning is a label: it ends in a colon when nothing else ends it.
    markdown = _LABEL.sub(r"\1: ", markdown)
    return " ".join(_MARKUP.sub(lambda match: match[1] or match[2] or "", markdown).split())


def _clipped(text: str) -> str:
    return text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1].rsplit(" ", 1)[0].rstrip(",;: ") + "…"
