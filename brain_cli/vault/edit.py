"""Change one key of a note's frontmatter and no other byte, and compose new notes.

One line of the head is edited as text, and the head is read again. The edit is accepted only if the
reader of notes (`split_head`) then finds this key changed and nothing else; otherwise it is
refused.

A new note has a title, a text and properties; its kind chooses the folder.
"""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from brain_cli.vault.analyzer import fold
from brain_cli.vault.decode import RoundTripText, as_read, ending_of, lines_of, round_trip_text
from brain_cli.vault.frontmatter import Properties, split_head
from brain_cli.vault.note import KIND_BY_FOLDER, parse_note

Value = bool | str | list[str]
# Values that need no quotes anywhere in YAML: words and dates.
_PLAIN = re.compile(
    r"[A-Za-z][\w./-]*|\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:Z|[-+]\d\d:\d\d))?", re.ASCII
)
_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_NOT_PLAIN = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null"))
_QUOTED = r""""(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^'\r\n]|'')*'"""
# In YAML, `#` begins a comment only after white space. A value ends with a word, so that no blank
# is read twice.
_YAML_WORDS = r"[^ \t\r\n#][^ \t\r\n]*(?:[ \t]+[^ \t\r\n#][^ \t\r\n]*)*"
_YAML_VALUE = (
    rf":(?=\s|\Z)[ \t]*(?P<value>{_QUOTED}|{_YAML_WORDS}|)(?P<comment>[ "
    r"\t]+#[^\r\n]*|[ \t]*)(?P<end>[\r\n]*)"
)
_TOML_WORDS = r"[^ \t\r\n#]+(?:[ \t]+[^ \t\r\n#]+)*"
_TOML_VALUE = (
    rf"=[ \t]*(?P<value>{_QUOTED}|{_TOML_WORDS}|)(?P<comment>[ \t]*#[^\r\n]*|[ "
    r"\t]*)(?P<end>[\r\n]*)"
)
# Each line that is tried means to read the head again.
MAX_TRIED = 8


class UneditableError(Exception):
    """One key of a frontmatter cannot be changed without changing more; the message completes
    “a.md: …”.
    """


class _Head(NamedTuple):
    """A note split into its opening fence, the lines of its head, and the rest from the closing
    fence on.
    """

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
    """Return a note's bytes with one key of the frontmatter set; a note without frontmatter gets
    one.
    """
    known = split_head(as_read(raw)).properties
    if _value_equals(known.get(key), value):
        return raw
    file, head = _opened(raw)
    texts = _created(file.text, key, value) if head is None else _set(head, key, value, known)
    return _first_valid(raw, (file.write(text) for text in texts), key, value)


def without_property(raw: bytes, key: str) -> bytes:
    """Return a note's bytes without one key of the frontmatter, and without a frontmatter that is
    then empty.

    A comment on the key's line is kept.
    """
    file, head = _opened(raw)
    found = _key_lines(head, key, split_head(as_read(raw)).properties) if head else {}
    if head is None or not found:
        return raw
    return _first_valid(raw, (file.write(text) for text in _removed(head, found)), key, None)


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
    fence = re.compile(re.escape(lines[0][0]) + r"{3,}[\s\x00]*|\.{3}[\s\x00]*")
    for number, line in enumerate(lines[1:], start=1):
        if fence.fullmatch(line):
            return file, _Head(lines[0], lines[1:number], lines[number:])
    raise UneditableError("its encoding is not one that can be edited")


def _created(text: str, key: str, value: Value) -> Iterator[str]:
    end = ending_of(next(iter(lines_of(text)), ""))
    yield f"---{end}{key}: {_written(value, toml=False)}{end}---{end}{text}"


def _set(head: _Head, key: str, value: Value, known: Properties) -> Iterator[str]:
    """Yield the texts to try, best first: with the key's line changed, then with a new line."""
    found = _key_lines(head, key, known)
    for number, match in _tried(head, found):
        lines = [*head.lines]
        lines[number] = _changed(match, value, toml=head.is_toml)
        yield head.with_lines(lines)
    if not head.is_toml and (found or key in known):
        # a second line with the same key would be read by some programs and refused by others
        return
    end = ending_of(head.opening)
    sign = " =" if head.is_toml else ":"
    line = f"{_indent(head)}{key}{sign} {_written(value, toml=head.is_toml)}{end}"
    if not head.lines:
        # An empty line marks a head that was empty before, unlike one made for the key.
        yield head.with_lines([end, line])
    if any(each.strip() for each in head.lines):
        yield head.with_lines([*head.lines, line])
    yield head.with_lines([line, *head.lines])


