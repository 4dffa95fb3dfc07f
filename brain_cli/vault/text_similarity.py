"""Compare texts: by their words, by their bigrams, and by a short sketch of these that excludes most pairs quickly."""

from __future__ import annotations

import re
from itertools import pairwise
from zlib import crc32

from brain_cli.vault.analyzer import words_of

Bigram = tuple[str, str]
_WORD = re.compile(r"\w+")
SKETCH_HASHES = 16
_HASH_DIGITS = 8
# Texts with a Jaccard index of .6 share fewer than four of their sixteen smallest hashes once in 2,000 cases.
SHARED_HASHES = 4
REPEAT_SECONDS = 3600.0
# Texts that share more than this part of their words mean the same (publication "Smarter Memory Retrieval", 2c).
SAME_WORDS = 0.8


def bigrams(text: str) -> frozenset[Bigram]:
    """Return the pairs of neighbouring words of a text, case-folded; none for fewer than two words."""
    return frozenset(pairwise(_WORD.findall(text.casefold())))


def sketch(text: str) -> str:
    """Return the sixteen smallest hashes of a text's bigrams, as hex digits in one string (a bottom-k sketch)."""
    hashes = sorted({crc32(f"{first} {second}".encode("utf-8", "replace")) for first, second in bigrams(text)})
    return "".join(f"{each:08x}" for each in hashes[:SKETCH_HASHES])


def hashes_of(sketched: str) -> frozenset[str]:
    """Return the hashes of a sketch."""
    return frozenset(sketched[i : i + _HASH_DIGITS] for i in range(0, len(sketched), _HASH_DIGITS))


def perhaps_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two texts may be similar, by their sketches; if not, a full comparison can be skipped."""
    return len(one & other) >= min(SHARED_HASHES, len(one), len(other), SKETCH_HASHES) > 0


def says_the_same(one: str, other: str) -> bool:
    """Return whether two texts share most of their words (Jaccard index); without words, whether they are equal."""
    words, others = set(words_of(one)), set(words_of(other))
    return len(words & others) > SAME_WORDS * len(words | others) if words | others else one == other
