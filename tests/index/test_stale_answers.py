"""A refresh that takes too long for a recall: the answer says so, and a background process makes
the next one fresh.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from brain_cli.index import session, sync
from brain_cli.index.directory import index_directory_of

if TYPE_CHECKING:
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


@pytest.mark.exhaustive
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


def test_the_refresh_in_the_background_starts_after_the_answer(grown: Vault) -> None:
    directory = index_directory_of(str(grown.folder), str(grown.brain.cache))
    notes = sync.IndexedVault(str(grown.folder), ("archive", "_archived"))

    def refresh_at_once() -> None:
        sync.refresh(notes, directory, print, print)

    asked = session.IndexSession(notes, directory, print, print, refresh_later=refresh_at_once)
    assert asked.ask(lambda snapshot: len(snapshot.note_table.rows)) == 1
    assert asked.behind == CHANGED
    assert asked.ask(lambda snapshot: len(snapshot.note_table.rows)) == CHANGED + 1
    assert asked.behind == 0


@pytest.mark.exhaustive
def test_only_one_process_refreshes_in_the_background(grown: Vault) -> None:
    folder = folder_of(grown)
    before = (
        (folder / "current").read_text(),
        sorted(path.name for path in (folder).rglob("*.toc")),
    )
    with open(folder / "background", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert grown.remember("leek")["stale"]
        time.sleep(1.5)
    assert before == (
        (folder / "current").read_text(),
        sorted(path.name for path in folder.rglob("*.toc")),
    )


def test_a_lock_that_does_not_affect_the_answer_is_not_reported(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    vault.brain("index", "--vault", vault.folder)
    with open(folder_of(vault) / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert vault.brain("remember", "leek", "--vault", vault.folder).err == ""
        vault.note("rice.md", "# Rice\n\nWith leek.\n")
        answer = vault.brain("remember", "leek", "--vault", vault.folder)
    assert (
        answer.err
        == "brain: This answer may be stale: 1 changed note is not in the index yet.\n"
    )


def seconds_by_looks() -> Callable[[], float]:
    """Return a clock on which each look is a second later than the one before."""
    looks = count()
    return lambda: float(next(looks))


def limit(monkeypatch: pytest.MonkeyPatch, **limits: Any) -> None:
    monkeypatch.setattr(session, "RECALL_LIMIT", session.RECALL_LIMIT._replace(**limits))


@pytest.fixture
def no_background(vault: Vault) -> Iterator[None]:
    """Hold the lock of the refresh in the background, so that only recalls refresh."""
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    vault.brain("index", "--vault", vault.folder)
    with open(folder_of(vault) / "background", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.mark.usefixtures("no_background")
@pytest.mark.parametrize(
    ("seconds", "is_stale"),
    [(4, True), (9, True), (14, True), (15, False)],
    ids=["while opening", "while reading", "while reading short notes", "in time"],
)
def test_the_clock_is_read_for_every_note(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, seconds: int, is_stale: bool
) -> None:
    for number in range(5):
        vault.note(f"{number}.md", "# Rice\n\nWith leek.\n")
    limit(monkeypatch, seconds=float(seconds), clock=seconds_by_looks(), always=0)
    assert vault.remember("leek")["stale"] is is_stale


@pytest.mark.usefixtures("no_background")
@pytest.mark.parametrize(("notes", "is_stale"), [(20, False), (21, True)])
def test_twenty_notes_are_taken_in_however_long_that_takes(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, notes: int, is_stale: bool
) -> None:
    for number in range(notes):
        vault.note(f"{number}.md", "# Rice\n\nWith leek.\n")
    limit(monkeypatch, seconds=1.0, clock=seconds_by_looks())
    assert vault.remember("leek")["stale"] is is_stale


@pytest.mark.usefixtures("no_background")
def test_the_limit_counts_the_time_of_the_processor(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        vault.note(f"{number}.md", "# Rice\n\nWith leek.\n")
    monkeypatch.setattr(time, "monotonic", seconds_by_looks())
    assert vault.remember("leek")["stale"] is False


@pytest.mark.usefixtures("no_background")
def test_a_note_that_takes_long_is_left_to_the_background(vault: Vault) -> None:
    vault.note("log.md", "# Log\n\n" + "With leek and tea.\n" * 60_000)
    answer = vault.remember("leek")
    assert (answer["stale"], answer["behind"]) == (True, 1)


@contextlib.contextmanager
def while_a_recall_waits(vault: Vault, do: Callable[[], object]) -> Iterator[None]:
    """Hold the lock of the index until a recall waits for it, do something, and free the lock."""
    path = folder_of(vault) / "lock"
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        def hold() -> None:
            until = time.monotonic() + 60
            while times_open(path) < 2 and time.monotonic() < until:
                time.sleep(0.005)
            do()
            fcntl.flock(lock, fcntl.LOCK_UN)

        holder = threading.Thread(target=hold)
        holder.start()
        yield
        holder.join()


def times_open(path: Path) -> int:
    """Return how many files of this process are open at a path."""
    names = []
    for each in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            names.append(os.readlink(each))
    return names.count(str(path))


@pytest.mark.usefixtures("no_background")
def test_the_wait_for_the_lock_does_not_use_up_the_time_of_a_refresh(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.note("rice.md", "# Rice\n\nWith leek.\n")
    now = [0.0]
    monkeypatch.setattr(session, "RECALL_LOCK_SECONDS", 60.0)
    limit(monkeypatch, clock=lambda: now[0], always=0)
    with while_a_recall_waits(vault, lambda: now.append(now.pop() + 1000.0)):
        assert vault.remember("leek")["stale"] is False


@pytest.mark.usefixtures("no_background")
def test_notes_that_come_while_a_recall_waits_count_for_its_limit(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.note("rice.md", "# Rice\n\nWith leek.\n")
    monkeypatch.setattr(session, "RECALL_LOCK_SECONDS", 60.0)

    def grow() -> None:
        for number in range(CHANGED):
            vault.note(f"{number}.md", "# Note\n\nLeek pie.\n")
        [table] = folder_of(vault).glob("build-*/catalogue-*")
        os.utime(table)  # as if a refresh had ended

    with while_a_recall_waits(vault, grow):
        answer = vault.remember("leek")
    assert (answer["stale"], answer["behind"]) == (True, CHANGED + 1)
