"""Keep one note per commit that is worth a note, also when a commit is amended or rebased.

A commit is worth a note when its prefix (`fix:`, `feat:`, …) or its words say that something was
decided, fixed, added or restructured. `git commit --amend` and a rebase keep the author and the
author date, which therefore identify a commit of a repository.

A note that the user has edited is theirs: when its commit is rewritten, only the hash is replaced,
and if the generated text is not there as it was written, one line at the end names the new commit.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice, takewhile
from typing import NamedTuple

from brain_cli.answer.links import Mentions
from brain_cli.errors import BrainError
from brain_cli.index.note_table import NoteTable
from brain_cli.library.memories import composed_of
from brain_cli.library.vault import Vault
from brain_cli.plugins.agents.note_store import planned, project_at
from brain_cli.types import Memory
from brain_cli.vault.atomic_write import hash_of
from brain_cli.vault.change_journal import PlannedChanges
from brain_cli.vault.clock import local_iso
from brain_cli.vault.edit import (
    SALIENCE_BY_KIND,
    UneditableError,
    with_property,
)
from brain_cli.vault.git import GitFailedError, git_output, repository_root
from brain_cli.vault.secrets import redacted

GIT_SECONDS = 60
_FIELDS = ("%H", "%P", "%ae", "%at", "%s", "%b")
# No field and no file name contains a null character. The one in front follows the last file name
# of the commit before.
_FORMAT = "%x00" + "%x00".join(_FIELDS) + "%x00"
_LOG_OPTIONS = (
    *(f"--format={_FORMAT}", "--encoding=UTF-8", "--name-only", "-z", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--no-mailmap", "-O/dev/null", "--no-relative"),
)
# “fix(cart): …” and “[test] …”.
_PREFIX = re.compile(
    r"(?:(?P<type>[a-z]+)(?:\([^)]*\))?!?:|\[(?P<area>[^\]]+)\])\s+(?P<rest>.+)", re.IGNORECASE
)
# What the author calls it, by a prefix or by the first word of the subject.
_KINDS = {
    "feature": ("feat feature", "add implement introduce support allow"),
    "bugfix": ("fix bugfix hotfix", "fix correct repair prevent avoid handle"),
    "refactor": ("perf refactor", "refactor restructure extract simplify"),
    "decision": ("revert decision adr", "decide switch drop deprecate"),
}
_KIND_BY_PREFIX = {
    word: kind for kind, (prefixes, _) in _KINDS.items() for word in prefixes.split()
}
_KIND_BY_VERB = {word: kind for kind, (_, verbs) in _KINDS.items() for word in verbs.split()}
_ROUTINE_PREFIXES = (
    "chore",
    "style",
    "ci",
    "build",
    "test",
    "tests",
    "doc",
    "docs",
    "wip",
    "release",
)
_TRIVIAL = re.compile(
    r"(fixup|squash|amend)! "
    r"|(wip|tmp|temp|minor|updates?|changes|typos?|fix typos?|format(ting)?|lint|clean ?up|bump "
    r".*|merge .*|release .*"
    r"|version .*|v?\d+(\.\d+)+.*|(initial|first) commit|update "
    r"(readme|changelog|dependencies|deps).*)\.?$",
    re.IGNORECASE,
)
# A subject alone gives no reason by "because", and a decision may be what it is about.
_CHOSEN = re.compile(
    r"\b(?:(?:we|I|they) (?:have )?(?:decided|chose)|decided "
    r"(?:to|on|against|for|that)|decision:|instead of|rationale"
    r"|trade-?offs?|in favou?r of|switch(?:ed)? (?:from|to)|rather than)",
    re.IGNORECASE,
)
_REASON = re.compile(rf"{_CHOSEN.pattern}|\bbecause\b", re.IGNORECASE)
_TEST_FILE = re.compile(r"(?:^|/)tests?/|(?:^|/)test_[^/]*$|[._]test\.\w+$|\.spec\.\w+$")
_TYPO = re.compile(
    r"\b(?:typos?|misspell\w*|spelling|whitespace|grammar|wording|punctuation|broken links?)\b",
    re.IGNORECASE,
)
# Code in a message says nothing about why: `names`, --options, addresses and paths.
_CODE = re.compile(
    r"```.*?```|`[^`]*`|(?<!\w)--?\w[\w-]*|\S*[/_]\S*|^(?: {4}|\t).*$", re.DOTALL | re.MULTILINE
)
_TRAILER = re.compile(r"[A-Z]\w*(?:-\w+)+: |\s*$")
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
MIN_SUBJECT_WORDS = 2
MIN_BODY_WORDS = 10
# The frontmatter keys that identify a commit's note. An identity is `repository:email@time`; older
# notes and those of a repository that nothing identifies lack the repository.
HASH = "commit"
IDENTITY = "commit_id"
_IDENTITY = re.compile(r"(?:(?P<repository>[0-9a-f]{12}):)?(?P<author_key>.+)")
# The hash of the note as it was written, without this line. A note without it counts as edited.
GENERATED = "generated"
_GENERATED_LINE = re.compile(rb"^generated: [\w\"']+\r?\n", re.MULTILINE)


class Commit(NamedTuple):
    """One commit; `authored` is its author date in seconds since the epoch, `files` the paths that
    it touches.
    """

    hash: str
    parents: tuple[str, ...]
    email: str
    authored: int
    subject: str
    body: str
    files: tuple[str, ...]

    @property
    def author_key(self) -> str:
        """Return a key that an amended or rebased commit shares with the one it replaces, within
        its repository.
        """
        return f"{self.email}@{self.authored}"


class Repository:
    """Asks git about one repository, which may be a stranger's."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @cached_property
    def key(self) -> str:
        """Return 12 hexadecimal digits that all clones of this repository share; empty if nothing
        identifies it.

        They are a hash of the root commit of the main line of HEAD, which a shallow clone lacks.
        """
        if self._output("rev-parse", "--is-shallow-repository") == "true\n":
            return ""
        root = self._output("rev-list", "--first-parent", "--max-parents=0", "HEAD")
        return hashlib.sha256(root.strip().encode()).hexdigest()[:12] if root else ""

    def commits(self, *arguments: str) -> Iterator[Commit]:
        """Yield the commits that `git log` lists with these arguments; BrainError if git fails."""
        output = self._output("log", *_LOG_OPTIONS, *arguments, "--")
        if output is None:
            raise BrainError(
                "git cannot list these commits.",
                "Run this inside a git repository, and name commits that it has.",
            )
        return _commits(output)

    def contains(self, full_hash: str) -> bool:
        """Return whether a commit is stored in this repository, also if it was rewritten since."""
        return _is_hash(full_hash) and self._succeeds(
            "cat-file", "-e", f"{full_hash}^{{commit}}"
        )

    def is_reachable(self, full_hash: str) -> bool:
        """Return whether a commit is part of the history of HEAD."""
        return _is_hash(full_hash) and self._succeeds(
            "merge-base", "--is-ancestor", full_hash, "HEAD"
        )

    def _succeeds(self, *arguments: str) -> bool:
        return self._output(*arguments) is not None

    def _output(self, *arguments: str) -> str | None:
        """Return what git prints; None if it fails."""
        with suppress(GitFailedError):
            parts = git_output(self._folder, *arguments, seconds=GIT_SECONDS)
            return b"".join(parts).decode("utf-8", "replace")
        return None


