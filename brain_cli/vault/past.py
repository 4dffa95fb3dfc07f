"""The notes of a vault as they were on a day: the texts of a commit, or today's without what came
later.

Without git, a note that begins later is omitted, and so is a section with a later date, and a line
that holds since then or corrects others then; what it struck out is as it was.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import tarfile
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from brain_cli.types import MTIME, NOTE_SUFFIXES, NoteMetadata
from brain_cli.vault.blocks import ITEM, ROW
from brain_cli.vault.clock import local_date
from brain_cli.vault.dates import DATE_KEYS, date_in_path, date_in_text, times_in, written_time
from brain_cli.vault.frontmatter import split_head, text_of
from brain_cli.vault.git import GitFailedError, git_output, logged_lines, repository_root
from brain_cli.vault.validity import FROM_KEYS, entry_date, line_of
from brain_cli.vault.walk import IGNORE_FILES

GIT_SECONDS = 60.0
_HEADING = re.compile(r"(#{1,6})\s")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_STRUCK = re.compile(r"~~(.+?)~~.*$")


class FormerCommit(NamedTuple):
    """A commit: its hash, and its time in seconds since the epoch."""

    hash: str
    at: float


def commit_at(vault: str, *arguments: str) -> FormerCommit | None:
    """Return the commit that `git log` names first; None without one, or without git."""
    parts = _git(vault, "log", "-1", "--format=%H %ct", *arguments).decode().split()
    return FormerCommit(parts[0], float(parts[1])) if len(parts) == 2 else None


def files_of(vault: str, commit: FormerCommit) -> Iterator[tuple[str, bytes, float]]:
    """Yield the notes of a commit, and the files of ignored paths: path, content and time."""
    archive = _git(vault, "archive", "--format=tar", commit.hash, ".")
    times = _times(vault, commit)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            path = os.path.normpath(member.name)
            is_note = path.lower().endswith(NOTE_SUFFIXES)
            is_inside = not os.path.isabs(path) and not path.startswith("..")
            if member.isfile() and is_inside and (is_note or path.endswith(IGNORE_FILES)):
                file = tar.extractfile(member)
                if file:
                    yield path, file.read(), times.get(path, commit.at)


def _times(vault: str, commit: FormerCommit) -> dict[str, float]:
    """Return when each file was last changed, up to a commit."""
    found: dict[str, float] = {}
    with contextlib.suppress(GitFailedError):
        for at, path in logged_lines(vault, "--name-only", commit.hash, seconds=GIT_SECONDS):
            found.setdefault(path, at)
    return found


def changed_lines(vault: str, path: str) -> Iterator[tuple[float, str]]:
    """Yield the commits that changed a note, newest first: when, and the first line that it added;
    none if it added the note.
    """
    if repository_root(vault) is None:
        return
    log = _git(
        vault, "log", "--format=\x1e%ct", "-p", "-U0", "--no-color", "--no-ext-diff", "--", path
    )
    for entry in log.decode("utf-8", "replace").split("\x1e")[1:]:
        at, _, diff = entry.partition("\n")
        changed = [line for line in diff.split("\n") if re.match(r"[+-](?![+-]{2} )", line)]
        added = [line for line in changed if line.startswith("+") and line[1:].strip(" -#")]
        if "\nnew file mode " in diff:
            yield float(at), ""
        elif first := next(iter(added or changed), ""):
            yield float(at), first


def _git(vault: str, *arguments: str) -> bytes:
    """Return what git prints; nothing if it fails."""
    with contextlib.suppress(GitFailedError):
        return b"".join(git_output(vault, *arguments, seconds=GIT_SECONDS))
    return b""


def begins(
    metadata: NoteMetadata,
    zone: str,
    sections: Iterable[float],
    *,
    is_stated: bool,
) -> float | None:
    """Return when a note begins, on the calendar of a zone; None if nothing says it. `sections`
    are the dates of its sections.
    """
    named = [text_of(metadata.properties, key) or "" for key in (*FROM_KEYS, *DATE_KEYS)]
    dates = [_date(text) for text in named]
    stated = [date for date in dates if date is not None]
    if any(date is not None for date in dates[: len(FROM_KEYS)]):
        return stated[0]
    in_path = date_in_path(metadata.path)
    stated += [] if in_path is None else [in_path]
    stated += sections
    if not stated and (metadata.dated_by != MTIME or is_stated):
        return local_date(metadata, zone)
    return min(stated, default=None)


def _date(text: str) -> float | None:
    written = written_time(text)
    return written.local if written else date_in_text(text)


def text_at(
    text: str,
    local: float,
    today: float,
    later: Iterable[str],
) -> str:
    """Return a note's text as it was at a time of the calendar; `later` are the names of notes that
    begin afterwards, which replace nothing yet. What has a date after `today` is a plan, and stays.
    """
    text = text.replace("\r\n", "\n")
    start = split_head(text).body_start
    head = "".join(_head_lines(text[:start], {name.casefold() for name in later}))
    return head + "\n".join(_lines_at(text[start:].split("\n"), local, today))


def _head_lines(head: str, later: set[str]) -> Iterator[str]:
    lines = head.splitlines(keepends=True)
    replaced = [
        line
        for line in lines
        if line.lower().startswith("superseded_by:")
        and any(name in line.casefold() for name in later)
    ]
    for line in lines:
        is_status = replaced and re.match(r"status:\s*superseded", line, re.IGNORECASE)
        if line not in replaced and not is_status:
            yield line


def _lines_at(lines: list[str], local: float, today: float) -> list[str]:
    kept: list[str] = []
    dated: float | None = None
    left_out = 0
    is_later = False
    for line in lines:
        if heading := _HEADING.match(line):
            level = len(heading[1])
            date = date_in_text(line)
            if left_out and level <= left_out:
                left_out = 0
            if not left_out and date is not None and date > local:
                left_out = level
            dated = date if date is not None else dated if level > 1 else None
        date = entry_date(line)
        if date is not None or not line.strip() or heading or _ITEM.match(line):
            is_later = date is not None and local < date <= today
        if left_out or is_later:
            continue
        found = _line_at(line, local, dated)
        # What stands below a struck line replaces it, at its date.
        is_below = bool(kept) and "~~" in kept[-1] and not times_in(kept[-1])
        if is_below and any(each.since > local for each in times_in(line)):
            found = None
        if found is None and is_below:
            kept[-1] = kept[-1].replace("~~", "")
        if found is not None:
            kept.append(found)
    return kept


def _line_at(line: str, local: float, dated: float | None) -> str | None:
    """Return a line as it was; None if it came later."""
    times = times_in(line)
    if not times:
        return line
    if "~~" in line:
        return _STRUCK.sub(r"\1", line) if times[0].since > local else line
    kind = ROW if line.lstrip().startswith("|") else ITEM if _ITEM.match(line) else ""
    read = line_of(kind, line, dated=dated)
    is_later = read.period.since > local or (
        read.corrects is not None and read.corrects > local
    )
    return None if is_later else line
