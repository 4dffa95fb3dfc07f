"""Import `pathlib` without `urllib.parse`: it takes a quarter of an empty Python's time, and is used for URIs alone."""

from __future__ import annotations

import sys
from types import ModuleType

PARSE = "urllib.parse"


def quote_from_bytes(text: bytes, safe: bytes = b"/") -> str:
    """Quote like `urllib.parse`, which is imported by the first call."""
    import urllib.parse

    return urllib.parse.quote_from_bytes(text, safe)


if PARSE not in sys.modules:
    stand_in = ModuleType(PARSE)
    stand_in.quote_from_bytes = quote_from_bytes  # type: ignore[attr-defined]
    sys.modules[PARSE] = stand_in
    try:
        import pathlib as pathlib
    finally:
        del sys.modules[PARSE]
