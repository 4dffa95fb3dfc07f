"""The moments that a note dates: when it begins and ends, and when its lines were true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from brain_cli.answer.pieces import pieces_of
from brain_cli.answer.validity import read_lines
from brain_cli.index.snapshot import Snapshot
from brain_cli.vault.clock import local_date
from brain_cli.vault.dates import day_of, section_dates
from brain_cli.vault.validity import entry_date

# “Update 2026-05-18: …”, not the entry of a diary, which begins with its date.
_BEGINS_WITH_A_WORD = re.compile(r"[\W_]*[^\W\d_]")


class Moment(NamedTuple):
    """An event of a note on a day (ISO); `line` is 0 for the note as a whole."""

    day: str
    what: str
    path: str
    line: int
    text: str


def moments_of(snapshot: Snapshot, note_id: int, zone: str) -> Iterator[Moment]:
    """Yield the moments of one note."""
    table = snapshot.note_table
    metadata = table.metadata(note_id)
    path = metadata.path
    yield Moment(_day(local_date(metadata, zone)), "written", path, 0, metadata.title)
    for field, what in (("begins", "begins"), ("ends", "ended")):
        if at := table.value(field, note_id):
            yield Moment(_day(at - (field == "ends")), what, path, 0, metadata.title)
    for successor in map(table.metadata, table.successors(note_id)):
        day = _day(local_date(successor, zone))
        yield Moment(day, "superseded", path, 0, f"by {successor.title} ({successor.path})")
    numbers = snapshot.numbers_of(note_id)
    fragments = [snapshot.index.fragment(number) for number in numbers]
    dates = dict(section_dates([fragment.trail for fragment in fragments]))
    for section, fragment in enumerate(fragments):
        pieces = pieces_of(fragment, section)
        if section in dates and fragment.trail:
            text = next((piece.text for piece in pieces if piece.is_text), fragment.trail[-1])
            yield Moment(_day(dates[section]), "section", path, fragment.line, text)
        for piece, line in zip(pieces, read_lines(pieces, dates), strict=True):
            since, before = line.period
            corrects = line.corrects
            if corrects is None and _BEGINS_WITH_A_WORD.match(piece.text):
                corrects = entry_date(piece.text)
            if corrects is not None:
                yield Moment(_day(corrects), "corrected", path, piece.first, piece.text)
            elif since > float("-inf"):
                yield Moment(_day(since), "begins", path, piece.first, piece.text)
            if before < float("inf"):
                yield Moment(_day(before - 1), "ended", path, piece.first, piece.text)


def _day(local: float) -> str:
    return day_of(local).isoformat()
