"""The terminal window: the width of text in it, and how much of a note fits."""

from __future__ import annotations

from brain_cli.answer.quotes import USUAL_SPACE, Space
from brain_cli.render import View

MAX_COLUMNS = 110
# The columns that the frame of a panel takes.
FRAME_COLUMNS = 6
# The rows of a window around the note's text: the frame, the lines above and below it, and the next prompt.
OTHER_ROWS = 9
MIN_ROWS = 6


def columns_of(view: View) -> int:
    """Return the width of text in columns: the window's, but long lines are hard to read."""
    return min(view.width, MAX_COLUMNS)


def answer_space(view: View) -> Space:
    """Return how much of a note fits into a panel; the usual space if the window's height is unknown."""
    if not view.height:
        return Space(view.budget, 0) if view.budget else USUAL_SPACE
    columns = max(1, columns_of(view) - FRAME_COLUMNS)
    chars = max(MIN_ROWS, view.height - OTHER_ROWS) * (columns + 1)
    return Space(min(chars, view.budget or chars), columns)
