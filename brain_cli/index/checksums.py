"""Checksums of all files of an index generation, so that a page lost by the disk never causes a wrong answer.

Reading the whole index takes longer than a recall. So a file is verified only if its stamp (size, time, inode) differs
from the last verified one, or after a restart of the machine: a crash may lose pages without changing the stamp.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple
from zlib import crc32

from brain_cli.index.checked_file import seal, unseal
from brain_cli.index.damage import BrokenIndexError
from brain_cli.vault.atomic_write import replace_file

READ_BYTES = 1 << 20
BOOT_ID = "/proc/sys/kernel/random/boot_id"


class Checked(NamedTuple):
    """A file's checksum, and its size, time and inode when it was computed."""

    checksum: int
    stamp: tuple[int, int, int]


def write_checksums(folder: str, generation: int, paths: Mapping[str, str]) -> None:
    """Write the checksums of a generation's files, durably; `paths` maps each file name to its current path."""
    known = _load_latest(folder, generation - 1)
    _write(folder, generation, {name: _checked(path, known.get(name)) for name, path in paths.items()}, durable=True)


def verify(folder: str, generation: int) -> None:
    """Raise BrokenIndexError if a file of a generation is not as written, FileNotFoundError if it is gone."""
    boot, known = _load(_path(folder, generation))
    same_boot = boot == _boot_id()
    current = {
        name: _checked(os.path.join(folder, name), checked if same_boot else None) for name, checked in known.items()
    }
    if any(current[name].checksum != known[name].checksum for name in known):
        raise BrokenIndexError
    if current != known or not same_boot:
        # If the cache cannot be written, the next command verifies the files again.
        with contextlib.suppress(OSError):
            _write(folder, generation, current, durable=False)


def remove_older(folder: str, generation: int, names: Iterable[str]) -> None:
    """Remove the checksums of earlier generations."""
    for name in names:
        number = name.removeprefix("checksums-").removesuffix(".json")
        if number != name and number.isdecimal() and int(number) < generation:
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))


def _path(folder: str, generation: int) -> str:
    return os.path.join(folder, f"checksums-{generation}.json")


def _checked(path: str, known: Checked | None) -> Checked:
    """Return a file's checksum, computing it only if the stamp is not the known one."""
    status = os.stat(path)
    stamp = status.st_size, status.st_mtime_ns, status.st_ino
    return known if known and known.stamp == stamp else Checked(_checksum(path), stamp)


def _checksum(path: str) -> int:
    checksum = 0
    with open(path, "rb") as file:
        while content := file.read(READ_BYTES):
            checksum = crc32(content, checksum)
    return checksum


def _load(path: str) -> tuple[str, dict[str, Checked]]:
    with open(path, "rb") as file:
        content = unseal(file.read())
    try:
        document = json.loads(content)
        files = document["files"].items()
        return document["boot"], {name: Checked(checksum, tuple(stamp)) for name, (checksum, stamp) in files}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BrokenIndexError from None


def _load_latest(folder: str, generation: int) -> Mapping[str, Checked]:
    """Return the checksums of the previous generation; none if there was none."""
    try:
        return _load(_path(folder, generation))[1]
    except (OSError, BrokenIndexError):
        return {}


def _write(folder: str, generation: int, files: Mapping[str, Checked], *, durable: bool) -> None:
    content = json.dumps({"boot": _boot_id(), "files": files}).encode("ascii")
    replace_file(_path(folder, generation), seal(content), durable=durable)


@cache
def _boot_id() -> str:
    """Return the identifier of the machine's last start; empty if the system has none."""
    try:
        with open(BOOT_ID, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""
