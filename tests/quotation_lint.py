"""A lint for what is quoted: a key point that a reader cannot use as it stands has a problem with a
name.
"""

from __future__ import annotations

import re

MAX_CHARS = 320
# Code in ticks and formulas may look like anything.
_SPAN = re.compile(r"`[^`]*`|\$[^$]+\$")
_PROBLEMS = {
    "ends in a lead-in": re.compile(r":\s*$"),
    "is a bare link": re.compile(
        r"^\W*(?:https?://\S+|\[\[[^\]]*\]\]|\[[^\]]*\]\([^)]*\))\W*$"
    ),
    "shows a comment": re.compile(r"<!--|%%"),
    "shows an embed": re.compile(r"!\[\[|!\[[^\]]*\]\("),
    "shows a link's markup": re.compile(r"\[\[|\]\]|\]\([^)\s]+\)"),
    "shows HTML": re.compile(
        r"</?(?:a|b|br|button|div|details|em|i|img|li|p|span|strong|summary|table|td|tr|ul)\b[^<>]*>"
    ),
    "shows a template": re.compile(r"\{\{|\}\}|\{%|<%"),
    "shows a block id": re.compile(r"\s\^[\w-]+\s*$", re.MULTILINE),
    "shows an icon's name": re.compile(r"(?<!\S):[a-z]+(?:[-_][a-z0-9]+)+:(?!\S)"),
    "is only tags": re.compile(r"^(?:\s*#[^\W\d_][\w/-]*)+\s*$"),
    "begins in mid-air": re.compile(
        r"^(?:This|These|It|Its|Diese|Dieser|Dieses|Dies|Es)\b|^(?:No|Yes|Nein|Ja),"
    ),
    "runs a list together": re.compile(
        r"\S \* \S+.*\S \* \S|\S - \S[^\n]*\S - \S[^\n]*\S - \S"
    ),
    "begins with a mark": re.compile(r"^[,;:.)\]|>&]"),
    "shows an entity": re.compile(r"&(?:nbsp|amp|lt|gt|quot|#\d+);"),
    "shows data": re.compile(r"[\w+/=-]{100}"),
    "has a fence": re.compile(r"```"),
    "is a heading": re.compile(r"^#{1,6}\s"),
    "is a table's markup": re.compile(r"^\||\|\s*$|\|\s*:?-{2,}", re.MULTILINE),
}


def problems(text: str) -> list[str]:
    """Return the names of what is wrong with a quotation."""
    bare = _SPAN.sub("code", text)
    found = [name for name, pattern in _PROBLEMS.items() if pattern.search(bare)]
    if len(text) > MAX_CHARS:
        found.append("is too long")
    if not re.search(r"\w", text):
        found.append("has no word")
    return found
