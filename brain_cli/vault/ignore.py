"""Match names against ignore files as git does, in a time that no pattern can inflate.

Plain names (`node_modules/`) are looked up. The other patterns become regular expressions, many
patterns in one. In these, a star becomes an atomic group with the shortest match, so a hostile
pattern with many stars has only one way to match; the shortest match of each star is enough to
decide.

Obsidian keeps its excluded files in `.obsidian/app.json`: {"userIgnoreFilters": ["templates/",
"/^draft/"]}.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from brain_cli.files import read_beginning

MAX_IGNORE_BYTES = 8 * 1024 * 1024
# Longer than any path, so a longer pattern matches nothing.
MAX_PATTERN_CHARS = 4096
# A regular expression combines this many patterns, and is compiled on first use.
PATTERNS_PER_EXPRESSION = 200
# More patterns than any project has; of a longer list, the last ones are used.
MAX_WILDCARD_PATTERNS = 10_000
MAX_FILTERS = 1_000
_WILDCARD = re.compile(r"[*?\[\\]")
NOTHING = "(?!)"
END = r"(?=/|\Z)"
# An unanchored pattern matches the name after the last slash; a folder's path ends in one more.
ANY_PARENT = "(?>(?:.*/(?=.))?)"
ANY_FOLDERS = "(?:[^/]+/)*?"
# If the first wildcard of a pattern is a `**` after letters, as in `a**/b`, git matches any folders
# below any folder whose name begins with these letters.
REST_OF_NAME = "(?:[^/]*/)??"
_FOLDERS = re.compile(r"\*\*+")
_PREFIXED_FOLDERS = re.compile(r"([^*?\[\\]+)\*\*+")
_NAMED_CLASS = r"\[:[a-z]*:\]"
# The parts of a pattern: an escaped character, a character class, a slash, stars, any other
# character.
_PART = re.compile(
    rf"\\(?P<escaped>.)|\[(?P<negated>[!^]?)(?P<items>(?:{_NAMED_CLASS}|\\.|[^\\])"
    rf"(?:{_NAMED_CLASS}|\\.|[^\]\\])*)\]"
    r"|(?P<slash>/)|(?P<stars>\*+)|(?P<other>.)",
    re.DOTALL,
)
_CLASS_ITEM = re.compile(r"\[:(?P<name>[a-z]*):\]|\\?(?P<low>.)(?:-\\?(?P<high>.))?", re.DOTALL)
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
_GITIGNORE_SPECIAL = re.compile(r"([\\*?\[\]!#])")


class Pattern(NamedTuple):
    """One line of an ignore file: `anchored` to its folder, for a `folder_only`, or `negated` with
    a `!`.

    `line` is its number in the file, from 1.
    """

    text: str
    negated: bool
    folder_only: bool
    anchored: bool
    line: int

    @property
    def written(self) -> str:
        """Return the pattern as written in the file."""
        slash = "/" if self.anchored and "/" not in self.text else ""
        return f"{'!' * self.negated}{slash}{self.text}{'/' * self.folder_only}"


class IgnoreRules:
    """The patterns of one ignore file. If several match a name, the last one decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [
            found
            for number, line in enumerate(lines, start=1)
            if (found := _pattern(line, number))
        ]
        # A name, or a path after a slash → the numbers of its last pattern for anything, and for
        # folders only.
        self._plain: dict[str, list[int]] = {}
        others = []
        for number, pattern in enumerate(self._patterns):
            if _WILDCARD.search(pattern.text):
                others.append(number)
            else:
                numbers = self._plain.setdefault(
                    "/" * pattern.anchored + pattern.text, [-1, -1]
                )
                numbers[pattern.folder_only] = number
        # Later patterns come first, so the first match is the last one in the file.
        latest = others[: -MAX_WILDCARD_PATTERNS - 1 : -1]
        starts = range(0, len(latest), PATTERNS_PER_EXPRESSION)
        self._wildcards = [
            tuple(latest[start : start + PATTERNS_PER_EXPRESSION]) for start in starts
        ]
        self._compiled = cache(self._compile)

    def deciding_pattern(self, path: str, is_folder: bool) -> Pattern | None:
        """Return the pattern that decides about a path below the rules' folder; None if none
        matches.
        """
        plain = [
            self._plain.get(key, (-1, -1)) for key in (path.rpartition("/")[2], f"/{path}")
        ]
        found = max(max(numbers) if is_folder else numbers[0] for numbers in plain)
        for numbers in self._wildcards:
            if numbers[0] < found:
                break
            match = self._compiled(numbers).fullmatch(path + "/" * is_folder)
            if match and match.lastindex:
                found = max(found, numbers[match.lastindex - 1])
                break
        return None if found < 0 else self._patterns[found]

    def _compile(self, numbers: Sequence[int]) -> re.Pattern[str]:
        expressions = (f"({_expression(self._patterns[each])})" for each in numbers)
        return re.compile("|".join(expressions), re.DOTALL)


def read_rules(path: str) -> IgnoreRules:
    """Read an ignore file; a line that is not a pattern matches nothing, as in git."""
    return IgnoreRules(
        _raw(path).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").split("\n")
    )


