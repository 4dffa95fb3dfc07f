"""Read `key:: value` lines at the beginning of a note, as Logseq and Dataview write them, like frontmatter."""

from __future__ import annotations

import re

# A page has few properties; later ones belong to a block.
MAX_LINES = 50
_PROPERTY = re.compile(r"[ \t]*(?:[-*] )?([A-Za-z][\w-]{0,60})::[ \t]+(\S[^\n]*)")
_LISTS = ("tags", "tag", "alias", "aliases")


def page_properties(body: str) -> dict[str, str | list[str]]:
    """Return the properties in the first lines of a body, by lower-case key; empty if the first line is not one."""
    found: dict[str, str | list[str]] = {}
    if "::" not in body[:200]:
        return found
    for line in body.lstrip("\n").split("\n", MAX_LINES)[:MAX_LINES]:
        match = _PROPERTY.fullmatch(line.rstrip())
        if not match:
            break
        key, value = match[1].lower(), match[2]
        found.setdefault(key, _names(value) if key in _LISTS else value)
    return found


def _names(value: str) -> list[str]:
    """Split a list of names at its commas; Logseq also writes them as `[[name]]` or `#name`."""
    return [name for each in value.split(",") if (name := each.strip().strip("[]#").strip())]
