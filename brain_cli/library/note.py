"""Find the note or section that an argument names, read it, and change it.

The last answer of each terminal is kept, its paths alone, so that `brain show 1` and `brain open`
mean a note of it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from brain_cli.errors import UsageError, did_you_mean, explained
from brain_cli.history.log import Mention
from brain_cli.index.snapshot import Snapshot
from brain_cli.paths import make_private_folder, state_home
from brain_cli.process import command_context
from brain_cli.types import Fragment, NoteMetadata, Strategy
from brain_cli.vault.atomic_write import hash_of
from brain_cli.vault.resolve import NameScope, NoteRef

if TYPE_CHECKING:
    from brain_cli.answer.results import Recall
    from brain_cli.library.vault import Vault
    from brain_cli.vault.sections import Section

Answer = TypeVar("Answer")
# The parts of the file of a last answer are separated by this, because a path may contain a
# newline.
END = "\0"


def note_named(vault: Vault, argument: str) -> str:
    """Return the path of the named note, relative to the vault, or of the note with a number in the
    last answer.
    """
    try:
        return _scope(vault).note(argument)
    except UsageError as unknown:
        return _numbered(vault, argument, unknown)


def note_and_section(vault: Vault, argument: str) -> NoteRef:
    """Return the named note, and the heading or line in it."""
    return _scope(vault).section(argument)


def keep_answer(vault: Vault, recall: Recall, most: int = 0) -> None:
    """Keep the paths of an answer that lists at most so many, in the order of their numbers; one
    strong match is number 1.
    """
    file = _file()
    if not file or not vault.files:
        return
    paths = [each.metadata.path for each in recall.listed(most)]
    if recall.strategy is Strategy.SINGLE_STRONG:
        paths = [recall.answer.metadata.path, *(each.path for each in recall.related)]
    # Without it, a note has to be named.
    with contextlib.suppress(OSError):
        make_private_folder(os.path.dirname(file))
        with open(file, "w", encoding="utf-8", errors="surrogateescape", newline="") as answer:
            answer.write(END.join((vault.folder, *paths)))


def note_or_number(vault: Vault, argument: str) -> NoteRef:
    """Return the named note, or that with a number in the last answer of this terminal if no note
    has that name.
    """
    try:
        return note_and_section(vault, argument)
    except UsageError as unknown:
        return NoteRef(_numbered(vault, argument, unknown))


def _numbered(vault: Vault, argument: str, unknown: UsageError) -> str:
    """Return the path of a note by its number in the last answer of this terminal; raise `unknown`
    for no number.
    """
    if not argument.isdecimal():
        raise unknown
    if not _file():
        only = "A number names a note of the last answer on a terminal only."
        raise UsageError(unknown.message, f"{only} {unknown.hint}")
    folder, *paths = _kept()
    if folder != vault.folder or not paths:
        raise UsageError(
            f"There is no note “{argument}”, and no answer on this terminal from this vault.",
            "Ask first: brain remember “why grpc”.",
        )
    if not 1 <= int(argument) <= len(paths):
        raise UsageError(
            f"The last answer has no note {argument}.", f"It has 1 to {len(paths)}."
        )
    return paths[int(argument) - 1]


def _kept() -> list[str]:
    """Return the vault of the last answer and its paths; an empty name for the vault if there is
    none.
    """
    try:
        with open(_file(), encoding="utf-8", errors="surrogateescape", newline="") as answer:
            return answer.read().split(END)
    except OSError:
        return [""]


def _file() -> str:
    """Return the file of this terminal's last answer; empty off a terminal."""
    context = command_context()
    name = context.terminal.strip("/").replace("/", "-")
    return name and os.path.join(state_home(context.environ), "brain", "answers", name)


class NamedNote:
    """The note that an argument names, and the heading or line in it."""

    def __init__(self, vault: Vault, argument: str) -> None:
        self.vault = vault
        self._argument = argument

    @cached_property
    def ref(self) -> NoteRef:
        """The path, and the heading or line."""
        return note_or_number(self.vault, self._argument)

    @property
    def path(self) -> str:
        return self.ref.path

    def opened(self) -> Opened:
        """Return its text, as its file has it, and its metadata."""
        return opened(self.vault, self.path)

    def file(self) -> str:
        """Return a file to look at: its own if that is here, else a copy that cannot be written."""
        return os.path.join(self.vault.source, self.path)

    def ask(self, question: Callable[[Snapshot, str], Answer]) -> Answer:
        """Answer a question about it from a snapshot that has it, at the path that the question is
        given.
        """
        return self.vault.ask(lambda snapshot: question(snapshot, self.path))


class SharedNote(Protocol):
    """A note that is not a file on this machine, which its own methods change."""

    def append(self, section: str) -> str:
        """Add a section at its end; return its path."""
        ...

    def archive(self, *, archived: bool) -> tuple[str, bool]:
        """Archive or restore it; return its path, and whether that changes anything."""
        ...

    def pin(self, *, pinned: bool) -> tuple[str, bool]:
        """Pin or unpin it for this user; return its path, and whether that changes anything."""
        ...

    def record(self, event: str, value: str) -> str:
        """Record an event of it in the user's history; return its path."""
        ...


def _scope(vault: Vault) -> NameScope:
    folder = vault.working_folder
    if vault.past:
        below = os.path.relpath(folder, vault.folder)
        folder = vault.past if below.startswith("..") else os.path.join(vault.past, below)
    # A path needs no index; a name needs it once.
    return NameScope(vault.source, folder, cache(vault.notes))


class Opened(NamedTuple):
    """The bytes and metadata of a note, just read from its file."""

    raw: bytes
    metadata: NoteMetadata

    @property
    def mention(self) -> Mention:
        """The note as events name it."""
        return Mention(self.metadata.path, hash_of(self.raw), self.metadata.timestamp)


def opened(vault: Vault, path: str) -> Opened:
    """Read a note from its file; BrainError if that fails."""
    from brain_cli.vault.atomic_write import read_note
    from brain_cli.vault.decode import decode
    from brain_cli.vault.note import parse_note

    with explained(path):
        raw = read_note(vault.source, path)
        modified = os.stat(os.path.join(vault.source, path)).st_mtime
    return Opened(
        raw, parse_note(path, decode(raw).text, modified, vault.config.archive_folders).metadata
    )


def section_of(text: str, path: str, heading: str) -> Section:
    """Return the section with a heading; UsageError if the note has no such heading."""
    from brain_cli.vault.sections import section_named, sections

    found = section_named(text, heading)
    if found is None:
        known = [section.trail[-1] for section in sections(text)]
        hint = did_you_mean(heading, known) if known else "It has no headings at all."
        raise UsageError(f"{path} has no heading “{heading}”.", hint)
    return found


def section_at(text: str, line: int) -> Section | None:
    """Return the innermost section that holds a line of the file; None above the first heading."""
    from brain_cli.vault.sections import sections

    holding = [section for section in sections(text) if section.line <= line < section.end]
    return holding[-1] if holding else None


def text_of(fragments: Iterable[Fragment], above: tuple[str, ...] = ()) -> str:
    """Return the text of some sections with their headings; those `above` are left out."""
    parts: list[str] = []
    for each in fragments:
        level = 0
        while above[level : level + 1] == each.trail[level : level + 1] != ():
            level += 1
        parts += [
            f"{'#' * (level + number)} {heading}"
            for number, heading in enumerate(each.trail[level:], start=1)
        ]
        parts += [each.text] if each.text else []
        above = each.trail
    return "\n\n".join(parts).rstrip("\n") + "\n"
