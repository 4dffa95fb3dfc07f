"""A piece from the middle of a long section comes with what tells how to read it: the fence, or the table's head."""

from __future__ import annotations

import pytest
from conftest import Vault

ROWS = 120


def long_section(before: str, line: str, after: str) -> str:
    lines = [line.format(number) for number in range(ROWS)]
    lines[ROWS // 2] = line.format("the quokka")
    return "\n".join([before, *lines, after])


SECTIONS = {
    "a fence": (long_section("```python", "print('step {}')", "```"), "`print('step the quokka')`"),
    "a table": (long_section("| step | about |\n|---|---|", "| {} | something |", ""), "| step | about |"),
    "a shortcode": (long_section("{{< highlight python >}}", "print('step {}')", "{{< /highlight >}}"), "highlight"),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_piece_of_a_long_section_can_be_read(vault: Vault, name: str) -> None:
    section, head = SECTIONS[name]
    vault.note("long.md", f"# Long\n\nIntroduction.\n\n{section}\n")
    for number in range(5):
        vault.note(f"other{number}.md", f"# Other {number}\n\nNothing of the kind.\n")
    out = vault.brain("remember", "quokka", "--format", "markdown", "--vault", vault.folder).out
    assert "the quokka" in out
    assert head in out
