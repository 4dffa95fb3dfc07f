"""Every command that writes is in the crash suite, and its short form finds nothing lost.

The long forms, `python tools/torture/crashes.py`, with `--faults KILL,EIO,ENOSPC` and without, kill
at every change and every system call.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from crash import contents, kill_before
from examples import few_every_day, sized

sys.path.insert(0, str(Path(__file__).parents[2] / "tools" / "torture"))

from crashes import ATTACKS, Scene

from brain_cli.cli import verbs

if TYPE_CHECKING:
    from conftest import Vault

# The commands that write nothing but the cache, each as it is run below to show it.
READING: dict[str, list[str]] = {
    "recent": [],
    "export": ["--jsonl"],
    "show": ["c.md"],
    "explain": ["c.md", "tea"],
    "history": ["c.md"],
    "tags": [],
    "related": ["c.md"],
    "status": [],
    "doctor": [],
    "score": [],
    "completions": ["bash"],
}
# The commands whose writes are another's, or are killed in another test.
ELSEWHERE = {
    "context": "it records what it has shown, as remember does",
    "open": "it starts the editor",
    "lsp": "it renames notes as mv does",
    "tune": "--apply replaces the settings file as config set does",
    "eval": "it writes the file named by --run-file, and the indexes of its vaults",
    "model": "tests/plugins/meaning/test_models.py kills an installation",
    "team": "it changes the server in transactions, and no file",
}
# The kills of the short form: most commands make fewer than 40 changes.
MOMENTS = (1, 2, 3, 4, 6, 8, 11, 15, 20, 26, 33)


def test_every_command_is_in_the_suite_or_only_reads() -> None:
    attacked = {attack.command[0] for attack in ATTACKS.values()}
    assert attacked | {*READING} | {*ELSEWHERE} == {*verbs()}
    assert not attacked & {*READING, *ELSEWHERE}


@pytest.mark.parametrize("command", READING)
def test_a_command_that_is_not_in_the_suite_writes_nothing_but_the_cache(
    vault: Vault, command: str
) -> None:
    vault.note("c.md", "# Tea\n\nTea is green, see [[d]].\n")
    vault.note("d.md", "# Water\n\nWater for tea.\n")
    vault.brain("index", "--vault", vault.folder)
    before = contents(vault.folder), _beside(vault)
    answer = vault.brain(command, *READING[command], "--vault", vault.folder)
    assert answer.code in (0, 1), answer.err
    assert (contents(vault.folder), _beside(vault)) == before


def _beside(vault: Vault) -> dict[str, bytes]:
    """Return the files in the user's home outside the cache."""
    return {
        path: raw
        for path, raw in contents(vault.brain.home).items()
        if not path.startswith("cache/")
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "mcp"])
def test_a_killed_command_has_happened_or_not_and_may_be_repeated(
    tmp_path: Path, name: str
) -> None:
    scene = Scene(tmp_path, ATTACKS[name])
    assert not [problem for number in MOMENTS if (problem := _problem(scene, number))]


@pytest.mark.parametrize("fault", ["KILL", "EIO"])
@pytest.mark.parametrize("name", few_every_day(["add", "feedback", "forget", "mv"], 1))
def test_after_a_fault_the_next_edit_and_undo_take_back_that_command_alone(
    tmp_path: Path, name: str, fault: str
) -> None:
    scene = Scene(tmp_path, ATTACKS[name])
    assert not [*filter(None, scene.problems_of(fault, sized(2, everyday=5)))]


def _problem(scene: Scene, number: int) -> str:
    """Kill a command before its n-th change; return what is wrong afterwards."""
    scene.saved.restore()
    command, attack = scene.arguments(scene.attack.command), scene.attack
    was_killed = kill_before(scene.vault, number, command, attack.stdin, cwd=scene.folder)
    return scene.problem(f"{attack.command[0]}, change {number}") if was_killed else ""
