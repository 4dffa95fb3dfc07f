"""`brain show path:line` shows the section that holds the line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Vault


def test_a_line_names_the_innermost_section_around_it(vault: Vault) -> None:
    vault.note("a.md", "# A\n\nIntro.\n\n## Lamp\n\nOil.\n\n## Door\n\nOak.\n")
    assert vault.brain("show", "a.md:7", "--vault", vault.folder).out == "## Lamp\n\nOil.\n\n"


def test_a_line_above_all_headings_names_the_whole_note(vault: Vault) -> None:
    vault.note("a.md", "Intro.\n\n## Lamp\n\nOil.\n")
    assert (
        vault.brain("show", "a.md:1", "--vault", vault.folder).out
        == "Intro.\n\n## Lamp\n\nOil.\n"
    )
