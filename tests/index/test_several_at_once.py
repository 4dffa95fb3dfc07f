"""One writer, any number of readers: processes that meet in one vault all answer, and answer right."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from examples import sized

from brain_cli.library import vault as library

if TYPE_CHECKING:
    from conftest import Vault

ROUNDS = sized(3, everyday=1)


def start(vault: Vault, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "brain_cli", *arguments, "--vault", str(vault.folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=vault.brain.environ(),
        cwd=vault.folder,
    )


@pytest.mark.exhaustive
def test_several_processes_on_a_fresh_vault_build_one_index_and_all_answer(
    vault: Vault,
) -> None:
    for number in range(60):
        vault.note(f"{number}.md", f"# Note {number}\n\n" + f"Green tea number {number}. " * 50)
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    running = [start(vault, "remember", "leek", "--format", "paths") for _ in range(4)]
    for process in running:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (0, "soup.md\n"), err
        assert "damaged" not in err
    [folder] = (vault.brain.cache / "brain").iterdir()
    assert len([path for path in folder.iterdir() if path.is_dir()]) == 1


@pytest.mark.exhaustive
def test_readers_are_right_while_others_rebuild_the_index_and_change_notes(
    vault: Vault,
) -> None:
    for number in range(30):
        vault.note(f"{number}.md", f"# Note {number}\n\nGreen tea number {number}.\n")
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    vault.brain("index", "--vault", vault.folder)
    for turn in range(ROUNDS):
        vault.note(f"new-{turn}.md", f"# New {turn}\n\nBlack tea.\n")
        writers = [start(vault, "index", "--full"), start(vault, "index")]
        readers = [start(vault, "remember", "leek", "--format", "paths") for _ in range(3)]
        for process in (*writers, *readers):
            out, err = process.communicate(timeout=60)
            assert process.returncode == 0, err
            assert out == "soup.md\n" if process in readers else "notes" in out
    assert vault.brain("index", "--json", "--vault", vault.folder).json["notes"] == 31 + ROUNDS
    assert vault.order("leek") == ["soup"]


@pytest.mark.exhaustive
def test_a_refresh_that_waits_in_vain_ends_with_3_and_a_recall_answers_meanwhile(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "LOCK_SECONDS", 0.0)
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    vault.brain("index", "--vault", vault.folder)
    vault.note("rice.md", "# Rice\n\nWith leek.\n")
    [folder] = (vault.brain.cache / "brain").iterdir()
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert vault.brain("index", "--vault", vault.folder).code == 3
        answer = vault.brain(
            "remember", "leek", "--format", "paths", "--vault", vault.folder, cwd=vault.folder
        )
    assert (answer.code, answer.out) == (0, "soup.md\n")
    assert "may be stale: 1 changed note" in answer.err
    assert sorted(vault.order("leek")) == ["rice", "soup"]
