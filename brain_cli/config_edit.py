"""Set or remove one key of a settings file, without changing any other line or comment."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from brain_cli.config_schema import Key
from brain_cli.errors import UsageError
from brain_cli.vault.atomic_write import replace_file

_HEADER = re.compile(r"\s*\[")
# Longer values are not replaced by a command.
MAX_VALUE_LINES = 200


def set_key(path: Path, key: Key, value: object) -> None:
    """Write a settings file with another value for one key; raise UsageError if it cannot be edited safely."""
    # Write to the target of a link: settings often live in a repository of dotfiles.
    file = Path(os.path.realpath(path))
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    edited = with_key(text, key, value)
    if edited is None:
        raise UsageError(f"{path} sets “{'.'.join(key)}” in a way that cannot be edited.", "Change the file by hand.")
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o666
    replace_file(file, edited.encode("utf-8"), mode=mode)


def unset_key(path: Path, key: Key) -> bool:
    """Remove one key from a settings file; return whether it was set. Raise UsageError like `set_key`."""
    file = Path(os.path.realpath(path))
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    table = tomllib.loads(text)
    expected = _without(table, key)
    if expected == table:
        return False
    edited = next((each for each in _removals(text, key) if _means_without(each, expected)), None)
    if edited is None:
        raise UsageError(f"{path} sets “{'.'.join(key)}” in a way that cannot be edited.", "Change the file by hand.")
    replace_file(file, edited.encode("utf-8"), mode=file.stat().st_mode & 0o777)
    return True


def with_key(text: str, key: Key, value: object) -> str | None:
    """Return a settings text with one key set; None if no single edit has exactly that effect."""
    expected = _with(tomllib.loads(text), key, value)
    return next((edited for edited in _edits(text, key, value) if _means(edited, expected)), None)


def toml_value(value: object) -> str:
    """Write a value as TOML, whose texts, numbers and lists are those of JSON, except the character DEL."""
    written = str(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
    return written.replace("\x7f", "\\u007f")


def toml_key(name: str) -> str:
    """Write one part of a key, in quotes if TOML needs them."""
    bare = name.replace("-", "").replace("_", "")
    return name if bare.isascii() and bare.isalnum() else toml_value(name)


def _edits(text: str, key: Key, value: object) -> Iterator[str]:
    """Yield texts that may set the key: its lines replaced, or one line added to its table, or a table added."""
    # Not `splitlines`, which also splits at other characters than a newline.
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    assignment = f"{toml_key(key[-1])} = {toml_value(value)}"
    yield from _replaced(lines, key, assignment)
    table = ".".join(map(toml_key, key[:-1]))
    for index in _ends_of_table(lines, table):
        yield "".join([*lines[:index], f"{assignment}\n", *lines[index:]])
    gap = "\n" if lines else ""
    yield "".join([*lines, f"{gap}[{table}]\n{assignment}\n"])


def _replaced(lines: list[str], key: Key, assignment: str) -> Iterator[str]:
    """Yield the text with the lines of a key replaced; a comment at the end of a single line stays."""
    starts = [index for index, line in enumerate(lines) if _assigns(line, key[-1])]
    for start in starts:
        comment = re.search(r"\s+#[^\"'\]]*$", lines[start].rstrip("\n"))
        yield "".join([*lines[:start], f"{assignment}{comment[0] if comment else ''}\n", *lines[start + 1 :]])
        for end in range(start + 1, min(len(lines), start + MAX_VALUE_LINES) + 1):
            yield "".join([*lines[:start], f"{assignment}\n", *lines[end:]])


def _removals(text: str, key: Key) -> Iterator[str]:
    """Yield the text without the lines of a key."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    for start in (index for index, line in enumerate(lines) if _assigns(line, key[-1])):
        for end in range(start + 1, min(len(lines), start + MAX_VALUE_LINES) + 1):
            yield "".join([*lines[:start], *lines[end:]])


def _assigns(line: str, name: str) -> bool:
    written, equals, _ = line.partition("=")
    return bool(equals) and written.strip() in (name, toml_key(name), f'"{name}"', f"'{name}'")


def _ends_of_table(lines: list[str], table: str) -> Iterator[int]:
    """Yield the line indexes after the last setting of a table; settings outside all tables come first in a file."""
    headers = [index for index, line in enumerate(lines) if _HEADER.match(line)]
    starts = [index for index in headers if lines[index].split("#")[0].strip() == f"[{table}]"] if table else [-1]
    for start in starts:
        end = next((index for index in headers if index > start), len(lines))
        yield _above_comment(lines, start + 1, _without_blank(lines, start + 1, end))


def _without_blank(lines: list[str], start: int, end: int) -> int:
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def _above_comment(lines: list[str], start: int, end: int) -> int:
    """Return the line above a comment after a blank line, since that comment belongs to the table below; else `end`."""
    index = end
    while index > start and lines[index - 1].lstrip().startswith("#"):
        index -= 1
    above = _without_blank(lines, start, index)
    return above if start < above < index < end else end


def _with(table: Mapping[str, Any], key: Key, value: object) -> dict[str, Any]:
    first, *rest = key
    child = table.get(first)
    return {**table, first: _with(child if isinstance(child, dict) else {}, tuple(rest), value) if rest else value}


def _without(table: Mapping[str, Any], key: Key) -> dict[str, Any]:
    """Return a table without one key, and without the tables that are then empty."""
    first, *rest = key
    kept = {name: value for name, value in table.items() if name != first}
    child = table.get(first)
    if not rest or not isinstance(child, dict):
        return kept if not rest else dict(table)
    inner = _without(child, tuple(rest))
    return {**kept, first: inner} if inner else kept


def _means_without(text: str, expected: Mapping[str, Any]) -> bool:
    """Return whether a text sets what is wanted; empty tables are ignored."""
    try:
        return _filled(tomllib.loads(text)) == _filled(expected)
    except tomllib.TOMLDecodeError:
        return False


def _filled(table: Mapping[str, Any]) -> dict[str, Any]:
    inner = {name: _filled(value) if isinstance(value, dict) else value for name, value in table.items()}
    return {name: value for name, value in inner.items() if value != {}}


def _means(text: str, expected: Mapping[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == expected
    except tomllib.TOMLDecodeError:
        return False
