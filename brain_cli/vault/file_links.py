"""Find the links of a whole file with their exact positions, so that each can be rewritten in place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.links import LINK_KEYS, NAME, LinkSpan, link_spans
from brain_cli.vault.round_trip import lines_of
from brain_cli.vault.sections import outline, prose

# The start of a key's line, in YAML or TOML.
_KEY = re.compile(r"""[ ]*(?P<quote>["']?)(?P<key>[\w.-]+)(?P=quote)[ \t]*(?::(?=\s|$)|=)""")


def file_links(text: str) -> Iterator[LinkSpan]:
    """Yield every link of a file's text outside code, including names in the frontmatter."""
    yield from link_spans(_without_code(text), text)
    yield from _frontmatter_names(text)


def _frontmatter_names(text: str) -> Iterator[LinkSpan]:
    """Yield the bare names in the frontmatter, as in `related: decisions/grpc.md`."""
    lines = lines_of(text)
    head = lines[: _head_lines(lines)]
    for value in _bare_values(split_head(_unix(lines)).properties):
        bare = re.compile(rf"(?<![^\s\[,\"':=]){re.escape(value)}(?![^\s\],\"'|#])")
        for start, line in _naming_lines(head):
            for match in bare.finditer(line):
                yield LinkSpan(start + match.start(), start + match.end(), value, NAME)


def _naming_lines(head: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of the keys that name notes, each with its offset in the text."""
    start, is_naming = 0, False
    for line in head:
        if key := _KEY.match(line):
            is_naming = key["key"].lower() in LINK_KEYS
        if is_naming:
            yield start, line
        start += len(line)


def _bare_values(properties: dict[str, str | list[str]]) -> Iterator[str]:
    for key in LINK_KEYS:
        found = properties.get(key, [])
        for value in [found] if isinstance(found, str) else found:
            for each in value.split(","):
                if "[" not in each and (bare := re.split(r"[|#]", each)[0].strip()):
                    yield bare


def _without_code(text: str) -> str:
    """Return the text with blanks where its body is code."""
    lines = lines_of(text)
    first = _head_lines(lines)
    body = lines[first:]
    return "".join(lines[:first]) + prose(body, outline(_unix(body), 1).code_lines)


def _head_lines(lines: list[str]) -> int:
    """Return the number of lines of the head."""
    plain = _unix(lines)
    return plain.count("\n", 0, split_head(plain).body_start)


def _unix(lines: list[str]) -> str:
    """Return lines as one text with Unix line ends, as the index reads it."""
    return "".join(line.rstrip("\r\n") + "\n" for line in lines)
