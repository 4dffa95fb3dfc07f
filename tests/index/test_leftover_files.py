"""Temporary files of killed refreshes are removed by a later refresh; those of running processes
stay.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from crash import SavedVault, killed_at_every_change

if TYPE_CHECKING:
    from conftest import Vault

HOUR = 3600


@pytest.fixture
def tea(vault: Vault) -> Vault:
    vault.note("tea.md", "# Tea\n\nGreen tea.\n")
    vault.brain("index", "--vault", vault.folder)
    return vault


def index_folder(vault: Vault) -> Path:
    [folder] = (vault.brain.cache / "brain").iterdir()
    return folder


def build(vault: Vault) -> Path:
    return index_folder(vault) / (index_folder(vault) / "current").read_text()


def left_over(path: Path, age: float) -> Path:
    path.write_text("half a file")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_a_refresh_removes_the_temporary_files_in_the_build_folder(tea: Vault) -> None:
    names = (
        ".catalogue-2.jsonl.77.brain-tmp",
        ".base-2.notes.77.brain-tmp",
    )
    leftovers = [left_over(build(tea) / name, 1) for name in names]
    tea.note("rice.md", "# Rice\n")
    assert tea.brain("index", "--vault", tea.folder).code == 0
    assert not any(path.exists() for path in leftovers)


@pytest.mark.parametrize("options", [[], ["--full"]])
@pytest.mark.parametrize(
    "name", [".ignored.json.77.brain-tmp", ".current.77.brain-tmp", ".rules.77.brain-tmp"]
)
def test_a_refresh_removes_old_temporary_files_beside_the_build_folder(
    tea: Vault, name: str, options: list[str]
) -> None:
    leftover = left_over(index_folder(tea) / name, 2 * HOUR)
    tea.note("rice.md", "# Rice\n")
    assert tea.brain("index", *options, "--vault", tea.folder).code == 0
    assert not leftover.exists()


def test_a_young_file_beside_the_build_folder_may_be_in_use_and_stays(tea: Vault) -> None:
    # The list of ignored names is written without the lock.
    young = left_over(index_folder(tea) / ".ignored.json.77.brain-tmp", 60)
    others = [
        left_over(index_folder(tea) / name, 2 * HOUR)
        for name in ("notes.brain-tmp", ".ignored.json.77")
    ]
    tea.note("rice.md", "# Rice\n")
    assert tea.brain("index", "--vault", tea.folder).code == 0
    assert all(path.exists() for path in (young, *others))


def test_a_folder_with_the_name_of_a_temporary_file_stays(tea: Vault) -> None:
    folder = index_folder(tea) / ".rules.77.brain-tmp"
    folder.mkdir()
    os.utime(folder, (0, 0))
    tea.note("rice.md", "# Rice\n")
    assert tea.brain("index", "--vault", tea.folder).code == 0
    assert folder.is_dir()


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [[], ["--full"]])
def test_nothing_is_left_of_a_refresh_killed_at_any_moment(
    tea: Vault, tmp_path: Path, options: list[str]
) -> None:
    tea.note("rice.md", "# Rice\n")
    command = ["index", *options, "--vault", tea.folder]
    for _ in killed_at_every_change(
        tea, SavedVault(tea, tmp_path / "saved"), command, cache=True
    ):
        for path in temporary_files(tea):
            os.utime(path, (0, 0))
        tea.note("soup.md", "# Soup\n")
        assert tea.brain("index", "--vault", tea.folder).code == 0
        assert temporary_files(tea) == []


def temporary_files(vault: Vault) -> list[Path]:
    return list(index_folder(vault).rglob(".*.brain-tmp"))
