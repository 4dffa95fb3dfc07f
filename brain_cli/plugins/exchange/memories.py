"""Import the memories of other programs as notes. Each source reads its own files into values of one type, Memory.

To add a source: a file with `memories(path)`, and a line in SOURCES.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b

from brain_cli.plugins import importers, loaded
from brain_cli.types import Memory

# source → its module, imported on first use, and a description
SOURCES: Mapping[str, str] = {
    "claude-mem": "the database of claude-mem, ~/.claude-mem/claude-mem.db",
    "clawmem": "the database of ClawMem, ~/.cache/clawmem/index.sqlite",
    "jsonl": "JSON lines, as brain export --jsonl writes them",
}
# The frontmatter key that identifies an imported memory.
SOURCE_ID = "source_id"


def unreadable(place: str, problem: str) -> Memory:
    """Return a record of which no note can be made."""
    return Memory(place, "", "", problem=problem)


def distinct_id(source_id: str, mark: str) -> str:
    """Return the id for a note, with a hash of the memory's time or text: two databases may both count from 1."""
    return f"{source_id}:{blake2b(mark.encode('utf-8', 'backslashreplace'), digest_size=4).hexdigest()}"


Reader = Callable[[str], Iterator[Memory]]


def reader_of(source: str) -> Reader:
    """Return the function that reads the files of a source."""
    place = importers().get(source) or f"{__package__}.{source.replace('-', '_')}:memories"
    reader: Reader = loaded(place)
    return reader
