"""Find the time of each note's last commit: `ls-tree` lists the committed files, `log` has the times.

Neither command looks at the working tree or writes anything.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import time
from collections.abc import Collection, Iterator
from threading import Timer

from brain_cli.vault.git_command import git_command, git_environment, git_program
from brain_cli.vault.repository import is_in_repository

MAX_SECONDS = 10.0
# For more notes than this, git is asked about the whole vault instead of single paths.
MAX_NAMED = 50
_LOG = ["log", "--format=%x01%ct", "--name-only", "-z", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv"]
_STARTS_A_COMMIT = "\x01"
_SHA1_DIGITS = 40
_READ_BYTES = 1 << 16


class GitFailedError(Exception):
    """Git ended with an error, or took too long."""


def commit_times(vault: str, paths: Collection[str]) -> dict[str, float]:
    """Return the time of the last commit that changed each note, in seconds since the epoch.

    A note that differs from its last commit is left out. The result is empty, without an error, if there is no
    repository or no git, or no answer within ten seconds.
    """
    git = git_program() if paths and is_in_repository(vault) else None
    if git is None:
        return {}
    command = _Git(git, vault, time.monotonic() + MAX_SECONDS)
    with contextlib.suppress(OSError, ValueError, GitFailedError):
        committed = _unmodified_since_commit(command, vault, paths)
        return _last_commits(command, committed) if committed else {}
    return {}


def _unmodified_since_commit(git: _Git, vault: str, paths: Collection[str]) -> set[str]:
    """Return the notes whose content equals that of the last commit, by hash."""
    entries = (line.partition("\t") for line in git.lines(["ls-tree", "-r", "-z", "HEAD", "--", *_pathspecs(paths)]))
    hashes = {path: entry.split()[-1] for entry, _, path in entries if entry}
    return {path for path in paths if path in hashes and _is_blob(f"{vault}/{path}", hashes[path])}


def _is_blob(file: str, blob: str) -> bool:
    """Return whether this is git's hash of a file's content."""
    with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as opened:
        content = opened.read()
    algorithm = "sha1" if len(blob) == _SHA1_DIGITS else "sha256"
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest() == blob


def _last_commits(git: _Git, paths: set[str]) -> dict[str, float]:
    """Read the log from the newest commit back, until every note has been found."""
    found: dict[str, float] = {}
    commit_time = 0.0
    for line in git.lines([*_LOG, "--", *_pathspecs(paths)]):
        text = line.lstrip("\n")
        if text.startswith(_STARTS_A_COMMIT):
            commit_time = float(text[1:])
        elif text in paths:
            found[text] = max(found.get(text, commit_time), commit_time)
            if len(found) == len(paths):
                break
    return found


def _pathspecs(paths: Collection[str]) -> list[str]:
    return list(paths) if len(paths) <= MAX_NAMED else ["."]


class _Git:
    """Runs git in one vault, until a deadline of the monotonic clock."""

    def __init__(self, program: str, vault: str, until: float) -> None:
        self._command = git_command(program, vault)
        self._until = until

    def lines(self, arguments: list[str]) -> Iterator[str]:
        """Yield the NUL-separated fields of git's output; end git when the caller stops reading, or at the deadline."""
        with subprocess.Popen(
            [*self._command, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=git_environment(),
        ) as process:
            watchdog = Timer(max(0.0, self._until - time.monotonic()), process.kill)
            watchdog.daemon = True
            watchdog.start()
            try:
                yield from _between_nuls(process)
                if process.wait():
                    raise GitFailedError
            finally:
                watchdog.cancel()
                process.kill()


def _between_nuls(process: subprocess.Popen[bytes]) -> Iterator[str]:
    rest = b""
    while process.stdout and (read := process.stdout.read1(_READ_BYTES)):  # type: ignore[attr-defined]
        *lines, rest = (rest + read).split(b"\0")
        yield from map(os.fsdecode, lines)
