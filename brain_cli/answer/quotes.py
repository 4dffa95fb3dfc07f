"""Settings for quoting: which notes are quoted, and the screen that an answer has to fit."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

MAX_COLUMNS = 110
# The columns beside a quotation: the frame of a card, or the line number in the margin of a list.
MARGIN_COLUMNS = 9


class Quotes(Enum):
    """The choice of notes to quote: none, only the line of each, those that the screen shows, or every result."""

    NOTHING = "nothing"
    LINES = "lines"
    SHOWN = "shown"
    EVERY = "every"


class Screen(NamedTuple):
    """The size of a screen; an answer takes at most two rows less than it has.

    `listed` is the number of results asked for; 0 lists those that are worth it, at most five.
    """

    rows: int = 40
    columns: int = 80
    listed: int = 0

    @property
    def text_columns(self) -> int:
        """The columns of quoted text; longer lines are hard to read."""
        return max(20, min(self.columns, MAX_COLUMNS) - MARGIN_COLUMNS)


USUAL_SCREEN = Screen()
