"""Keep one note per commit, also when a commit is amended or rebased.

A note that the user has edited is theirs: when its commit is rewritten, only the hash and the generated text that is
still there as it was written are replaced; otherwise one line at the end names the new commit.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from brain_cli.answer.mentions import Mentions
from brain_cli.index.note_table import NoteTable
from brain_cli.plugins.agents.commits import Commit, Repository, drafted_commit, worth_remembering
from brain_cli.plugins.agents.note_store import Draft, created, note_bytes
from brain_cli.vault.atomic_write import hash_of, read_note, replace_note
from brain_cli.vault.dates import iso
from brain_cli.vault.edit import UneditableError, with_property
from brain_cli.vault.git import project_of, repository_root

# The frontmatter keys that identify a commit's note. An identity is `repository:email@time`; older notes and those of
# a repository that nothing identifies lack the repository.
HASH, IDENTITY = "commit", "commit_id"
_IDENTITY = re.compile(r"(?:(?P<repository>[0-9a-f]{12}):)?(?P<author_key>.+)")
# The hash of the note as it was written, without this line. A note without it counts as edited.
GENERATED = "generated"
_GENERATED_LINE = re.compile(rb"^generated: [\w\"']+\r?\n", re.MULTILINE)


class Counts(NamedTuple):
    """Commits seen, notes made, and notes brought up to date."""

    seen: int = 0
    stored: int = 0
    updated: int = 0

    def with_note(self, is_new: bool | None) -> Counts:
        """Count a commit's note: a new one, an updated one, or none."""
        return self._replace(stored=self.stored + (is_new is True), updated=self.updated + (is_new is False))


class Known(NamedTuple):
    """A commit's note in the vault."""

    path: str
    hash: str
    title: str
    repository: str = ""


class CommitNotes:
    """Makes notes of a repository's commits in one vault; the caller holds the vault's lock.

    `table` has its notes. With `only_known` the existing notes are updated, and no new ones are made.
    """

    def __init__(self, vault: str, inbox: str, folder: str, table: NoteTable, *, only_known: bool = False) -> None:
        self._vault = vault
        self._inbox = inbox
        self._mentions = Mentions(table)
        self._only_known = only_known
        self._root = repository_root(folder) or folder
        self._project = project_of(self._root)
        self._repository = Repository(self._root)
        self._known: dict[str, list[Known]] = {}
        for metadata in map(table.metadata, table.rows):
            identity, full_hash = metadata.properties.get(IDENTITY), metadata.properties.get(HASH)
            if isinstance(identity, str) and isinstance(full_hash, str) and (parts := _IDENTITY.fullmatch(identity)):
                known = Known(metadata.path, full_hash, metadata.title, parts["repository"] or "")
                self._known.setdefault(parts["author_key"], []).append(known)

    def capture(self, arguments: list[str]) -> Counts:
        """Make notes of the commits that `git log` lists with these arguments."""
        counts = Counts()
        # A commit that only its identity connects with a note comes last: another may be the note's by hash or title.
        unsure: list[tuple[Commit, str]] = []
        for commit in self._repository.commits(*arguments):
            kind = worth_remembering(commit)
            counts = counts._replace(seen=counts.seen + 1)
            if kind and self._is_unsure(commit, kind):
                unsure.append((commit, kind))
            elif kind:
                counts = counts.with_note(self._store(commit, kind))
        for commit, kind in unsure:
            counts = counts.with_note(self._store(commit, kind))
        return counts

    def _is_unsure(self, commit: Commit, kind: str) -> bool:
        found = self._known.get(commit.author_key, [])
        title = drafted_commit(commit, kind, self._root).title if found else ""
        return bool(found) and not any(known.hash == commit.hash or known.title == title for known in found)

    def _store(self, commit: Commit, kind: str) -> bool | None:
        """Store a commit; return True for a new note, False for an updated one, None if there was nothing to do."""
        draft = drafted_commit(commit, kind, self._root)
        found = [known for known in self._known.get(commit.author_key, []) if self._is_ours(known)]
        known = self._note_of(commit, draft.title, found)
        if (known is None and self._only_known) or self._is_outdated(commit, found):
            return None
        if known is None:
            name = f"{iso(commit.authored)[:10]} {draft.title}"
            path = created(self._vault, self._inbox, name, self._note(draft, commit))
        elif known.hash == commit.hash or not self._update(known, commit, draft):
            return None
        else:
            path = known.path
            self._known[commit.author_key].remove(known)
        new = Known(path, commit.hash, draft.title, self._repository.key)
        self._known.setdefault(commit.author_key, []).append(new)
        return known is None

    def _note(self, draft: Draft, commit: Commit, path: str = "") -> bytes:
        """Return a commit's note with its hash, by which a later edit is recognized."""
        repository = f"{self._repository.key}:" if self._repository.key else ""
        identity = f"{repository}{commit.author_key}"
        related = self._mentions.related(draft.title, draft.text, (*commit.files, path))
        raw = note_bytes(draft, self._project, related, **{HASH: commit.hash, IDENTITY: identity})
        return with_property(raw, GENERATED, hash_of(raw))

    def _update(self, known: Known, commit: Commit, draft: Draft) -> bool:
        """Bring a rewritten commit's note up to date; return whether that was possible."""
        before = read_note(self._vault, known.path)
        try:
            is_ours = _is_as_generated(before)
            after = self._note(draft, commit, known.path) if is_ours else _edited(before, known, commit, draft)
        except UneditableError:
            return False
        replace_note(self._vault, known.path, before, after)
        return True

    def _is_ours(self, known: Known) -> bool:
        """Return whether a note is of this repository: by its identity, or because the commit is stored here."""
        is_same = bool(known.repository) and known.repository == self._repository.key
        return is_same or self._repository.contains(known.hash)

    def _note_of(self, commit: Commit, title: str, found: list[Known]) -> Known | None:
        """Return the note of this commit under this hash or an earlier one.

        Two commits of one author in one second have the same identity; an earlier hash that is still part of the
        history belongs to another commit.
        """
        same = [known for known in found if known.hash == commit.hash or known.title == title]
        same.sort(key=lambda known: known.hash != commit.hash)
        return next(iter(same), None) or next(
            (known for known in found if not self._repository.is_reachable(known.hash)), None
        )

    def _is_outdated(self, commit: Commit, found: list[Known]) -> bool:
        """Return whether a commit was rewritten before this process saw it, and its successor has a note."""
        is_reachable = self._repository.is_reachable
        others = [known for known in found if known.hash != commit.hash]
        return any(is_reachable(known.hash) for known in others) and not is_reachable(commit.hash)


def _is_as_generated(raw: bytes) -> bool:
    """Return whether a note still is as brain wrote it."""
    line = _GENERATED_LINE.search(raw)
    return line is not None and hash_of(raw[: line.start()] + raw[line.end() :]).encode() in line[0]


def _edited(before: bytes, known: Known, commit: Commit, draft: Draft) -> bytes:
    """Return an edited note with the new commit's hash, in place of the old one where brain's text is unchanged."""
    after = with_property(before, HASH, commit.hash)
    old_hash, new_hash = known.hash[:12], commit.hash[:12]
    rewritten = f"The commit was rewritten as {new_hash}: {draft.title}\n"
    for text in (f"# {draft.title}\n\n{draft.text}\n", rewritten):
        old = _encoded(text.replace(new_hash, old_hash))
        if old in after:
            return after.replace(old, _encoded(text), 1)
    return after.rstrip(b"\r\n") + b"\n\n" + _encoded(rewritten)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
