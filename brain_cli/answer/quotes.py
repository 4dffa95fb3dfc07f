"""Settings for quoting: which notes are quoted, and how much of the one strong match."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

USUAL_CHARS = 1_700
MIN_ROW_CHARS = 30


class Quotes(Enum):
    """The choice of notes to quote: none, those that the terminal shows with a passage, or every result."""

    NOTHING = "nothing"
    SHOWN = "shown"
    EVERY = "every"


class Space(NamedTuple):
    """The space for an excerpt, in characters; a short line takes at least `row` of them, as on a screen."""

    chars: int = USUAL_CHARS
    row: int = MIN_ROW_CHARS


USUAL_SPACE = Space()
