"""Read what git knows: a folder's project, found without running git, and the dates of commits.

Git is run safely in a stranger's repository, whose configuration cannot start a program.

The files that a note names are compared with those of the working folder: the only signal that
depends on the disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path

from brain_cli.files import read_regular
from brain_cli.types import NoteMetadata, Session
from brain_cli.vault.atomic_write import MAX_NOTE_BYTES

# The files read here hold one path.
MAX_GIT_FILE_BYTES = 10_000
# Settings that override those of the repository.
_OVERRIDES = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "credential.helper=",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.mailmap=false",
    "log.showSignature=false",
    "protocol.allow=never",
)
# Git uses the folder's own repository, prints paths unquoted, and never prompts.
_ENVIRONMENT = {
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
MAX_SECONDS = 10.0
# For more notes than this, git is asked about the whole vault instead of single paths.
MAX_NAMED = 50
_LOG = [
    "log",
    "--format=%x01%ct%d",
    "-z",
    "--relative",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
]
_STARTS_A_COMMIT = "\x01"
_SHA1_DIGITS = 40
_READ_BYTES = 1 << 16


def project_of(folder: str) -> str | None:
    """Return the name of the git repository of a folder; None outside one.

    It is the name of the folder with the common git directory, so a worktree has its main
    repository's name; a submodule has its own. A bare repository has the name of its own folder
    without `.git`, also if it has worktrees.
    """
    root = repository_root(folder)
    git = git_folder(folder) if root else _nearest_with(folder, "HEAD", "objects/", "refs/")
    if root is None or git is None:
        return Path(git).with_suffix("").name if git else None
    try:
        common = Path(git, _text(f"{git}/commondir").strip()).resolve()
    except (OSError, ValueError):
        return Path(root).name
    return common.parent.name if common.name == ".git" else common.with_suffix("").name


def repository_root(folder: str) -> str | None:
    """Return the top folder of a folder's git work tree; None outside one."""
    return _nearest_with(folder, ".git")


def _nearest_with(folder: str, *names: str) -> str | None:
    """Return the nearest folder, from this one upwards, that has all these files and folders."""
    # The path is not resolved: a link into a repository belongs to the folder that it is in.
    start = Path(os.path.abspath(folder))
    return next(
        (
            str(parent)
            for parent in (start, *start.parents)
            if all(os.path.exists(f"{parent}/{name}") for name in names)
        ),
        None,
    )


def below_root(file: str, folder: str) -> str:
    """Return the path from its repository's root of a file given relative to a folder; absolute if
    it is outside.
    """
    root = repository_root(folder) or os.path.normpath(folder)
    path = os.path.normpath(os.path.join(folder, file))
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else path


def git_folder(folder: str) -> str | None:
    """Return the git folder, which has the HEAD, of a folder's work tree; None outside one."""
    root = repository_root(folder)
    if root is None:
        return None
    git = os.path.join(root, ".git")
    if os.path.isdir(git):
        return git
    try:
        return os.path.join(root, _text(git).partition("gitdir:")[2].strip())
    except (OSError, ValueError):
        return None


def _text(path: str) -> str:
    return read_regular(path, MAX_GIT_FILE_BYTES).decode("utf-8")


class GitFailedError(Exception):
    """Git is not installed, ended with an error, or took too long."""


