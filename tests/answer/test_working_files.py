"""The files that a note names: compared with the working folder, whatever a note says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from brain_cli.vault.git import MAX_FILES, file_overlap

if TYPE_CHECKING:
    from conftest import Vault


def test_the_share_of_files_that_exist_counts(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    assert file_overlap(("a.py", "b.py"), str(tmp_path)) == 0.5
    assert file_overlap((), str(tmp_path)) == 0
    assert file_overlap(("a.py",), None) == 0


def test_a_file_outside_of_the_folder_counts_as_absent(tmp_path: Path) -> None:
    (tmp_path / "outside").touch()
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "link").symlink_to("../outside")
    assert file_overlap(("../outside", "/etc/passwd", "link", "."), str(folder)) == 0


def test_only_the_first_of_a_long_list_are_looked_up(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    many = ("a.py", *(f"{number}.py" for number in range(100_000)))
    assert file_overlap(many, str(tmp_path)) == 1 / MAX_FILES
    assert file_overlap(("a.py", "a/" * 500_000), str(tmp_path)) == 0.5


@pytest.mark.parametrize("file", ["a\0b", "\ud800", "\x1b[31m", "x" * 100_000, ""])
def test_an_impossible_file_costs_the_other_notes_nothing(vault: Vault, file: str) -> None:
    (vault.folder / ".git").mkdir()
    vault.note("tea.md", "Green tea.\n", files=[file])
    vault.note("soup.md", "Tea with leek.\n")
    found = vault.brain(
        "remember", "tea", "--format", "paths", "--vault", vault.folder, cwd=vault.folder
    )
    assert set(found.out.split()) == {"tea.md", "soup.md"}
    assert vault.brain("context", "--vault", vault.folder, cwd=vault.folder).code in (0, 1)
