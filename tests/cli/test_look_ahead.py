"""A recall checks for changes in a second process, and gives the same answers as without it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from brain_cli.index.look_ahead import can_look_ahead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Vault

COUNT_FORKS = """
import os, sys
fork, forks = os.fork, []
def counting():
    forks.append(1)
    return fork()
os.fork = counting
if len(sys.argv) > 1 and sys.argv[1] == "--on-one-core":
    del sys.argv[1]
    os.sched_getaffinity = lambda _: {0}
import brain_cli.__main__ as entry
exit_now = entry.exit_now
def report(code):
    try:
        left = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        left = None
    print(len(forks), left, file=sys.stderr)
    exit_now(code)
entry.exit_now = report
entry.main()
"""


@pytest.fixture
def indexed(vault: Vault) -> Vault:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    vault.note("pie.md", "# Pie\n\nWith apple.\n")
    assert vault.brain("index", "--vault", vault.folder).code == 0
    return vault


def recall(vault: Vault, *arguments: str) -> tuple[str, str]:
    """Return the paths that a recall in a new process prints, and what it says on stderr."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT_FORKS, *arguments],
        capture_output=True,
        text=True,
        env=vault.brain.environ(BRAIN_VAULT=str(vault.folder)),
    )
    return done.stdout.replace(f"{vault.folder}/", ""), done.stderr


needs_two_cores = pytest.mark.skipif(not hasattr(os, "fork") or os.cpu_count() == 1, reason="needs two cores")


@needs_two_cores
def test_a_recall_checks_in_a_second_process_that_ends_with_it(indexed: Vault) -> None:
    assert recall(indexed, "remember", "leek", "--format", "paths") == ("soup.md\n", "1 None\n")


def test_on_one_core_it_checks_by_itself(indexed: Vault) -> None:
    assert recall(indexed, "--on-one-core", "remember", "leek", "--format", "paths") == ("soup.md\n", "0 None\n")


def test_a_refresh_forks_nothing(indexed: Vault) -> None:
    out, err = recall(indexed, "index")
    assert "nothing changed" in out
    assert err == "0 None\n"


@needs_two_cores
def test_a_mistake_in_the_command_leaves_no_process_behind(indexed: Vault) -> None:
    _, err = recall(indexed, "remember", "leek", "--sort", "colour")
    assert err.splitlines()[-1] == "1 None"


def changed(folder: Path) -> None:
    (folder / "pie.md").write_text("# Pie\n\nWith leek and cheese.\n")


def added(folder: Path) -> None:
    (folder / "new.md").write_text("# New\n\nLeek again.\n")


def removed(folder: Path) -> None:
    (folder / "soup.md").unlink()


def renamed(folder: Path) -> None:
    (folder / "soup.md").rename(folder / "broth.md")


def ignored(folder: Path) -> None:
    (folder / ".gitignore").write_text("soup.md\n")


@pytest.mark.parametrize("change", [changed, added, removed, renamed, ignored])
def test_the_answer_has_every_change_made_before_it_was_asked(indexed: Vault, change: object) -> None:
    assert callable(change)
    change(indexed.folder)
    both, said = recall(indexed, "remember", "leek", "--format", "paths")
    until = time.monotonic() + 60
    while "may be stale" in said and time.monotonic() < until:
        # On a busy machine a refresh may take longer than a recall waits for it.
        both, said = recall(indexed, "remember", "leek", "--format", "paths")
    indexed.brain("index", "--full", "--vault", indexed.folder)
    assert both == recall(indexed, "--on-one-core", "remember", "leek", "--format", "paths")[0]
    assert both != "soup.md\n"


def test_a_vault_that_was_never_indexed_is_indexed(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    assert recall(vault, "remember", "leek", "--format", "paths")[0] == "soup.md\n"


def test_other_settings_of_this_call_are_seen(indexed: Vault) -> None:
    indexed.note("old/leek.md", "# Leek\n\nOld leek.\n")
    indexed.brain("index", "--vault", indexed.folder)
    assert "old/leek.md" in recall(indexed, "remember", "leek", "--format", "paths")[0]
    indexed.brain.config.parent.mkdir(parents=True, exist_ok=True)
    indexed.brain.config.write_text('[profiles.tidy]\narchive_folders = ["old"]\n')
    tidy = recall(indexed, "remember", "leek", "--format", "paths", "--profile", "tidy")[0]
    assert tidy == "soup.md\n"


def test_a_process_of_several_threads_does_not_fork() -> None:
    from threading import Event, Thread

    done = Event()
    thread = Thread(target=done.wait)
    thread.start()
    try:
        assert not can_look_ahead()
    finally:
        done.set()
        thread.join()


SLOW_LOOK = """
import os, time
scandir, first_process = os.scandir, os.getpid()
def slow(*arguments):
    if os.getpid() != first_process:
        time.sleep(60)
    return scandir(*arguments)
os.scandir = slow
import brain_cli.__main__ as entry
entry.main()
"""


@pytest.fixture
def waiting(indexed: Vault) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start a recall whose second process takes a minute for its check; yield it with the id of that process."""
    if not can_look_ahead():
        pytest.skip("one core")
    recall = subprocess.Popen(
        [sys.executable, "-c", SLOW_LOOK, "remember", "leek", "--format", "paths"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=indexed.brain.environ(BRAIN_VAULT=str(indexed.folder)),
    )
    children, until = Path(f"/proc/{recall.pid}/task/{recall.pid}/children"), time.monotonic() + 60
    while not (found := children.read_text().split()) and time.monotonic() < until:
        time.sleep(0.02)
    # Long enough for the first process to wait for the second one.
    time.sleep(1)
    yield recall, int(found[0])
    for process in (recall.pid, int(found[0])):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    recall.communicate()


def test_no_process_waits_for_the_check_of_a_killed_recall(waiting: tuple[subprocess.Popen[str], int]) -> None:
    recall, _ = waiting
    recall.kill()
    recall.communicate(timeout=20)


def test_an_interrupted_recall_leaves_no_process(waiting: tuple[subprocess.Popen[str], int]) -> None:
    recall, look = waiting
    recall.send_signal(signal.SIGINT)
    recall.communicate(timeout=20)
    assert recall.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(look, 0)
