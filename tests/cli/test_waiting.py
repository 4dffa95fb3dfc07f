"""A command that needs the last change waits for another that is writing the index, and not for
ever.
"""

from __future__ import annotations

import fcntl
import json
from typing import TYPE_CHECKING

import pytest

from brain_cli.library import vault as library

if TYPE_CHECKING:
    from conftest import Vault

COMMANDS = [
    ["index", "--vault", "set/vault"],
    ["archive", "soup.md", "--vault", "set/vault"],
    ["eval", "set"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_command_that_waits_in_vain_ends_with_3(
    command: list[str], vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "LOCK_SECONDS", 0.0)
    judged = vault.brain.home / "set"
    judged.mkdir()
    vault.folder = vault.folder.rename(judged / "vault")
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    (judged / "queries.jsonl").write_text(json.dumps({"qid": "q1", "query": "leek"}))
    (judged / "qrels.tsv").write_text("q1\t0\tsoup.md\t1")
    assert vault.brain("index", "--vault", vault.folder).code == 0
    vault.note("rice.md", "# Rice\n\nWith leek.\n")
    [folder] = (vault.brain.cache / "brain").iterdir()
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        answer = vault.brain(*command)
    assert (answer.code, answer.out) == (3, "")
    assert "Another brain process is refreshing this index." in answer.err