def _raw(path: str) -> bytes:
    try:
        # As in git, a symbolic link is not an ignore file: it could lead out of the vault.
        return read_beginning(path, MAX_IGNORE_BYTES, os.O_NOFOLLOW)
    except OSError:
        return b""


def _pattern(line: str, number: int) -> Pattern | None:
    """Read a line; None for a comment, a blank line, or a pattern that matches nothing."""
    line = line.removesuffix("\r")
    if line.startswith("#") or len(line) > MAX_PATTERN_CHARS:
        return None
    text = line.rstrip(" ")
    if len(text) < len(line) and _ends_in_escape(text):
        text += " "  # a space after a backslash belongs to the pattern
    negated = text.startswith("!")
    text = text[negated:]
    folder_only = text.endswith("/")
    text = text[: len(text) - folder_only]
    # A slash at the beginning or in the middle anchors the pattern to the folder of its file.
    anchored = "/" in text
    text = text.removeprefix("/")
    return (
        Pattern(text, negated, folder_only, anchored, number)
        if text and not _ends_in_escape(text)
        else None
    )


def _ends_in_escape(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _expression(pattern: Pattern) -> str:
    """Return a regular expression for paths; the paths of folders end in a slash."""
    try:
        segments = list(_segments(pattern.text))
    except ValueError:
        return NOTHING
    whole = _path_expression(segments) if pattern.anchored else ANY_PARENT + segments[0][1]
    return whole + ("/" if pattern.folder_only else "/?")


def _segments(text: str) -> Iterator[tuple[str, str]]:
    """Yield each part of a pattern between slashes, as written and as an expression for
    one name.
    """
    start = 0
    # A star is an empty text between the expressions around it.
    parts = [""]
    for found in _PART.finditer(text):
        if found["slash"]:
            yield text[start : found.start()], _name_expression(parts)
            start = found.end()
            parts = [""]
        elif found["stars"]:
            parts.append("")
        else:
            parts[-1] += _one_character(found)
    yield text[start:], _name_expression(parts)


def _one_character(found: re.Match[str]) -> str:
    """Return the expression for one character of a name; ValueError for a class that matches
    nothing.
    """
    if found["items"]:
        return _character_class(found["items"], bool(found["negated"]))
    if found["other"] == "[":
        raise ValueError("the class does not end")
    return "[^/]" if found["other"] == "?" else re.escape(found["escaped"] or found["other"])


def _character_class(items: str, negated: bool) -> str:
    allowed = ""
    for item in _CLASS_ITEM.finditer(items):
        name = item["name"]
        low = item["low"]
        high = item["high"]
        if low is None and name not in _CLASSES:
            raise ValueError("there is no such class")
        if low is None:
            allowed += _CLASSES[name]
        elif high is None or low <= high:  # a reversed range is empty
            allowed += re.escape(low) + (f"-{re.escape(high)}" if high else "")
    if negated:
        return f"[^/{allowed}]"
    return f"(?!/)[{allowed}]" if allowed else NOTHING


def _name_expression(parts: Sequence[str]) -> str:
    """Return the expression for one name. A star matches as little as possible, without
    backtracking.
    """
    first, *others = parts
    if not others:
        return f"(?>{first}{END})"
    *middle, last = others
    stars = "".join(f"(?>[^/]*?{part})" for part in middle)
    return f"(?>(?=[^/]){first}{stars}[^/]*{last}{END})"


def _path_expression(segments: Sequence[tuple[str, str]]) -> str:
    """Return the expression for a path, in which `**` matches any number of folders."""
    chunks: list[list[str]] = [[]]
    some = ANY_FOLDERS
    for number, (written, expression) in enumerate(segments):
        prefixed = _PREFIXED_FOLDERS.fullmatch(written)
        if _FOLDERS.fullmatch(written):
            chunks.append([])
        elif prefixed and not any(_WILDCARD.search(before) for before, _ in segments[:number]):
            chunks[-1].append(re.escape(prefixed[1]))
            chunks.append([])
            some = REST_OF_NAME + ANY_FOLDERS
        else:
            chunks[-1].append(expression)
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


def read_excluded(path: str) -> IgnoreRules:
    """Read Obsidian's excluded files, path prefixes; settings that cannot be read exclude nothing.

    Filters between slashes are regular expressions; they are omitted, because an untrusted one
    could run forever.
    """
    try:
        filters = json.loads(_raw(path))["userIgnoreFilters"]
    except (ValueError, RecursionError, KeyError, TypeError):
        filters = []
    patterns = []
    for text in filters[:MAX_FILTERS] if isinstance(filters, list) else ():
        if isinstance(text, str) and text.strip("/ ") and text.isprintable():
            is_expression = text.startswith("/") and text.endswith("/")
            escaped = "/" + _GITIGNORE_SPECIAL.sub(r"\\\1", text.lstrip("/"))
            if not is_expression:
                patterns.append(escaped if text.endswith("/") else f"{escaped}*")
    return IgnoreRules(patterns)
