"""What the commands on a single note share: which note is meant, its edit, and saying what was done."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, NamedTuple

import typer

from brain_cli.commands.completing import NOTE
from brain_cli.commands.options import shared
from brain_cli.commands.setting import CONTROL_CHARACTERS, Setting, library, say, setting, write
from brain_cli.errors import BrainError
from brain_cli.recall.named import Named, Where, named, named_section
from brain_cli.types import Facts

NoteArgument = Annotated[
    str, typer.Argument(metavar="NOTE", click_type=NOTE, help="A path, a title, an alias or a file name.")
]
SectionArgument = Annotated[
    str, typer.Argument(metavar="NOTE[#HEADING]", click_type=NOTE, help="A note, or a section of it.")
]


class Given(NamedTuple):
    """The options that every one of these commands takes."""

    vault: str | None
    now: str | None
    json: bool

    @classmethod
    def of(cls, context: typer.Context, vault: str | None, now: str | None, json: bool) -> Given:
        return cls(shared(context, "vault", vault), shared(context, "now", now), shared(context, "json", json))

    def setting(self) -> Setting:
        return setting(self.vault, self.now, {})

    def again(self, *words: str) -> str:
        """Return a command line for the same vault, to be typed as it is."""
        vault = ["--vault", self.vault] if self.vault else []
        return shlex.join(["brain", *words, *vault])

    def report(self, did: str, document: Mapping[str, Any], undo: str = "") -> None:
        """Say on stdout what was done, in one line or as JSON, and on stderr how to undo it."""
        if self.json:
            write(json.dumps({"version": 1, **document}, indent=2) + "\n")
        else:
            write(did.translate(CONTROL_CHARACTERS) + "\n")
        if undo:
            say(f"To undo: {undo}")


def note_named(here: Setting, argument: str) -> str:
    """Return the path of the note that is meant, relative to the vault."""
    return named(argument, _where(here))


def section_named(here: Setting, argument: str) -> Named:
    """Return the note and the heading that are meant."""
    return named_section(argument, _where(here))


def _where(here: Setting) -> Where:
    # A path is found without the index; only a name asks it, and once.
    return Where(here.vault, here.folder, cache(lambda: library(here).ask(lambda snapshot: _all(snapshot.catalogue))))


def _all(catalogue: Any) -> tuple[Facts, ...]:
    return tuple(map(catalogue.facts, catalogue.rows))


class Opened(NamedTuple):
    """A note as it is in its file at this moment: its bytes, and what they say of it."""

    raw: bytes
    facts: Facts


def opened(here: Setting, path: str) -> Opened:
    """Read a note from its file."""
    from brain_cli.notes.decode import decode
    from brain_cli.notes.parse import parse_note
    from brain_cli.notes.write import read_note

    with explained(path):
        raw = read_note(here.vault, path)
        modified = os.stat(os.path.join(here.vault, path)).st_mtime
    return Opened(raw, parse_note(path, decode(raw).text, modified, here.config.archive_folders).facts)


def edited(here: Setting, path: str, change: Callable[[bytes], bytes]) -> None:
    """Change the bytes of a note; BrainError in a sentence when that cannot be done."""
    from brain_cli.notes.edit import UneditableError
    from brain_cli.notes.write import read_note, replace_note

    with explained(path):
        before = read_note(here.vault, path)
        try:
            after = change(before)
        except UneditableError as error:
            raise BrainError(f"{path} was left as it is: {error}.", "Change it by hand: brain open.") from None
        if after != before:
            replace_note(here.vault, path, before, after)


@contextlib.contextmanager
def explained(path: str) -> Iterator[None]:
    """Turn what the file system refuses into a sentence."""
    try:
        yield
    except OSError as error:
        what = error.filename or path
        raise BrainError(f"{what}: {error.strerror or error}.", "Nothing of it was changed.") from None
