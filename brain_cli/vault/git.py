"""Read what git knows: a folder's project, found without running git, and the dates of commits.

Git is run safely in a stranger's repository, whose configuration cannot start a program.

The files that a note names are compared with those of the working folder: the only signal that
depends on the disk.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_cli.files import read_regular
from brain_cli.types import NoteMetadata, Session

if TYPE_CHECKING:
    import subprocess


# The files read here hold one path.
MAX_GIT_FILE_BYTES = 10_000
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
MAX_SECONDS = 10.0
# For more notes than this, git is asked about the whole vault instead of single paths.
MAX_NAMED = 50
_LOG = [
    "log",
    "--format=%x01%ct",
    "-z",
    "--relative",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
]
_STARTS_A_COMMIT = "\x01"
_SHA1_DIGITS = 40
_READ_BYTES = 1 << 16
# A function that yields the fields of the output of a git command.
FieldsOf = Callable[[list[str]], Iterator[str]]


def project_of(folder: str) -> str | None:
    """Return the name of the git repository of a folder; None outside one.

    It is the name of the folder with the common git directory, so a worktree has its main
    repository's name. A bare repository has the name of its own folder without `.git`.
    """
    root = repository_root(folder)
    if root is None:
        bare = _bare_repository(folder)
        return bare.with_suffix("").name if bare else None
    git = Path(root, ".git")
    return _common_folder(git, git.parent).name if os.path.isfile(git) else git.parent.name


def repository_root(folder: str) -> str | None:
    """Return the top folder of a folder's git work tree; None outside one."""
    # The path is not resolved: a link into a repository belongs to the folder that it is in.
    start = Path(os.path.abspath(folder))
    return next(
        (str(parent) for parent in (start, *start.parents) if os.path.exists(parent / ".git")), None
    )


def _bare_repository(folder: str) -> Path | None:
    """Return the bare repository that is or contains a folder; None if there is none."""
    start = Path(os.path.abspath(folder))
    for each in (start, *start.parents):
        if (
            os.path.isfile(each / "HEAD")
            and os.path.isdir(each / "objects")
            and os.path.isdir(each / "refs")
        ):
            return each
    return None


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
    git = Path(root, ".git")
    if os.path.isdir(git):
        return str(git)
    try:
        return os.path.join(root, git.read_text(encoding="utf-8").partition("gitdir:")[2].strip())
    except (OSError, ValueError):
        return None


def _common_folder(git_file: Path, worktree: Path) -> Path:
    """Follow `gitdir:` and `commondir` of a worktree to the main repository; a submodule is its
    own.
    """
    try:
        gitdir = (worktree / _text(git_file).partition("gitdir:")[2].strip()).resolve()
        common = (gitdir / _text(gitdir / "commondir").strip()).resolve()
    except (OSError, ValueError):
        return worktree
    # A bare repository with worktrees is not inside a work tree: its own name counts, without
    # `.git`.
    return common.parent if common.name == ".git" else common.with_suffix("")


def _text(path: Path) -> str:
    return read_regular(path, MAX_GIT_FILE_BYTES).decode("utf-8")


def git_program() -> str | None:
    """Return the path of git; None if there is none, or only one relative to the working folder."""
    import shutil

    found = shutil.which("git")
    return found if found and os.path.isabs(found) else None


def git_command(program: str, folder: str) -> list[str]:
    """Return the first arguments of a git command, with settings that override those of the
    repository.
    """
    overrides = [part for setting in _OVERRIDES for part in ("-c", setting)]
    return [program, "--no-pager", "--no-optional-locks", *overrides, "-C", folder]


