"""Keep one note per commit, also when a commit is amended or rebased."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from brain_cli.capture.commits import Commit, commits, drafted_commit, worth_remembering
from brain_cli.capture.named_tags import NO_TAGS, KnownTags, with_named_tags
from brain_cli.capture.note_store import note_bytes
from brain_cli.vault.atomic_write import create_note, read_note, replace_note
from brain_cli.vault.create import file_names
from brain_cli.vault.git_command import git_command, git_environment, git_program
from brain_cli.vault.iso_dates import iso
from brain_cli.vault.project import project_of, repository_root

Properties = Mapping[str, str | list[str]]
# The frontmatter keys that identify a commit's note.
HASH, IDENTITY = "commit", "commit_id"


class Counts(NamedTuple):
    """Commits seen, notes made, and notes brought up to date."""

    seen: int = 0
    stored: int = 0
    updated: int = 0


class Known(NamedTuple):
    """A commit's note in the vault."""

    path: str
    hash: str
    title: str


class CommitNotes:
    """Makes notes of a repository's commits in one vault; the caller holds the vault's lock.

    With `only_known` it updates the existing notes and makes no new ones.
    """

    def __init__(
        self, vault: str, inbox: str, folder: str, *, only_known: bool = False, known_tags: KnownTags = NO_TAGS
    ) -> None:
        self._vault = vault
        self._inbox = inbox
        self._only_known = only_known
        self._known_tags = known_tags
        self._root = repository_root(folder) or folder
        self._known: dict[str, list[Known]] = {}

    def capture(self, arguments: list[str], notes: Iterable[tuple[str, Properties]]) -> Counts:
        """Make notes of the commits that `git log` lists with these arguments; `notes` are those in the vault."""
        for path, properties in notes:
            identity, full_hash = properties.get(IDENTITY), properties.get(HASH)
            if isinstance(identity, str) and isinstance(full_hash, str):
                self._add_known(identity, Known(path, full_hash, str(properties.get("title", ""))))
        counts = Counts()
        for commit in commits(self._root, *arguments):
            kind = worth_remembering(commit)
            counts = counts._replace(seen=counts.seen + 1)
            if kind:
                is_new = self._store(commit, kind)
                counts = counts._replace(
                    stored=counts.stored + (is_new is True), updated=counts.updated + (is_new is False)
                )
        return counts

    def _store(self, commit: Commit, kind: str) -> bool | None:
        """Store a commit; return True for a new note, False for an updated one, None if there was nothing to do."""
        draft = with_named_tags(drafted_commit(commit, kind, self._root), self._known_tags)
        raw = note_bytes(draft, project_of(self._root), **{HASH: commit.hash, IDENTITY: commit.identity})
        known = self._note_of(commit, draft.title)
        if (known is None and self._only_known) or self._is_outdated(commit):
            return None
        if known is None:
            self._add_known(commit.identity, Known(self._create(draft.title, commit, raw), commit.hash, draft.title))
            return True
        if known.hash == commit.hash:
            return None
        replace_note(self._vault, known.path, read_note(self._vault, known.path), raw)
        self._known[commit.identity].remove(known)
        self._add_known(commit.identity, Known(known.path, commit.hash, draft.title))
        return False

    def _note_of(self, commit: Commit, title: str) -> Known | None:
        """Return the note of this commit under this hash or an earlier one.

        Two commits of one author in one second have the same identity; an earlier hash that is still part of the
        history belongs to another commit.
        """
        found = self._known.get(commit.identity, [])
        same = [known for known in found if known.hash == commit.hash or known.title == title]
        return next(iter(same), None) or next((known for known in found if not self._is_reachable(known.hash)), None)

    def _is_outdated(self, commit: Commit) -> bool:
        """Return whether a commit was rewritten before this process saw it, and its successor has a note."""
        others = [known for known in self._known.get(commit.identity, []) if known.hash != commit.hash]
        return any(self._is_reachable(known.hash) for known in others) and not self._is_reachable(commit.hash)

    def _is_reachable(self, full_hash: str) -> bool:
        command = [*git_command(git_program() or "git", self._root), "merge-base", "--is-ancestor", full_hash, "HEAD"]
        done = subprocess.run(
            command, capture_output=True, check=False, stdin=subprocess.DEVNULL, env=git_environment()
        )
        return done.returncode == 0

    def _create(self, title: str, commit: Commit, raw: bytes) -> str:
        for name in file_names(f"{iso(commit.authored)[:10]} {title}"):
            path = os.path.join(self._inbox, f"{name}.md")
            try:
                create_note(self._vault, path, raw)
            except FileExistsError:
                continue
            return path
        raise AssertionError("file names never end")

    def _add_known(self, identity: str, known: Known) -> None:
        self._known.setdefault(identity, []).append(known)
