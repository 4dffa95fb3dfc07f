"""Change one key of a note's frontmatter and no other byte.

The head is edited as the text it is, one line of it, and read again: an edit counts only if the notes' own reader
(`split_head`) then sees this key changed and nothing else. What cannot be done so is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from brain_cli.vault.frontmatter import split_head
from brain_cli.vault.round_trip import RoundTripText, as_read, ending_of, lines_of, round_trip_text

Value = bool | str | list[str]
# What YAML reads as the text it is, wherever it stands: a word, or a date.
_PLAIN = re.compile(r"[A-Za-z][\w./-]*|\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", re.ASCII)
_NOT_PLAIN = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null"))
_VALUE = r"""(?P<value>"(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^'\r\n]|'')*'|(?:[^ \t\r\n#][^\r\n]*?)?)"""
# In YAML a `#` begins a comment only after a blank.
_YAML_VALUE = rf":(?=\s|\Z)[ \t]*{_VALUE}(?P<comment>[ \t]+#[^\r\n]*|[ \t]*)(?P<end>[\r\n]*)"
_TOML_VALUE = rf"=[ \t]*{_VALUE}(?P<comment>[ \t]*#[^\r\n]*|[ \t]*)(?P<end>[\r\n]*)"


class UneditableError(Exception):
    """A frontmatter in which one key cannot be changed without touching more; the message completes “a.md: …”."""


class _Head(NamedTuple):
    """A note cut into its opening fence, the lines of its head, and the lines from the closing fence on."""

    opening: str
    lines: list[str]
    rest: list[str]

    @property
    def is_toml(self) -> bool:
        return self.opening.startswith("+")

    def with_lines(self, lines: list[str]) -> str:
        """Return the whole text with other lines in the head."""
        return "".join([self.opening, *lines, *self.rest])


def with_property(raw: bytes, key: str, value: Value) -> bytes:
    """Return a note's bytes with a key of its frontmatter set; a note without frontmatter gets one."""
    known = split_head(as_read(raw)).properties
    if _is(known.get(key), value):
        return raw
    file, head = _opened(raw)
    texts = _created(file.text, key, value) if head is None else _set(head, key, value, is_new=key not in known)
    return _first_that_holds(raw, (file.write(text) for text in texts), key, value)


def without_property(raw: bytes, key: str) -> bytes:
    """Return a note's bytes without a key of its frontmatter; a frontmatter that held nothing else goes with it.

    A comment on the key's line stays where it is.
    """
    file, head = _opened(raw)
    found = _key_lines(head, key) if head else {}
    if head is None or not found:
        return raw
    return _first_that_holds(raw, (file.write(text) for text in _removed(head, found)), key, None)


def _opened(raw: bytes) -> tuple[RoundTripText, _Head | None]:
    try:
        file = round_trip_text(raw)
    except ValueError as error:
        raise UneditableError(str(error)) from None
    seen = split_head(as_read(raw))
    if not seen.body_start:
        if seen.warning:
            raise UneditableError(seen.warning)
        return file, None
    lines = lines_of(file.text)
    fence = re.compile(re.escape(lines[0][0]) + r"{3,}[\s\x00]*")
    for number, line in enumerate(lines[1:], start=1):
        if fence.fullmatch(line):
            return file, _Head(lines[0], lines[1:number], lines[number:])
    raise UneditableError("its encoding is not one that can be edited")


def _created(text: str, key: str, value: Value) -> Iterator[str]:
    end = ending_of(next(iter(lines_of(text)), ""))
    yield f"---{end}{key}: {_written(value, toml=False)}{end}---{end}{text}"


def _set(head: _Head, key: str, value: Value, *, is_new: bool) -> Iterator[str]:
    """Yield the texts to try, best first: the key's own line changed, else a new line."""
    found = _key_lines(head, key)
    for number, match in reversed(found.items()):
        lines = [*head.lines]
        lines[number] = _changed(match, value, toml=head.is_toml)
        yield head.with_lines(lines)
    if not head.is_toml and (found or not is_new):
        return  # a second line with the same key is read by some and refused by others
    end = ending_of(head.opening)
    sign = " =" if head.is_toml else ":"
    line = f"{_indent(head)}{key}{sign} {_written(value, toml=head.is_toml)}{end}"
    if not head.lines:
        # The blank line tells an empty head, which was there before, from one that was made for the key.
        yield head.with_lines([end, line])
    if any(each.strip() for each in head.lines):
        yield head.with_lines([*head.lines, line])
    yield head.with_lines([line, *head.lines])


def _removed(head: _Head, found: dict[int, re.Match[str]]) -> Iterator[str]:
    """Yield the texts to try: without the lines of the key, and where nothing is left, without the head."""
    # In TOML lines that look the same may belong to different tables; in YAML all of them are the key.
    for gone in [[number] for number in reversed(found)] if head.is_toml else [list(found)]:
        left = [*head.lines]
        for number in gone:
            left[number] = _only_comment(found[number])
        left = [line for line in left if line]
        if not left:
            yield "".join(head.rest[1:])
        only_blank_before = gone == [1] and len(left) == 1 and not left[0].strip()
        yield head.with_lines([] if only_blank_before else left)


def _key_lines(head: _Head, key: str) -> dict[int, re.Match[str]]:
    """Return the lines that look like a key's, whatever its case and quotes; those in TOML tables among them."""
    name = rf"""{_indent(head)}(?P<quote>["']?){re.escape(key)}(?P=quote)[ \t]*"""
    pattern = re.compile(name + (_TOML_VALUE if head.is_toml else _YAML_VALUE), re.IGNORECASE)
    matches = ((number, pattern.fullmatch(line)) for number, line in enumerate(head.lines))
    return {number: match for number, match in matches if match}


def _indent(head: _Head) -> str:
    """Return what stands before a top-level key: nothing, except in a YAML head that is indented as a whole."""
    first = next((line for line in head.lines if line.strip() and not line.lstrip().startswith("#")), "")
    return "" if head.is_toml else first[: len(first) - len(first.lstrip(" "))]


def _changed(match: re.Match[str], value: Value, *, toml: bool) -> str:
    """Return a key's line with another value, in the quotes that the old one has."""
    quote = match["value"][:1]
    written = _written(value, toml=toml)
    if quote in ("'", '"') and isinstance(value, str):
        written = f"'{value}'" if quote == "'" and "'" not in value else json.dumps(value, ensure_ascii=False)
    before = match.string[: match.start("value")]
    blank = "" if before[-1] in " \t" else " "
    return f"{before}{blank}{written}{match['comment']}{match['end']}"


def _only_comment(match: re.Match[str]) -> str:
    comment = match["comment"].strip()
    return f"{comment}{match['end']}" if comment else ""


def _written(value: Value, *, toml: bool) -> str:
    """Write a value so that YAML, or TOML, reads it back as it is."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(_written(each, toml=toml) for each in value)}]"
    is_plain = not toml and _PLAIN.fullmatch(value) and value.lower() not in _NOT_PLAIN
    return value if is_plain else json.dumps(value, ensure_ascii=False)


def _first_that_holds(before: bytes, edits: Iterator[bytes], key: str, value: Value | None) -> bytes:
    for after in edits:
        if _holds(before, after, key, value):
            return after
    raise UneditableError(f"“{key}” cannot be changed in its frontmatter without touching more")


def _holds(before: bytes, after: bytes, key: str, value: Value | None) -> bool:
    """Return whether a reader sees the key changed as meant, and all other keys and the body as they were."""
    was, now = as_read(before), as_read(after)
    old, new = split_head(was), split_head(now)
    others = [{name: got for name, got in head.properties.items() if name != key} for head in (old, new)]
    return (
        _is(new.properties.get(key), value)
        and others[0] == others[1]
        and was[old.body_start :].lstrip() == now[new.body_start :].lstrip()
        and bool(old.warning) == bool(new.warning)
    )


def _is(got: str | list[str] | None, value: Value | None) -> bool:
    """Return whether the value that was read is the one meant: `split_head` reads scalars as text, without blanks."""
    if isinstance(value, bool):
        return isinstance(got, str) and got.lower() == str(value).lower()
    if isinstance(value, list):
        return got == [each.strip() for each in value]
    return got == (value if value is None else value.strip())