def worth_remembering(commit: Commit) -> str | None:
    """Return the kind of note that a commit deserves; None for merges, fixups, typos and trivial
    commits.

    The kind is what the author called it: by a prefix, by stating a reason or, where the body says
    more than the subject, by the first word.
    """
    if len(commit.parents) > 1 or _TRIVIAL.match(commit.subject):
        return None
    prefix = _PREFIX.fullmatch(commit.subject)
    subject = prefix["rest"] if prefix else commit.subject
    body = _CODE.sub(" ", commit.body)
    is_explained = len(body.split()) >= MIN_BODY_WORDS
    if (_TYPO.search(subject) and not is_explained) or (
        len(subject.split()) < MIN_SUBJECT_WORDS and not commit.body
    ):
        return None
    named = (prefix["type"] or prefix["area"]).lower() if prefix else ""
    if named in _ROUTINE_PREFIXES:
        return "decision" if _REASON.search(body) else None
    if (
        not (named in _KIND_BY_PREFIX or commit.body)
        and commit.files
        and all(map(_TEST_FILE.search, commit.files))
    ):
        return None
    kind = _KIND_BY_PREFIX.get(named) or (_kind_by_verb(subject) if is_explained else None)
    # “Use add_array instead of add_sorted_array” names no reason, and the code shows the change.
    decisive = bool(
        _REASON.search(body) or (_CHOSEN.search(subject) and not _CODE.search(subject))
    )
    if decisive and kind in (None, "refactor"):
        return "decision"
    return kind or ("change" if is_explained else None)


