"""What the commands on a single note share: which note is meant, reading it, and changing it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from brain_cli.cli._workspace import Workspace, library
from brain_cli.errors import BrainError
from brain_cli.index.snapshot import Snapshot
from brain_cli.vault.note_ref import Named, Where, named, named_section
from brain_cli.types import Facts


def note_named(here: Workspace, argument: str) -> str:
    """Return the path of the note that is meant, relative to the vault."""
    return named(argument, _where(here))


def section_named(here: Workspace, argument: str) -> Named:
    """Return the note that is meant, and the heading or line in it."""
    return named_section(argument, _where(here))


def _where(here: Workspace) -> Where:
    # A path is found without the index; only a name asks it, and once.
    return Where(here.vault, here.folder, cache(lambda: library(here).ask(_all_facts)))


def _all_facts(snapshot: Snapshot) -> tuple[Facts, ...]:
    return tuple(map(snapshot.catalogue.facts, snapshot.catalogue.rows))


class Opened(NamedTuple):
    """A note as it is in its file at this moment: its bytes, and what they say of it."""

    raw: bytes
    facts: Facts


def opened(here: Workspace, path: str) -> Opened:
    """Read a note from its file; BrainError in a sentence when that cannot be done."""
    from brain_cli.vault.decode import decode
    from brain_cli.vault.note import parse_note
    from brain_cli.vault.atomic_write import read_note

    with explained(path):
        raw = read_note(here.vault, path)
        modified = os.stat(os.path.join(here.vault, path)).st_mtime
    return Opened(raw, parse_note(path, decode(raw).text, modified, here.config.archive_folders).facts)


def edit(here: Workspace, path: str, change: Callable[[bytes], bytes]) -> None:
    """Change the bytes of a note; BrainError in a sentence when that cannot be done."""
    from brain_cli.vault.edit import UneditableError
    from brain_cli.vault.atomic_write import read_note, replace_note

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
