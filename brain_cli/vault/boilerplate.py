"""Recognize boilerplate: lines that are repeated word for word in many notes, such as a template's footer.

Each note is indexed with hashes of its lines, and the index counts the notes that have each hash. The names of fields,
such as `Author` in `Author: Mara`, are counted as well: a template's field has the same name in many notes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from itertools import chain
from typing import NamedTuple
from zlib import crc32

MIN_NOTES = 10
MIN_SHARE = 0.01
SHORTEST_LINE = 8
# Templates put their lines at the beginning and the end of a note.
FIRST_LINES = 120
LAST_LINES = 30
_HASHES = re.compile(r".{8}")
# An address that is shown as text, `<https://…>`, is part of what its line says, so it is kept.
_ADDRESS = re.compile(r"(?<=\])\([^()]*\)|<(?!https?:)[^<>]*>")
_FIELD = re.compile(r"[\s>*+_-]*([^\W\d_][\w /-]{0,30}?)[*_]*:[*_]*\s+(\S.*)")
MAX_FIELD_CHARS = 300
MAX_FIELD_WORDS = 4


def line_hash(line: str) -> str:
    """Return the hash by which a line is counted, as eight hex digits.

    Addresses of links and HTML tags are left out, because the footer of each note may link to another page.
    """
    words = _ADDRESS.sub("", line) if "(" in line or "<" in line else line
    return f"{crc32(words.strip().encode('utf-8', 'replace')):08x}"


def line_hashes(text: str) -> str:
    """Return the hashes of a text's distinct lines and of its fields' names, leaving out very short lines."""
    lines = list(dict.fromkeys(line.strip() for line in text.split("\n")))
    lines = [line for line in lines if len(line) >= SHORTEST_LINE]
    kept = lines if len(lines) <= FIRST_LINES + LAST_LINES else lines[:FIRST_LINES] + lines[-LAST_LINES:]
    names = dict.fromkeys(name for line in kept if (name := field_name(line)))
    return "".join(chain(map(line_hash, kept), map(_name_hash, names)))


def field_name(line: str) -> str:
    """Return the name of a field with a short value, such as “Author” in `- Author: Mara`; else an empty string."""
    if ":" not in line or len(line) > MAX_FIELD_CHARS or not (field := _FIELD.match(line)):
        return ""
    return field[1] if len(_ADDRESS.sub("", field[2]).split()) <= MAX_FIELD_WORDS else ""


def _name_hash(name: str) -> str:
    return line_hash(f"{name}:")


def count_lines(notes: Iterable[str]) -> Counter[str]:
    """Return the number of notes with each hash; each note is given by its `line_hashes`."""
    return Counter(chain.from_iterable(map(_HASHES.findall, notes)))


def least_notes(notes: int) -> float:
    """Return how many notes must have a line for it to be boilerplate: ten, and 1 % of all."""
    return max(MIN_NOTES, MIN_SHARE * notes)


def is_boilerplate(line: str, hashes: Container[str]) -> bool:
    """Return whether a line is boilerplate; `hashes` are those of the vault's boilerplate."""
    return bool(hashes) and len(line.strip()) >= SHORTEST_LINE and line_hash(line) in hashes


def template_field(line: str, hashes: Container[str]) -> str:
    """Return the name of a line's field if many notes have that field, else an empty string."""
    name = field_name(line) if hashes else ""
    return name if name and _name_hash(name) in hashes else ""


def without_boilerplate(text: str, hashes: Container[str]) -> str:
    """Return a text without its boilerplate lines."""
    if not hashes:
        return text
    return "\n".join(line for line in text.split("\n") if not is_boilerplate(line, hashes))


class LineCounts(NamedTuple):
    """The number of notes with each line; lines that fewer than `threshold` notes have are left out."""

    threshold: float
    counts: Mapping[str, int]

    def frequent(self, old: Iterable[str], new: Iterable[str], notes: int) -> frozenset[str] | None:
        """Return the hashes of boilerplate after a change; None if they cannot be known without counting all notes.

        `old` and `new` are the `line_hashes` of each note before and after the change; `notes` counts all notes now.
        """
        required, added = least_notes(notes), count_lines(new)
        uncounted = max((count for each, count in added.items() if each not in self.counts), default=0)
        if self.threshold + uncounted > required:
            return None
        removed = count_lines(old)
        current = {each: count + added[each] - removed[each] for each, count in self.counts.items()}
        return frozenset(each for each, count in current.items() if count >= required)


def line_counts(notes: Iterable[str]) -> LineCounts:
    """Count the lines of all notes, each given by its `line_hashes`."""
    known = list(notes)
    threshold = least_notes(len(known)) / 2
    return LineCounts(threshold, {each: count for each, count in count_lines(known).items() if count >= threshold})


def frequent_lines(counted: LineCounts, notes: int) -> frozenset[str]:
    """Return the hashes of the boilerplate of counted notes."""
    return frozenset(each for each, count in counted.counts.items() if count >= least_notes(notes))
