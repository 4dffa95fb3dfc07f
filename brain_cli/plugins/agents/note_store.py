"""Write drafts as notes in the vault. A draft that repeats a note of the last hour is counted on that note."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from typing import NamedTuple

from brain_cli.answer.mentions import named_files
from brain_cli.history.log import Event
from brain_cli.paths import make_private_folder
from brain_cli.plugins.agents.draft import Draft
from brain_cli.vault.atomic_write import create_note, hash_of, read_note, replace_file, replace_note, vault_lock
from brain_cli.vault.create import SALIENCE_BY_KIND, composed, file_names
from brain_cli.vault.dates import iso
from brain_cli.vault.edit import UneditableError, Value, with_property
from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.git import project_of
from brain_cli.vault.repetition import REPEAT_SECONDS, says_the_same


class Recent(NamedTuple):
    """A recently captured note. `keys` are the keys of its drafts, so that no draft is counted twice."""

    title: str
    project: str
    at: float
    path: str
    keys: tuple[str, ...]


class NoteStore:
    """The captured notes of one vault: `inbox` is the folder of new ones, `state` a file in the user's state folder.

    `record` adds events to the history of the vault; `handoff_of` returns the handoff that the user's own model writes,
    empty if it writes none. `related` returns links to the notes that a title and a text name, but for some paths.
    """

    def __init__(
        self,
        vault: str,
        inbox: str,
        state: str,
        record: Callable[[list[Event]], None] = lambda _: None,
        handoff_of: Callable[[str], str] = lambda _: "",
        related: Callable[[str, str, Collection[str]], list[str]] = lambda *_: [],
    ) -> None:
        self.vault = vault
        self.record = record
        self.handoff_of = handoff_of
        self._related = related
        self._inbox = inbox
        self._state = state
        self._projects: dict[str, str | None] = {}

    def store(self, draft: Draft) -> tuple[str, bool]:
        """Write a draft as a note, or count it on a note of the last hour with the same meaning.

        Return the path of the note, and whether it is new. Storing the same draft again, for example after a crash,
        changes nothing.
        """
        project = self._project_of(draft.folder)
        files = draft.files or tuple(named_files(draft.text, draft.folder, self.vault))
        raw = note_bytes(draft._replace(files=files), project, self._related(draft.title, draft.text, files))
        with vault_lock(self.vault):
            recent = [each for each in self._recent() if draft.at - each.at <= REPEAT_SECONDS]
            done = next((each for each in recent if draft.key in each.keys), None)
            if done:
                return done.path, False
            repeated = next((each for each in reversed(recent) if self._repeats(draft, project or "", each)), None)
            name = f"{iso(draft.at)[:10]} {draft.title}"
            path = self._count(draft, repeated) if repeated else created(self.vault, self._inbox, name, raw)
            keys = (*repeated.keys, draft.key) if repeated else (draft.key,)
            kept = [each for each in recent if each is not repeated]
            self._remember([*kept, Recent(draft.title, project or "", draft.at, path, keys)])
        return path, repeated is None

    def store_handoff(self, draft: Draft, folder: str, hashes: dict[str, str]) -> str:
        """Write the handoff note of a session, replacing its earlier one; return its path.

        A note that the user has changed since is kept, and a second one is written. `hashes` are those of the notes
        written for this session, by path; that of this one is added.
        """
        related = self._related(draft.title, draft.text, (*draft.files, *hashes))
        raw = note_bytes(draft, self._project_of(draft.folder), related)
        with vault_lock(self.vault):
            names = (f"{name}.md" for name in file_names(f"session {draft.session[:36] or iso(draft.at)}"))
            paths = (os.path.join(folder, name) for name in names)
            path = next(path for path in paths if self._put(path, raw, hashes.get(path, "")))
            hashes[path] = hash_of(raw)
            return path

    @property
    def sessions(self) -> str:
        """Return the folder of what is known of each session."""
        return f"{self._state}.sessions"

    def _put(self, path: str, raw: bytes, last_hash: str) -> bool:
        """Write a note, unless the user has changed it since `last_hash`; return whether it now has this content."""
        try:
            create_note(self.vault, path, raw)
        except FileExistsError:
            before = read_note(self.vault, path)
            if before != raw and hash_of(before) != last_hash:
                return False
            if before != raw:
                replace_note(self.vault, path, before, raw)
        return True

    def _project_of(self, folder: str) -> str | None:
        """Return the project of a folder, looking it up once."""
        if folder not in self._projects:
            self._projects[folder] = project_of(folder) if folder else None
        return self._projects[folder]

    def _repeats(self, draft: Draft, project: str, recent: Recent) -> bool:
        return (
            recent.project == project
            and draft.at - recent.at >= 0
            and says_the_same(draft.title, recent.title)
            and os.path.isfile(os.path.join(self.vault, recent.path))
        )

    def _count(self, draft: Draft, repeated: Recent) -> str:
        """Count a repetition on the existing note, and append the draft's text if the note lacks it."""
        before = read_note(self.vault, repeated.path)
        after = before
        if " ".join(draft.text.split()) not in " ".join(before.decode("utf-8", "replace").split()):
            addition = f"\n## {iso(draft.at)[11:16]} {draft.title}\n\n{draft.text}\n"
            after = before.rstrip(b"\n") + b"\n" + addition.encode("utf-8", "surrogateescape")
        count = split_head(before.decode("utf-8", "replace")).properties.get("duplicates", "1")
        number = int(count) if isinstance(count, str) and count.isdecimal() else 1
        try:
            after = with_property(after, "duplicates", str(number + 1))
        except UneditableError:
            return repeated.path
        replace_note(self.vault, repeated.path, before, after)
        return repeated.path

    def _recent(self) -> list[Recent]:
        try:
            with open(self._state, encoding="utf-8") as file:
                return [Recent._make((*fields[:4], tuple(fields[4]))) for fields in json.load(file)]
        except (OSError, ValueError, TypeError, IndexError):
            return []

    def _remember(self, recent: list[Recent]) -> None:
        make_private_folder(os.path.dirname(self._state))
        replace_file(self._state, json.dumps(recent).encode(), durable=False)


def created(vault: str, folder: str, name: str, raw: bytes) -> str:
    """Write a new note and return its path. The same note, written before a crash, is kept; no other is overwritten."""
    for path in (os.path.join(folder, f"{each}.md") for each in file_names(name)):
        try:
            create_note(vault, path, raw)
        except FileExistsError:
            if read_note(vault, path) != raw:
                continue
        return path
    raise AssertionError("file names never end")


def note_bytes(draft: Draft, project: str | None, related: list[str], **more: Value) -> bytes:
    """Return a draft as the bytes of a note."""
    properties: dict[str, Value | None] = {
        "type": draft.kind,
        "date": iso(draft.at),
        "project": project,
        "session": draft.session or None,
        "files": list(draft.files) or None,
        "tags": list(draft.tags) or None,
        "salience": draft.salience or SALIENCE_BY_KIND.get(draft.kind),
        "related": related,
        **more,
    }
    return composed(draft.title, draft.text, {k: v for k, v in properties.items() if v}, heading=True)
