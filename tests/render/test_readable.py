"""Test how the markdown of a note reads on a terminal."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from brain_cli.render.terminal import Tight, readable


@pytest.mark.parametrize(
    ("markdown", "read"),
    [
        ("> [!warning] Внимание\n> Не запускать.", "> **Внимание**\n>\n> Не запускать."),
        ("> [!tip]\n> Wait a night.", "> **Tip**\n>\n> Wait a night."),
        ("> [!note]- Folded", "> **Folded**"),
        ("> > [!info] Inside\n> > Text.", "> > **Inside**\n> >\n> > Text."),
        ("An array[!x] is none.", "An array[!x] is none."),
        ("See [[notes/rest|the decision]].", "See the decision."),
    ],
)
def test_callouts_and_links_read_as_their_words(markdown: str, read: str) -> None:
    assert readable(markdown) == read


def test_one_blank_line_at_most_stands_between_paragraphs_and_none_at_the_ends() -> None:
    paper = StringIO()
    Console(file=paper, width=20).print(Tight(Text("\n\nfirst\n\n\n\nsecond\n\n")))
    assert paper.getvalue() == "first\n\nsecond\n"
