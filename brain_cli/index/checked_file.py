"""Write and check the small files of the index: a line with the fingerprint and a checksum, then the content."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from zlib import crc32

from brain_cli.index.damage import OTHER_VERSION, BrokenIndexError
from brain_cli.index.fingerprint import fingerprint

if TYPE_CHECKING:
    from mmap import mmap


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