def _kind_by_verb(subject: str) -> str | None:
    first = subject.split()[0].lower()
    return _KIND_BY_VERB.get(re.sub(r"(?:ed|e?s|ing)$", "", first)) or _KIND_BY_VERB.get(first)


def drafted_commit(commit: Commit, kind: str, folder: str) -> Memory:
    """Return the draft of a commit's note: subject, body, and in its head the files. The subject
    keeps its case.
    """
    prefix = _PREFIX.fullmatch(commit.subject)
    title = redacted(prefix["rest"] if prefix else commit.subject)
    text = redacted(commit.body.strip())
    return Memory(
        "",
        title,
        text,
        kind,
        float(commit.authored),
        project_at(folder),
        files=commit.files[:50],
        tags=("commit",),
        more={"salience": SALIENCE_BY_KIND.get(kind, "")},
    )


def _commits(output: str) -> Iterator[Commit]:
    """Yield the commits in the output of `git log`; a record that does not begin with a hash ends
    the list.
    """
    parts = iter(output.split("\0"))
    next(parts)
    # Another null character ends the fields.
    while len(fields := list(islice(parts, len(_FIELDS) + 1))) > len(_FIELDS) and _is_hash(
        fields[0]
    ):
        full_hash, parents, email, authored, subject, body, _ = fields
        names = (name.removeprefix("\n") for name in takewhile(bool, parts))
        texts = (subject.strip(), _without_trailers(body))
        files = tuple(dict.fromkeys(names))
        yield Commit(
            full_hash, tuple(parents.split()), email, int(authored or 0), *texts, files
        )


def _is_hash(text: str) -> bool:
    return bool(_HASH.fullmatch(text))


def _without_trailers(body: str) -> str:
    """Return a body without the trailers at its end, such as `Signed-off-by:`."""
    lines = body.strip().splitlines()
    while lines and _TRAILER.match(lines[-1]):
        lines.pop()
    return "\n".join(lines)


class Counts(NamedTuple):
    """Commits seen, notes made, and notes brought up to date; commits that cannot become notes."""

    seen: int = 0
    stored: int = 0
    updated: int = 0
    skipped: Sequence[str] = ()


class Known(NamedTuple):
    """A commit's note in the vault."""

    path: str
    hash: str
    title: str
    repository: str = ""


