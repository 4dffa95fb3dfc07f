"""Detect and repair damage to the index.

The index is a cache, so a damaged one is rebuilt, once. Only a wrong checksum or an error of an engine counts as
damage. An error raised by brain's own code is a bug, and a full disk is reported as such.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable, Iterator
from typing import TypeVar

Answer = TypeVar("Answer")
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
    except BrokenIndexError:
        raise
    except Exception as error:
        if _is_system_error(error) or _is_raised_by_us(error):
            raise
        raise BrokenIndexError from error


def rebuilding_if_damaged(use: Callable[[], Answer], rebuild: Callable[[BrokenIndexError], Answer]) -> Answer:
    """Return the result of `use`; if that finds the index damaged, return the result of `rebuild` instead."""
    try:
        return use()
    except BrokenIndexError as damage:
        return rebuild(damage)


def _is_system_error(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in SYSTEM_ERRORS


def _is_raised_by_us(error: Exception) -> bool:
    """Return whether the innermost function of a traceback belongs to this package."""
    traceback = error.__traceback__
    while traceback and traceback.tb_next:
        traceback = traceback.tb_next
    return traceback is not None and str(traceback.tb_frame.f_globals.get("__name__")).startswith(OUR_PACKAGE)
