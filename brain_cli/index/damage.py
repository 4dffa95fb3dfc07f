"""Detect damage to the files of the index; index/session.py then rebuilds it.

Only an error of an engine counts as damage. An error raised by brain's own code is a bug, and a
full disk is reported as such. Files are complete before they are published, so a crash leaves no
half of one.

A file of ours in the index ends with a line that has a fingerprint: the version of the index, and a
checksum of the code and the data that decide what is indexed. An index with another fingerprint is
rebuilt, so a change of a weight or a stop word needs no other step. The code is read as bytes:
importing it would take longer than a refresh without changes.
"""

import contextlib
import errno
import os
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

from brain_cli.index import INDEX_VERSION

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
    """Raise BrokenIndexError for any error that an engine or its libraries raise on a
    damaged file.
    """
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
    return traceback is not None and str(
        traceback.tb_frame.f_globals.get("__name__")
    ).startswith(OUR_PACKAGE)


PACKAGE = os.path.dirname(os.path.dirname(__file__))
WORDS = "vault/words"
SOURCES = (
    "index/field_weights.py",
    "index/note_names.py",
    "index/note_reader.py",
    "index/note_rows.py",
    "printable.py",
    "types.py",
    "vault/analyzer.py",
    "vault/blocks.py",
    "vault/clock.py",
    "vault/dates.py",
    "vault/decode.py",
    "vault/form.py",
    "vault/frontmatter.py",
    "vault/inline_text.py",
    "vault/languages.py",
    "vault/links.py",
    "vault/logseq.py",
    "vault/markdown.py",
    "vault/not_text.py",
    "vault/note.py",
    "vault/repetition.py",
    "vault/resolve.py",
    "vault/sections.py",
    "vault/validity.py",
)


def seal(content: bytes) -> bytes:
    """Return content with the line that has its length and the fingerprint."""
    return b"%s\n%d %s" % (content, len(content), fingerprint().encode())


def unsealed(raw: "bytes | mmap") -> memoryview:
    """Return the sealed content at the end of a file; BrokenIndexError if its fingerprint
    differs.
    """
    end = raw.rfind(b"\n")
    length, _, version = raw[end + 1 :].partition(b" ")
    if not length.isdigit() or int(length) > end:
        raise BrokenIndexError
    if version != fingerprint().encode():
        raise BrokenIndexError(OTHER_VERSION)
    return memoryview(raw)[end - int(length) : end]


@cache
def fingerprint() -> str:
    """Return the index version, and a checksum of the files that decide what is indexed."""
    checksum = 0
    words = sorted(os.listdir(os.path.join(PACKAGE, WORDS)))
    for path in (*SOURCES, *(f"{WORDS}/{name}" for name in words)):
        checksum = crc32(_source(path), checksum)
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
