"""Recognize boilerplate: lines that are repeated word for word in many notes, such as a template's footer.

Each note is indexed with hashes of its lines, and the index counts the notes that have each hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from itertools import chain
from zlib import crc32

from brain_cli.late_pattern import late_pattern

LEAST_NOTES = 10
LEAST_SHARE = 0.01
SHORTEST_LINE = 8
# Templates put their lines at the beginning and the end of a note.
FIRST_LINES = 120
LAST_LINES = 30
_HASHES = late_pattern(r".{8}")
_ADDRESS = late_pattern(r"(?<=\])\([^()]*\)|<[^<>]*>")


def line_hash(line: str) -> str:
    """Return the hash by which a line is counted, as eight hex digits.

    Addresses of links and HTML tags are left out, because the footer of each note may link to another page.
    """
    words = _ADDRESS.sub("", line) if "(" in line or "<" in line else line
    return f"{crc32(words.strip().encode('utf-8', 'replace')):08x}"


def line_hashes(text: str) -> str:
    """Return the hashes of a text's distinct lines as one string, leaving out very short lines."""
    lines = list(dict.fromkeys(line.strip() for line in text.split("\n")))
    lines = [line for line in lines if len(line) >= SHORTEST_LINE]
    kept = lines if len(lines) <= FIRST_LINES + LAST_LINES else lines[:FIRST_LINES] + lines[-LAST_LINES:]
    return "".join(map(line_hash, kept))


def count_lines(notes: Iterable[str]) -> Counter[str]:
    """Return the number of notes with each hash; each note is given by its `line_hashes`."""
    return Counter(chain.from_iterable(map(_HASHES.findall, notes)))


def least_notes(notes: int) -> float:
    """Return how many notes must have a line for it to be boilerplate: ten, and 1 % of all."""
    return max(LEAST_NOTES, LEAST_SHARE * notes)


def is_boilerplate(line: str, hashes: Container[str]) -> bool:
    """Return whether a line is boilerplate; `hashes` are those of the vault's boilerplate."""
    return bool(hashes) and len(line.strip()) >= SHORTEST_LINE and line_hash(line) in hashes


def without_boilerplate(text: str, hashes: Container[str]) -> str:
    """Return a text without its boilerplate lines."""
    if not hashes:
        return text
    return "\n".join(line for line in text.split("\n") if not is_boilerplate(line, hashes))
