"""Read which files an Obsidian vault excludes (Settings → Files and links → Excluded files), as ignore patterns.

Obsidian keeps them in `.obsidian/app.json`: {"userIgnoreFilters": ["templates/", "/^draft/"]}.
"""

from __future__ import annotations

import json
import os
import re

from brain_cli.regular_file import read_beginning
from brain_cli.vault.ignore import MAX_IGNORE_BYTES, IgnoreRules

MAX_FILTERS = 1_000
_SPECIAL = re.compile(r"([\\*?\[\]!#])")


def read_excluded(path: str) -> IgnoreRules:
    """Read the excluded files from Obsidian's settings; settings that cannot be read exclude nothing."""
    try:
        raw = read_beginning(path, MAX_IGNORE_BYTES, os.O_NOFOLLOW)
    except OSError:
        return IgnoreRules([])
    return IgnoreRules(excluded_patterns(raw))


def excluded_patterns(raw: bytes) -> list[str]:
    """Return the excluded path prefixes, written as lines of a `.gitignore`.

    Filters between slashes are regular expressions; they are left out, because an untrusted one could run forever.
    """
    try:
        settings = json.loads(raw)
        filters = settings.get("userIgnoreFilters", []) if isinstance(settings, dict) else []
    except (ValueError, RecursionError):
        return []
    listed = filters[:MAX_FILTERS] if isinstance(filters, list) else []
    return [_pattern(each) for each in listed if isinstance(each, str) and _is_path(each)]


def _is_path(text: str) -> bool:
    is_expression = len(text) > 1 and text.startswith("/") and text.endswith("/")
    return bool(text.strip("/ ")) and not is_expression and text.isprintable()


def _pattern(text: str) -> str:
    """Return the pattern for every path that begins with a text."""
    escaped = "/" + _SPECIAL.sub(r"\\\1", text.lstrip("/"))
    return escaped if text.endswith("/") else f"{escaped}*"
