"""Write the memories of another program as notes. Importing a memory again makes no second note.

Each source reads its own files into values of one type, Memory. To add one: a file with `memories(path)`, and its name
in SOURCES.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from hashlib import blake2b
from typing import NamedTuple

from brain_cli.errors import BrainError
from brain_cli.plugins import importers, loaded
from brain_cli.types import Memory
from brain_cli.vault.atomic_write import create_note, read_note, writable_path
from brain_cli.vault.create import composed, file_names
from brain_cli.vault.dates import iso
from brain_cli.vault.edit import Value
from brain_cli.vault.links import NOTE_SUFFIXES
from brain_cli.vault.secrets import redacted

# The sources; each has a module of its name, which is imported on first use.
SOURCES = ("claude-mem", "clawmem", "jsonl")
# The frontmatter key that identifies an imported memory.
SOURCE_ID = "source_id"
# File systems accept no longer paths.
MAX_PATH_CHARS = 1_000
# A disk that is full, read-only or broken fails every other memory too.
CONCERNS_ALL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
NEW, KNOWN, DIFFERENT, UNUSABLE = "new", "known", "different", "unusable"


class Imported(NamedTuple):
    """The outcome for one memory: its `state`, and the `path` where its note is or would be.

    `different`: a note with another text has its path and is kept. `unusable`: it cannot become a note.
    """

    memory: Memory
    state: str
    path: str


def import_notes(
    vault: str, folder: str, memories: Iterable[Memory], known: Collection[str], *, dry_run: bool
) -> Iterator[Imported]:
    """Write a note for every memory that is not `known` by its id; the caller holds the vault's lock.

    With `dry_run` nothing is written.
    """
    seen, taken = set(known), set[str]()
    for memory in memories:
        note_id = note_id_of(memory)
        if note_id in seen:
            yield Imported(memory, KNOWN, "")
            continue
        seen.add(note_id)
        state, path = _imported(vault, folder, memory, taken, dry_run=dry_run)
        yield Imported(memory, state, path)


def reader_of(source: str) -> Callable[[str], Iterator[Memory]]:
    """Return the function that reads the files of a source."""
    reader: Callable[[str], Iterator[Memory]] = loaded(
        importers().get(source) or f"{__package__}.{source.replace('-', '_')}:memories"
    )
    return reader


def distinct_id(source_id: str, mark: str) -> str:
    """Return the id for a note, with a hash of the memory's time or text: two databases may both count from 1."""
    return f"{source_id}:{blake2b(mark.encode('utf-8', 'backslashreplace'), digest_size=4).hexdigest()}"


def note_id_of(memory: Memory) -> str:
    """Return the id by which the note of a memory is known, whatever its path and text become."""
    mark = memory.text if memory.at is None else iso(memory.at)
    return memory.source_id if memory.is_unique else distinct_id(memory.source_id, mark)


def _imported(vault: str, folder: str, memory: Memory, taken: set[str], *, dry_run: bool) -> tuple[str, str]:
    """Write the note of a memory; return the outcome and the path."""
    path = ""
    try:
        raw = b"" if memory.problem else _bytes(memory)
        for path in _paths(folder, memory):
            if path in taken:
                continue
            try:
                _write(vault, path, raw, memory, dry_run=dry_run)
            except FileExistsError:
                if not os.path.lexists(os.path.join(vault, path)):
                    return UNUSABLE, path  # One of its folders is a file.
                if _is_same(vault, path, raw):
                    return KNOWN, path
                if memory.raw is not None:
                    return DIFFERENT, path
                continue
            taken.add(path)
            return NEW, path
    except (BrainError, UnicodeEncodeError):
        pass  # It cannot be written as UTF-8, or its folder is a link out of the vault.
    except OSError as error:
        # A path that the file system refuses must not keep the other memories from being imported.
        if error.errno in CONCERNS_ALL:
            raise
    return UNUSABLE, path


def _write(vault: str, path: str, raw: bytes, memory: Memory, *, dry_run: bool) -> None:
    os.fsencode(path)
    if not dry_run:
        create_note(vault, path, raw)
        _keep_time(os.path.join(vault, path), memory)
        return
    if os.path.lexists(writable_path(vault, path)):
        raise FileExistsError


def _keep_time(file: str, memory: Memory) -> None:
    """Restore the file time of an exported note: it is the note's date if nothing else dates the note."""
    if memory.raw is not None and memory.at is not None:
        with contextlib.suppress(OSError, OverflowError, ValueError):
            os.utime(file, (memory.at, memory.at))


def _bytes(memory: Memory) -> bytes:
    """Return the note of a memory: as it was exported, else composed from its fields."""
    if memory.raw is not None:
        return memory.raw
    properties: dict[str, Value | None] = {
        "type": memory.kind,
        "date": None if memory.at is None else iso(memory.at),
        "project": memory.project,
        "session": memory.session,
        "files": list(memory.files),
        "tags": [tag.lstrip("#").replace(" ", "-") for tag in memory.tags],
        **memory.more,
        SOURCE_ID: note_id_of(memory),
    }
    given = {key: value for key, value in properties.items() if value}
    return composed(redacted(memory.title), redacted(memory.text), given, heading=True)


def _paths(folder: str, memory: Memory) -> Iterator[str]:
    """Yield the possible paths of a memory's note: an exported note's own, else paths by project, date and title."""
    if memory.raw is not None:
        if _is_safe(memory.path) and memory.path.lower().endswith(NOTE_SUFFIXES):
            yield os.path.normpath(os.path.join(folder, memory.path))
        return
    if memory.problem:
        return
    project = next(file_names(memory.project)) if memory.project else ""
    date = "" if memory.at is None else iso(memory.at)[:10]
    for name in file_names(f"{date} {memory.title}".strip()):
        yield os.path.join(folder, project, f"{name}{NOTE_SUFFIXES[0]}")


def _is_safe(path: str) -> bool:
    """Return whether a path from another vault is a note's path, and lies in this vault."""
    if not path or len(path) > MAX_PATH_CHARS or "\0" in path:
        return False
    return not any(part == "" or part.startswith(".") for part in path.split("/"))


def _is_same(vault: str, path: str, raw: bytes) -> bool:
    try:
        return read_note(vault, path) == raw
    except OSError:
        return False
