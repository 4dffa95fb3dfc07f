"""Rich parts → text for the screen that a view describes."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import TYPE_CHECKING

from brain_cli.render import View

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_COLUMNS = 110


def printed(parts: Iterable[RenderableType], view: View) -> str:
    """Return parts as terminal text; escape codes only where the view has colour."""
    from rich.console import Console

    paper = StringIO()
    console = Console(
        file=paper,
        width=min(view.width, MOST_COLUMNS),
        force_terminal=view.color,
        color_system="truecolor" if view.color else None,
        no_color=not view.color,
        highlight=False,
        emoji=False,
        markup=False,
    )
    for part in parts:
        console.print(part)
    return "".join(f"{line.rstrip()}\n" if not view.color else line + "\n" for line in paper.getvalue().splitlines())
