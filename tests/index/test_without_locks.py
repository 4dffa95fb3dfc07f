"""A file system without locks, as some network folders have: every command works, and damages
nothing.
"""

from __future__ import annotations

import errno
import fcntl
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Vault

ERRORS = pytest.mark.parametrize(
    "number", [errno.ENOLCK, errno.EOPNOTSUPP], ids=["ENOLCK", "EOPNOTSUPP"]
)


@pytest.fixture
def without_locks(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the system refuse every lock, as the kernel does for a folder whose server has none."""

    def refuse(handle: int, operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(fcntl, "lockf", refuse)


@ERRORS
@pytest.mark.usefixtures("without_locks")
def test_every_command_works(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    for command in (
        ("remember", "leek"),
        ("index",),
        ("add", "Rice with saffron"),
        ("remember", "saffron"),
        ("feedback", "soup.md", "useful"),
        ("index", "--full"),
        ("remember", "leek"),
        ("archive", "soup.md"),
        ("restore", "soup.md"),
        ("doctor",),
    ):
        answer = vault.brain(*command, "--vault", vault.folder)
        assert (answer.code, "bug in brain" in answer.err) == (0, False), (command, answer.err)
        assert "rebuilt" not in answer.err


@ERRORS
@pytest.mark.usefixtures("without_locks")
def test_a_writer_says_that_it_is_not_exclusive_and_a_recall_says_nothing(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    pinned = vault.brain("pin", "soup.md", "--vault", vault.folder)
    assert (pinned.code, pinned.out) == (0, "pinned soup.md\n")
    assert pinned.err.count("on a file system without locks") == 1
    assert not vault.brain("remember", "leek", "--vault", vault.folder).err
