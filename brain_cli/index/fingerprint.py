"""The fingerprint of an index: its version, and a checksum of the code that decides which words are indexed.

An index with another fingerprint is rebuilt, so a change of a weight or a stop word needs no other step. The code is
read as bytes: importing the modules would take longer than a refresh without changes.
"""

from __future__ import annotations

import os
from functools import cache
from zlib import crc32

from brain_cli.index import INDEX_VERSION

PACKAGE = os.path.dirname(os.path.dirname(__file__))
SOURCES = (
    *("index/field_weights.py", "vault/analyzer.py", "vault/folding.py", "vault/language.py", "vault/links.py"),
    "vault/stop_words.txt",
)


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
