"""How much of an answer is quoted: nothing, some notes or all, and how much of the one strong match."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

USUAL_CHARS = 1_700
SHORTEST_ROW = 30


class Quotes(Enum):
    """How much of an answer is quoted: nothing, the passages that a screen shows, or one passage of every result."""

    NOTHING = "nothing"
    SHOWN = "shown"
    EVERY = "every"


class Space(NamedTuple):
    """The space for an excerpt: characters, and how many of them a short line takes at least, as rows of a screen."""

    chars: int = USUAL_CHARS
    row: int = SHORTEST_ROW


USUAL_SPACE = Space()
