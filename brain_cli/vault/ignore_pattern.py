"""Translate a pattern of an ignore file into a regular expression that is fast for any pattern.

A star becomes an atomic group with the shortest match, so a hostile pattern with many stars has only one way to match.
The shortest match of each star is enough to decide whether the whole pattern matches.
"""

from __future__ import annotations

import re
from typing import NamedTuple

NOTHING = "(?!)"
END = r"(?=/|\Z)"
ANY_FOLDERS = "(?:[^/]+/)*?"
# If the first wildcard of a pattern is a `**` after letters, as in `a**/b`, git matches any folders below any folder
# whose name begins with these letters.
REST_OF_NAME = "(?:[^/]*/)??"
_FOLDERS = re.compile(r"\*\*+")
_PREFIXED_FOLDERS = re.compile(r"([^*?\[\\]+)\*\*+")
_SPECIAL = re.compile(r"[*?\[\\]")
_NAMED_CLASS = re.compile(r"\[:([a-z]*):\]")
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": r"!-\/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


class Pattern(NamedTuple):
    """One line of an ignore file: `anchored` to its folder, for a `folder_only`, or `negated` with a `!`.

    `line` is its number in the file, from 1.
    """

    text: str
    negated: bool
    folder_only: bool
    anchored: bool
    line: int = 0

    @property
    def written(self) -> str:
        """Return the pattern as written in the file."""
        slash = "/" if self.anchored and "/" not in self.text else ""
        return f"{'!' * self.negated}{slash}{self.text}{'/' * self.folder_only}"


def regular_expression(pattern: Pattern) -> str:
    """Return a regular expression for names or paths; those of folders end in a slash."""
    try:
        whole = _path_expression(_segments(pattern.text)) if pattern.anchored else _segment(pattern.text)
    except ValueError:
        return NOTHING
    return whole + ("/" if pattern.folder_only else "/?")


def _path_expression(segments: list[str]) -> str:
    """Translate a pattern with slashes, in which `**` matches any number of folders."""
    chunks: list[list[str]] = [[]]
    some = ANY_FOLDERS
    for number, segment in enumerate(segments):
        prefixed = _PREFIXED_FOLDERS.fullmatch(segment)
        if _FOLDERS.fullmatch(segment):
            chunks.append([])
        elif prefixed and not any(map(_SPECIAL.search, segments[:number])):
            chunks[-1].append(re.escape(prefixed[1]))
            chunks.append([])
            some = REST_OF_NAME + ANY_FOLDERS
        else:
            chunks[-1].append(_segment(segment))
    if len(chunks) == 1:
        return "/".join(chunks[0])
    first, *middle, last = ["/".join(chunk) for chunk in chunks]
    found = [first] if some != ANY_FOLDERS or not first else [f"{first}/"]
    # The first match of a chunk is as good as any later one, so no others are tried.
    for chunk in filter(None, middle):
        found.append(f"(?>{some}{chunk}/)")
        some = ANY_FOLDERS
    found.append(f"{some}{last}" if last else ("[^/].*?" if some == ANY_FOLDERS else ".*?"))
    return "".join(found)


def _segments(text: str) -> list[str]:
    """Split a pattern at its slashes, except in brackets or after a backslash."""
    found, position = [""], 0
    while position < len(text):
        if text[position] == "/":
            found.append("")
            position += 1
            continue
        _, end = _one_character(text, position)
        found[-1] += text[position:end]
        position = end
    return found


def _segment(text: str) -> str:
    """Translate the pattern of one name. A star matches as little as possible, without backtracking."""
    parts = [""]
    position = 0
    while position < len(text):
        if text[position] == "*":
            parts += [""] if parts[-1] or len(parts) == 1 else []
            position += 1
            continue
        expression, position = _one_character(text, position)
        parts[-1] += expression
    first, *others = parts
    if not others:
        return f"(?>{first}{END})"
    *middle, last = others
    stars = "".join(f"(?>[^/]*?{part})" for part in middle)
    return f"(?>(?=[^/]){first}{stars}[^/]*{last}{END})"


def _one_character(text: str, position: int) -> tuple[str, int]:
    """Return the expression for one character of a pattern, and the position of the next."""
    if text[position] == "\\":
        return re.escape(text[position + 1]), position + 2
    if text[position] == "?":
        return "[^/]", position + 1
    if text[position] == "[":
        return _character_class(text, position + 1)
    return re.escape(text[position]), position + 1


def _character_class(text: str, position: int) -> tuple[str, int]:
    """Translate a character class, from after its opening bracket; ValueError if it does not end."""
    negated = text[position : position + 1] in ("!", "^")
    position += negated
    items, start = "", position
    while position < len(text) and (text[position] != "]" or position == start):
        item, position = _class_item(text, position)
        items += item
    if position >= len(text):
        raise ValueError("the class does not end")
    if negated:
        return f"[^/{items}]", position + 1
    return (f"(?!/)[{items}]" if items else NOTHING), position + 1


def _class_item(text: str, position: int) -> tuple[str, int]:
    """Translate a named class, a range or a character inside brackets; a reversed range is empty."""
    if named := _NAMED_CLASS.match(text, position):
        if named[1] not in _CLASSES:
            raise ValueError("there is no such class")
        return _CLASSES[named[1]], named.end()
    low, position = _literal(text, position)
    if text[position : position + 1] != "-" or text[position + 1 : position + 2] in ("", "]"):
        return re.escape(low), position
    high, position = _literal(text, position + 1)
    return (f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""), position


def _literal(text: str, position: int) -> tuple[str, int]:
    position += text[position] == "\\"
    if position >= len(text):
        raise ValueError("the class does not end")
    return text[position], position + 1
