"""Text → note: pure, so that the same text and date always make the same note."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from brain_cli.notes.dates import timestamp_of
from brain_cli.notes.frontmatter import Head, split_head
from brain_cli.notes.languages import detected_language, language_named
from brain_cli.notes.links import links_in, related_link, related_links, stem
from brain_cli.notes.lossless import lines_of
from brain_cli.notes.outline import Outline, outline, prose
from brain_cli.notes.quality import quality
from brain_cli.types import Facts, Fragment, Link, Note

ARCHIVE_FOLDERS = ("archive", "_archived")
DATE_KEYS = ("updated", "modified", "date", "created")
KIND_BY_FOLDER = {
    "adr": "decision",
    "adrs": "decision",
    "decision": "decision",
    "decisions": "decision",
    "project": "project",
    "projects": "project",
    "research": "research",
    "journal": "journal",
    "journals": "journal",
    "daily": "journal",
    "handoff": "handoff",
    "handoffs": "handoff",
    "insights": "insight",
    "goals": "goal",
    "preferences": "preference",
    "learnings": "learning",
    "til": "learning",
    "observations": "observation",
    "experiences": "experience",
    "people": "relationship",
    "relationships": "relationship",
    "conversations": "conversation",
    "meetings": "conversation",
    "problems": "problem",
    "incidents": "problem",
    "postmortems": "problem",
    "milestones": "milestone",
    "progress": "progress",
    "antipatterns": "antipattern",
    "hubs": "hub",
    "moc": "hub",
}
# Not what looks like a tag in `a#b`, `[x](#anchor)`, `[[#Heading]]`, `## Title {#id}`, `href="#id"`.
_INLINE_TAG = re.compile(r"""(?<![\w/#&\])\[{"'=])(?<!\]\()#([\w/-]*[^\W\d_][\w/-]*)""")
_TRUE = ("true", "yes", "on", "1")
Properties = Mapping[str, str | list[str]]


def parse_note(path: str, text: str, modified: float, archive_folders: Sequence[str] = ARCHIVE_FOLDERS) -> Note:
    """Read a note from its text. `path` is relative to the vault, `modified` the file's mtime in seconds.

    Never raises: what is wrong with a note is in its `warning`, and its words are in its fragments.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    head = split_head(text)
    body = text[head.body_start :]
    sections = outline(body, first_line=1 + text.count("\n", 0, head.body_start))
    plain = f"{head.unread}\n{prose(lines_of(body), sections.code_lines)}"
    date = _date(head.properties)
    timestamp = modified if date.seconds is None else date.seconds
    return Note(
        facts=_facts(path, body, head, sections, plain, timestamp, archive_folders),
        fragments=(*_unread(text, head), *sections.fragments) or (Fragment((), "", 1, 1),),
        headings=tuple(heading.text for heading in sections.headings),
        links=tuple(_links(plain, head.properties)),
        language=_language(plain, head.properties),
        dated=date.seconds is not None,
        warning=head.warning or date.warning,
    )


def _unread(text: str, head: Head) -> Iterator[Fragment]:
    """A head that is not understood is text, and no heading of the body takes it in."""
    if head.unread.strip():
        start = head.unread_start + len(head.unread) - len(head.unread.lstrip())
        line = 1 + text.count("\n", 0, start)
        yield Fragment((), head.unread.strip(), line, line)


def _facts(
    path: str, body: str, head: Head, sections: Outline, text: str, timestamp: float, archive_folders: Sequence[str]
) -> Facts:
    properties = head.properties
    return Facts(
        path=path,
        title=_title(path, properties, sections),
        timestamp=timestamp,
        kind=_kind(path, properties),
        aliases=_texts(properties, "aliases", "alias"),
        tags=_tags(text, properties),
        topics=_texts(properties, "topics", "topic"),
        project=_text(properties, "project"),
        task=_text(properties, "task"),
        salience=0.5 if (salience := _share(properties, "salience")) is None else salience,
        confidence=0.5 if (confidence := _share(properties, "confidence")) is None else confidence,
        strength=_share(properties, "strength"),
        decay_rate=_share(properties, "decay_rate"),
        pinned=_flag(properties, "pinned"),
        archived=_archived(path, properties, archive_folders),
        quality=quality(
            body,
            has_frontmatter=bool(properties),
            headings=len(sections.headings),
            list_items=sections.list_items,
        ),
        body_chars=len(body.strip()),
        revisions=_count(properties, "revisions"),
        files=_texts(properties, "files"),
        supersedes=tuple(related_link(value).target for value in _texts(properties, "supersedes")),
        superseded=bool(_text(properties, "superseded_by")) or _status(properties) == "superseded",
        properties=properties,
    )


def _title(path: str, properties: Properties, sections: Outline) -> str:
    first_h1 = next((heading.text for heading in sections.headings if heading.level == 1 and heading.text), None)
    return _text(properties, "title") or first_h1 or stem(path)


def _kind(path: str, properties: Properties) -> str:
    for key in ("type", "kind", "content_type"):
        if named := _text(properties, key):
            return named.lower()
    folders = path.lower().split("/")[:-1]
    return next((KIND_BY_FOLDER[folder] for folder in reversed(folders) if folder in KIND_BY_FOLDER), "note")


def _tags(text: str, properties: Properties) -> tuple[str, ...]:
    named = [tag for value in _texts(properties, "tags", "tag") for tag in re.split(r"[,\s]+", value)]
    inline = (match[1].strip("/-") for match in _INLINE_TAG.finditer(text))
    tags = (tag.lstrip("#") for tag in (*named, *inline))
    distinct: dict[str, str] = {}
    for tag in tags:
        if tag:
            distinct.setdefault(tag.casefold(), tag)
    return tuple(distinct.values())


def _archived(path: str, properties: Properties, archive_folders: Sequence[str]) -> bool:
    top, below, _ = path.partition("/")
    return (
        _status(properties) == "archived" or _flag(properties, "archived") or (bool(below) and top in archive_folders)
    )


def _status(properties: Properties) -> str:
    return (_text(properties, "status") or "").lower()


def _links(text: str, properties: Properties) -> Iterator[Link]:
    yield from links_in(text)
    for value in (*_texts(properties, "related"), *_texts(properties, "supersedes")):
        yield from related_links(value)


def _language(text: str, properties: Properties) -> str:
    named = _text(properties, "lang") or _text(properties, "language")
    return (named and language_named(named)) or detected_language(text) or ""


class Dated(NamedTuple):
    """When a note says it was written, in seconds; None where it does not, or says what is no date."""

    seconds: float | None
    warning: str | None = None


def _date(properties: Properties) -> Dated:
    warning = None
    for key in DATE_KEYS:
        if value := _text(properties, key):
            seconds = timestamp_of(value)
            if seconds is not None:
                return Dated(seconds)
            warning = warning or f"its {key} “{value[:40]}” is no date, so the file's time counts"
    return Dated(None, warning)


def _texts(properties: Properties, *keys: str) -> tuple[str, ...]:
    """The strings under the first of the keys that is there; a plain string is a list of one or of its commas."""
    value = next((properties[key] for key in keys if key in properties), ())
    if isinstance(value, str):
        value = value.split(",") if not value.startswith("[[") else [value]
    return tuple(text for each in value if (text := each.strip()))


def _text(properties: Properties, key: str) -> str | None:
    value = properties.get(key)
    if isinstance(value, list):
        value = next(iter(value), None)
    return value or None


def _share(properties: Properties, key: str) -> float | None:
    """A number clamped to 0..1; None where there is none."""
    try:
        number = float(_text(properties, key) or "nan")
    except ValueError:
        return None
    return None if number != number else min(1.0, max(0.0, number))


def _count(properties: Properties, key: str) -> int | None:
    text = _text(properties, key) or ""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _flag(properties: Properties, key: str) -> bool:
    return (_text(properties, key) or "").lower() in _TRUE
