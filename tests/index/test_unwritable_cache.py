"""A cache folder that is full or read-only: a recall answers from the old index, or from one in
memory.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Answer, Vault

# Root may write anywhere, unless it gives up its capabilities.
POWERLESS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


def as_ordinary_user(vault: Vault, *arguments: str) -> Answer:
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("needs setpriv to give up the rights of root")
    return started(vault, *arguments, prefix=POWERLESS if os.geteuid() == 0 else ())


def started(
    vault: Vault,
    *arguments: str,
    prefix: tuple[str, ...] = (),
    before: Callable[[], None] | None = None,
    **env: str,
) -> Answer:
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "brain_cli", *arguments, "--vault", str(vault.folder)],
        capture_output=True,
        text=True,
        cwd="/",
        env=vault.brain.environ(PYTHONDONTWRITEBYTECODE="1", **env),
        preexec_fn=before,
        timeout=60,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def no_room() -> None:
    """Let every write to a file fail, as on a full disk; a pipe can be written."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


RECALL = ("remember", "leek", "--format", "paths")


@pytest.mark.exhaustive
def test_a_read_only_cache_without_an_index_is_answered_from_memory(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    vault.brain.cache.mkdir()
    vault.brain.cache.chmod(0o500)
    answer = as_ordinary_user(vault, *RECALL)
    assert (answer.code, answer.out.rpartition("/")[2]) == (0, "soup.md\n"), answer.err
    assert "This answer is from an index in memory." in answer.err
    assert list(vault.brain.cache.iterdir()) == []
    vault.brain.cache.chmod(0o700)


@pytest.mark.exhaustive
def test_a_read_only_cache_with_an_index_is_answered_from_it(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    assert as_ordinary_user(vault, "index").code == 0
    vault.note("rice.md", "# Rice\n\nWith leek.\n")
    for folder in [path for path in vault.brain.cache.rglob("*") if path.is_dir()]:
        folder.chmod(0o500)
    for file in [path for path in vault.brain.cache.rglob("*") if path.is_file()]:
        file.chmod(0o400)
    answer = as_ordinary_user(vault, *RECALL)
    assert (answer.code, answer.out.rpartition("/")[2]) == (0, "soup.md\n"), answer.err
    assert "This answer may be stale: 1 changed note is not in the index yet." in answer.err


@pytest.mark.exhaustive
@pytest.mark.parametrize("cache", ["/dev/null", "/proc/self"])
def test_a_cache_that_cannot_be_made_is_answered_from_memory_and_leaves_nothing(
    vault: Vault, cache: str
) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    before = set(Path("/dev/shm").glob("brain-*"))
    answer = started(vault, *RECALL, XDG_CACHE_HOME=cache)
    assert (answer.code, answer.out.rpartition("/")[2]) == (0, "soup.md\n"), answer.err
    assert len(answer.err.splitlines()) == 1
    # Other processes of this machine may have an index in memory too, but only for as long as they
    # answer.
    until = time.monotonic() + 60
    while (left := set(Path("/dev/shm").glob("brain-*")) - before) and time.monotonic() < until:
        time.sleep(0.1)
    assert not left


@pytest.mark.exhaustive
def test_a_full_disk_answers_from_the_old_index_and_keeps_it(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    vault.brain("index", "--vault", vault.folder)
    vault.note("rice.md", "# Rice\n\nWith leek.\n")
    answer = started(vault, *RECALL, before=no_room)
    assert (answer.code, answer.out.rpartition("/")[2]) == (0, "soup.md\n"), answer.err
    assert "may be stale: 1 changed note" in answer.err
    assert sorted(vault.order("leek")) == ["rice", "soup"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "command",
    ["remember leek", "index", "status", "related soup", "add Leek", "pin soup", "doctor"],
)
@pytest.mark.parametrize("indexed", [False, True])
def test_no_command_takes_a_full_disk_for_a_bug(
    vault: Vault, command: str, indexed: bool
) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    if indexed:
        vault.brain("index", "--vault", vault.folder)
        vault.note("rice.md", "# Rice\n\nWith leek.\n")
    answer = started(vault, *command.split(), before=no_room)
    assert answer.code in (0, 1, 3), answer.err
    assert "bug" not in answer.err
    assert "Traceback" not in answer.err
