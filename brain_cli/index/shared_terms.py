"""Terms and texts in a form that a server can store."""

from __future__ import annotations

import zlib
from functools import lru_cache
from hashlib import blake2b

# An index of PostgreSQL does not accept longer keys.
MAX_TERM_BYTES = 1_000
KEPT_LETTERS = 100
MAX_TEXT_BYTES = 64 * 1024 * 1024


def storable(text: str) -> str:
    """Return a text that is valid UTF-8 without NUL; characters that cannot be stored are escaped."""
    if text.isascii():
        return text.replace("\0", "\\x00")
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


@lru_cache(maxsize=1 << 16)
def stored_term(term: str) -> str:
    """Return the key of a term: the term itself, or its prefix with a hash if it is too long."""
    key = storable(term)
    raw = key.encode()
    if len(raw) <= MAX_TERM_BYTES:
        return key
    return f"{key[:KEPT_LETTERS]}…{blake2b(raw, digest_size=16).hexdigest()}"


def compound_key(text: str) -> str:
    """Return the key for finding a name by two of its neighbouring words written as one."""
    return f"={storable(text)}"


def packed_text(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 3)


def unpacked_text(raw: bytes) -> str:
    """Return a text, cut at MAX_TEXT_BYTES."""
    return zlib.decompressobj().decompress(raw, MAX_TEXT_BYTES).decode("utf-8", "surrogatepass")
