"""tools/bench.py on five notes: real processes in turns, figures that hang together, a vault that
stays as it was.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Brain

EXAMPLE = Path(__file__).parent / "example"


TOOL = Path(__file__).parents[3] / "tools" / "bench.py"


def bench(brain: Brain, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(TOOL), *map(str, arguments)],
        capture_output=True,
        text=True,
        env=brain.environ(),
        check=False,
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()
    }


@pytest.mark.exhaustive
def test_a_copy_of_the_folder_is_timed(brain: Brain, tmp_path: Path) -> None:
    vault = Path(shutil.copytree(EXAMPLE / "vault", tmp_path / "notes"))
    before = contents(vault)
    answer = bench(brain, vault, "--rounds", 1, "--json")
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)["speed"]
    assert found["notes"] == 5
    assert found["commands"]["python -c pass"]["multiple"] == pytest.approx(1.0)
    assert found["commands"]["brain remember"]["multiple"] > 1.5
    assert "SQLite FTS5, any of the words" in found["commands"]
    assert 10 < found["full_peak_mib"] < 1_000
    assert contents(vault) == before


@pytest.mark.exhaustive
def test_a_judged_set_stands_beside_the_floor(brain: Brain) -> None:
    answer = bench(brain, "--notes", 12, "--rounds", 1, "--set", EXAMPLE)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("| 12 notes")
    assert "brain remember, with the watcher" in answer.stdout
    assert "floor (BM25)" in answer.stdout


def test_a_missing_folder_is_named(brain: Brain, tmp_path: Path) -> None:
    answer = bench(brain, tmp_path / "gone")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "There is no folder" in answer.stderr
