"""Detect damage to the files of the index; index/session.py then rebuilds it.

Only a wrong checksum or an error of an engine counts as damage. An error raised by brain's own code
is a bug, and a full disk is reported as such.

A small file of the index begins with a line that has its checksum and a fingerprint: the version of
the index, and a checksum of the code that decides which words are indexed. An index with another
fingerprint is rebuilt, so a change of a weight or a stop word needs no other step. The code is read
as bytes: importing it would take longer than a refresh without changes.

Every file of a generation has a checksum, so that a page lost by the disk never causes a wrong
answer. Reading the whole index takes longer than a recall. So a file is verified only if its stamp
(size, time, inode) differs from the last verified one, or after a restart of the machine: a crash
may lose pages without changing the stamp.
"""

import contextlib
import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from brain_cli.index import INDEX_VERSION
from brain_cli.vault.atomic_write import replace_file
from brain_cli.vault.languages import language_words

if TYPE_CHECKING:
    from mmap import mmap


DAMAGED = "the index was damaged"
OTHER_VERSION = "the index was made by another version of brain"
OUR_PACKAGE = f"{__name__.partition('.')[0]}."
# These errors concern the disk, permissions or limits, not the content of a file.
SYSTEM_ERRORS = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EACCES, errno.EPERM),
    *(errno.EMFILE, errno.ENFILE, errno.ENOMEM),
)


class BrokenIndexError(Exception):
    """The index cannot be read; the message is completed by “, so it was rebuilt”."""

    def __init__(self, why: str = DAMAGED) -> None:
        super().__init__(why)


class MissingFileError(BrokenIndexError):
    """A file of the index is gone: it is lost, or another process has just replaced it."""


@contextlib.contextmanager
def noticing_damage() -> Iterator[None]:
    """Raise BrokenIndexError for any error that an engine or its libraries raise on a damaged file."""
    try:
        yield
    except FileNotFoundError as error:
        raise MissingFileError from error
    except IsADirectoryError as error:  # in the place of a file, whoever opens it
        raise BrokenIndexError from error
    except BrokenIndexError:
        raise
    except Exception as error:
        is_of_system = isinstance(error, OSError) and error.errno in SYSTEM_ERRORS
        if is_of_system or _is_raised_by_us(error):
            raise
        raise BrokenIndexError from error


def _is_raised_by_us(error: Exception) -> bool:
    """Return whether the innermost function of a traceback belongs to this package."""
    traceback = error.__traceback__
    while traceback and traceback.tb_next:
        traceback = traceback.tb_next
    return traceback is not None and str(traceback.tb_frame.f_globals.get("__name__")).startswith(
        OUR_PACKAGE
    )


PACKAGE = os.path.dirname(os.path.dirname(__file__))
SOURCES = ("index/field_weights.py", "vault/analyzer.py", "vault/links.py")


def seal(content: bytes) -> bytes:
    """Return content with the line that seals it."""
    head = json.dumps(
        {"version": fingerprint(), "length": len(content), "checksum": crc32(content)}
    )
    return b"%s\n%s" % (head.encode(), content)


def unsealed(raw: "bytes | mmap") -> memoryview:
    """Return the sealed content of a file; BrokenIndexError if its checksum is wrong or its
    fingerprint differs.
    """
    end = raw.find(b"\n")
    try:
        parsed = json.loads(raw[: max(0, end)])
        version = parsed["version"]
        length = parsed.get("length", 0)
        checksum = parsed.get("checksum")
        content = memoryview(raw)[end + 1 : end + 1 + length]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BrokenIndexError from None
    if version != fingerprint():
        raise BrokenIndexError(OTHER_VERSION)
    if checksum != crc32(content):
        raise BrokenIndexError
    return content


@cache
def fingerprint() -> str:
    """Return the index version, and a checksum of the modules that decide which words are indexed."""
    checksum = 0
    for path in SOURCES:
        checksum = crc32(_source(path), checksum)
    for words in language_words().values():
        checksum = crc32(words.get("stop_words", "").encode(), checksum)
    return f"{INDEX_VERSION}-{checksum:08x}"


def _source(path: str) -> bytes:
    """Return the source of a module; empty if it is installed without source, so that only the
    version counts.
    """
    try:
        with open(os.path.join(PACKAGE, path), "rb") as file:
            return file.read()
    except OSError:
        return b""


READ_BYTES = 1 << 20
BOOT_ID = "/proc/sys/kernel/random/boot_id"


class Checked(NamedTuple):
    """A file's checksum, and its size, time and inode when it was computed."""

    checksum: int
    stamp: tuple[int, int, int]


def write_checksums(folder: str, generation: int, paths: Mapping[str, str]) -> None:
    """Write the checksums of a generation's files, durably; `paths` maps each file name to its
    current path.
    """
    known = _load_latest(folder, generation - 1)
    _write(
        folder,
        generation,
        {name: _checked(path, known.get(name)) for name, path in paths.items()},
        durable=True,
    )


def verify(folder: str, generation: int) -> None:
    """Raise BrokenIndexError if a file of a generation is not as written, FileNotFoundError if it
    is gone.
    """
    boot, known = _load(_path(folder, generation))
    same_boot = boot == _boot_id()
    current = {
        name: _checked(os.path.join(folder, name), checked if same_boot else None)
        for name, checked in known.items()
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
        content = unsealed(file.read())
    try:
        document = json.loads(bytes(content))
        files = document["files"].items()
        return document["boot"], {
            name: Checked(checksum, tuple(stamp)) for name, (checksum, stamp) in files
        }
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
