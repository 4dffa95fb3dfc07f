"""Draft notes of the git commits that are worth a note.

A commit is worth a note when its prefix (`fix:`, `feat:`, …) or its words say that something was decided, fixed,
added or restructured. `git commit --amend` and a rebase keep the author and the author date, which therefore identify
a commit of a repository.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, takewhile
from typing import NamedTuple

from brain_cli.errors import BrainError
from brain_cli.plugins.agents.note_store import Draft
from brain_cli.vault.git import git_command, git_environment, git_program
from brain_cli.vault.secrets import redacted

GIT_SECONDS = 60
_FIELDS = ("%H", "%P", "%an", "%ae", "%at", "%s", "%b")
# No field and no file name contains a null character. The one in front follows the last file name of the commit before.
_FORMAT = "%x00" + "%x00".join(_FIELDS) + "%x00"
_LOG_OPTIONS = (
    *(f"--format={_FORMAT}", "--encoding=UTF-8", "--name-only", "-z", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--no-mailmap", "-O/dev/null", "--no-relative"),
)
# “fix(cart): …” and “[test] …”.
_PREFIX = re.compile(r"(?:(?P<type>[a-z]+)(?:\([^)]*\))?!?:|\[(?P<area>[^\]]+)\])\s+(?P<rest>.+)", re.IGNORECASE)
_PREFIXES = {
    "feature": "feat feature",
    "bugfix": "fix bugfix hotfix",
    "refactor": "perf refactor",
    "decision": "revert decision adr",
}
_KIND_BY_PREFIX = {word: kind for kind, words in _PREFIXES.items() for word in words.split()}
_ROUTINE_PREFIXES = ("chore", "style", "ci", "build", "test", "tests", "doc", "docs", "wip", "release")
_TRIVIAL = re.compile(
    r"(fixup|squash|amend)! "
    r"|(wip|tmp|temp|minor|updates?|changes|typos?|fix typos?|format(ting)?|lint|clean ?up|bump .*|merge .*|release .*"
    r"|version .*|v?\d+(\.\d+)+.*|(initial|first) commit|update (readme|changelog|dependencies|deps).*)\.?$",
    re.IGNORECASE,
)
# A subject alone gives no reason by "because", and a decision may be what it is about.
_CHOSEN = re.compile(
    r"\b(?:(?:we|I|they) (?:have )?(?:decided|chose)|decided (?:to|on|against|for|that)|decision:|instead of|rationale"
    r"|trade-?offs?|in favou?r of|switch(?:ed)? (?:from|to)|rather than)",
    re.IGNORECASE,
)
_REASON = re.compile(rf"{_CHOSEN.pattern}|\bbecause\b", re.IGNORECASE)
_TEST_FILE = re.compile(r"(?:^|/)tests?/|(?:^|/)test_[^/]*$|[._]test\.\w+$|\.spec\.\w+$")
# The first word of a subject says what its author did.
_VERBS = {
    "bugfix": "fix correct repair prevent avoid handle",
    "feature": "add implement introduce support allow",
    "refactor": "refactor restructure extract simplify",
    "decision": "decide switch drop deprecate",
}
_KIND_BY_VERB = {word: kind for kind, words in _VERBS.items() for word in words.split()}
_TYPO = re.compile(
    r"\b(?:typos?|misspell\w*|spelling|whitespace|grammar|wording|punctuation|broken links?)\b", re.IGNORECASE
)
# Code in a message says nothing about why: `names`, --options, addresses and paths.
_CODE = re.compile(r"```.*?```|`[^`]*`|(?<!\w)--?\w[\w-]*|\S*[/_]\S*|^(?: {4}|\t).*$", re.DOTALL | re.MULTILINE)
_TRAILER = re.compile(r"[A-Z]\w*(?:-\w+)+: |\s*$")
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
MIN_SUBJECT_WORDS = 2
MIN_BODY_WORDS = 10
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
    def author_key(self) -> str:
        """Return a key that an amended or rebased commit shares with the one it replaces, within its repository."""
        return f"{self.email}@{self.authored}"


class Repository:
    """Asks git about one repository, which may be a stranger's."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._program = git_program()

    @cached_property
    def key(self) -> str:
        """Return 12 hexadecimal digits that all clones of this repository share; empty if nothing identifies it.

        They are a hash of the root commit of the main line of HEAD, or of the address of `origin` where a shallow
        clone lacks that commit.
        """
        if self._answer("rev-parse", "--is-shallow-repository") == "true":
            identity = _without_credentials(self._answer("config", "--get", "remote.origin.url"))
        else:
            identity = self._answer("rev-list", "--first-parent", "--max-parents=0", "HEAD")
        return hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:12] if identity else ""

    def commits(self, *arguments: str) -> Iterator[Commit]:
        """Yield the commits that `git log` lists with these arguments; BrainError if git fails."""
        if self._program is None:
            raise BrainError("git is not installed.", "Install git, or capture from another machine.")
        try:
            done = self._run("log", *_LOG_OPTIONS, *arguments, "--")
        except subprocess.TimeoutExpired:
            raise BrainError("git took too long.", "Try a shorter time with --since.") from None
        if done.returncode:
            message = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise BrainError(f"git says: {message[0] if message else 'no answer'}", "Run this inside a git repository.")
        return _commits(done.stdout.decode("utf-8", "replace"))

    def contains(self, full_hash: str) -> bool:
        """Return whether a commit is stored in this repository, also if it was rewritten since."""
        return _is_hash(full_hash) and self._succeeds("cat-file", "-e", f"{full_hash}^{{commit}}")

    def is_reachable(self, full_hash: str) -> bool:
        """Return whether a commit is part of the history of HEAD."""
        return _is_hash(full_hash) and self._succeeds("merge-base", "--is-ancestor", full_hash, "HEAD")

    def _answer(self, *arguments: str) -> str:
        """Return what git prints, empty if it fails."""
        try:
            done = self._run(*arguments)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return "" if done.returncode else done.stdout.decode("utf-8", "surrogateescape").strip()

    def _succeeds(self, *arguments: str) -> bool:
        try:
            return self._run(*arguments).returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            return False

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*git_command(self._program or "git", self._folder), *arguments],
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env=git_environment(),
        )