def git_output(folder: str, *arguments: str, seconds: float) -> Iterator[bytes]:
    """Yield what git prints in a folder; raise GitFailedError if it fails or takes longer.

    Git is ended when the caller stops reading.
    """
    import shutil
    import subprocess
    from threading import Timer

    program = shutil.which("git")
    # One that is named relative to the working folder may be a stranger's.
    if not program or not os.path.isabs(program):
        raise GitFailedError
    overrides = [part for setting in _OVERRIDES for part in ("-c", setting)]
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    options = ["--no-pager", "--no-optional-locks", *overrides, "-C", folder]
    try:
        process = subprocess.Popen(
            [program, *options, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            env=own | _ENVIRONMENT,
        )
    except OSError:
        raise GitFailedError from None
    with process:
        watchdog = Timer(max(0.0, seconds), process.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            while process.stdout and (read := process.stdout.read(_READ_BYTES)):
                yield read
            if process.wait():
                raise GitFailedError
        finally:
            watchdog.cancel()
            process.kill()


def _fields(folder: str, *arguments: str, seconds: float) -> Iterator[str]:
    """Yield the NUL-separated fields of git's output."""
    rest = b""
    for read in git_output(folder, *arguments, seconds=seconds):
        *fields, rest = (rest + read).split(b"\0")
        yield from map(os.fsdecode, fields)


def logged_lines(folder: str, *arguments: str, seconds: float) -> Iterator[tuple[float, str]]:
    """Yield what `git log` prints of each commit, newest first: the time of the commit, and a line.

    The oldest commit of a shallow clone, which git calls grafted, seems to change every file, so it
    is omitted.
    """
    commit_time = None
    for field in _fields(folder, *_LOG, *arguments, seconds=seconds):
        line = field.lstrip("\n")
        if line.startswith(_STARTS_A_COMMIT):
            at, _, names = line[1:].partition(" (")
            commit_time = None if names.startswith("grafted") else float(at)
        elif commit_time is not None:
            yield commit_time, line


def commit_times(vault: str, paths: Collection[str]) -> dict[str, float]:
    """Return the time of the last commit that changed each note, in seconds since the epoch.

    A note that differs from its last commit is omitted. The result is empty, without an error, if
    there is no repository or no git, or no answer within ten seconds.
    """
    found: dict[str, float] = {}
    if not paths or repository_root(vault) is None:
        return found
    until = time.monotonic() + MAX_SECONDS
    asked = ["--", *pathspecs(paths)]
    try:
        tree = _fields(vault, "ls-tree", "-r", "-z", "HEAD", *asked, seconds=MAX_SECONDS)
        entries = (entry.partition("\t") for entry in tree)
        hashes = {path: entry.split()[-1] for entry, _, path in entries if entry}
        committed = {
            path
            for path in paths
            if path in hashes and _is_blob(f"{vault}/{path}", hashes[path])
        }
        seconds = until - time.monotonic()
        logged = (
            logged_lines(vault, "--name-only", *asked, seconds=seconds) if committed else ()
        )
        for commit_time, path in logged:
            if path in committed:
                found[path] = max(found.get(path, commit_time), commit_time)
                if len(found) == len(committed):
                    break
    except (OSError, ValueError, GitFailedError):
        return {}
    return found


def _is_blob(file: str, blob: str) -> bool:
    """Return whether this is git's hash of a file's content."""
    import hashlib

    content = read_regular(file, MAX_NOTE_BYTES, os.O_NOFOLLOW)
    algorithm = "sha1" if len(blob) == _SHA1_DIGITS else "sha256"
    content = b"blob %d\0" % len(content) + content
    return hashlib.new(algorithm, content, usedforsecurity=False).hexdigest() == blob


def pathspecs(paths: Collection[str]) -> list[str]:
    """Return how to ask git about some paths; it is asked about all if these are many."""
    return list(paths) if len(paths) <= MAX_NAMED else ["."]


# Every file is looked up in each recall that ranks the note, so only the first ones of a long list
# are.
MAX_FILES = 100
MAX_PATH_CHARS = 1_000


def overlap_in(session: Session) -> Callable[[NoteMetadata], float]:
    """Return a function that returns the share (0..1) of a note's files that exist in the session's
    repository.

    Notes name files relative to the root of their repository.
    """
    root = session.folder and (repository_root(session.folder) or session.folder)
    return lambda metadata: file_overlap(metadata.files, root)


def file_overlap(files: Collection[str], folder: str | None) -> float:
    """Return the share of a note's files that exist under a folder; a path that leaves it counts as
    absent.
    """
    if not files or not folder:
        return 0.0
    root = os.path.realpath(folder)
    # No file name has a null character, and Python raises an error for one.
    possible = (
        file
        for file in islice(files, MAX_FILES)
        if "\0" not in file and len(file) <= MAX_PATH_CHARS
    )
    inside = (os.path.realpath(os.path.join(root, file)) for file in possible)
    found = sum(path.startswith(root + os.sep) and os.path.exists(path) for path in inside)
    return found / min(len(files), MAX_FILES)
