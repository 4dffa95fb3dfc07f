"""The fingerprint of the rules by which an index is made: its version, and the source of what decides about words.

An index with another fingerprint is built anew, so changing a weight or a stop rule needs no other step. The source
is read as bytes: importing these modules would take longer than a refresh that finds nothing changed.
"""

from __future__ import annotations

import os
from functools import cache
from zlib import crc32

from brain_cli.index import INDEX_VERSION

PACKAGE = os.path.dirname(os.path.dirname(__file__))
SOURCES = ("index/document.py", "vault/analyzer.py", "vault/folding.py", "vault/language.py", "vault/links.py")


@cache
def fingerprint() -> str:
    """Return the index version and a checksum of the modules that decide what is indexed."""
    checksum = 0
    for path in SOURCES:
        checksum = crc32(_source(path), checksum)
    return f"{INDEX_VERSION}-{checksum:08x}"


def _source(path: str) -> bytes:
    """Return the source of a module; nothing where it is installed without: then the version alone counts."""
    try:
        with open(os.path.join(PACKAGE, path), "rb") as file:
            return file.read()
    except OSError:
        return b""