class CommitNotes:
    """Plans the notes of a repository's commits in one vault.

    `table` has its notes. With `only_known` the existing notes are updated, and no new ones are
    made.
    """

    def __init__(
        self,
        plan: PlannedChanges,
        vault: Vault,
        table: NoteTable,
        *,
        only_known: bool,
    ) -> None:
        self._plan = plan
        self._zone = vault.zone
        self._inbox = vault.config.of_plugins["inbox"]
        self._mentions = Mentions(table)
        self._only_known = only_known
        self._root = repository_root(vault.working_folder) or vault.working_folder
        self._repository = Repository(self._root)
        self._known: dict[str, list[Known]] = {}
        for metadata in map(table.metadata, table.rows):
            identity = _IDENTITY.match(str(metadata.properties.get(IDENTITY) or ""))
            full_hash = metadata.properties.get(HASH)
            if identity and isinstance(full_hash, str):
                repository = identity["repository"] or ""
                known = Known(metadata.path, full_hash, metadata.title, repository)
                self._known.setdefault(identity["author_key"], []).append(known)

    def capture(self, arguments: list[str]) -> Counts:
        """Make notes of the commits that `git log` lists with these arguments."""
        commits = list(self._repository.commits(*arguments))
        worth = [
            (commit, drafted_commit(commit, kind, self._root))
            for commit in commits
            if (kind := worth_remembering(commit))
        ]
        # A commit that only its identity connects with a note comes last: another may be the note's
        # by hash or title.
        worth.sort(
            key=lambda each: not self._alike(*each) and each[0].author_key in self._known
        )
        new = 0
        updated = 0
        skipped: list[str] = []
        for commit, draft in worth:
            try:
                is_new = self._store(commit, draft)
            except (UneditableError, ValueError) as error:
                # One odd commit must not keep the others from becoming notes.
                skipped.append(f"{commit.hash[:12]} ({error})")
                continue
            new += is_new is True
            updated += is_new is False
        return Counts(len(commits), new, updated, skipped)

    def _alike(self, commit: Commit, draft: Memory) -> list[Known]:
        """Return the notes of a commit's identity that have its hash, or else its title."""
        found = self._known.get(commit.author_key, [])
        same = [
            known for known in found if known.hash == commit.hash or known.title == draft.title
        ]
        return sorted(same, key=lambda known: known.hash != commit.hash)

    def _store(self, commit: Commit, draft: Memory) -> bool | None:
        """Store a commit; return True for a new note, False for an updated one, None if there was
        nothing to do.
        """
        notes = self._known.setdefault(commit.author_key, [])
        is_reachable = self._repository.is_reachable
        ours = [known for known in notes if self._is_ours(known)]
        # Two commits of one author in one second have the same identity; an earlier hash that is
        # still part of the history belongs to another commit.
        others = [known for known in ours if known.hash != commit.hash]
        gone = [known for known in others if not is_reachable(known.hash)]
        alike = [known for known in self._alike(commit, draft) if known in ours]
        # A commit that was rewritten before this process saw it, and whose successor has a note, is
        # left out.
        if len(gone) < len(others) and not is_reachable(commit.hash):
            return None
        if known := next(iter((*alike, *gone)), None):
            if known.hash == commit.hash or not self._update(known, commit, draft):
                return None
            path = known.path
            notes.remove(known)
        elif self._only_known:
            return None
        else:
            name = f"{local_iso(commit.authored, self._zone)[:10]} {draft.title}"
            path = planned(self._plan, self._inbox, name, self._note(draft, commit))
        notes.append(Known(path, commit.hash, draft.title, self._repository.key))
        return known is None

    def _note(self, draft: Memory, commit: Commit, path: str = "") -> bytes:
        """Return a commit's note with its hash, by which a later edit is recognized."""
        repository = f"{self._repository.key}:" if self._repository.key else ""
        identity = f"{repository}{commit.author_key}"
        related = self._mentions.related(draft.title, draft.text, (*commit.files, path))
        date = local_iso(commit.authored, self._zone)
        own = {HASH: commit.hash, IDENTITY: identity}
        raw = composed_of(draft, date, related=related, **own)
        return with_property(raw, GENERATED, hash_of(raw))

    def _update(self, known: Known, commit: Commit, draft: Memory) -> bool:
        """Bring a rewritten commit's note up to date; return whether that was possible."""
        before = self._plan.read(known.path)
        with suppress(UneditableError):
            after = (
                self._note(draft, commit, known.path)
                if _is_as_generated(before)
                else _edited(before, known, commit, draft)
            )
            self._plan.replace(known.path, after)
            return True
        return False

    def _is_ours(self, known: Known) -> bool:
        """Return whether a note is of this repository: by its identity, or because the commit is
        stored here.
        """
        is_same = bool(known.repository) and known.repository == self._repository.key
        return is_same or self._repository.contains(known.hash)


def _is_as_generated(raw: bytes) -> bool:
    """Return whether a note still is as brain wrote it."""
    line = _GENERATED_LINE.search(raw)
    return (
        line is not None
        and hash_of(raw[: line.start()] + raw[line.end() :]).encode() in line[0]
    )


def _edited(before: bytes, known: Known, commit: Commit, draft: Memory) -> bytes:
    """Return an edited note with the new commit's hash; one line says so if brain's text is not
    there unchanged.
    """
    after = with_property(before, HASH, commit.hash)
    if _encoded(f"# {draft.title}\n\n{draft.text}".rstrip() + "\n") in after + b"\n":
        return after
    rewritten = f"The commit was rewritten as {commit.hash[:12]}: {draft.title}\n"
    old = _encoded(rewritten.replace(commit.hash[:12], known.hash[:12]))
    return after.replace(old, b"", 1).rstrip(b"\r\n") + b"\n\n" + _encoded(rewritten)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
