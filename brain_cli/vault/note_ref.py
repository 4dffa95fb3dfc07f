"""Find the note that a command line names: by its path, in the vault or from the working folder, else by its name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from brain_cli.errors import UsageError
from brain_cli.printable import some_of
from brain_cli.types import NoteMetadata, stem
from brain_cli.vault.analyzer import same_name
from brain_cli.vault.links import NOTE_SUFFIXES
from brain_cli.vault.resolve import NameTable

MAX_CHOICES = 10
MAX_GUESSES = 3
_LINE = re.compile(r":([1-9][0-9]{0,8})\Z")


Splits = Sequence[tuple[str, str]]


class NameScope(NamedTuple):
    """The scope in which a name is looked up: the vault, the working folder, and a function that returns the notes."""

    vault: str
    folder: str
    notes: Callable[[], Iterable[NoteMetadata]]


class NoteRef(NamedTuple):
    """A note named on a command line: its path in the vault, and the heading after `#` or the line after `:`."""

    path: str
    heading: str = ""
    line: int | None = None


def resolve_note(argument: str, scope: NameScope) -> str:
    """Return the path of a note, relative to the vault; UsageError when it is unknown, ambiguous or outside."""
    return _found([(argument, "")], argument, scope).path


def resolve_section(argument: str, scope: NameScope) -> NoteRef:
    """Return the note and heading of `NOTE#heading`; a `#` may also be part of a title or file name."""
    parts = argument.split("#")
    splits = [("#".join(parts[:n]), "#".join(parts[n:])) for n in range(len(parts), 0, -1)]
    return _found(splits, argument, scope)


def _found(splits: Splits, argument: str, scope: NameScope) -> NoteRef:
    """Return the note of an argument. `NOTE:LINE` is read as a recall prints it, unless a note has that name."""
    if found := _first_match(splits, scope):
        return found
    line = _LINE.search(argument)
    if line and (found := _first_match([(argument[: line.start()], "")], scope)):
        return found._replace(line=int(line[1]))
    name = _LINE.sub("", splits[-1][0])
    raise UsageError(f"There is no note “{_readable(name)}” in this vault.", _nearest(name, scope))


def _first_match(splits: Splits, scope: NameScope) -> NoteRef | None:
    """Return the first of several readings (name and heading) that matches a note; a path comes before a name."""
    for name, heading in splits:
        if path := _by_path(name, scope):
            return NoteRef(path, heading)
    for name, heading in splits:
        if found := _matches(name, scope):
            return NoteRef(_single(found, name), heading)
    return None


def _by_path(argument: str, scope: NameScope) -> str | None:
    outside = ""
    for base in (scope.vault, scope.folder):
        for suffix in ("", *NOTE_SUFFIXES):
            path = os.path.join(base, argument) + suffix
            if os.path.isfile(path):
                real = os.path.realpath(path)
                below = os.path.relpath(real, os.path.realpath(scope.vault))
                if not below.startswith("../"):
                    return _checked(below)
                outside = real
    if outside:
        raise UsageError(f"{outside} is outside the vault {scope.vault}.", "Name its vault with --vault DIR.")
    return None


def _checked(path: str) -> str:
    if not path.lower().endswith(NOTE_SUFFIXES):
        raise UsageError(f"{path} is not a note.", "Notes are markdown files: .md or .markdown.")
    if any(part.startswith(".") for part in path.split("/")):
        raise UsageError(f"{path} is hidden, so it is not a note of this vault.")
    return path


def _matches(argument: str, scope: NameScope) -> list[str]:
    """Return the paths of the notes with this name, which may end in a note's suffix."""
    if not argument.strip():
        return []
    # Titles are UTF-8 in any locale.
    wanted = _readable(argument)
    names = NameTable(scope.notes())
    bare = stem(wanted) if wanted.lower().endswith(NOTE_SUFFIXES) and "/" not in wanted else wanted
    return sorted({*names.named(bare), *names.named(wanted)})


def _single(paths: list[str], argument: str) -> str:
    if len(paths) == 1:
        return paths[0]
    raise UsageError(
        f"“{_readable(argument)}” may be any of {len(paths)} notes.",
        f"Name one by its path: {some_of(paths, MAX_CHOICES)}.",
    )


def _nearest(argument: str, scope: NameScope) -> str:
    from difflib import get_close_matches

    titles = {
        same_name(name): metadata.path for metadata in scope.notes() for name in (metadata.title, stem(metadata.path))
    }
    wanted = same_name(stem(_readable(argument)))
    containing = sorted((name for name in titles if wanted and wanted in name), key=len)
    near = [*get_close_matches(wanted, titles, n=MAX_GUESSES, cutoff=0.6), *containing]
    paths = list(dict.fromkeys(titles[name] for name in near))[:MAX_GUESSES]
    return f"Did you mean {' or '.join(paths)}?" if paths else "Name it by path, title, alias or file name."


def _readable(argument: str) -> str:
    return os.fsencode(argument).decode("utf-8", "replace")
