"""Judge which notes and lines hold at a time: what has ended, what is corrected below.

Of a note's pieces, one that has ended or is struck out is not quoted; nor one that stands before a
dated correction with the query's words. Of its dated sections, the newest that answers comes first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from brain_cli.vault.analyzer import words_of
from brain_cli.vault.blocks import HEAD, ROW
from brain_cli.vault.dates import section_dates
from brain_cli.vault.validity import Line, line_of, written_day

if TYPE_CHECKING:
    from brain_cli.answer.pieces import NoteToQuote, Quotable

# A correction replaces pieces if it is worth this share of the best one, and the newest section
# comes first if its best piece is.
CORRECTING_SHARE = 0.5
NEWEST_SHARE = 0.7
# Two statements with this share of the words of the shorter one are about the same.
LIKE_SHARE = 0.5


def stale_pieces(
    note: NoteToQuote, pieces: Sequence[Quotable], values: Sequence[float], local: float
) -> dict[int, str]:
    """Return why some pieces of a note do not hold at a time of the calendar, by their index."""
    dates = dict(section_dates([fragment.trail for fragment in note.fragments]))
    lines = list(read_lines(pieces, dates))
    found = {index: why for index, line in enumerate(lines) if (why := line.at(local))}
    best = max(values, default=0.0)
    for index, line in enumerate(lines):
        at = line.corrects
        if at is None or index in found or values[index] < CORRECTING_SHARE * best:
            continue
        for other in range(len(pieces)):
            own = dates.get(pieces[other].section)
            is_before = own < at if own is not None else other < index
            is_stated = values[other] and lines[other].corrects is None
            if is_before and is_stated and _is_like(pieces[index], pieces[other]):
                found.setdefault(other, "replaced below")
    return found


def read_lines(pieces: Sequence[Quotable], dates: Mapping[int, float]) -> list[Line]:
    """Read the pieces of a note, of which some sections have dates."""
    found = []
    head = ""
    for piece in pieces:
        kind = piece.kind
        text = piece.text
        if kind == HEAD:
            # A head comes with its rule and the first row.
            head, _, text = (*text.split("\n", 2), "", "")[:3]
            kind = ROW
        found.append(line_of(kind, text, head, dates.get(piece.section)))
    return found


def newest_first(
    note: NoteToQuote, pieces: Sequence[Quotable], values: list[float], local: float
) -> dict[int, str]:
    """Raise the best piece of the newest dated section that answers above all others; return those
    of older sections that it replaces, because they say nearly the same.
    """
    dates = dict(section_dates([fragment.trail for fragment in note.fragments]))
    best = max(values, default=0.0)
    answering = [
        (dates[piece.section], values[index], index)
        for index, piece in enumerate(pieces)
        if piece.section in dates
        and dates[piece.section] <= local
        and values[index] >= NEWEST_SHARE * best
    ]
    if not best or len(answering) < 2:
        return {}
    newest = max(date for date, _, _ in answering)
    _, _, index = max(each for each in answering if each[0] == newest)
    values[index] = best * 1.01
    return {
        other: f"replaced {written_day(newest)}"
        for date, _, other in answering
        if date < newest and _is_like(pieces[index], pieces[other])
    }


def _is_like(one: Quotable, other: Quotable) -> bool:
    """Return whether two pieces are about the same, by their words without numbers."""
    words, others = (
        {word for word in words_of(each.text) if len(word) > 2 and word.isalpha()}
        for each in (one, other)
    )
    fewest = min(len(words), len(others))
    return fewest > 0 and len(words & others) >= LIKE_SHARE * fewest
