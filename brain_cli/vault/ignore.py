"""Match names against ignore files as git does, in a time that no pattern can inflate.

Most patterns are plain names or suffixes (`node_modules/`, `*.log`) and are looked up. The others become regular
expressions (vault/ignore_pattern.py), many patterns in one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import groupby

from brain_cli.regular_file import read_beginning
from brain_cli.vault.ignore_pattern import Pattern, regular_expression

MAX_IGNORE_BYTES = 8 * 1024 * 1024
# Longer than any path, so a longer pattern matches nothing.
MAX_PATTERN_CHARS = 4096
# A regular expression combines this many patterns, and is compiled on first use.
PATTERNS_PER_EXPRESSION = 200
# More patterns than any project has; of a longer list, the last ones are used.
MAX_WILDCARD_PATTERNS = 10_000
_WILDCARD = re.compile(r"[*?\[\\]")


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
