"""Draft notes of the git commits that are worth a note.

A commit is worth a note when its prefix (`fix:`, `feat:`, …) or its words say that something was decided, fixed,
added or restructured. `git commit --amend` and a rebase keep the author and the author date, which therefore identify
a commit.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from typing import NamedTuple

from brain_cli.capture.draft import Draft, kind_of
from brain_cli.capture.secrets import redacted
from brain_cli.errors import BrainError
from brain_cli.vault.git_command import git_command, git_environment, git_program

GIT_SECONDS = 60
_FIELDS = ("%H", "%P", "%an", "%ae", "%at", "%s", "%b")
_FORMAT = "%x1e" + "%x1f".join(_FIELDS) + "%x1f"
_LOG_OPTIONS = (f"--format={_FORMAT}", "--name-only", "-z", "--no-color", "--no-ext-diff", "--no-textconv")
_PREFIX = re.compile(r"(?P<type>[a-z]+)(?:\([^)]*\))?!?:\s+(?P<rest>.+)", re.IGNORECASE)
_KIND_BY_PREFIX = {
    "feat": "feature",
    "feature": "feature",
    "fix": "bugfix",
    "bugfix": "bugfix",
    "hotfix": "bugfix",
    "perf": "refactor",
    "refactor": "refactor",
    "revert": "decision",
    "decision": "decision",
    "adr": "decision",
}
_ROUTINE_PREFIXES = ("chore", "style", "ci", "build", "test", "tests", "docs", "wip", "release")
_TRIVIAL = re.compile(
    r"(fixup|squash|amend)! "
    r"|(wip|tmp|temp|minor|updates?|changes|typos?|fix typos?|format(ting)?|lint|clean ?up|bump .*|merge .*|release .*"
    r"|version .*|v?\d+(\.\d+)+.*|(initial|first) commit|update (readme|changelog|dependencies|deps).*)\.?$",
    re.IGNORECASE,
)
_DECISIVE = re.compile(
    r"\b(decided?|decision|because|instead of|chose|rationale|trade-?offs?|in favou?r of|switch(ed)? (from|to)"
    r"|replaced?)\b",
    re.IGNORECASE,
)
MIN_SUBJECT_WORDS = 2
MAX_LISTED = 12


class Commit(NamedTuple):
    """One commit; `authored` is its author date in seconds since the epoch, `files` the paths that it touches."""

    hash: str
    parents: tuple[str, ...]
    author: str
    email: str
    authored: int
    subject: str
    body: str
    files: tuple[str, ...]

    @property
    def identity(self) -> str:
        """Return a key that an amended or rebased commit shares with the one it replaces."""
        return f"{self.email}@{self.authored}"


def commits(folder: str, *arguments: str) -> Iterator[Commit]:
    """Yield the commits that `git log` lists with these arguments; BrainError if git fails."""
    program = git_program()
    if program is None:
        raise BrainError("git is not installed.", "Install git, or capture from another machine.")
    command = [*git_command(program, folder), "log", *_LOG_OPTIONS, *arguments, "--"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env=git_environment(),
        )
    except subprocess.TimeoutExpired:
        raise BrainError("git took too long.", "Try a shorter time with --since.") from None
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise BrainError(f"git says: {message[0] if message else 'no answer'}", "Run this inside a git repository.")
    for record in done.stdout.decode("utf-8", "replace").split("\x1e")[1:]:
        yield _commit(record)


def worth_remembering(commit: Commit) -> str | None:
    """Return the kind of note that a commit deserves; None for merges, fixups and trivial commits."""
    if len(commit.parents) > 1 or _TRIVIAL.match(commit.subject):
        return None
    prefix = _PREFIX.fullmatch(commit.subject)
    decisive = bool(_DECISIVE.search(f"{commit.subject}\n{commit.body}"))
    if prefix and prefix["type"].lower() in _ROUTINE_PREFIXES:
        return "decision" if _DECISIVE.search(commit.body) else None
    if len((prefix["rest"] if prefix else commit.subject).split()) < MIN_SUBJECT_WORDS and not commit.body:
        return None
    by_prefix = _KIND_BY_PREFIX.get(prefix["type"].lower()) if prefix else None
    if by_prefix:
        return "decision" if decisive and by_prefix == "refactor" else by_prefix
    return kind_of(commit.subject, "decision" if decisive else "") or ("change" if commit.body else None)


def drafted_commit(commit: Commit, kind: str, folder: str) -> Draft:
    """Return the draft of a commit's note: subject, body, files."""
    prefix = _PREFIX.fullmatch(commit.subject)
    subject = redacted(prefix["rest"] if prefix else commit.subject)
    title = subject[:1].upper() + subject[1:]
    parts = [redacted(commit.body.strip()), _changed_files(commit)]
    text = "\n\n".join(part for part in parts if part)
    return Draft(commit.identity, title, kind, text, float(commit.authored), folder, "", commit.files[:50], ("commit",))


def _changed_files(commit: Commit) -> str:
    """Return the sentence that ends a commit's note."""
    names = [f"`{file}`" for file in commit.files[:MAX_LISTED]]
    more = [f"{len(commit.files) - MAX_LISTED} more"] if len(commit.files) > MAX_LISTED else []
    *first, last = [*names, *more] or ["nothing"]
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"Changed {listed} in commit {commit.hash[:12]} by {commit.author}."


def _commit(record: str) -> Commit:
    full_hash, parents, author, email, authored, subject, body, files = record.split("\x1f", 7)
    names = tuple(dict.fromkeys(name.strip("\n") for name in files.split("\0") if name.strip("\n")))
    return Commit(
        full_hash,
        tuple(parents.split()),
        author,
        email,
        int(authored or 0),
        subject.strip(),
        _without_trailers(body),
        names,
    )


def _without_trailers(body: str) -> str:
    """Return a body without the trailers at its end, such as `Signed-off-by:`."""
    lines = body.strip().splitlines()
    while lines and re.match(
        r"(Signed-off-by|Co-authored-by|Reviewed-by|Change-Id|Acked-by|Tested-by):|\s*$", lines[-1], re.I
    ):
        lines.pop()
    return "\n".join(lines)
