"""Recognize repeated text: boilerplate lines, and texts that resemble each other.

Boilerplate is repeated word for word in many notes, such as a template's footer. Each note is
indexed with hashes of its lines, and the index counts the notes that have each hash. Texts are
compared by their words, by their bigrams, and by a short sketch of these that excludes most pairs
quickly.
"""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from itertools import chain, pairwise
from typing import NamedTuple
from zlib import crc32

from brain_cli.vault.analyzer import words_of

MIN_NOTES = 10
MIN_SHARE = 0.01
SHORTEST_LINE = 8
# Templates put their lines at the beginning and the end of a note.
FIRST_LINES = 120
LAST_LINES = 30
_HASHES = re.compile(r".{8}")
BEGINNING_DIGITS = 4
_BEGINNINGS = re.compile(r"(.{4}).{4}")
# An address that is shown as text, `<https://…>`, is part of what its line says, so it is kept.
_ADDRESS = re.compile(r"(?<=\])\([^()]*\)|<(?!https?:)[^<>]*>")


def line_hash(line: str) -> str:
    """Return the hash by which a line is counted, as eight hex digits.

    Addresses of links and HTML tags are omitted, because the footer of each note may link to
    another page.
    """
    words = _ADDRESS.sub("", line) if "(" in line or "<" in line else line
    return f"{crc32(words.strip().encode('utf-8', 'replace')):08x}"


def line_hashes(text: str) -> str:
    """Return the hashes of a text's distinct lines, omitting very short ones."""
    lines = list(dict.fromkeys(line.strip() for line in text.split("\n")))
    lines = [line for line in lines if len(line) >= SHORTEST_LINE]
    kept = (
        lines
        if len(lines) <= FIRST_LINES + LAST_LINES
        else lines[:FIRST_LINES] + lines[-LAST_LINES:]
    )
    return "".join(map(line_hash, kept))


def count_lines(notes: Iterable[str]) -> Counter[str]:
    """Return the number of notes with each hash; each note is given by its `line_hashes`."""
    return Counter(chain.from_iterable(map(_HASHES.findall, notes)))


def least_notes(notes: int) -> float:
    """Return how many notes must have a line for it to be boilerplate: ten, and 1 % of all."""
    return max(MIN_NOTES, MIN_SHARE * notes)


def without_boilerplate(text: str, hashes: Container[str]) -> str:
    """Return a text without its boilerplate lines."""
    if not hashes:
        return text
    return "\n".join(
        line
        for line in text.split("\n")
        if len(line.strip()) < SHORTEST_LINE or line_hash(line) not in hashes
    )


class LineCounts(NamedTuple):
    """The number of notes with each line; lines that fewer than `threshold` notes have are left
    out.
    """

    threshold: float
    counts: Mapping[str, int]

    def frequent(
        self, old: Iterable[str], new: Iterable[str], notes: int
    ) -> frozenset[str] | None:
        """Return the hashes of boilerplate after a change; None if they cannot be known without
        counting all notes.

        `old` and `new` are the `line_hashes` of each note before and after the change; `notes`
        counts all notes now.
        """
        required = least_notes(notes)
        added = count_lines(new)
        uncounted = max(
            (count for each, count in added.items() if each not in self.counts), default=0
        )
        if self.threshold + uncounted > required:
            return None
        removed = count_lines(old)
        current = {
            each: count + added[each] - removed[each] for each, count in self.counts.items()
        }
        return frozenset(each for each, count in current.items() if count >= required)


def line_counts(notes: Callable[[], Iterable[str]], count: int) -> LineCounts:
    """Count the lines of all notes, of which `notes` yields the `line_hashes`.

    The beginnings of the hashes are counted first: counting all lines would fill the memory.
    """
    threshold = least_notes(count) / 2
    beginnings = Counter(chain.from_iterable(map(_BEGINNINGS.findall, notes())))
    often = {each for each, count in beginnings.items() if count >= threshold}
    lines = chain.from_iterable(map(_HASHES.findall, notes()))
    counts = Counter(line for line in lines if line[:BEGINNING_DIGITS] in often)
    return LineCounts(
        threshold, {each: count for each, count in counts.items() if count >= threshold}
    )


Bigram = tuple[str, str]
_WORD = re.compile(r"\w+")
# What separates the words of ASCII text.
_SPACED = bytes(
    code if chr(code).isalnum() or chr(code) == "_" else 0x20 for code in range(128)
) + bytes(128)
SKETCH_HASHES = 16
_HASH_DIGITS = 8
# Texts with a Jaccard index of .6 share fewer than four of their sixteen smallest hashes once in
# 2,000 cases.
SHARED_HASHES = 4
REPEAT_SECONDS = 3600.0
# Texts that share more than this part of their words mean the same (publication "Smarter Memory
# Retrieval", 2c).
SAME_WORDS = 0.8


def bigrams(text: str) -> frozenset[Bigram]:
    """Return the pairs of neighbouring words of a text, case-folded; none for fewer than
    two words.
    """
    return frozenset(pairwise(_WORD.findall(text.casefold())))


def sketch(text: str) -> str:
    """Return the sixteen smallest hashes of a text's bigrams, as hex digits in one string (a
    bottom-k sketch).
    """
    folded = text.casefold()
    if folded.isascii():
        words = folded.encode().translate(_SPACED).split()  # five times faster than the pattern
    else:
        words = " ".join(_WORD.findall(folded)).encode("utf-8", "replace").split(b" ")
    hashes = set(map(crc32, map(b" ".join, pairwise(words))))
    return "".join(f"{each:08x}" for each in sorted(hashes)[:SKETCH_HASHES])


def hashes_of(sketched: str) -> frozenset[str]:
    """Return the hashes of a sketch."""
    return frozenset(
        sketched[i : i + _HASH_DIGITS] for i in range(0, len(sketched), _HASH_DIGITS)
    )


def perhaps_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two texts may be similar, by their sketches; if not, a full comparison can be
    skipped.
    """
    return len(one & other) >= min(SHARED_HASHES, len(one), len(other), SKETCH_HASHES) > 0


def says_the_same(one: str, other: str) -> bool:
    """Return whether two texts share most of their words (Jaccard index); without words, whether
    they are equal.
    """
    words = set(words_of(one))
    others = set(words_of(other))
    return (
        len(words & others) > SAME_WORDS * len(words | others)
        if words | others
        else one == other
    )
