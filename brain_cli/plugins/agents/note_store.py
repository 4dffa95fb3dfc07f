"""Draft notes of observations, and write them. A draft that repeats a note of the last hour is
counted on that note.

A kind is what the author called it, never guessed from code.
"""

from __future__ import annotations

import contextlib
import ntpath
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import PureWindowsPath
from types import MappingProxyType

from brain_cli.answer.links import Mentions, named_files
from brain_cli.answer.repeated import named_alike
from brain_cli.cli.synthesis import OwnModelError, answer_of
from brain_cli.errors import BrainError
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.edit import editing, make_change
from brain_cli.library.memories import composed_of
from brain_cli.library.vault import Vault
from brain_cli.plugins.agents.agent_table import ANSWERING, ASKING
from brain_cli.plugins.agents.hook_log import log_use
from brain_cli.plugins.agents.observation import (
    PROMPT,
    Observation,
    answers_of,
)
from brain_cli.plugins.agents.typed import orders_to_remember
from brain_cli.streams import say
from brain_cli.types import Memory
from brain_cli.vault.atomic_write import hash_of
from brain_cli.vault.change_journal import HOOK, ChangeSet, PlannedChanges
from brain_cli.vault.clock import local_iso
from brain_cli.vault.edit import (
    SALIENCE_BY_KIND,
    UneditableError,
    file_names,
    first_sentence,
    with_property,
)
from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.git import below_root, project_of
from brain_cli.vault.secrets import redacted

MODEL_SECONDS = 120.0
CAPTURED = "captured"
HANDOFF = "handoff"
HANDOFF_FOLDER = "handoff"
MAX_ANSWER_CHARS = 4_000
# What the user ordered or answered matters more than an ordinary note, which has .5.
ORDERED = "0.8"
# “Decision: we keep carts in Redis.” The kinds are those of notes.
_NAMED_KIND = re.compile(
    r"(decision|preference|learning|bugfix|feature|refactor|problem|milestone|todo|question|"
    r"research)s?:\s+(?=\S)",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:we|I|they) (?:have )?(?:decided|chose|agreed|will use|switched)\b", re.IGNORECASE
)
_SENTENCES = re.compile(r"[^.!?\n]{25,}[.!?](?=\s|$)")


def own_draft(each: Observation) -> Memory | None:
    """Return the draft of what deserves a note of its own, also beside that of its session; None
    for all else.
    """
    tool = each.tool.casefold()
    text = each.response.strip()
    if each.event == PROMPT:
        order = orders_to_remember(each.prompt)
        return (
            _draft(each, *kind_and_title(order, "preference"), each.prompt.strip(), ORDERED)
            if order
            else None
        )
    if tool == ASKING:
        answers = answers_of(text)
        return (
            _draft(each, "decision", answers[0], "\n".join(answers), ORDERED)
            if answers
            else None
        )
    if tool in ANSWERING and len(_SENTENCES.findall(text)) >= 2:
        text = (
            text
            if len(text) <= MAX_ANSWER_CHARS
            else f"{text[:MAX_ANSWER_CHARS].rsplit(' ', 1)[0]} …"
        )
        return _draft(each, "discovery", first_sentence(each.title or each.input), text)
    if tool or each.ends_session:
        return None
    kind, title = kind_and_title(each.response, "observation")
    return _draft(each, kind, title or "Observation", each.response)


def _draft(each: Observation, kind: str, title: str, text: str, salience: str = "") -> Memory:
    return Memory(
        "",
        title,
        text,
        kind,
        each.at,
        project_at(each.folder),
        each.session,
        relative(each.files, each.folder),
        (CAPTURED,),
        more={"salience": salience or SALIENCE_BY_KIND.get(kind, "")},
    )


def project_at(folder: str) -> str:
    """Return the project of a folder, if it is known and in one."""
    return (project_of(folder) if os.path.isabs(folder) else None) or ""


def kind_and_title(text: str, otherwise: str) -> tuple[str, str]:
    """Return the kind that a text names, or else what it says is decided, and its first
    sentence.
    """
    named = _NAMED_KIND.match(text)
    kind = named[1].lower() if named else "decision" if _DECIDED.search(text) else otherwise
    return kind, first_sentence(text[named.end() :] if named else text)


def relative(files: Iterable[str], folder: str) -> tuple[str, ...]:
    """Return files as paths from the root of the repository that `folder` is in; files outside it
    stay absolute. A session may have been on Windows.
    """
    if not ntpath.splitdrive(folder)[0]:
        return tuple(below_root(file, folder) for file in files)
    root = PureWindowsPath(folder)
    paths = [root / file for file in files]
    below = [path.relative_to(root) if path.is_relative_to(root) else path for path in paths]
    return tuple(path.as_posix() for path in below)


