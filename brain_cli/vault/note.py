"""Read a note from a text. Pure: the same text and date always make the same note."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from brain_cli.types import DATE_SOURCES, Fragment, Link, Note, NoteMetadata, stem
from brain_cli.vault.analyzer import detected_language, language_named
from brain_cli.vault.dates import Dated, dated, frontmatter_warning, timestamp_of
from brain_cli.vault.frontmatter import (
    Head,
    Properties,
    count_of,
    flag_of,
    page_properties,
    share_of,
    split_head,
    text_of,
    texts_of,
)
from brain_cli.vault.inline_text import plain_title
from brain_cli.vault.links import LINK_KEYS, named_link, named_links, placed_links, title_of_path
from brain_cli.vault.quality import form_of, quality
from brain_cli.vault.sections import Outline, outline, prose

# The kind of the notes in a folder with this name.
_FOLDERS_BY_KIND = {
    "decision": "adr adrs decision decisions",
    "project": "project projects",
    "research": "research",
    "journal": "journal journals daily",
    "handoff": "handoff handoffs",
    "insight": "insights",
    "goal": "goals",
    "preference": "preferences",
    "learning": "learnings til",
    "observation": "observations",
    "experience": "experiences",
    "relationship": "people relationships",
    "conversation": "conversations meetings",
    "problem": "problems incidents postmortems",
    "milestone": "milestones",
    "progress": "progress",
    "antipattern": "antipatterns",
    "hub": "hubs moc",
}
KIND_BY_FOLDER = {folder: kind for kind, folders in _FOLDERS_BY_KIND.items() for folder in folders.split()}
# Every form of a link has one of these.
LINK_MARKS = "[]<{"
ARCHIVE_FOLDERS = ("archive", "_archived")
# This does not match `a#b`, `[x](#anchor)`, `[x]: #anchor`, `[[#Heading]]`, `## Title {#id}`, `href="#id"`
# or the colour `#00ff00`.
_COLOUR = r"(?=[a-fA-F]*\d)[\da-fA-F]{6}(?:[\da-fA-F]{2})?(?![\w/-])"
# It begins with the sign, which `re` finds at full speed, and then looks behind it.
_INLINE_TAG = re.compile(rf"""#(?<![\w/#&\])\[{{"'=]#)(?<!\]\(#)(?<!\]: #)(?!{_COLOUR})([\w/-]*[^\W\d_][\w/-]*)""")


def parse_note(
    path: str,
    text: str,
    modified: float,
    archive_folders: Sequence[str] = ARCHIVE_FOLDERS,
    date_sources: Sequence[str] = DATE_SOURCES,
) -> Note:
    """Read a note from its text. `path` is relative to the vault, `modified` the file's mtime in seconds.

    Never raises: a problem becomes the note's `warning`, and all words of the note are in its fragments.
    """
    text = _unix(text)
    head = split_head(text)
    body = text[head.body_start :]
    if page := page_properties(body):
        head = head._replace(properties={**page, **head.properties})
    sections = outline(body, first_line=1 + text.count("\n", 0, head.body_start))
    plain = f"{head.unread}\n{prose(body, sections.code_lines)}"
    date = dated(path, head.properties, modified, date_sources)
    form = form_of(text[: head.body_start], [heading.text for heading in sections.headings], plain)
    unparsed = tuple(_unparsed_head(text, head))
    fragments = (*unparsed, *sections.fragments) or (Fragment((), "", 1, 1),)
    starts = [0] * len(unparsed) + [len(head.unread) + 1 + start for start in sections.starts]
    original = f"{head.unread}\n{body}"
    placed = list(placed_links(plain, original))
    # A recall weighs words by their marks, also those in code; few notes have such marks there.
    marks_in_code = any(plain.count(mark) != original.count(mark) for mark in LINK_MARKS)
    return Note(
        metadata=_metadata(path, body, head, sections, plain, date, archive_folders)._replace(form=form),
        fragments=fragments,
        headings=tuple(heading.text for heading in sections.headings),
        links=(*(link for _, link in placed), *_named_links(head.properties)),
        link_words=_link_words(fragments, starts, list(placed_links(original)) if marks_in_code else placed),
        language=_language(plain, head.properties),
        warning=head.warning or date.warning,
    )


def unparsed_note(path: str, text: str, modified: float, why: str) -> Note:
    """Return a note as plain text: the fallback if `parse_note` raises in spite of its contract."""
    return Note(
        metadata=NoteMetadata(path, stem(path), modified, body_chars=len(text), properties={}),
        fragments=(Fragment((), text, 1, 1),),
        warning=f"it could not be understood ({why}), so it is indexed as plain text",
    )


def warning_of(text: str) -> str | None:
    """Return the warning about a note, from its head alone."""
    head = split_head(_unix(text))
    return head.warning or frontmatter_warning(head.properties)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _unparsed_head(text: str, head: Head) -> Iterator[Fragment]:
    """Return an unparsable head as a fragment of text, above all headings of the body."""
    if head.unread.strip():
        start = head.unread_start + len(head.unread) - len(head.unread.lstrip())
        line = 1 + text.count("\n", 0, start)
        yield Fragment((), head.unread.strip(), line, line)