def _removed(head: _Head, found: dict[int, re.Match[str]]) -> Iterator[str]:
    """Yield the texts to try: without the key's lines, and without the head if it is then empty."""
    # In TOML, equal lines may belong to different tables; in YAML all of them are the key's.
    for gone in [[number] for number, _ in _tried(head, found)] if head.is_toml else [list(found)]:
        left = [*head.lines]
        for number in gone:
            left[number] = _only_comment(found[number])
        left = [line for line in left if line]
        if not left:
            yield "".join(head.rest[1:])
        was_only_an_empty_line = gone == [1] and len(left) == 1 and not left[0].strip()
        yield head.with_lines([] if was_only_an_empty_line else left)


def _tried(head: _Head, found: dict[int, re.Match[str]]) -> list[tuple[int, re.Match[str]]]:
    """Return the likeliest lines of a key: in TOML the first ones, before all tables, in YAML the
    last ones.
    """
    return [*found.items()][:MAX_TRIED] if head.is_toml else [*reversed(found.items())][:MAX_TRIED]


def _key_lines(head: _Head, key: str, known: Properties) -> dict[int, re.Match[str]]:
    """Return the numbers of the lines that look like a key's, in any case and quotes, also in TOML
    tables.

    In TOML, a key that is not `known` has none: the lines are those of tables.
    """
    if head.is_toml and key not in known:
        return {}
    name = rf"""{_indent(head)}(?P<quote>["']?){re.escape(key)}(?P=quote)[ \t]*"""
    pattern = re.compile(name + (_TOML_VALUE if head.is_toml else _YAML_VALUE), re.IGNORECASE)
    matches = ((number, pattern.fullmatch(line)) for number, line in enumerate(head.lines))
    return {number: match for number, match in matches if match}


def _indent(head: _Head) -> str:
    """Return the indent of the top-level keys: empty, unless a YAML head is indented as a whole."""
    first = next(
        (line for line in head.lines if line.strip() and not line.lstrip().startswith("#")), ""
    )
    return "" if head.is_toml else first[: len(first) - len(first.lstrip(" "))]


def _changed(match: re.Match[str], value: Value, *, toml: bool) -> str:
    """Return a key's line with another value, in the quotes of the old one."""
    quote = match["value"][:1]
    written = _written(value, toml=toml)
    if quote in ("'", '"') and isinstance(value, str):
        written = f"'{value}'" if quote == "'" and "'" not in value else _quoted(value)
    before = match.string[: match.start("value")]
    space = "" if before[-1] in " \t" else " "
    return f"{before}{space}{written}{match['comment']}{match['end']}"


def _only_comment(match: re.Match[str]) -> str:
    comment = match["comment"].strip()
    return f"{comment}{match['end']}" if comment else ""


