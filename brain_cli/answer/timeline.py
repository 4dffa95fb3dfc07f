"""The moments that a note dates: when it begins and ends, and when its lines were true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from brain_cli.answer.pieces import Quotable, pieces_of
from brain_cli.answer.validity import read_lines
from brain_cli.index.snapshot import Snapshot
from brain_cli.types import GIT, MTIME
from brain_cli.vault.blocks import PROSE, QUOTE
from brain_cli.vault.clock import day_of, local_date
from brain_cli.vault.dates import section_dates
from brain_cli.vault.validity import entry_date

# “Update 2026-05-18: …”, not the entry of a diary, which begins with its date.
_BEGINS_WITH_A_WORD = re.compile(r"[\W_]*[^\W\d_]")
# When a note was written, as far as its date says so; that of a commit or a file says less.
WRITTEN = "written"
DATED = {GIT: "committed", MTIME: "file changed"}
# What happens to a note on one day, in this order.
ORDER = (
    WRITTEN,
    "committed",
    "begins",
    "section",
    "corrected",
    "updated",
    "changed",
    "file changed",
    "ended",
    "superseded",
    "recalled",
)


class Moment(NamedTuple):
    """An event of a note on a day (ISO), one of ORDER; `line` is 0 for the note as a whole."""

    day: str
    what: str
    path: str
    line: int
    text: str

    @property
    def place(self) -> tuple[str, int, str, int]:
        """The place of this moment in a timeline."""
        return self.day, ORDER.index(self.what), self.path, self.line


def moments_of(snapshot: Snapshot, note_id: int, zone: str) -> Iterator[Moment]:
    """Yield the moments of one note, beginning with its date."""
    table = snapshot.note_table
    metadata = table.metadata(note_id)
    path = metadata.path
    of_lines = list(_moments_of_lines(snapshot, note_id, path))
    day = _day(local_date(metadata, zone))
    what = DATED.get(metadata.dated_by, WRITTEN)
    if what == WRITTEN and any(
        each.what == "corrected" and each.day < day for each in of_lines
    ):
        # A note is not corrected before it is written.
        what = "updated"
    yield Moment(day, what, path, 0, metadata.title)
    for field, what in (("begins", "begins"), ("ends", "ended")):
        if at := table.value(field, note_id):
            yield Moment(_day(at - (field == "ends")), what, path, 0, metadata.title)
    for successor in map(table.metadata, table.successors(note_id)):
        day = _day(local_date(successor, zone))
        yield Moment(day, "superseded", path, 0, f"by {successor.title} ({successor.path})")
    yield from of_lines


def _moments_of_lines(snapshot: Snapshot, note_id: int, path: str) -> Iterator[Moment]:
    numbers = snapshot.numbers_of(note_id)
    fragments = [snapshot.index.fragment(number) for number in numbers]
    dates = dict(section_dates([fragment.trail for fragment in fragments]))
    for section, fragment in enumerate(fragments):
        pieces = [
            entry for piece in pieces_of(fragment, section) for entry in _entries_of(piece)
        ]
        if section in dates and fragment.trail:
            text = next((piece.text for piece in pieces if piece.is_text), fragment.trail[-1])
            yield Moment(_day(dates[section]), "section", path, fragment.line, text)
        for piece, line in zip(pieces, read_lines(pieces, dates), strict=True):
            since, before = line.period
            corrects = _update(piece.text) if line.corrects is None else line.corrects
            if corrects is not None:
                yield Moment(_day(corrects), "corrected", path, piece.first, piece.text)
            elif since > float("-inf"):
                yield Moment(_day(since), "begins", path, piece.first, piece.text)
            if before < float("inf"):
                yield Moment(_day(before - 1), "ended", path, piece.first, piece.text)


def _update(text: str) -> float | None:
    """Return the date of an update: “Update 2026-05-18: …”; None for any other text."""
    return entry_date(text) if _BEGINS_WITH_A_WORD.match(text) else None


def _entries_of(piece: Quotable) -> Iterator[Quotable]:
    """Yield the parts of a paragraph or quotation: each line that is an update begins one."""
    lines = piece.text.split("\n")
    starts = [0]
    if piece.kind in (PROSE, QUOTE):
        later = range(1, len(lines))
        starts += [number for number in later if _update(lines[number]) is not None]
    for start, end in pairwise([*starts, len(lines)]):
        text = "\n".join(lines[start:end]).rstrip()
        yield piece._replace(first=piece.first + start, text=text)


def _day(local: float) -> str:
    return day_of(local).isoformat()
