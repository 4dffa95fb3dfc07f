"""Match names against ignore files as git does, in a time that no pattern can inflate.

Most patterns are plain names or suffixes (`node_modules/`, `*.log`) and are looked up. The others become regular
expressions, many patterns in one. In these, a star becomes an atomic group with the shortest match, so a hostile
pattern with many stars has only one way to match; the shortest match of each star is enough to decide.

Obsidian keeps its excluded files in `.obsidian/app.json`: {"userIgnoreFilters": ["templates/", "/^draft/"]}.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from brain_cli.files import read_beginning

MAX_IGNORE_BYTES = 8 * 1024 * 1024
# Longer than any path, so a longer pattern matches nothing.
MAX_PATTERN_CHARS = 4096
# A regular expression combines this many patterns, and is compiled on first use.
PATTERNS_PER_EXPRESSION = 200
# More patterns than any project has; of a longer list, the last ones are used.
MAX_WILDCARD_PATTERNS = 10_000
_WILDCARD = re.compile(r"[*?\[\\]")
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
MAX_FILTERS = 1_000
_GITIGNORE_SPECIAL = re.compile(r"([\\*?\[\]!#])")


class IgnoreRules:
    """The patterns of one ignore file. If several match a name, the last one decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        numbered = enumerate(lines, start=1)
        self._patterns = [pattern._replace(line=number) for number, line in numbered if (pattern := _pattern(line))]
        # Name or suffix → the numbers of the last pattern for anything with it, and of the last one for folders only.
        self._names: dict[str, list[int]] = {}
        self._paths: dict[str, list[int]] = {}
        self._suffixes: dict[str, list[int]] = {}
        self._expressions = [Expression(run) for run in _runs(self._index_plain())]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Return whether a path below the rules' folder is ignored; None if no pattern matches it."""
        pattern = self.deciding_pattern(path, is_folder)
        return None if pattern is None else not pattern.negated

    def deciding_pattern(self, path: str, is_folder: bool) -> Pattern | None:
        """Return the pattern that decides about a path below the rules' folder; None if none matches."""
        name = path.rpartition("/")[2]
        found = self._last_plain_match(path, name, is_folder)
        slash = "/" if is_folder else ""
        for expression in self._expressions:
            # Later patterns come first, so the first match is the last one in the file.
            if expression.last < found:
                break
            if (number := expression.match((path if expression.anchored else name) + slash)) >= 0:
                found = max(found, number)
                break
        return None if found < 0 else self._patterns[found]

    def _index_plain(self) -> list[tuple[int, Pattern]]:
        """Put plain patterns into the tables; return the others, last first."""
        others = []
        for number, pattern in enumerate(self._patterns):
            table, key = self._table(pattern)
            if table is None:
                others.append((number, pattern))
            else:
                table.setdefault(key, [-1, -1])[pattern.folder_only] = number
        return others[::-1][:MAX_WILDCARD_PATTERNS]

    def _table(self, pattern: Pattern) -> tuple[dict[str, list[int]] | None, str]:
        if not _WILDCARD.search(pattern.text):
            return (self._paths if pattern.anchored else self._names), pattern.text
        suffix = pattern.text[1:]
        if pattern.text.startswith("*.") and not pattern.anchored and not _WILDCARD.search(suffix):
            return self._suffixes, suffix
        return None, ""

    def _last_plain_match(self, path: str, name: str, is_folder: bool) -> int:
        """Return the number of the last plain pattern that matches; -1 if none does."""
        found = [self._names.get(name), self._paths.get(path)]
        if self._suffixes:
            found += [self._suffixes.get(name[start:]) for start, letter in enumerate(name) if letter == "."]
        return max((max(numbers) if is_folder else numbers[0] for numbers in found if numbers), default=-1)


class Expression:
    """Patterns of one kind as one regular expression, compiled on first use."""

    def __init__(self, numbered: list[tuple[int, Pattern]]) -> None:
        self._numbers = [number for number, _ in numbered]
        self._patterns = [pattern for _, pattern in numbered]
        self.last = self._numbers[0]
        self.anchored = self._patterns[0].anchored

    def match(self, subject: str) -> int:
        """Return the number of the last pattern that matches a name or path; -1 if none does."""
        found = self._compiled.fullmatch(subject)
        return self._numbers[found.lastindex - 1] if found and found.lastindex else -1

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile("|".join(f"({regular_expression(pattern)})" for pattern in self._patterns), re.DOTALL)


def _runs(others: list[tuple[int, Pattern]]) -> Iterator[list[tuple[int, Pattern]]]:
    """Yield groups of adjacent patterns that are all anchored or all not, of limited size."""
    for _, run in groupby(others, key=lambda each: each[1].anchored):
        numbered = list(run)
        for start in range(0, len(numbered), PATTERNS_PER_EXPRESSION):
            yield numbered[start : start + PATTERNS_PER_EXPRESSION]


def read_rules(path: str) -> IgnoreRules:
    """Read an ignore file; a line that is not a pattern matches nothing, as in git."""
    try:
        # As in git, a symbolic link is not an ignore file: it could lead out of the vault.
        raw = read_beginning(path, MAX_IGNORE_BYTES, os.O_NOFOLLOW)
    except OSError:
        return IgnoreRules([])
    return IgnoreRules(raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").split("\n"))


def _pattern(line: str) -> Pattern | None:
    """Read a line; None for a comment, a blank line, or a pattern that matches nothing."""
    line = line.removesuffix("\r")
    if line.startswith("#") or len(line) > MAX_PATTERN_CHARS:
        return None
    text = _without_trailing_spaces(line)
    negated = text.startswith("!")
    text = text[negated:]
    folder_only = text.endswith("/")
    text = text[: len(text) - folder_only]
    # A slash at the beginning or in the middle anchors the pattern to the folder of its file.
    anchored = "/" in text
    text = text.removeprefix("/")
    return Pattern(text, negated, folder_only, anchored) if text and not _ends_in_escape(text) else None


def _without_trailing_spaces(line: str) -> str:
    bare = line.rstrip(" ")
    # A trailing space after a backslash belongs to the pattern.
    return bare + " " if len(bare) < len(line) and _ends_in_escape(bare) else bare


def _ends_in_escape(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


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
    return [_prefix_pattern(each) for each in listed if isinstance(each, str) and _is_path(each)]


def _is_path(text: str) -> bool:
    is_expression = len(text) > 1 and text.startswith("/") and text.endswith("/")
    return bool(text.strip("/ ")) and not is_expression and text.isprintable()


def _prefix_pattern(text: str) -> str:
    """Return the pattern for every path that begins with a text."""
    escaped = "/" + _GITIGNORE_SPECIAL.sub(r"\\\1", text.lstrip("/"))
    return escaped if text.endswith("/") else f"{escaped}*"
