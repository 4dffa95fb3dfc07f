"""Read the note, or the section of it, that an argument names."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from brain_cli.errors import UsageError, did_you_mean, explained
from brain_cli.files import read_beginning
from brain_cli.history.log import Mention
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.names import note_or_number
from brain_cli.types import NoteMetadata
from brain_cli.vault.atomic_write import hash_of, read_note
from brain_cli.vault.decode import as_read, decode, lines_of, round_trip_text
from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.note import parse_note
from brain_cli.vault.resolve import NoteRef
from brain_cli.vault.sections import Section, section_named, sections

if TYPE_CHECKING:
    from brain_cli.library.vault import Vault

Answer = TypeVar("Answer")
# The index reads at most this much of a note, too.
MAX_SHOWN_BYTES = 64 * 1024 * 1024


class NotePart(NamedTuple):
    """A note, or one `section` of it: its bytes, its text below the frontmatter, and the line where
    that begins.
    """

    metadata: NoteMetadata
    raw: bytes
    text: str
    line: int
    section: Section | None = None


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

    def part(self) -> NotePart:
        """Return a note, or the section of it that its argument names."""
        raw, metadata, _ = self.opened()
        path, heading, line = self.ref
        text = as_read(raw)
        # The innermost section that holds the line is the last one.
        parts = reversed(sections(text))
        holding = (each for each in parts if line and each.line <= line < each.end)
        section = section_of(text, path, heading) if heading else next(holding, None)
        if not section:
            start = split_head(text).body_start
            return NotePart(metadata, raw, text[start:], 1 + text.count("\n", 0, start))
        lines = slice(section.line - 1, section.end - 1)
        # The bytes of a file that cannot be read without loss are not cut.
        with contextlib.suppress(ValueError):
            file = round_trip_text(raw)
            raw = file.write("".join(lines_of(file.text)[lines]))
        body = "\n".join(text.split("\n")[lines]) + "\n"
        return NotePart(metadata, raw, body, section.line, section)

    def file(self) -> str:
        """Return a file to look at: its own if that is here, else a copy that cannot be written."""
        return os.path.join(self.vault.source, self.path)

    def ask(self, question: Callable[[Snapshot, str], Answer]) -> Answer:
        """Answer a question about it from a snapshot that has it, at the path that the question is
        given.
        """
        return self.vault.ask(lambda snapshot: question(snapshot, self.path))


class Opened(NamedTuple):
    """The bytes and metadata of a note, just read, and the hash of its content."""

    raw: bytes
    metadata: NoteMetadata
    content_hash: str

    @property
    def mention(self) -> Mention:
        """The note as events name it."""
        return Mention(self.metadata.path, self.content_hash, self.metadata.timestamp)


def opened(vault: Vault, path: str) -> Opened:
    """Read a note from its file; BrainError if that fails."""
    with explained(path):
        raw = read_note(vault.source, path)
        modified = os.stat(os.path.join(vault.source, path)).st_mtime
    note = parse_note(path, decode(raw).text, modified, vault.config.archive_folders)
    return Opened(raw, note.metadata, hash_of(raw))


def section_of(text: str, path: str, heading: str) -> Section:
    """Return the section with a heading; UsageError if the note has no such heading."""
    found = section_named(text, heading)
    if found is None:
        known = [section.trail[-1] for section in sections(text)]
        hint = did_you_mean(heading, known) if known else "It has no headings at all."
        raise UsageError(f"{path} has no heading “{heading}”.", hint)
    return found


def body_of(file: str) -> str:
    """Return the text of a note below its frontmatter, given its file."""
    try:
        text = as_read(read_beginning(file, MAX_SHOWN_BYTES, os.O_NOFOLLOW))
    except OSError as error:
        return f"(The note cannot be read any more: {error.strerror}.)"
    return text[split_head(text).body_start :]