class NoteStore:
    """The captured notes of one vault."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self._settings = vault.config.of_plugins
        self._inbox = self._settings["inbox"]

    @property
    def sessions(self) -> str:
        """Return the folder of what is known of each session."""
        name = f"{self.vault.index_directory.folder.name}.sessions"
        return os.path.join(self.vault.state_home, "brain", "capture", name)

    def handoff_of(self, session: str) -> str:
        """Return what the user's own model makes of a session; empty without one, and if it fails,
        which is said.
        """
        command = self._settings["capture.command"]
        try:
            return redacted(answer_of(command, session, MODEL_SECONDS)) if command else ""
        except OwnModelError as error:
            say(f"capture.command {error}; the note quotes the session instead.")
            return ""

    def store(self, draft: Memory, folder: str = "") -> str:
        """Write a draft as a note, or count it on a note of the last hour with the same meaning;
        return its path.

        A note that was written before a crash is not counted on.
        """
        draft = draft._replace(
            files=draft.files or tuple(named_files(draft.text, folder, self.vault.folder))
        )
        path, related = self._known(draft, draft.files)
        raw = composed_of(draft, self._at(draft), related=related)
        with self._changing() as plan:
            if not path:
                return planned(plan, self._inbox, f"{self._at(draft)[:10]} {draft.title}", raw)
            if plan.read(path) != raw:
                _count(draft, path, plan, self._at(draft))
            return path

    def store_handoff(self, draft: Memory, hashes: dict[str, str]) -> None:
        """Write the handoff note of a session, replacing its earlier one.

        A note that the user has changed since is kept, and a second one is written. `hashes` are
        those of the notes written for this session, by path; that of this one is added.
        """
        related = self._known(draft, (*draft.files, *hashes))[1]
        raw = composed_of(draft, self._at(draft), related=related)
        with self._changing() as plan:
            name = f"session {draft.session[:36] or self._at(draft)}"
            path = planned(plan, HANDOFF_FOLDER, name, raw, hashes)
        hashes[path] = hash_of(raw)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[PlannedChanges]:
        """Make what is planned in this block, and log it."""
        with keeping(self.vault, "capture") as plan:
            yield plan
        uses = ({"kept": each.path} for each in plan.changes)
        log_use(os.path.dirname(self.sessions), time.time(), *uses)

    def _at(self, draft: Memory) -> str:
        """Return the time of a draft on the calendar of the vault."""
        return local_iso(draft.at or 0.0, self.vault.zone)

    def _known(self, draft: Memory, without: Collection[str]) -> tuple[str, list[str]]:
        """Return the path of the note that a draft repeats, else "", and links to the notes that it
        names.

        The links omit the paths `without`. Without an index nothing is known.
        """

        def ask(snapshot: Snapshot) -> tuple[str, list[str]]:
            alike = named_alike(
                snapshot, draft.title, draft.project or None, draft.at or 0.0
            ).values()
            captured = (
                each.path for each in alike if CAPTURED in each.tags and each.kind != HANDOFF
            )
            related = Mentions(snapshot.note_table).related(draft.title, draft.text, without)
            return next(captured, ""), related

        with contextlib.suppress(BrainError, OSError):
            return self.vault.ask(ask)
        return "", []


@contextlib.contextmanager
def keeping(vault: Vault, command: str) -> Iterator[PlannedChanges]:
    """Make what is planned in this block, as one change that can be undone."""
    with editing(vault):
        plan = PlannedChanges(vault.folder)
        yield plan
        if plan.changes:
            change_set = ChangeSet(command, plan.changes, vault.now, author=HOOK)
            make_change(vault, change_set)


def _count(draft: Memory, path: str, plan: PlannedChanges, at: str) -> None:
    """Count a repetition on an existing note, and append the draft's text if the note lacks it."""
    before = plan.read(path)
    after = before
    if " ".join(draft.text.split()) not in " ".join(before.decode("utf-8", "replace").split()):
        addition = f"\n## {at[11:16]} {draft.title}\n\n{draft.text}\n"
        after = before.rstrip(b"\n") + b"\n" + addition.encode("utf-8", "surrogateescape")
    count = split_head(before.decode("utf-8", "replace")).properties.get("duplicates", "1")
    number = int(count) if isinstance(count, str) and count.isdecimal() else 1
    with contextlib.suppress(UneditableError):
        plan.replace(path, with_property(after, "duplicates", str(number + 1)))


def planned(
    plan: PlannedChanges,
    folder: str,
    name: str,
    raw: bytes,
    hashes: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Plan a note under a free name, or in place of one that has its hash in `hashes`; return its
    path.

    The same note, written before a crash, is kept; no other is overwritten.
    """
    for path in (os.path.join(folder, f"{each}.md") for each in file_names(name)):
        try:
            plan.create(path, raw)
        except FileExistsError:
            before = plan.read(path)
            if before != raw and hash_of(before) != hashes.get(path):
                continue
            plan.replace(path, raw)
        return path
    raise AssertionError("file names never end")
