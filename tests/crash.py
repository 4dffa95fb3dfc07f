"""Kill a command just before one of the changes that it makes to the file system, and look at what
is left.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from examples import sized

if TYPE_CHECKING:
    from conftest import Vault

# What Python announces before it changes a file or a folder; the first argument is the path.
CHANGES = {
    f"os.{name}"
    for name in (
        "rename",
        "link",
        "remove",
        "mkdir",
        "rmdir",
        "truncate",
        "chmod",
        "chown",
        "utime",
        "symlink",
        "fsync",
    )
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
Contents = dict[str, bytes]
Act = Callable[[], object]


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_before(
    vault: Vault,
    number: int,
    command: Sequence[object],
    stdin: str = "",
    *,
    cache: bool = False,
    cwd: Path | None = None,
    act: Act = _kill,
) -> bool:
    """Run a command in a process of its own and kill it before its n-th change; False if it makes
    fewer.

    Changes in the cache folder count only with `cache`: an index is rebuilt, notes and history are
    not.
    """
    ignored = "/nowhere" if cache else str(vault.brain.cache)
    return killed_before(
        number, lambda: vault.brain(*command, stdin=stdin, cwd=cwd), ignored, act
    )


def killed_before(
    number: int,
    do: Callable[[], object],
    ignored: str = "/nowhere",
    act: Act = _kill,
    *,
    syncs: bool = False,
) -> bool:
    """Do something in a fork of this process, which is killed before its n-th change; False if it
    makes fewer.

    With `act`, that is done instead, and the process goes on. With `syncs`, each fsync counts too.
    """
    child = os.fork()
    if not child:
        left = [number]
        try:
            if syncs:
                _audit_syncs()
            sys.addaudithook(_hook(left, ignored, act))
            do()
        finally:
            os._exit(left[0] <= 0)
    _, status = os.waitpid(child, 0)
    return status != 0


def _audit_syncs() -> None:
    """Announce each fsync, as Python announces other changes of files."""
    real = os.fsync

    def sync(handle: int) -> None:
        sys.audit("os.fsync", os.readlink(f"/proc/self/fd/{handle}"))
        real(handle)

    vars(os)["fsync"] = sync


def _hook(left: list[int], ignored: str, act: Act) -> Callable[[str, tuple[Any, ...]], None]:
    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in CHANGES and not (event == "open" and arguments[2] & WRITING):
            return
        path = arguments[0]
        if isinstance(path, bytes | str | os.PathLike) and not os.fsdecode(path).startswith(
            (ignored, os.devnull)
        ):
            left[0] -= 1
            if not left[0]:
                act()

    return hook


def contents(folder: Path) -> Contents:
    """Return every file below a folder, hidden ones too."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


class SavedVault:
    """A copy of a vault and of its user's home, to begin anew from after each kill."""

    def __init__(self, vault: Vault, copy: Path) -> None:
        self._pairs = [(vault.folder, copy / "notes"), (vault.brain.home, copy / "home")]
        for place, saved in self._pairs:
            shutil.copytree(place, saved)

    def restore(self) -> None:
        for place, saved in self._pairs:
            shutil.rmtree(place)
            shutil.copytree(saved, place)


def killed_at_every_change(
    vault: Vault,
    saved: SavedVault,
    command: Sequence[object],
    stdin: str = "",
    *,
    cache: bool = False,
    cwd: Path | None = None,
    act: Act = _kill,
) -> Iterator[int]:
    """Kill a command (or `act`) before its first change, yield, begin anew, kill it before a later
    one, and so on.

    In CI it is killed before every change, every day before every third one.
    """
    number = 1
    while True:
        saved.restore()
        if not kill_before(vault, number, command, stdin, cache=cache, cwd=cwd, act=act):
            break
        yield number
        number += sized(1, everyday=3)
    with contextlib.suppress(OSError):
        saved.restore()
