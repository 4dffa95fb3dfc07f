"""The history on disk: append-only, one file per device, so that many processes and sync tools do no harm.

VAULT/.brain/history/DEVICE.jsonl            if that folder exists
~/.local/state/brain/NAME-KEY/DEVICE.jsonl   else
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from brain_cli.memory.events import Event, to_line


class History:
    """All events of one vault; this device's are added to its own file, everybody's are read."""

    def __init__(self, folder: Path, device: str | Callable[[], str]) -> None:
        self.folder = folder
        self._device = device

    def append(self, events: Iterable[Event]) -> None:
        """Add events, all or none of them; OSError when that cannot be."""
        lines = "".join(f"{to_line(event)}\n" for event in events).encode("utf-8", "surrogatepass")
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        device = self._device if isinstance(self._device, str) else self._device()
        handle = os.open(self.folder / f"{device}.jsonl", os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # A line that a crash tore must not swallow the one that follows it.
            torn = os.fstat(handle).st_size > 0 and os.pread(handle, 1, os.fstat(handle).st_size - 1) != b"\n"
            os.write(handle, b"\n" + lines if torn else lines)
        finally:
            os.close(handle)

    def identities(self) -> dict[str, int]:
        """Return which file stands under each name: one that a sync tool has replaced is another."""
        try:
            return {file.name: file.stat().st_ino for file in self.folder.glob("*.jsonl")}
        except OSError:  # one that was listed is gone
            return {}

    def unread(self, offsets: Mapping[str, int]) -> dict[str, list[bytes]] | None:
        """Return the whole lines of each file from its offset (bytes) on; None when a file is new, shrunk or gone.

        A last line without its end is left for the next time: somebody is still writing it, or never will.
        """
        names = sorted(file.name for file in self.folder.glob("*.jsonl"))
        if offsets and names != sorted(offsets):
            return None
        found = {name: self._lines(name, offsets.get(name, 0)) for name in names}
        return None if any(lines is None for lines in found.values()) else found  # type: ignore[return-value]

    def _lines(self, name: str, offset: int) -> list[bytes] | None:
        try:
            with open(self.folder / name, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(offset)
                raw = file.read()
        except OSError:
            return None
        return None if size < offset else raw[: raw.rfind(b"\n") + 1].splitlines(keepends=True)


def history_of(vault: str, state_folder: Path, vault_name: str) -> History:
    """Return a vault's history: in the vault if it has a folder for it, else in the user's state folder."""
    inside = Path(vault) / ".brain" / "history"
    folder = inside if inside.is_dir() else state_folder / vault_name
    # The device is named when there is something to write, and not before.
    return History(folder, lambda: device(state_folder))


def device(state_folder: Path) -> str:
    """Return this device's name, told apart from others of the same host name; made once and kept."""
    path = state_folder / "device"
    try:
        return path.read_text(encoding="ascii").strip() or _new_device(path)
    except (OSError, ValueError):
        return _new_device(path)


def _new_device(path: Path) -> str:
    host = "".join(c if c.isascii() and c.isalnum() else "-" for c in os.uname().nodename)[:40] or "device"
    name = f"{host}-{os.urandom(3).hex()}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip() or name
    with open(handle, "w", encoding="ascii") as file:
        file.write(name)
    return name
