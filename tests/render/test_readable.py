"""Test how the markdown of a note reads on a terminal."""

from __future__ import annotations

import re

import pytest
from conftest import Vault
from terminal import on_a_terminal

from brain_cli.render.terminal import readable


@pytest.mark.parametrize(
    ("markdown", "read"),
    [
        ("> [!warning] Внимание\n> Не запускать.", "> **Внимание**\n>\n> Не запускать."),
        ("> [!tip]\n> Wait a night.", "> **Tip**\n>\n> Wait a night."),
        ("> [!note]- Folded", "> **Folded**"),
        ("> > [!info] Inside\n> > Text.", "> > **Inside**\n> >\n> > Text."),
        ("An array[!x] is none.", "An array[!x] is none."),
        ("See [[notes/rest|the decision]].", "See the decision."),
        ("Type `[[note#heading]]` for [[a|b]].", "Type `[[note#heading]]` for b."),
        ("```md\n[[note]]\n> [!tip]\n```\n[[b]]", "```md\n[[note]]\n> [!tip]\n```\nb"),
        ("> ~~~\n> [[note]]\n> ~~~\n\n[[b]]", "> ~~~\n> [[note]]\n> ~~~\n\nb"),
    ],
)
def test_callouts_and_links_read_as_their_words(markdown: str, read: str) -> None:
    assert readable(markdown) == read


def test_code_in_an_opened_note_has_no_background_and_is_not_rewritten(vault: Vault) -> None:
    vault.note(
        "one.md", "# One\n\nType `[[a]]`:\n\n```python\nlinked = '[[b#c]]'\n```\n\nSee [[c]].\n"
    )
    shown = on_a_terminal(vault, "show", "one")
    assert "\x1b[36m[[a]]\x1b[0m" in shown
    assert "\x1b[36mlinked = '[[b#c]]'\x1b[0m" in shown
    assert "See c." in shown
    assert not re.search(r"\x1b\[[\d;]*4[0-8]", shown)


def test_line_ends_that_were_meant_are_kept_in_an_opened_note(vault: Vault) -> None:
    wrapped = "The gateway timed out on every upload that was larger than one\nmegabyte, so the team left.\n"
    vault.note("oncall.md", f"# Oncall\n\nlead: Chidi\nsince: October\n\n{wrapped}")
    shown = on_a_terminal(vault, "show", "oncall").replace("\r", "")
    assert "lead: Chidi\nsince: October\n" in shown
    assert "larger than one megabyte, so" in shown.replace("\n", " ")
    assert "than one\nmegabyte" not in shown
