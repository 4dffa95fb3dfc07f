"""Find the notes whose files are mostly gone, or were rewritten since: what they say is to be
checked.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable

from brain_cli.types import NoteMetadata
from brain_cli.vault.git import (
    MAX_SECONDS,
    GitFailedError,
    file_overlap,
    logged_lines,
    pathspecs,
    project_of,
    repository_root,
)

# A note's own session is often committed a little later than the note is written.
COMMITTED_SECONDS = 86_400.0
Change = tuple[float, int, int]
GONE = "its files are gone"
REWRITTEN = "its files were rewritten"


def outdated(
    notes: Iterable[NoteMetadata], folder: str, seconds: float = MAX_SECONDS
) -> dict[str, str]:
    """Return the notes of a folder's repository whose files are mostly gone or rewritten: why, by
    path.

    A file counts as rewritten if the commits of more than a day after the note removed over half of
    the lines that it had. If git does not answer within `seconds`, none does. The notes of commits
    are history, and never outdated.
    """
    here = (project_of(folder) or "").casefold()
    root = repository_root(folder)
    if root is None:
        return {}
    named = [
        each
        for each in notes
        if each.files
        and (each.project or "").casefold() == here
        and "commit" not in each.properties
    ]
    found = {each.path: GONE for each in named if file_overlap(each.files, root) < 0.5}
    rest = [each for each in named if each.path not in found]
    changed = _removed_lines(root, rest, seconds) if rest else {}
    for note in rest:
        since = note.timestamp + COMMITTED_SECONDS
        rewritten = [
            _is_rewritten(changed.get(file, ()), since, os.path.join(root, file))
            for file in note.files
        ]
        if rewritten.count(True) * 2 > len(rewritten):
            found[note.path] = REWRITTEN
    return found


def _is_rewritten(changes: Iterable[Change], since: float, file: str) -> bool:
    """Return whether over half of the lines that a file had were removed since then."""
    later = [(added, removed) for at, added, removed in changes if at > since]
    removed = sum(each for _, each in later)
    if removed:
        with contextlib.suppress(OSError), open(file, "rb") as opened:
            lines = opened.read().count(b"\n")
            return removed * 2 > lines - sum(each for each, _ in later) + removed
    return False


def _removed_lines(
    root: str, notes: Collection[NoteMetadata], seconds: float
) -> dict[str, list[Change]]:
    """Return the changes of the notes' files since the oldest note: time, lines added and lines
    removed.
    """
    found: dict[str, list[Change]] = {}
    since = f"--since=@{int(min(each.timestamp for each in notes) + COMMITTED_SECONDS)}"
    named = {file for each in notes for file in each.files}
    files = sorted(file for file in named if "\0" not in file and not os.path.isabs(file))
    try:
        for commit_time, line in logged_lines(
            root, "--numstat", since, "--", *pathspecs(files), seconds=seconds
        ):
            added, _, rest = line.partition("\t")
            removed, _, path = rest.partition("\t")
            if added.isdecimal():
                found.setdefault(path, []).append((commit_time, int(added), int(removed)))
    except (ValueError, GitFailedError):
        return {}
    return found
