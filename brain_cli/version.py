"""Versions: of the program, the index, the JSON documents and the daemon's protocol."""

VERSION = "0.2.0"
# Bump when the stored data or the splitting into words changes: an index of another version is
# rebuilt.
INDEX_VERSION = 32
# Bump when a key of a printed JSON document is removed or changes its meaning.
DOCUMENT_VERSION = 1
PROTOCOL_VERSION = f"brain {VERSION} index {INDEX_VERSION} requests 3"
