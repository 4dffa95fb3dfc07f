"""Only regular files are read, only up to a limit, and nothing else is ever waited for."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from brain_cli.files import (
    NotRegularError,
    TooLargeError,
    open_regular,
    read_beginning,
    read_regular,
)


def link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_suffix(".pipe"))
    path.symlink_to(path.with_suffix(".pipe"))


SPECIAL: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a link to a pipe": link_to_pipe,
    "an endless device": lambda path: path.symlink_to("/dev/zero"),
    "a terminal": lambda path: path.symlink_to(os.ttyname(os.openpty()[1])),
    "a folder": Path.mkdir,
}


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("read", [read_beginning, read_regular])
def test_what_is_not_a_regular_file_is_refused(
    tmp_path: Path, name: str, read: Callable[[Path, int], bytes]
) -> None:
    SPECIAL[name](tmp_path / "a.md")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(NotRegularError, match="not a regular file"):
        read(tmp_path / "a.md", 10)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_is_read_up_to_the_limit_and_refused_beyond(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"0123456789")
    assert read_regular(tmp_path / "a.md", 10) == b"0123456789"
    assert read_beginning(tmp_path / "a.md", 9) == b"012345678"
    with pytest.raises(TooLargeError, match="longer than 9 bytes"):
        read_regular(tmp_path / "a.md", 9)


def test_a_link_is_followed_unless_the_caller_forbids_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"tea")
    (tmp_path / "b.md").symlink_to("a.md")
    assert read_regular(tmp_path / "b.md", 10) == b"tea"
    with pytest.raises(OSError, match="symbolic links"):
        read_regular(tmp_path / "b.md", 10, os.O_NOFOLLOW)


def test_a_file_that_is_made_is_the_users_alone(tmp_path: Path) -> None:
    os.close(open_regular(tmp_path / "new", os.O_WRONLY | os.O_CREAT))
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
