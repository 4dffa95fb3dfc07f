"""Terms and texts as a server can store them, and how many letters apart two terms are."""

from __future__ import annotations

import zlib
from functools import lru_cache
from hashlib import blake2b

# An index of PostgreSQL has no room for longer keys.
MAX_TERM_BYTES = 1_000
KEPT_LETTERS = 100
MAX_TEXT_BYTES = 64 * 1024 * 1024


def storable(text: str) -> str:
    """Return a text that is valid UTF-8 and has no NUL; what cannot be stored is written as an escape."""
    if text.isascii():
        return text.replace("\0", "\\x00")
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


@lru_cache(maxsize=1 << 16)
def stored_term(term: str) -> str:
    """Return the key of a term: the term itself, or its beginning and a hash where it is too long."""
    key = storable(term)
    raw = key.encode()
    if len(raw) <= MAX_TERM_BYTES:
        return key
    return f"{key[:KEPT_LETTERS]}…{blake2b(raw, digest_size=16).hexdigest()}"


def compound_key(text: str) -> str:
    """Return the key under which a name is found by two neighbouring words written as one."""
    return f"={storable(text)}"


def packed_text(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 3)


def unpacked_text(raw: bytes) -> str:
    """Return a text; one that would fill the memory ends early."""
    return zlib.decompressobj().decompress(raw, MAX_TEXT_BYTES).decode("utf-8", "surrogatepass")


def is_within(term: str, other: str, edits: int) -> bool:
    """Return whether one term becomes the other by so many insertions, deletions and replacements of a letter."""
    if abs(len(term) - len(other)) > edits:
        return False
    before = list(range(len(other) + 1))
    for row, letter in enumerate(term, start=1):
        now = [row]
        for column, instead in enumerate(other, start=1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (letter != instead)))
        if min(now) > edits:
            return False
        before = now
    return before[-1] <= edits
