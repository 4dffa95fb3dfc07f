"""Read the frontmatter of a note: YAML between `---` lines, TOML between `+++` lines or JSON
between braces on lines of their own, valid or not. python-frontmatter detects and splits it.

The values are bounded, because a note may come from a stranger. They are texts in all usual
spellings; Logseq and Dataview write them as `key:: value` lines at the beginning of a note.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from brain_cli.printable import one_line
from brain_cli.types import unit

if TYPE_CHECKING:
    from frontmatter.default_handlers import BaseHandler

MAX_HEAD_CHARS = 200_000
MAX_PROPERTIES = 1_000
MAX_VALUE_CHARS = 2_000
MAX_KEY_CHARS = 200
MAX_DEPTH = 3
# Deeper than any real note nests, and far less than would exhaust a parser's stack or time.
MAX_PARSED_DEPTH = 100
_KEY_LINE = re.compile(r"[\w\"'-][^\n:]*:(?:\s|$)")
# In a head that YAML refuses, the space after the colon may be missing.
_TOP_LEVEL_KEY = re.compile(
    r"^(?=(?!- )[\w\"'-][^\n:]*:(?:\s|$)|[A-Za-z][\w-]*:(?!//))", re.MULTILINE
)
_TEXT_OF_KEY = re.compile(r"([^\n:]+):[ \t]*(\S[^\n]*)\s*")
_LIST_OF_KEY = re.compile(r"([^\n:]+):[ \t]*((?:\n[ \t]*- [^\n]+)+)\s*")
# A list that is never closed.
_OPEN_BRACKET = re.compile(r"\[[^\]]*|\{[^}]*")
# YAML takes the beginning of such a title for a tag, an anchor, a map or a comment, or cuts it.
_LOST_TITLE = re.compile(
    r"^title:[ \t]+((?:[!&]|\{(?!\})|#\S|[^\s\"'\[|>][^\n]*?[ \t]#\S)[^\n]*)$", re.MULTILINE
)
_SECOND_HEAD = re.compile(r"\n*(?=---|\{\n)")
Value = str | list[str]
Properties = Mapping[str, Value]
Load = Callable[[str], Any]
Share = TypeVar("Share", float, None)
_TRUE = ("true", "yes", "on", "1")
# A page has few properties; later ones belong to a block.
MAX_LINES = 50
_PROPERTY = re.compile(r"[ \t]*(?:[-*] )?([A-Za-z][\w-]{0,60})::[ \t]+(\S[^\n]*)")
_LISTS = ("tags", "tag", "alias", "aliases")
_NAME = re.compile(r"\[\[(.+?)\]\]|#([^\s,#\[]+)|([^,#\[\]]+)")


class Head(NamedTuple):
    """The head of a note: `properties` by lower-case key; the body begins at character `body_start`
    of the text.

    `unread` is the text of a head that cannot be parsed, from character `unread_start`; its words
    can still be found.
    """

    properties: Properties
    body_start: int
    warning: str | None = None
    unread: str = ""
    unread_start: int = 0


def split_head(text: str) -> Head:
    """Read the head of a text. A head that cannot be parsed is returned as text; this function
    never raises.

    Values are strings or lists of strings. YAML is read by its base loader, which makes no dates,
    numbers or objects, so `12:30:45`, `on: yes` and `2026-02-31` are returned as they were written.
    A program may have put a head of its own above the head of a note: both are read.
    """
    head = _first_head(text)
    between = _SECOND_HEAD.match(text, head.body_start) if head.properties else None
    if not between:
        return head
    second = _first_head(text[between.end() :])
    if second.warning or not second.properties:
        return head
    return head._replace(
        properties={**head.properties, **second.properties},
        body_start=between.end() + second.body_start,
    )


def _first_head(text: str) -> Head:
    if not text.startswith(("---", "+++", "{\n")):
        return Head({}, 0)
    handler, load = _handlers()[text[0]]
    if not handler.detect(text):
        return Head({}, 0)
    try:
        head, body = handler.split(text)
    except ValueError:  # the second boundary is missing
        # The boundary is a horizontal rule, unless the first line below it is a key.
        first_line = text[:MAX_VALUE_CHARS].partition("\n")[2].lstrip("\n")
        is_head = _KEY_LINE.match(first_line)
        return Head({}, 0, "its frontmatter is not closed" if is_head else None)
    body_start = len(text) - len(body)
    try:
        properties = _properties(load, head)
    except Exception as error:  # the note is still read, whatever a YAML or TOML parser raises
        properties, is_whole = _read_key_by_key(load, head)
        warning = f"its frontmatter cannot be read ({_problem(error)})"
        if is_whole:
            is_open = any(map(_OPEN_BRACKET.fullmatch, map(str, properties.values())))
            return Head(properties, body_start, warning if is_open else None)
        return Head(properties, body_start, warning, head, text.index(head))
    if properties is None:
        # Text between two horizontal rules is not a head, unless it is empty.
        return Head({}, 0 if head.strip() else body_start)
    return Head(properties, body_start)


def _properties(load: Load, head: str) -> Properties | None:
    """Return the properties of a head; None if it holds anything but keys and values."""
    if len(head) > MAX_HEAD_CHARS:
        raise ValueError("it is too long")
    loaded = load(head)
    if not isinstance(loaded, Mapping):
        return None
    found = dict(_flattened(loaded, iter(range(MAX_PROPERTIES))))
    if title := _LOST_TITLE.search(head):
        found["title"] = title[1].strip()
    return found


def _read_key_by_key(load: Load, head: str) -> tuple[Properties, bool]:
    """Read a broken head key by key, so that a wrong line does not affect the others; also return
    whether all of it could be read.
    """
    kept: dict[str, Value] = {}
    first, *parts = _TOP_LEVEL_KEY.split(head[:MAX_HEAD_CHARS])
    is_whole = (
        len(head) <= MAX_HEAD_CHARS and len(parts) <= MAX_PROPERTIES and not first.strip()
    )
    for part in parts[:MAX_PROPERTIES]:
        found = _read_key(load, part)
        kept.update(found)
        is_whole = is_whole and bool(found or not part.partition(":")[2].strip())
    return kept, is_whole


def _read_key(load: Load, part: str) -> Properties:
    """Read one key and its value; empty if that is not possible. A line of text that YAML refuses
    is that text.
    """
    try:
        # YAML refuses tabs as indents.
        if found := _properties(load, part.replace("\t", "  ")):
            return found
    except ValueError:  # it nests too deep
        return {}
    except Exception:  # it is another kind of text, whatever a parser raises
        pass
    if text := _TEXT_OF_KEY.fullmatch(part):
        return {_key(text[1]): text[2].strip()[:MAX_VALUE_CHARS]}
    if values := _LIST_OF_KEY.fullmatch(part):
        items = (line.strip()[2:].strip() for line in values[2].strip().split("\n"))
        return {_key(values[1]): [item[:MAX_VALUE_CHARS] for item in items]}
    return {}


def _load_yaml(head: str) -> Any:
    import yaml  # python-frontmatter has imported it

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    depth = 0
    try:
        # Building the values recurses but parsing the events does not, so the depth is checked on
        # the events. Every level takes a sign of its own, so a head with few of them need not be
        # parsed twice.
        may_be_deep = sum(map(head.count, "[{-?:")) > MAX_PARSED_DEPTH
        for event in yaml.parse(head, Loader=loader) if may_be_deep else ():
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_PARSED_DEPTH:
                raise ValueError("it nests too deep")
        return yaml.load(head, Loader=loader)
    except yaml.YAMLError as error:
        # From version 0.2.6 on, libyaml has a limit too.
        if "nesting depth" in str(error):
            raise ValueError("it nests too deep") from None
        raise


def _load_toml(head: str) -> Any:
    import tomllib  # few notes need it

    if any(line.count(".") > MAX_PARSED_DEPTH for line in head.split("\n")):
        raise ValueError("it nests too deep")
    return tomllib.loads(head)


@cache
def _handlers() -> dict[str, tuple[BaseHandler, Load]]:
    """Return what splits and what parses a head, by the sign that it begins with."""
    # Imported here, because it takes long and few commands read a note.
    from frontmatter.default_handlers import BaseHandler, JSONHandler

    # YAML also ends a head with dots.
    yaml = re.compile(r"^(?:-{3,}|\.{3})\s*$", re.MULTILINE)
    # The parser of TOML in python-frontmatter is the unmaintained package `toml`.
    toml = re.compile(r"^\+{3,}\s*$", re.MULTILINE)
    return {
        "-": (BaseHandler(yaml), _load_yaml),
        "+": (BaseHandler(toml), _load_toml),
        "{": (JSONHandler(), json.loads),
    }


def _problem(error: Exception) -> str:
    """Return what a parser says, after `line 3: ` if it names the line; lines count from the end of
    the boundary line.
    """
    mark = getattr(error, "problem_mark", None)
    place = f"line {mark.line + 1}: " if mark else ""
    problem = str(getattr(error, "problem", None) or error)
    return place + next(iter(problem.splitlines()), type(error).__name__)[:100]


def _key(key: object) -> str:
    return str(key).strip().lower()[:MAX_KEY_CHARS]


def _flattened(
    loaded: Mapping[Any, object],
    budget: Iterator[int],
    prefix: str = "",
    depth: int = 0,
) -> Iterator[tuple[str, Value]]:
    """Yield scalars and flat lists, with dotted keys for nested maps. Their number is limited."""
    for inner, value in loaded.items():
        key = prefix + _key(inner)
        if next(budget, None) is None or depth > MAX_DEPTH:
            return
        if isinstance(value, Mapping):
            yield from _flattened(value, budget, f"{key}.", depth + 1)
        elif isinstance(value, list):
            yield key, list(_scalars(value, budget, depth))
        elif scalar := _scalar(value):
            yield key, scalar


def _scalars(values: list[object], budget: Iterator[int], depth: int) -> Iterator[str]:
    """Yield the strings of a list and of lists in it: to YAML, an unquoted `[[Note]]` is a list in
    a list.
    """
    for value in values:
        if next(budget, None) is None or depth > MAX_DEPTH:
            return
        if isinstance(value, list):
            yield from _scalars(value, budget, depth + 1)
        elif scalar := _scalar(value):
            yield scalar


def _scalar(value: object) -> str:
    """Return a value as text, empty for None; ValueError for an integer that is too long for Python
    to convert.
    """
    if value is None or isinstance(value, Mapping):
        return ""
    isoformat = getattr(value, "isoformat", None)
    text = isoformat() if isoformat else str(value).strip()
    return "" if text.lower() in ("~", "null") else text[:MAX_VALUE_CHARS]


def texts_of(properties: Properties, *keys: str) -> tuple[str, ...]:
    """Return the texts under the first of these keys that exists; a plain text is split at its
    commas.
    """
    value = next((properties[key] for key in keys if key in properties), ())
    if isinstance(value, str):
        value = [value] if value.startswith("[[") else _listed(value)
    return tuple(text for each in value if (text := each.strip()))


def _listed(value: str) -> list[str]:
    """Split a text at its commas; some programs write a list as JSON into a text."""
    if value.startswith("["):
        with contextlib.suppress(ValueError):
            # JSON can write half a character.
            listed = [str(each) for each in json.loads(value)]
            return [each.encode("utf-8", "replace").decode() for each in listed]
        return [each.strip(" '\"") for each in value[1:].removesuffix("]").split(",")]
    return value.split(",")


def text_of(properties: Properties, key: str) -> str | None:
    """Return the text under a key on one line, or the first text of a list; None if there
    is none.
    """
    value = properties.get(key)
    if isinstance(value, list):
        value = next(iter(value), None)
    return one_line(value) or None if value else None


def share_of(properties: Properties, key: str, default: Share) -> float | Share:
    """Return the number under a key, clamped to 0..1, or the default."""
    try:
        number = float(text_of(properties, key) or "nan")
    except ValueError:
        return default
    return default if number != number else unit(number)


def count_of(properties: Properties, key: str) -> int | None:
    """Return the whole number under a key, at least 1; None if there is none."""
    text = text_of(properties, key) or ""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else None


def flag_of(properties: Properties, key: str) -> bool:
    """Return whether the value under a key means yes."""
    return (text_of(properties, key) or "").lower() in _TRUE


def page_properties(body: str) -> dict[str, Value]:
    """Return the properties in the first lines of a body, by lower-case key; empty if the first
    line is not one.
    """
    found: dict[str, Value] = {}
    if "::" not in body[:200]:
        return found
    for line in body.lstrip("\n").split("\n", MAX_LINES)[:MAX_LINES]:
        match = _PROPERTY.fullmatch(line.rstrip())
        if not match:
            break
        key = match[1].lower()
        value = match[2]
        found.setdefault(key, _names(value) if key in _LISTS else value)
    return found


def _names(value: str) -> list[str]:
    """Split a list of names at its commas; Logseq also writes them as `[[name]]` or `#name`."""
    found = (match[match.lastindex or 0] for match in _NAME.finditer(value))
    return [name for each in found if (name := each.strip())]
