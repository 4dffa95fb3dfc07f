"""A large vault is read by several processes, and nobody can tell from the index."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest
from examples import in_ci

from brain_cli.index.note_reader import MIN_VALUES

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Vault

Found = TypeVar("Found")

NOTES = 3 * MIN_VALUES
# Work that tells by which process it was done, and how the workers of an iteration end.
SCRIPT = """
import os, signal, sys, threading
from brain_cli.index.note_reader import MIN_VALUES, in_order

def square(value):
    if value == dying and os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    return value * value, os.getpid()

parent, dying, values = os.getpid(), -1, range(3 * MIN_VALUES)
"""
ON_ONE_CORE = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from brain_cli.__main__ import main
main()
"""
several_cores = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")


def script(lines: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT + lines], capture_output=True, text=True, check=True
    ).stdout


def write_notes(vault: Vault) -> None:
    for number in range(NOTES):
        text = f"# Note {number}\n\nThe queue of driver {number % 7} waits for [[Note {number // 2}]].\n"
        vault.note(f"notes/{number:04}.md", text, tags=["queue", f"t{number % 5}"])
    # Its language is the one of most notes, so it is added after all others.
    vault.note("notes/0001-short.md", "# Zyx\n")
    vault.note("notes/0002-broken.md", "---\ntitle: [\n---\nA head that nobody can read.\n")


def index_files(vault: Vault) -> dict[str, bytes]:
    """Return the files of the current build by the names that do not change from build to build."""
    [build] = (vault.brain.cache / "brain").glob("*/build-*")
    return {
        file.name.split(".", 1)[-1]: file.read_bytes()
        for file in build.iterdir()
        if file.name.count(".") > 0
    }


def warnings(err: str) -> list[str]:
    """Return the lines on stderr without those that tell the progress of a slow run."""
    return [line for line in err.splitlines() if not line.startswith("brain: reading notes: ")]


@pytest.mark.exhaustive
@several_cores
def test_an_index_read_by_several_processes_is_the_same_as_one_read_by_one(
    vault: Vault,
) -> None:
    write_notes(vault)
    told = vault.brain.process("index", "--full", "--vault", vault.folder)
    by_several = index_files(vault)
    program = [
        sys.executable,
        "-c",
        ON_ONE_CORE,
        "index",
        "--full",
        "--vault",
        str(vault.folder),
    ]
    one_core = subprocess.run(
        program, env=vault.brain.environ(), capture_output=True, text=True, check=True
    )
    assert told.out == one_core.stdout
    assert warnings(told.err) == warnings(one_core.stderr)
    by_one = index_files(vault)
    for files in (by_one, by_several):
        del files["toc"]  # it has the random names of the files
    assert by_one == by_several


@several_cores
def test_results_come_in_order_from_several_processes() -> None:
    out = script("""
results = list(in_order(square, values))
assert [each for each, _ in results] == [each * each for each in values]
print({pid for _, pid in results}.isdisjoint({parent}))
""")
    assert out == "True\n"


def test_the_work_of_a_killed_worker_is_done_here() -> None:
    out = script("""
dying = 100
print([each for each, _ in in_order(square, values)] == [each * each for each in values])
""")
    assert out == "True\n"


def test_few_values_or_a_second_thread_start_no_process() -> None:
    out = script("""
print({pid for _, pid in in_order(square, range(10))} == {parent})
threading.Thread(target=threading.Event().wait, daemon=True).start()
print({pid for _, pid in in_order(square, values)} == {parent})
""")
    assert out == "True\nTrue\n"


def test_closing_the_results_ends_the_workers() -> None:
    out = script("""
results = in_order(square, values)
next(results)
results.close()
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none left")
""")
    assert out == "none left\n"


@pytest.mark.exhaustive
@several_cores
@pytest.mark.parametrize("number", [signal.SIGINT, in_ci(signal.SIGKILL)])
def test_no_worker_outlives_an_index_that_was_stopped(vault: Vault, number: int) -> None:
    for each in range(NOTES):
        vault.note(f"{each}.md", "# Note\n\n" + "The queue of the driver waits. " * 100)
    command = [
        sys.executable,
        "-m",
        "brain_cli",
        "index",
        "--full",
        "--vault",
        str(vault.folder),
    ]
    process = subprocess.Popen(
        command, env=vault.brain.environ(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    workers = wait_for(lambda: children(process.pid))
    os.kill(process.pid, number)
    process.wait(60)
    assert wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    # The lock is free, and the next build is whole.
    assert f"{NOTES} notes" in vault.brain.process("index", "--vault", vault.folder).out


def children(pid: int) -> list[int]:
    with contextlib.suppress(FileNotFoundError):
        return [
            int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    return []


def wait_for(condition: Callable[[], Found]) -> Found:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.005)
    return condition()
