"""Versions: of the program, the index, the JSON documents and the daemon's protocol."""

from __future__ import annotations

VERSION = "0.1.0"
# Bump when what is stored, or how words are cut, changes: an index of another version is rebuilt.
INDEX_VERSION = 21
# Bump when a key of a printed JSON document goes, or means something else.
DOCUMENT_VERSION = 1
PROTOCOL_VERSION = f"brain {VERSION} index {INDEX_VERSION} requests 2"
