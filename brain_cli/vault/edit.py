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

from brain_cli.vault.analyzer import fold
from brain_cli.vault.decode import as_read, ending_of, lines_of, round_trip_text
from brain_cli.vault.frontmatter import Head, split_head
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


def with_property(raw: bytes, key: str, value: Value) -> bytes:
    """Return a note's bytes with one key of the frontmatter set; a note without frontmatter gets
    one.
    """
    return _edited(raw, key, value)


def without_property(raw: bytes, key: str) -> bytes:
    """Return a note's bytes without one key of the frontmatter, and without a frontmatter that is
    then empty.

    A comment on the key's line is kept.
    """
    return _edited(raw, key, None)


def _edited(raw: bytes, key: str, value: Value | None) -> bytes:
    known = split_head(as_read(raw))
    if _value_equals(known.properties.get(key), value):
        return raw
    try:
        file = round_trip_text(raw)
    except ValueError as error:
        raise UneditableError(str(error)) from None
    for text in _texts(file.text, key, value, known):
        after = file.write(text)
        if _changes_only(raw, after, key, value):
            return after
    raise UneditableError(f"“{key}” cannot be changed in its frontmatter without touching more")


def _texts(
    text: str,
    key: str,
    value: Value | None,
    known: Head,
) -> Iterator[str]:
    """Yield the texts to try, best first."""
    opening, *lines = lines_of(text) or [""]
    # A head above one of JSON is read, too.
    if not known.body_start or opening.startswith("{"):
        if known.warning:
            raise UneditableError(known.warning)
        end = ending_of(opening)
        yield f"---{end}{key}: {_written(value or '', toml=False)}{end}---{end}{text}"
        return
    fence = re.compile(re.escape(opening[0]) + r"{3,}[\s\x00]*|\.{3}[\s\x00]*")
    end_of_head = next((n for n, line in enumerate(lines) if fence.fullmatch(line)), None)
    if end_of_head is None:
        raise UneditableError("its encoding is not one that can be edited")
    head = lines[:end_of_head]
    rest = lines[end_of_head:]
    is_toml = opening.startswith("+")
    found = _key_lines(head, key, toml=is_toml)
    if is_toml and key not in known.properties:
        found = {}  # the lines are those of tables
    # The likeliest lines of a key: in TOML the first ones, before all tables, in YAML the last.
    likely = [*found][:MAX_TRIED] if is_toml else [*found][: -MAX_TRIED - 1 : -1]
    if value is None:
        # In TOML, equal lines may belong to different tables; in YAML all of them are the key's.
        for gone in [[number] for number in likely] if is_toml else [[*found]]:
            left = _without_lines(head, {number: found[number] for number in gone})
            if not left:
                yield "".join(rest[1:])
            was_only_an_empty_line = gone == [1] and len(left) == 1 and not left[0].strip()
            yield "".join([opening, *([] if was_only_an_empty_line else left), *rest])
        return
    for number in likely:
        changed = _changed(found[number], value, toml=is_toml)
        yield "".join([opening, *head[:number], changed, *head[number + 1 :], *rest])
    if not is_toml and (found or key in known.properties):
        # a second line with the same key would be read by some programs and refused by others
        return
    end = ending_of(opening)
    sign = " =" if is_toml else ":"
    line = f"{_indent(head, toml=is_toml)}{key}{sign} {_written(value, toml=is_toml)}{end}"
    if not head:
        # An empty line marks a head that was empty before, unlike one made for the key.
        yield "".join([opening, end, line, *rest])
    if any(each.strip() for each in head):
        yield "".join([opening, *head, line, *rest])
    yield "".join([opening, line, *head, *rest])


def _without_lines(head: list[str], gone: Mapping[int, re.Match[str]]) -> list[str]:
    """Return a head without some lines of a key; of these, their comments stay."""
    left = []
    for number, line in enumerate(head):
        comment = gone[number]["comment"].strip() if number in gone else ""
        if number not in gone or comment:
            left.append(f"{comment}{gone[number]['end']}" if comment else line)
    return left


def _key_lines(head: list[str], key: str, *, toml: bool) -> dict[int, re.Match[str]]:
    """Return the numbers of the lines that look like a key's, in any case and quotes, also in TOML
    tables.
    """
    name = rf"""{_indent(head, toml=toml)}(?P<quote>["']?){re.escape(key)}(?P=quote)[ \t]*"""
    pattern = re.compile(name + (_TOML_VALUE if toml else _YAML_VALUE), re.IGNORECASE)
    matches = ((number, pattern.fullmatch(line)) for number, line in enumerate(head))
    return {number: match for number, match in matches if match}


def _indent(head: list[str], *, toml: bool) -> str:
    """Return the indent of the top-level keys: empty, unless a YAML head is indented as a whole."""
    first = next((line for line in head if line.strip() and line.lstrip()[0] != "#"), "")
    return "" if toml else first[: len(first) - len(first.lstrip(" "))]


def _changed(match: re.Match[str], value: Value, *, toml: bool) -> str:
    """Return a key's line with another value, in the quotes of the old one."""
    quote = match["value"][:1]
    written = _written(value, toml=toml)
    if quote in ("'", '"') and isinstance(value, str):
        written = f"'{value}'" if quote == "'" and "'" not in value else _quoted(value)
    before = match.string[: match.start("value")]
    space = "" if before[-1] in " \t" else " "
    return f"{before}{space}{written}{match['comment']}{match['end']}"


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


def _changes_only(
    before: bytes,
    after: bytes,
    key: str,
    value: Value | None,
) -> bool:
    """Return whether a reader finds the key changed as intended, and all other keys and the body
    unchanged.
    """
    was = as_read(before)
    now = as_read(after)
    old = split_head(was)
    new = split_head(now)
    return (
        _value_equals(new.properties.get(key), value)
        and {**old.properties, key: ""} == {**new.properties, key: ""}
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
    """Return the title in a text: from its frontmatter, else its first heading, else its first
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
    line = next(
        (line.strip(" #*->\t") for line in text.splitlines() if line.strip(" #*->\t")), ""
    )
    sentence = re.split(r"(?<=[.!?])\s", line, maxsplit=1)[0]
    return sentence if len(sentence) <= limit else f"{sentence[: limit - 1].rsplit(' ', 1)[0]}…"


def composed(
    title: str,
    text: str,
    properties: Mapping[str, Value],
    *,
    heading: bool,
) -> bytes:
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
    # Vowels of India are marks.
    letters = (
        c if c.isalnum() or c in "-_" or unicodedata.category(c).startswith("M") else " "
        for c in re.sub(r"['’]", "", fold(title)).lower()
    )
    name = "-".join("".join(letters).split())[:MAX_NAME_CHARS].strip("-_") or "note"
    # A file name may have 255 bytes, and a letter may take several.
    name = name.encode()[:200].decode("utf-8", "ignore")
    if _RESERVED.fullmatch(name):
        name += "-note"
    yield name
    yield from (f"{name}-{number}" for number in itertools.count(2))


def folder_for(kind: str | None, folders: Collection[str]) -> str:
    """Return the folder for a kind of note: one of the existing `folders`, else the usual one; ""
    is the vault.
    """
    if not kind:
        return ""
    usual = [folder for folder, named in KIND_BY_FOLDER.items() if named == kind]
    plural = f"{kind}s"
    names = [*sorted(usual, key=lambda name: not name.startswith(kind)), kind, plural]
    existing = {folder.lower(): folder for folder in sorted(folders)}
    fallback = plural if plural in usual else "".join(usual[:1])
    return next((existing[name] for name in names if name in existing), fallback)
