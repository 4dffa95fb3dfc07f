"""The terminal window: the width of text in it, and the screen that an answer has to fit."""

from __future__ import annotations

from brain_cli.answer.results import MAX_COLUMNS, USUAL_SCREEN, Screen
from brain_cli.render import View

# The columns that the frame of a panel takes.
FRAME_COLUMNS = 4
MIN_ROWS = 12


def columns_of(view: View) -> int:
    """Return the width of text in columns: the window's, but long lines are hard to read."""
    return min(view.width, MAX_COLUMNS)


def screen_of(view: View) -> Screen:
    """Return the screen that an answer has to fit; the usual one if the window's height is unknown."""
    if view.height:
        return Screen(max(MIN_ROWS, view.height), view.width, view.listed)
    rows = view.budget // view.width if view.budget else 0
    return Screen(max(USUAL_SCREEN.rows, rows), view.width, view.listed)
