"""Nothing is ever written into a vault that the user did not ask for."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Vault


def fingerprint(folder: Path) -> dict[str, tuple[int, int, int, str]]:
    """Return every file and folder below a folder, with its mode, time and content."""
    found = {}
    for path in (folder, *sorted(folder.rglob("*"))):
        status = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[os.path.relpath(path, folder)] = (
            status.st_mode,
            status.st_size,
            status.st_mtime_ns,
            content,
        )
    return found


COMMANDS = [
    ["index"],
    ["index", "--full"],
    ["index", "--json"],
    ["remember", "why did we leave REST"],
    ["remember", "why did we leave REST", "--format", "rich", "--explain"],
    ["remember", "zeppelin", "--json"],
    ["remember", "kafka", "--scorer", "clawmem", "--no-touch"],
    ["remember", "--batch", "-"],
    ["remember", "kafka", "--scorer", "nonsense"],
    ["score"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_leaves_every_byte_and_every_date_of_a_vault(
    sample: Vault, command: list[str]
) -> None:
    before = fingerprint(sample.folder)
    answer = sample.brain(
        *command,
        cwd=sample.folder,
        env={"BRAIN_VAULT": str(sample.folder)},
        stdin='{"query": "x"}',
    )
    assert answer.code in (0, 1, 2)
    assert fingerprint(sample.folder) == before


@pytest.mark.exhaustive
def test_a_real_process_leaves_no_more_behind_than_one_inside_this(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    (vault.folder / ".obsidian").mkdir()
    before = fingerprint(vault.folder)
    assert vault.brain.process("remember", "tea", cwd=vault.folder).code == 0
    assert fingerprint(vault.folder) == before


def test_a_recall_that_records_nothing_writes_into_the_cache_alone(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    assert vault.brain("remember", "tea", "--no-touch", "--vault", vault.folder).code == 0
    assert [path.name for path in vault.brain.cache.iterdir()] == ["brain"]
    elsewhere = [
        path
        for path in vault.brain.home.rglob("*")
        if vault.brain.cache not in (path, *path.parents)
    ]
    assert [path for path in elsewhere if path.is_file() and path.name != "device"] == []