def _metadata(
    path: str, body: str, head: Head, sections: Outline, text: str, date: Dated, archive_folders: Sequence[str]
) -> NoteMetadata:
    properties = head.properties
    return NoteMetadata(
        path=path,
        title=_title(path, properties, sections),
        timestamp=date.seconds,
        kind=_kind(path, properties),
        aliases=texts_of(properties, "aliases", "alias"),
        tags=_tags(text, properties),
        topics=texts_of(properties, "topics", "topic"),
        project=text_of(properties, "project"),
        task=text_of(properties, "task"),
        salience=0.5 if (salience := share_of(properties, "salience")) is None else salience,
        confidence=0.5 if (confidence := share_of(properties, "confidence")) is None else confidence,
        strength=share_of(properties, "strength"),
        decay_rate=share_of(properties, "decay_rate"),
        pinned=flag_of(properties, "pinned"),
        archived=_archived(path, properties, archive_folders),
        quality=quality(
            body,
            has_frontmatter=bool(properties),
            headings=len(sections.headings),
            list_items=sections.list_items,
        ),
        body_chars=len(body.strip()),
        revisions=count_of(properties, "revisions"),
        files=texts_of(properties, "files"),
        supersedes=tuple(named_link(value).target for value in texts_of(properties, "supersedes")),
        superseded=bool(text_of(properties, "superseded_by")) or _status(properties) == "superseded",
        properties=properties,
        dated_by=date.source,
    )


def _title(path: str, properties: Properties, sections: Outline) -> str:
    written = text_of(properties, "title") or _first_heading(properties, sections)
    return plain_title(written) or title_of_path(path)


def _first_heading(properties: Properties, sections: Outline) -> str:
    """Return the level-1 heading that begins a note; one below other headings names only a part.

    The headings of an Excalidraw drawing are the plugin's own, and `{{title}}` is filled in by a template.
    """
    first = next((heading for heading in sections.headings if heading.text), None)
    is_title = first and first.level == 1 and not first.text.startswith(("{{", "<%"))
    return first.text if first and is_title and "excalidraw-plugin" not in properties else ""


def _kind_by_folder(path: str) -> str | None:
    """Return the kind given by the nearest folder that stands for one; None if there is none."""
    folders = path.lower().split("/")[:-1]
    return next((KIND_BY_FOLDER[folder] for folder in reversed(folders) if folder in KIND_BY_FOLDER), None)


def _kind(path: str, properties: Properties) -> str:
    for key in ("type", "kind", "content_type"):
        if named := text_of(properties, key):
            return named.lower()
    return _kind_by_folder(path) or "note"


def _tags(text: str, properties: Properties) -> tuple[str, ...]:
    named = [tag for value in texts_of(properties, "tags", "tag") for tag in re.split(r"[,\s]+", value)]
    inline = (match[1].strip("/-") for match in _INLINE_TAG.finditer(text))
    tags = (tag.lstrip("#") for tag in (*named, *inline))
    distinct: dict[str, str] = {}
    for tag in tags:
        if tag:
            distinct.setdefault(tag.casefold(), tag)
    return tuple(distinct.values())


def snoozed_until(properties: Properties) -> float:
    """Return the end of a note's snooze (`snoozed: DATE`) in seconds since the epoch; 0 if it is not snoozed."""
    return timestamp_of(text_of(properties, "snoozed") or "") or 0.0


def _archived(path: str, properties: Properties, archive_folders: Sequence[str]) -> bool:
    return (
        _status(properties) == "archived"
        or flag_of(properties, "archived")
        or archive_folder(path, archive_folders) is not None
    )


def archive_folder(path: str, archive_folders: Iterable[str]) -> str | None:
    """Return the archive folder that a note is in; None if it is in none."""
    return next((folder for folder in archive_folders if path.startswith(f"{folder}/")), None)


def _status(properties: Properties) -> str:
    return (text_of(properties, "status") or "").lower()


def _link_words(
    fragments: Sequence[Fragment], starts: Sequence[int], placed: Iterable[tuple[int, Link]]
) -> tuple[str, ...]:
    """Return the words of the links in each fragment, whose text begins at its character of `starts`."""
    words: list[list[str]] = [[] for _ in fragments]
    for position, link in placed:
        number = bisect_right(starts, position) - 1
        # A link between two fragments is in a heading.
        if number >= 0 and position < starts[number] + len(fragments[number].text):
            words[number] += (link.target, link.text)
    return tuple(map(" ".join, words))


def _named_links(properties: Properties) -> Iterator[Link]:
    for key in LINK_KEYS:
        for value in texts_of(properties, key):
            yield from named_links(value)


def _language(text: str, properties: Properties) -> str:
    named = text_of(properties, "lang") or text_of(properties, "language")
    return (named and language_named(named)) or detected_language(text) or ""
