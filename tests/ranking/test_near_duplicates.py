"""A note that resembles a better one is demoted within reach of its score; a vault's template makes
none alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Vault

TEMPLATE = "\n".join(
    f"Template line {number} is the same in every note of this vault." for number in range(8)
)


def test_two_notes_of_one_template_are_not_near_duplicates(vault: Vault) -> None:
    for number in range(12):
        vault.note(
            f"{number}.md",
            f"# Tool {number}\n\nText of tool number {number} alone.\n\n{TEMPLATE}\n",
        )
    vault.note("board.md", f"# Kanban\n\nDraws a kanban board.\n\n{TEMPLATE}\n")
    vault.note(
        "cards.md", f"# Cards\n\nDraws kanban cards on a board, one by one.\n\n{TEMPLATE}\n"
    )
    assert vault.order("draw kanban board")[:2] == ["board", "cards"]


def test_a_repeat_falls_by_one_screen_and_no_further(vault: Vault) -> None:
    words = "The lighthouse keeper lit the lamp at dusk every day of the long winter."
    for name in ("a", "b"):
        vault.note(f"{name}.md", f"# Lighthouse keeper\n\n{words}\n")
    for number in range(30):
        vault.note(
            f"other-{number}.md",
            f"# Harbour {number}\n\nKeeper {number} of lighthouse {number} came from town {number}.\n",
        )
    order = vault.order("lighthouse keeper", "-n", 40)
    assert order[0] in ("a", "b")
    assert {"a", "b"} <= set(order)
    assert len({"a", "b"} & set(vault.order("lighthouse keeper", "-n", 5))) == 1


def test_a_repeat_says_which_better_note_it_resembles(vault: Vault) -> None:
    words = "The lighthouse keeper lit the lamp at dusk every day of the long winter."
    vault.note("a.md", f"# Lighthouse keeper\n\n{words}\n", date="2026-11-01")
    vault.note("b.md", f"# Lighthouse keeper\n\n{words}\n", date="2020-11-01")
    vault.note("c.md", "# Keeper\n\nThe keeper of another lighthouse came from town.\n")
    found = vault.remember("lighthouse keeper lamp dusk")["results"]
    assert {each["path"]: each["resembles"] for each in found} == {
        "a.md": None,
        "b.md": "a.md",
        "c.md": None,
    }
    shown = vault.brain(
        "remember", "lighthouse keeper lamp dusk", "--format", "rich", "--vault", vault.folder
    ).out
    assert "resembles a.md" in shown
