"""The keys by which a server finds notes, in one index: words, words of the title, names, letters of names, and tags.

kafka       the word is in the note
^kafka      the word is in its title, tags, path, or in links to it
=why kafka  one of its names
+heapsort   two neighbouring words of a name, written as one
~hea        letters of a name
#ops        a tag, or the parent of one
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

# An index of PostgreSQL does not accept much longer keys.
MAX_TERM_BYTES = 1_000
KEPT_LETTERS = 100
ABOUT, NAME, COMPOUND, GRAM, TAG = "^=+~#"


def storable(text: str) -> str:
    """Return a text that is valid UTF-8 without NUL; characters that cannot be stored are escaped."""
    if text.isascii():
        return text.replace("\0", "\\x00")
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


@lru_cache(maxsize=1 << 16)
def stored_term(term: str) -> str:
    """Return a term as it is stored: unchanged, or its beginning with a hash if it is too long."""
    key = storable(term)
    raw = key.encode()
    if len(raw) <= MAX_TERM_BYTES:
        return key
    return f"{key[:KEPT_LETTERS]}…{blake2b(raw, digest_size=16).hexdigest()}"
