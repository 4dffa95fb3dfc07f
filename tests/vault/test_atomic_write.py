"""Writes to a vault are exclusive and whole, also on file systems that lack some means for it."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest

from brain_cli.errors import BrainError
from brain_cli.vault import atomic_write
from brain_cli.vault.atomic_write import create_note, replace_note, vault_lock


@pytest.fixture
def without_hard_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse hard links, as some file systems do."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.usefixtures("without_hard_links")
def test_a_note_is_written_where_there_are_no_hard_links(tmp_path: Path) -> None:
    create_note(str(tmp_path), "deep/b.md", b"tea")
    assert (tmp_path / "deep/b.md").read_text() == "tea"
    with pytest.raises(FileExistsError):
        create_note(str(tmp_path), "deep/b.md", b"cup")
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["b.md"]
    assert (tmp_path / "deep/b.md").read_text() == "tea"


def test_a_second_edit_of_a_vault_waits_and_then_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic_write, "LOCK_SECONDS", 0.0)
    holder = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    with (
        pytest.raises(BrainError, match="Another brain process is changing notes"),
        vault_lock(str(tmp_path)),
    ):
        pass
    os.close(holder)
    with vault_lock(str(tmp_path)):
        pass


def test_a_note_that_another_program_has_changed_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("theirs")
    with pytest.raises(BrainError, match="changed by another program"):
        replace_note(str(tmp_path), "a.md", b"before", b"after")
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]
    assert (tmp_path / "a.md").read_text() == "theirs"


def test_on_macos_a_note_is_written_through_the_cache_of_the_drive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[int] = []
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda _, command: called.append(command))
    create_note(str(tmp_path), "a.md", b"A\n")
    assert 51 in called


def test_a_network_folder_of_macos_without_that_is_synced_as_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        fcntl, "F_FULLFSYNC", -1, raising=False
    )  # the system refuses it: EINVAL
    create_note(str(tmp_path), "a.md", b"A\n")
    assert (tmp_path / "a.md").read_bytes() == b"A\n"