def git_environment() -> dict[str, str]:
    """Return an environment in which git uses the vault's own repository, prints paths unquoted,
    and never prompts.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }


class GitFailedError(Exception):
    """Git ended with an error, or took too long."""


def commit_times(vault: str, paths: Collection[str]) -> dict[str, float]:
    """Return the time of the last commit that changed each note, in seconds since the epoch.

    A note that differs from its last commit is left out. The result is empty, without an error, if
    there is no repository or no git, or no answer within ten seconds.
    """
    git = git_program() if paths and repository_root(vault) else None
    if git is None:
        return {}
    fields_of = partial(_fields, git, vault, time.monotonic() + MAX_SECONDS)
    with contextlib.suppress(OSError, ValueError, GitFailedError):
        committed = _unmodified_since_commit(fields_of, vault, paths)
        return _last_commits(fields_of, committed) if committed else {}
    return {}


def _unmodified_since_commit(fields_of: FieldsOf, vault: str, paths: Collection[str]) -> set[str]:
    """Return the notes whose content equals that of the last commit, by hash."""
    entries = (
        line.partition("\t")
        for line in fields_of(["ls-tree", "-r", "-z", "HEAD", "--", *_pathspecs(paths)])
    )
    hashes = {path: entry.split()[-1] for entry, _, path in entries if entry}
    return {path for path in paths if path in hashes and _is_blob(f"{vault}/{path}", hashes[path])}


def _is_blob(file: str, blob: str) -> bool:
    """Return whether this is git's hash of a file's content."""
    import hashlib

    with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as opened:
        content = opened.read()
    algorithm = "sha1" if len(blob) == _SHA1_DIGITS else "sha256"
    return (
        hashlib.new(
            algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False
        ).hexdigest()
        == blob
    )


def _last_commits(fields_of: FieldsOf, paths: set[str]) -> dict[str, float]:
    """Read the log from the newest commit back, until every note has been found.

    The oldest commit of a shallow clone, which git calls grafted, seems to change every file, so it
    dates none.
    """
    found: dict[str, float] = {}
    commit_time = 0.0
    dates = True
    for line in fields_of([*_LOG, "--format=%x01%ct%d", "--name-only", "--", *_pathspecs(paths)]):
        text = line.lstrip("\n")
        if text.startswith(_STARTS_A_COMMIT):
            seconds, _, names = text[1:].partition(" (")
            commit_time = float(seconds)
            dates = not names.startswith("grafted")
        elif text in paths and dates:
            found[text] = max(found.get(text, commit_time), commit_time)
            if len(found) == len(paths):
                break
    return found


def _pathspecs(paths: Collection[str]) -> list[str]:
    return list(paths) if len(paths) <= MAX_NAMED else ["."]


def _fields(program: str, vault: str, until: float, arguments: list[str]) -> Iterator[str]:
    """Yield the NUL-separated fields of git's output in a vault.

    Git is ended when the caller stops reading, and at a time of the monotonic clock.
    """
    import subprocess
    from threading import Timer

    with subprocess.Popen(
        [*git_command(program, vault), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=git_environment(),
    ) as process:
        watchdog = Timer(max(0.0, until - time.monotonic()), process.kill)
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
    # A pipe of Popen is a buffered reader, which its type does not say.
    output: Any = process.stdout
    while output and (read := output.read1(_READ_BYTES)):
        *lines, rest = (rest + read).split(b"\0")
        yield from map(os.fsdecode, lines)


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


# A note's own session is often committed a little later than the note is written.
COMMITTED_SECONDS = 86_400.0
Change = tuple[float, int, int]
GONE = "its files are gone"
REWRITTEN = "its files were rewritten"


def outdated(
    notes: Iterable[NoteMetadata], folder: str, seconds: float = MAX_SECONDS
) -> dict[str, str]:
    """Return the notes of a folder's repository whose files are mostly gone or rewritten: why, by
    path.

    A file counts as rewritten if the commits of more than a day after the note removed over half of
    the lines that it had. If git does not answer within `seconds`, none does. The notes of commits
    are history, and never outdated.
    """
    here = (project_of(folder) or "").casefold()
    root = repository_root(folder)
    if root is None:
        return {}
    named = [each for each in notes if each.files and (each.project or "").casefold() == here]
    named = [each for each in named if "commit" not in each.properties]
    found = {each.path: GONE for each in named if file_overlap(each.files, root) < 0.5}
    rest = [each for each in named if each.path not in found]
    changed = _removed_lines(root, rest, seconds) if rest else {}
    for note in rest:
        since = note.timestamp + COMMITTED_SECONDS
        counts = [
            _counts(changed.get(file, ()), since, os.path.join(root, file)) for file in note.files
        ]
        if sum(removed * 2 > lines for removed, lines in counts) * 2 > len(note.files):
            found[note.path] = REWRITTEN
    return found


def _counts(changes: Iterable[Change], since: float, file: str) -> tuple[int, int]:
    """Return how many lines of a file were removed since then, and how many it had."""
    later = [(added, removed) for at, added, removed in changes if at > since]
    if not later:
        return 0, 0
    try:
        with open(file, "rb") as opened:
            now = opened.read().count(b"\n")
    except OSError:
        return 0, 0
    removed = sum(each for _, each in later)
    return removed, now - sum(each for each, _ in later) + removed


def _removed_lines(
    root: str, notes: Collection[NoteMetadata], seconds: float
) -> dict[str, list[Change]]:
    """Return the changes of the notes' files since the oldest note: time, lines added and lines
    removed.
    """
    git = git_program()
    found: dict[str, list[Change]] = {}
    if git is None:
        return found
    oldest = int(min(each.timestamp for each in notes) + COMMITTED_SECONDS)
    files = sorted(
        {
            file
            for each in notes
            for file in each.files
            if "\0" not in file and not os.path.isabs(file)
        }
    )
    commit_time = 0.0
    log = [*_LOG, "--numstat", f"--since=@{oldest}", "--", *_pathspecs(files)]
    with contextlib.suppress(OSError, ValueError, GitFailedError):
        for line in _fields(git, root, time.monotonic() + seconds, log):
            text = line.lstrip("\n")
            if text.startswith(_STARTS_A_COMMIT):
                commit_time = float(text[1:])
            elif (parts := text.split("\t", 2))[0].isdecimal() and len(parts) == 3:
                found.setdefault(parts[2], []).append((commit_time, int(parts[0]), int(parts[1])))
        return found
    return {}
