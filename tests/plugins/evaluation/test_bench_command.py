"""`brain bench` on five notes: real processes in turns, figures that hang together, a vault that
stays as it was.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Brain

EXAMPLE = Path(__file__).parent / "example"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.mark.exhaustive
def test_a_copy_of_the_folder_is_timed(brain: Brain, tmp_path: Path) -> None:
    vault = Path(shutil.copytree(EXAMPLE / "vault", tmp_path / "notes"))
    before = contents(vault)
    answer = brain("bench", vault, "--rounds", 1, "--json")
    assert answer.code == 0, answer.err
    found = answer.json["speed"]
    assert found["notes"] == 5
    assert found["commands"]["python -c pass"]["multiple"] == pytest.approx(1.0)
    assert found["commands"]["brain remember"]["multiple"] > 1.5
    assert "SQLite FTS5, any of the words" in found["commands"]
    assert 10 < found["full_peak_mib"] < 1_000
    assert contents(vault) == before


@pytest.mark.exhaustive
def test_a_judged_set_stands_beside_the_floor(brain: Brain) -> None:
    answer = brain("bench", "--notes", 12, "--rounds", 1, "--set", EXAMPLE)
    assert answer.code == 0, answer.err
    assert answer.out.startswith("| 12 notes")
    assert "brain remember, with the watcher" in answer.out
    assert "floor (BM25)" in answer.out


def test_a_missing_folder_is_named(brain: Brain, tmp_path: Path) -> None:
    answer = brain("bench", tmp_path / "gone")
    assert (answer.code, answer.out) == (2, "")
    assert "There is no folder" in answer.err
