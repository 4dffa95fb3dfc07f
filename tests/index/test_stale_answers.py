"""A refresh that takes too long for a recall: the answer says so, and a background process makes the next one fresh."""

from __future__ import annotations

import fcntl
import threading
import time
from typing import TYPE_CHECKING

import pytest

from brain_cli.index import session

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Vault

CHANGED = 201
SENTENCE = f"This answer may be stale: {CHANGED} changed notes are not in the index yet."


@pytest.fixture
def grown(vault: Vault) -> Vault:
    """An indexed vault to which more notes were added than a recall takes in."""
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    assert vault.brain("index", "--vault", vault.folder).code == 0
    for number in range(CHANGED):
        vault.note(f"{number}.md", f"# Note {number}\n\nLeek pie.\n")
    return vault


def folder_of(vault: Vault) -> Path:
    [folder] = (vault.brain.cache / "brain").iterdir()
    return folder


def test_the_answer_says_so_and_the_next_recall_is_fresh(grown: Vault) -> None:
    first = grown.remember("leek")
    assert (first["stale"], first["behind"]) == (True, CHANGED)
    assert [result["path"] for result in first["results"]] == ["soup.md"]
    until = time.monotonic() + 60
    while time.monotonic() < until and grown.remember("leek")["stale"]:
        time.sleep(0.2)
    fresh = grown.remember("pie")
    assert (fresh["stale"], fresh["behind"]) == (False, 0)
    assert fresh["considered"] == CHANGED


@pytest.mark.parametrize("name", ["rich", "markdown"])
def test_formats_for_reading_say_so_in_one_line(grown: Vault, name: str) -> None:
    answer = grown.brain("remember", "leek", "--format", name, "--vault", grown.folder)
    assert " ".join(answer.out.split()).count(SENTENCE) == 1
    assert answer.err == ""


@pytest.mark.parametrize("name", ["plain", "paths", "jsonl"])
def test_formats_for_programs_say_so_on_stderr(grown: Vault, name: str) -> None:
    answer = grown.brain("remember", "leek", "--format", name, "--vault", grown.folder)
    assert answer.err == f"brain: {SENTENCE}\n"
    assert "stale" not in answer.out


def test_a_batch_says_so_in_every_answer(grown: Vault) -> None:
    lines = '{"query": "leek"}\n{"query": "soup"}\n'
    answer = grown.brain("remember", "--batch", "-", "--vault", grown.folder, stdin=lines)
    assert [(each["stale"], each["behind"]) for each in answer.lines] == [(True, CHANGED)] * 2


def test_only_one_process_refreshes_in_the_background(grown: Vault) -> None:
    folder = folder_of(grown)
    before = (folder / "current").read_text(), sorted(path.name for path in (folder).rglob("*.toc"))
    with open(folder / "background", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert grown.remember("leek")["stale"]
        time.sleep(1.5)
    assert before == ((folder / "current").read_text(), sorted(path.name for path in folder.rglob("*.toc")))


def test_a_lock_that_does_not_concern_the_answer_is_not_spoken_of(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    vault.brain("index", "--vault", vault.folder)
    with open(folder_of(vault) / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert vault.brain("remember", "leek", "--vault", vault.folder).err == ""
        vault.note("rice.md", "# Rice\n\nWith leek.\n")
        answer = vault.brain("remember", "leek", "--vault", vault.folder)
    assert answer.err == "brain: This answer may be stale: 1 changed note is not in the index yet.\n"


def test_the_wait_for_the_lock_does_not_use_up_the_time_of_a_refresh(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    vault.brain("index", "--vault", vault.folder)
    vault.note("rice.md", "# Rice\n\nWith leek.\n")
    monkeypatch.setattr(session, "RECALL_LOCK_SECONDS", 30.0)
    monkeypatch.setattr(session, "RECALL_BOUND", session.RECALL_BOUND._replace(seconds=0.2))
    with open(folder_of(vault) / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        release = threading.Timer(0.5, lambda: fcntl.flock(lock, fcntl.LOCK_UN))
        release.start()
        assert vault.remember("leek")["stale"] is False
        release.join()