def _written(value: Value, *, toml: bool) -> str:
    """Write a value so that YAML or TOML reads back the same value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(_written(each, toml=toml) for each in value)}]"
    is_plain = not toml and _PLAIN.fullmatch(value) and value.lower() not in _NOT_PLAIN
    return value if is_plain else _quoted(value)


def _quoted(value: str) -> str:
    """Return a value in double quotes, with the characters escaped that YAML and TOML refuse."""
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _first_valid(before: bytes, edits: Iterator[bytes], key: str, value: Value | None) -> bytes:
    for after in edits:
        if _changes_only(before, after, key, value):
            return after
    raise UneditableError(f"“{key}” cannot be changed in its frontmatter without touching more")


def _changes_only(before: bytes, after: bytes, key: str, value: Value | None) -> bool:
    """Return whether a reader finds the key changed as intended, and all other keys and the body
    unchanged.
    """
    was = as_read(before)
    now = as_read(after)
    old = split_head(was)
    new = split_head(now)
    others = [
        {name: got for name, got in head.properties.items() if name != key} for head in (old, new)
    ]
    return (
        _value_equals(new.properties.get(key), value)
        and others[0] == others[1]
        and was[old.body_start :].lstrip() == now[new.body_start :].lstrip()
        and bool(old.warning) == bool(new.warning)
    )


def _value_equals(got: str | list[str] | None, value: Value | None) -> bool:
    """Return whether the value read is the intended one; `split_head` reads scalars as stripped
    text.
    """
    if isinstance(value, bool):
        return isinstance(got, str) and got.lower() == str(value).lower()
    if isinstance(value, list):
        return got == [each.strip() for each in value]
    return got == (value if value is None else value.strip())


MAX_NAME_CHARS = 80
MAX_TITLE_CHARS = 100
MAX_SENTENCE_CHARS = 90
# How much a new note matters by its kind; else .5. From .7 on, which is for the user to say, a note
# does not fade.
SALIENCE_BY_KIND = {
    "decision": "0.65",
    "preference": "0.65",
    "handoff": "0.6",
    "refactor": "0.4",
    "change": "0.4",
}
# Names that Windows reserves; a synchronised vault may be read there too.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
_MARKUP = re.compile(r"^[#>\s]*(?:[-+*]\s+(?:\[.\]\s+)?)?|[*_`]")


def title_of(text: str) -> str:
    """Return the title in a text: that of its frontmatter, else its first heading, else its first
    line.
    """
    plain = as_read(text.encode("utf-8", "surrogateescape"))
    if named := parse_note("", plain, 0.0).metadata.title:
        return named
    body = plain[split_head(plain).body_start :]
    first = next((line for line in body.split("\n") if line.strip()), "")
    return " ".join(_MARKUP.sub("", first).split())[:MAX_TITLE_CHARS]


def first_sentence(text: str, limit: int = MAX_SENTENCE_CHARS) -> str:
    """Return the first sentence or line of a text, cut at a word to at most `limit` characters."""
    line = next((line.strip(" #*->\t") for line in text.splitlines() if line.strip(" #*->\t")), "")
    sentence = re.split(r"(?<=[.!?])\s", line, maxsplit=1)[0]
    return sentence if len(sentence) <= limit else f"{sentence[: limit - 1].rsplit(' ', 1)[0]}…"


def composed(title: str, text: str, properties: Mapping[str, Value], *, heading: bool) -> bytes:
    """Return the bytes of a new note. A frontmatter in the text is kept.

    With `heading`, the title becomes a heading above a text that does not begin with one.
    """
    raw = text.encode("utf-8", "surrogateescape")
    known = split_head(as_read(raw))
    if not known.body_start:
        text = text.strip("\r\n")
        if heading and not text.startswith("# "):
            text = f"# {title}\n\n{text}".rstrip("\n")
        raw = f"\n{text}\n".encode("utf-8", "surrogateescape")
    named = parse_note("", as_read(raw), 0.0).metadata.title
    for key, value in {**({} if named == title else {"title": title}), **properties}.items():
        if key not in known.properties:
            raw = with_property(raw, key, value)
    return raw


def file_names(title: str) -> Iterator[str]:
    """Yield safe file names for a title, without a suffix: `switch-to-grpc`, then
    `switch-to-grpc-2`, and so on.
    """
    letters = (
        c if _is_word_character(c) else " " for c in re.sub(r"['’]", "", fold(title)).lower()
    )
    name = "-".join("".join(letters).split())[:MAX_NAME_CHARS].strip("-_") or "note"
    # A file name may have 255 bytes, and a letter may take several.
    name = name.encode()[:200].decode("utf-8", "ignore")
    if _RESERVED.fullmatch(name):
        name += "-note"
    yield name
    yield from (f"{name}-{number}" for number in itertools.count(2))


def _is_word_character(letter: str) -> bool:
    return letter.isalnum() or letter in "-_" or unicodedata.category(letter).startswith("M")


def folder_for(kind: str | None, folders: Collection[str]) -> str:
    """Return the folder for a kind of note: one of the existing `folders`, else the usual one; ""
    is the vault.
    """
    if not kind:
        return ""
    usual = [folder for folder, named in KIND_BY_FOLDER.items() if named == kind]
    names = [*sorted(usual, key=lambda name: not name.startswith(kind)), kind, f"{kind}s"]
    existing = {folder.lower(): folder for folder in sorted(folders)}
    plural = f"{kind}s"
    return next(
        (existing[name] for name in names if name in existing),
        plural if plural in usual else "".join(usual[:1]),
    )
