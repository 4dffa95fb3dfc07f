"""Join several passages of one note: the first note of a list is quoted with more than its best passage."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from brain_cli.answer.passages.selection import MAX_COMPARED, Passage
from brain_cli.answer.passages.term_weights import TermWeights
from brain_cli.answer.passages.windows import MAX_CHARS
from brain_cli.types import KeyPoint
from brain_cli.vault.text_width import columns

# This many passages are shown beside the best one, each on its own line.
MAX_OTHERS = 2
SEPARATOR = "\n"


def several_in_one(found: Sequence[Passage], term_weights: TermWeights) -> KeyPoint | None:
    """Return the best of a note's passages with some others that still fit, each on its own line, in their order.

    Those with most of the query's words are chosen first.
    """
    if not found:
        return None
    others = (passage for passage in found[1:MAX_COMPARED] if not passage.minor)
    by_words = sorted(others, key=lambda passage: -term_weights.of(passage.key_point.text, passage.language))
    chosen, text = [found[0]], found[0].key_point.text
    for passage in by_words:
        longer = _in_order([*chosen, passage])
        if longer and columns(longer) <= MAX_CHARS and len(chosen) <= MAX_OTHERS:
            chosen, text = [*chosen, passage], longer
    return found[0].key_point._replace(text=text)


def _in_order(found: Iterable[Passage]) -> str:
    """Return some passages of a note as one text, in the order of the note; empty if one repeats another.

    A definition that the query asks for comes before them.
    """
    parts: list[str] = []
    for passage in sorted(found, key=lambda each: (not each.is_definition, each.key_point.line, each.indexes)):
        lines = _new_lines(passage.key_point.text, [line for part in parts for line in part.split("\n")])
        if not lines:
            return ""
        parts.append("\n".join(lines))
    return SEPARATOR.join(parts)


def _new_lines(text: str, shown: Collection[str]) -> list[str]:
    """Return the lines of a passage that are not shown yet; none if one of them repeats a shown line."""
    lines = [line for line in text.split("\n") if line not in shown]
    is_repeated = any(line.startswith(tuple(shown)) for line in lines)
    return [] if is_repeated or (lines and lines[-1].endswith(":")) else lines
