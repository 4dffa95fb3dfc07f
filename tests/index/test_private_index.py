"""Whoosh unpickles what it reads, so an index is opened only where nobody else can have written it."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Answer, Vault


class Trap:
    """A pickle that leaves a mark when it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.mark),)


@pytest.fixture
def trapped(vault: Vault, tmp_path: Path) -> Vault:
    """A vault with an index in which every file is a trap; `tmp_path / "sprung"` tells that one was
    opened.
    """
    vault.note("tea.md", "# Tea\n")
    vault.brain("index", "--vault", vault.folder)
    for file in folder_of(vault).rglob("_MAIN_*.toc"):
        file.write_bytes(pickle.dumps(Trap(tmp_path / "sprung")))
    return vault


def folder_of(vault: Vault) -> Path:
    [folder] = (vault.brain.cache / "brain").iterdir()
    return folder


def refused(answer: Answer, sprung: Path) -> bool:
    assert not sprung.exists(), "an index of somebody else was unpickled"
    lines = answer.err.splitlines()
    return (
        answer.code == 3
        and answer.out == ""
        and len(lines) == 2
        and "not yours alone" in lines[0]
    )


@pytest.mark.parametrize(
    "command", [["remember", "tea"], ["index"], ["index", "--full"]], ids=" ".join
)
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_may_write_to_is_not_opened(
    trapped: Vault, tmp_path: Path, mode: int, command: list[str]
) -> None:
    folder_of(trapped).chmod(mode)
    assert refused(trapped.brain(*command, "--vault", trapped.folder), tmp_path / "sprung")


def test_a_parent_folder_that_others_may_write_to_is_as_bad(
    trapped: Vault, tmp_path: Path
) -> None:
    folder_of(trapped).parent.chmod(0o777)
    assert refused(
        trapped.brain("remember", "tea", "--vault", trapped.folder), tmp_path / "sprung"
    )


def test_a_link_to_a_folder_is_not_followed(trapped: Vault, tmp_path: Path) -> None:
    folder = folder_of(trapped)
    shutil.move(folder, tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    assert refused(
        trapped.brain("remember", "tea", "--vault", trapped.folder), tmp_path / "sprung"
    )


def test_a_folder_of_somebody_else_is_not_opened(trapped: Vault, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(folder_of(trapped), 65_534, 65_534)
    assert refused(
        trapped.brain("remember", "tea", "--vault", trapped.folder), tmp_path / "sprung"
    )


def test_an_index_inside_a_vault_is_never_looked_at(trapped: Vault, tmp_path: Path) -> None:
    """Someone else's vault may bring whatever it likes; nothing in it is an index."""
    stolen = trapped.folder / ".brain"
    shutil.copytree(folder_of(trapped), stolen)
    shutil.rmtree(trapped.brain.cache)
    assert trapped.brain("remember", "tea", cwd=trapped.folder).code == 0
    assert not (tmp_path / "sprung").exists()


def test_an_index_is_private_from_the_beginning_under_any_umask(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    before = os.umask(0)
    try:
        vault.brain("index", "--vault", vault.folder)
    finally:
        os.umask(before)
    assert folder_of(vault).stat().st_mode & 0o077 == 0
    assert folder_of(vault).parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("index_directory", ["/dev/null/cache", "/proc/cache"])
def test_a_cache_folder_that_cannot_be_made_is_explained(
    vault: Vault, index_directory: str
) -> None:
    vault.note("tea.md", "# Tea\n")
    answer = vault.brain(
        "index", "--vault", vault.folder, env={"XDG_CACHE_HOME": index_directory}
    )
    assert answer.code == 3
    assert index_directory in answer.err.splitlines()[0]
    assert "XDG_CACHE_HOME" in answer.err.splitlines()[1]


def test_an_index_in_a_folder_that_became_read_only_still_answers(vault: Vault) -> None:
    if os.geteuid() == 0:
        pytest.skip("root can write everywhere")
    vault.note("tea.md", "# Tea\n")
    vault.brain("index", "--vault", vault.folder)
    for folder in (folder_of(vault), *folder_of(vault).iterdir()):
        folder.chmod(0o500)
    assert vault.brain("remember", "tea", "--vault", vault.folder).code == 0
    vault.note("rice.md", "# Rice\n")
    answer = vault.brain("remember", "tea", "--vault", vault.folder)
    assert answer.code in (0, 3)
    for folder in (folder_of(vault), *folder_of(vault).iterdir()):
        folder.chmod(0o700)
