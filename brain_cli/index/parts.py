"""Named parts ↔ one file: a line that lists the parts and their lengths, then the parts, each read when asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping

Parts = Mapping[str, memoryview]


def pack(parts: Mapping[str, bytes]) -> bytes:
    """Write parts one after the other, behind a line that tells where each is."""
    lengths = {name: len(content) for name, content in parts.items()}
    return b"\n".join([json.dumps(lengths).encode(), b"".join(parts.values())])


def unpack(content: memoryview) -> Parts:
    """Return the parts of a file without reading them; ValueError where the file is not one of parts."""
    # The list of parts is short, so it is looked for at the beginning alone.
    head, newline, _ = bytes(content[:65_536]).partition(b"\n")
    start = len(head) + len(newline)
    parts = {}
    for name, length in json.loads(head).items():
        parts[name] = content[start : start + length]
        start += length
    if start != len(content):
        raise ValueError("the parts do not fill the file")
    return parts
