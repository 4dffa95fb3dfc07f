"""The window of a terminal: how wide text is set in it, and how much of a note fits."""

from __future__ import annotations

from brain_cli.answer.quotes import USUAL_SPACE, Space
from brain_cli.render import View

MAX_COLUMNS = 110
# What the frame of a panel takes of each line.
FRAME_COLUMNS = 6
# The rows of a window that hold no line of the note: the frame, what stands around it, and the next prompt.
OTHER_ROWS = 9
MIN_ROWS = 6


def columns_of(view: View) -> int:
    """Return the columns that text is set in: lines that are longer are hard to read."""
    return min(view.width, MAX_COLUMNS)


def answer_space(view: View) -> Space:
    """Return how much of a note fits into a panel; the usual where the height of the window is not known."""
    if not view.height:
        return Space(view.budget, 0) if view.budget else USUAL_SPACE
    columns = max(1, columns_of(view) - FRAME_COLUMNS)
    chars = max(MIN_ROWS, view.height - OTHER_ROWS) * (columns + 1)
    return Space(min(chars, view.budget or chars), columns)
