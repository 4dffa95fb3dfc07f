"""The format of the note table: a line with the names and lengths of its parts, then the parts, each read on demand."""

from __future__ import annotations

import json
from collections.abc import Mapping

Parts = Mapping[str, memoryview]


def pack(parts: Mapping[str, bytes]) -> bytes:
    """Return the content of a file with these parts."""
    lengths = {name: len(content) for name, content in parts.items()}
    return b"\n".join([json.dumps(lengths).encode(), b"".join(parts.values())])


def unpack(content: memoryview) -> Parts:
    """Return the parts of a file without reading them; ValueError if it has another format."""
    # The list of parts is short, so only the start of the file is searched for its end.
    head, newline, _ = bytes(content[:65_536]).partition(b"\n")
    start = len(head) + len(newline)
    parts = {}
    for name, length in json.loads(head).items():
        parts[name] = content[start : start + length]
        start += length
    if start != len(content):
        raise ValueError("the parts do not fill the file")
    return parts
