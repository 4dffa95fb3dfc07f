"""Read and replace files of an untrusted repository: refuse pipes, and links that lead out of it."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

from brain_cli.errors import BrainError
from brain_cli.files import read_regular
from brain_cli.vault.atomic_write import replace_file, replace_link

# Longer than any hook or settings file that a person writes.
MAX_BYTES = 1 << 20


def read_file(path: str) -> bytes | None:
    """Return the content of a file, None if it does not exist; BrainError if it cannot be read."""
    with _explained(path, "read"), contextlib.suppress(FileNotFoundError):
        return read_regular(path, MAX_BYTES)
    return None


def write_file(path: str, raw: bytes, root: str, mode: int | None = None) -> None:
    """Replace a file below the folder `root`, making its folder; a link is followed to the real file.

    BrainError if a link leads out of `root`. `mode` is the new file mode; None keeps the present one.
    """
    real = os.path.realpath(path)
    _refuse_outside(path, real, root)
    with _explained(path, "written"):
        os.makedirs(os.path.dirname(real), exist_ok=True)
        kept = stat.S_IMODE(os.stat(real).st_mode) if mode is None and os.path.exists(real) else mode
        _replace(real, raw, kept)


def write_in_place(path: str, raw: bytes, root: str, mode: int) -> None:
    """Put a new file at a path below the folder `root`, instead of the file or link there; no link is followed."""
    real = _real_path(path, root)
    with _explained(path, "written"):
        _replace(real, raw, mode)


def copy_file(path: str, new_path: str, root: str) -> None:
    """Copy a file with its mode, or a link as a link, replacing the file or link at the new path atomically.

    Nothing is done if the file is a link to the new path. BrainError if it cannot be copied.
    """
    if not os.path.islink(path):
        write_in_place(new_path, read_file(path) or b"", root, stat.S_IMODE(os.stat(path).st_mode))
        return
    target, real = os.readlink(path), _real_path(new_path, root)
    if os.path.normpath(os.path.join(os.path.dirname(real), target)) != real:
        with _explained(new_path, "written"):
            replace_link(real, target)


def remove_file(path: str) -> None:
    """Remove a file; BrainError if it cannot be removed."""
    with _explained(path, "removed"), contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def rename_file(path: str, new_path: str) -> None:
    """Rename a file, replacing any other at the new path; BrainError if it cannot be renamed."""
    with _explained(path, "renamed"):
        os.replace(path, new_path)


@contextlib.contextmanager
def _explained(path: str, done: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BrainError(f"{path} cannot be {done}: {(error.strerror or str(error)).lower()}.", "Check it.") from None


def _replace(real: str, raw: bytes, mode: int | None) -> None:
    # The file has its mode from the start, because git skips a hook that is not executable.
    replace_file(real, raw, mode=0o666 if mode is None else mode)
    if mode is not None:
        os.chmod(real, mode)


def _real_path(path: str, root: str) -> str:
    """Return a path with the links of its folder resolved, but not its own; BrainError if they lead out of `root`."""
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    _refuse_outside(path, real, root)
    return real


def _refuse_outside(path: str, real: str, root: str) -> None:
    if not real.startswith(os.path.join(os.path.realpath(root), "")):
        raise BrainError(f"{path} is a link to {real}, outside {root}, so it is not changed.", "Remove the link.")
