"""The warnings of a refresh come once, after the progress bar, each reason with its notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Vault


def test_notes_with_one_reason_share_a_line(vault: Vault) -> None:
    for number in range(5):
        vault.note(f"{number}.md", "---\na: [b,\n  c\n---\n# Tea\n")
    answer = vault.brain("index", "--vault", vault.folder)
    (line,) = answer.err.splitlines()
    assert line.startswith(
        "brain: 0.md, 1.md, 2.md and 2 more: its frontmatter cannot be read (line "
    )


def test_many_reasons_are_cut(vault: Vault) -> None:
    for number in range(10, 25):
        vault.note(f"{number}.md", f"---\ndate: someday{number}\n---\n# Tea\n")
    lines = vault.brain("index", "--vault", vault.folder).err.splitlines()
    assert len(lines) == 11
    assert lines[0] == "brain: 10.md: its date “someday10” is not a date, so it is ignored"
    assert lines[-1] == "brain: and 5 more warnings; `brain doctor` counts them."
    assert "and 12 more" in vault.brain("doctor", "--vault", vault.folder).out