def worth_remembering(commit: Commit) -> str | None:
    """Return the kind of note that a commit deserves; None for merges, fixups, typos and trivial commits.

    The kind is what the author called it: by a prefix, by stating a reason or, where the body says more than the
    subject, by the first word.
    """
    if len(commit.parents) > 1 or _TRIVIAL.match(commit.subject):
        return None
    prefix = _PREFIX.fullmatch(commit.subject)
    subject = prefix["rest"] if prefix else commit.subject
    body = _CODE.sub(" ", commit.body)
    is_explained = len(body.split()) >= MIN_BODY_WORDS
    if (_TYPO.search(subject) and not is_explained) or (len(subject.split()) < MIN_SUBJECT_WORDS and not commit.body):
        return None
    named = (prefix["type"] or prefix["area"]).lower() if prefix else ""
    if named in _ROUTINE_PREFIXES:
        return "decision" if _REASON.search(body) else None
    if not (named in _KIND_BY_PREFIX or commit.body) and commit.files and all(map(_TEST_FILE.search, commit.files)):
        return None
    kind = _KIND_BY_PREFIX.get(named) or (_kind_by_verb(subject) if is_explained else None)
    # “Use add_array instead of add_sorted_array” names no reason, and the code shows the change.
    decisive = bool(_REASON.search(body) or (_CHOSEN.search(subject) and not _CODE.search(subject)))
    if decisive and kind in (None, "refactor"):
        return "decision"
    return kind or ("change" if is_explained else None)


def _kind_by_verb(subject: str) -> str | None:
    first = subject.split()[0].lower()
    return _KIND_BY_VERB.get(re.sub(r"(?:ed|e?s|ing)$", "", first)) or _KIND_BY_VERB.get(first)


def drafted_commit(commit: Commit, kind: str, folder: str) -> Draft:
    """Return the draft of a commit's note: subject, body, files. The subject keeps its case."""
    prefix = _PREFIX.fullmatch(commit.subject)
    title = redacted(prefix["rest"] if prefix else commit.subject)
    parts = [redacted(commit.body.strip()), _changed_files(commit)]
    text = "\n\n".join(part for part in parts if part)
    return Draft(title, kind, text, float(commit.authored), folder, "", commit.files[:50], ("commit",))


def _changed_files(commit: Commit) -> str:
    """Return the sentence that ends a commit's note."""
    names = [f"`{file}`" for file in commit.files[:MAX_LISTED]]
    more = [f"{len(commit.files) - MAX_LISTED} more"] if len(commit.files) > MAX_LISTED else []
    *first, last = [*names, *more] or ["nothing"]
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"Changed {listed} in commit {commit.hash[:12]} by {commit.author}."


def _commits(output: str) -> Iterator[Commit]:
    """Yield the commits in the output of `git log`; a record that does not begin with a hash ends the list."""
    parts = iter(output.split("\0"))
    next(parts)
    # Another null character ends the fields.
    while len(fields := list(islice(parts, len(_FIELDS) + 1))) > len(_FIELDS) and _is_hash(fields[0]):
        full_hash, parents, author, email, authored, subject, body, _ = fields
        names = (name.removeprefix("\n") for name in takewhile(bool, parts))
        yield Commit(
            full_hash,
            tuple(parents.split()),
            author,
            email,
            int(authored or 0),
            subject.strip(),
            _without_trailers(body),
            tuple(dict.fromkeys(names)),
        )


def _is_hash(text: str) -> bool:
    return bool(_HASH.fullmatch(text))


def _without_credentials(address: str) -> str:
    """Return a remote's address as `host/path`, alike for https, ssh and scp notation, without user and password."""
    rest = re.sub(r"^[a-z+.-]+://", "", address, flags=re.IGNORECASE)
    is_scp = rest == address and re.match(r"[^/]*:", rest)
    host, separator, path = rest.partition(":" if is_scp else "/")
    host = host.rpartition("@")[2].partition(":")[0].lower()
    path = path.strip("/").removesuffix(".git").strip("/")
    return f"{host}/{path}" if separator else ""


def _without_trailers(body: str) -> str:
    """Return a body without the trailers at its end, such as `Signed-off-by:`."""
    lines = body.strip().splitlines()
    while lines and _TRAILER.match(lines[-1]):
        lines.pop()
    return "\n".join(lines)
