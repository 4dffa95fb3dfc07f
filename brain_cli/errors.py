"""Expected failures: one sentence in the user's words, a hint and an exit code."""

import contextlib
from collections.abc import Iterable, Iterator

OK = 0
NOTHING_FOUND = 1
WRONG_USAGE = 2
FAILED = 3
BUG = 70
INTERRUPTED = 130
# How much a word is like the name that it is taken for.
MISTYPED = 0.75


class BrainError(Exception):
    """An expected failure: `message` says what failed, `hint` what to do about it."""

    exit_code = FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(BrainError):
    """The command, its options or the configuration were wrong."""

    exit_code = WRONG_USAGE


class UnknownNameError(UsageError):
    """A setting or another name is in no table. It may be one of a newer brain, or of another
    package's plugin.
    """


class UnreachableError(BrainError):
    """Notes that are not on this machine cannot be reached."""


class AnswerFromFolderError(UnreachableError):
    """The vault of a plugin cannot answer, and there is a folder of notes that can."""


class NoVaultError(BrainError):
    """No folder of notes could be found."""


class NoVaultHereError(NoVaultError):
    """Nothing names a vault, and no folder above the working folder is marked as one."""

    def __init__(
        self,
        message: str = "There is no vault here.",
        hint: str = "Name one with --vault DIR or BRAIN_VAULT, or run `brain init` in your "
        "folder of notes.",
    ) -> None:
        super().__init__(message, hint)


class IndexUnusableError(BrainError):
    """The index must not be opened: it belongs to another user, or its folder cannot be written."""


def space_advice(error: Exception) -> str:
    """Return what to do about an error of a full or read-only file system, or about a file that may
    not be read or written; empty for other errors.
    """
    import errno

    number = getattr(error, "errno", None)
    if number == errno.EROFS:
        return "Mount the file system for writing first."
    if number == errno.EIO:
        return "The disk has failed: see to it first."
    if number in (errno.EACCES, errno.EPERM):
        return "Its owner or its mode forbids it: see `ls -ld` of it and of its folder."
    return (
        "Free some space first." if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else ""
    )


def is_guessable(name: str) -> bool:
    """Return whether a name is so long that it is like few others."""
    return len(name) > 2


def near_names(
    name: str, known: Iterable[str], most: int = 1, likeness: float = 0.6
) -> list[str]:
    """Return the known names that are most like a name, nearest first."""
    from difflib import get_close_matches

    return get_close_matches(name, [*known], most, likeness) if is_guessable(name) else []


def did_you_mean(name: str, known: Iterable[str], most: int | None = None) -> str:
    """Return the hint for an unknown name: the nearest known name, else all known names, or the
    first ones.
    """
    names = list(known)
    near = near_names(name, names)
    more = f" and {len(names) - most} more" if most and len(names) > most else ""
    return f"Did you mean “{near[0]}”?" if near else f"Known: {', '.join(names[:most])}{more}."


@contextlib.contextmanager
def explained(path: str) -> Iterator[None]:
    """Turn an error of the file system into a BrainError, for steps that change at most
    one file.
    """
    try:
        yield
    except OSError as error:
        what = error.filename or path
        hint = f"Nothing was changed. {space_advice(error)}".rstrip()
        raise BrainError(f"{what}: {error.strerror or error}.", hint) from None
