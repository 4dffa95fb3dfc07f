"""Write and check the small files of the index: a line with the fingerprint and a checksum, then the content.

The fingerprint is the version of the index, and a checksum of the code that decides which words are indexed. An index
with another one is rebuilt, so a change of a weight or a stop word needs no other step. The code is read as bytes:
importing the modules would take longer than a refresh without changes.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

from brain_cli.index import INDEX_VERSION
from brain_cli.index.damage import OTHER_VERSION, BrokenIndexError

if TYPE_CHECKING:
    from mmap import mmap

PACKAGE = os.path.dirname(os.path.dirname(__file__))
SOURCES = (
    *("index/field_weights.py", "vault/analyzer.py", "vault/folding.py", "vault/language.py", "vault/links.py"),
    "vault/stop_words.txt",
)


def seal(content: bytes) -> bytes:
    """Return content with the line that seals it."""
    head = json.dumps({"version": fingerprint(), "checksum": crc32(content)})
    return b"%s\n%s" % (head.encode(), content)


def unseal(raw: bytes) -> bytes:
    """Return the content of a file; BrokenIndexError if its checksum is wrong or its fingerprint differs."""
    return bytes(unsealed(raw))


def unsealed(raw: bytes | mmap) -> memoryview:
    """Return the content of a file as `unseal` does, without copying it."""
    end = raw.find(b"\n")
    try:
        parsed = json.loads(raw[: max(0, end)])
        version, checksum = parsed["version"], parsed.get("checksum")
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BrokenIndexError from None
    if version != fingerprint():
        raise BrokenIndexError(OTHER_VERSION)
    content = memoryview(raw)[end + 1 :]
    if checksum != crc32(content):
        raise BrokenIndexError
    return content


@cache
def fingerprint() -> str:
    """Return the index version, and a checksum of the modules that decide which words are indexed."""
    checksum = 0
    for path in SOURCES:
        checksum = crc32(_source(path), checksum)
    return f"{INDEX_VERSION}-{checksum:08x}"


def _source(path: str) -> bytes:
    """Return the source of a module; empty if it is installed without source, so that only the version counts."""
    try:
        with open(os.path.join(PACKAGE, path), "rb") as file:
            return file.read()
    except OSError:
        return b""
