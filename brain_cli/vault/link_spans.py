"""Where links stand in a note's text, byte for byte as it is on disk, so that one of them can be written anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.round_trip import lines_of
from brain_cli.vault.sections import outline, prose

WIKI, BARE, ENCLOSED, NAME = "wiki", "bare", "enclosed", "name"
_WIKILINK = re.compile(r"\[\[(?P<wiki>[^\[\]\n\r|#]+)")
_ENCLOSED = r"<(?P<enclosed>[^<>\n\r]*)>"
_INLINE = re.compile(rf"\]\([ \t]*(?:{_ENCLOSED}|(?P<bare>(?:[^()<>\s]|\([^()<>\s]*\))+))(?=[\s)])")
_DEFINITION = re.compile(rf"^ {{0,3}}\[[^\[\]\n\r]+\]:[ \t]*(?:{_ENCLOSED}|(?P<bare>[^<>\s]+))(?=\s|$)", re.MULTILINE)
_QUOTED = r"""(?P<quote>["'])(?P<enclosed>(?:(?!(?P=quote))[^<>\n\r])*)(?P=quote)"""
_HTML = re.compile(rf"<(?:a|img)(?=\s)[^<>]*?\s(?:href|src)\s*=\s*(?:{_QUOTED}|(?P<bare>[^\s<>\"'=`]+))", re.IGNORECASE)
# Where a key begins, in YAML or TOML.
_KEY = re.compile(r"""[ ]*(?P<quote>["']?)(?P<key>[\w.-]+)(?P=quote)[ \t]*(?::(?=\s|$)|=)""")
_NAMING_KEYS = ("related", "supersedes", "superseded_by")


class LinkSpan(NamedTuple):
    """The target of one link, without its heading: from `start` to `end` in the text (characters), as `written`.

    Its form is wiki: `[[target]]`; bare or enclosed: an address in markdown or HTML, as it stands or between `<>` or
    quotes; name: a value of the frontmatter.
    """

    start: int
    end: int
    written: str
    form: str


def link_spans(text: str) -> Iterator[LinkSpan]:
    """Yield every link of a text once; what is code has none."""
    yield from _in_prose(_without_code(text))
    yield from _in_head(text)


def _in_prose(text: str) -> Iterator[LinkSpan]:
    for match in _WIKILINK.finditer(text):
        # In a table the bar before an alias is written `\|`.
        target = match[WIKI].rstrip("\\").strip()
        start = match.start(WIKI) + match[WIKI].index(target)
        yield LinkSpan(start, start + len(target), target, WIKI)
    for pattern in (_INLINE, _DEFINITION, _HTML):
        for match in pattern.finditer(text):
            form = BARE if match[ENCLOSED] is None else ENCLOSED
            address = match[form].partition("#")[0]
            yield LinkSpan(match.start(form), match.start(form) + len(address), address, form)


def _in_head(text: str) -> Iterator[LinkSpan]:
    """Yield the names that stand bare in the frontmatter, as in `related: decisions/grpc.md`."""
    lines = lines_of(text)
    head = lines[: _body_line(lines)]
    for value in _bare_values(split_head(_unix(lines)).properties):
        bare = re.compile(rf"(?<![^\s\[,\"':=]){re.escape(value)}(?![^\s\],\"'|#])")
        for start, line in _naming_lines(head):
            yield from (
                LinkSpan(start + match.start(), start + match.end(), value, NAME) for match in bare.finditer(line)
            )


def _naming_lines(head: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of the keys that name notes, each with the place where it begins."""
    start, names = 0, False
    for line in head:
        if key := _KEY.match(line):
            names = key["key"].lower() in _NAMING_KEYS
        if names:
            yield start, line
        start += len(line)


def _bare_values(properties: dict[str, str | list[str]]) -> Iterator[str]:
    for key in _NAMING_KEYS:
        found = properties.get(key, [])
        for value in [found] if isinstance(found, str) else found:
            for each in value.split(","):
                if "[" not in each and (bare := re.split(r"[|#]", each)[0].strip()):
                    yield bare


def _without_code(text: str) -> str:
    """Return the text with blanks where its body is code."""
    lines = lines_of(text)
    first = _body_line(lines)
    body = lines[first:]
    return "".join(lines[:first]) + prose(body, outline(_unix(body), 1).code_lines)


def _body_line(lines: list[str]) -> int:
    """Return how many lines the head takes."""
    plain = _unix(lines)
    return plain.count("\n", 0, split_head(plain).body_start)


def _unix(lines: list[str]) -> str:
    """Return a text with Unix line ends, as it is read."""
    return "".join(line.rstrip("\r\n") + "\n" for line in lines)
