"""Read a note from a text. Pure: the same text and date always make the same note.

The structure of a note gives its quality, 0..1, because structure makes a note easy to find and to
read:

    quality = .20 frontmatter + .20 one heading | .30 more + .20 list + .20 decision terms + .10
    substance

Source: ClawMem, "Composite Scoring", for the features; the shares are ours (docs/scoring.md).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from brain_cli.types import (
    ARCHIVE_FOLDERS,
    DATE_SOURCES,
    Fragment,
    Link,
    Note,
    NoteMetadata,
)
from brain_cli.vault.analyzer import detected_language, language_named
from brain_cli.vault.dates import Dated, dated, frontmatter_warning, written_time
from brain_cli.vault.form import form_of
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
from brain_cli.vault.links import (
    DEFINITION,
    LINK_KEYS,
    links_in,
    named_link,
    named_links,
    placed_links,
    title_of_path,
)
from brain_cli.vault.markdown import read_blocks
from brain_cli.vault.not_text import without_data
from brain_cli.vault.sections import Outline, outline, prose

# The names of the folders whose notes are of a kind unless they say another, by kind.
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
KIND_BY_FOLDER = {
    folder: kind for kind, folders in _FOLDERS_BY_KIND.items() for folder in folders.split()
}
# Zettlr writes tags as keywords, too.
TAG_KEYS = ("tags", "tag", "keywords")
# Every form of a link has one of these.
LINK_MARKS = "[]<{"
# The salience and confidence of a note that names none.
USUAL_SHARE = 0.5
# Colours of three, four, six or eight digits; some words have such letters alone.
_WORDS_OF_DIGITS = (
    "ace|add|bad|bed|bee|cab|dab|dad|ebb|fab|fad|fed|fee|b12|e2e|accede|beaded|"
    "decade|deface|efface|facade"
)
_COLOUR = (
    rf"(?i:(?!(?:{_WORDS_OF_DIGITS})\b)(?:[\da-f]{{3}}|[\da-f]{{6}}|(?=[a-f]*\d)(?:[\da-f]{{4}})"
    rf"{{1,2}}))"
    r"(?![\w/-])"
)
# This does not match `a#b`, `[x](#anchor)`, `[x]: #anchor`, `[[#Heading]]`, `## Title {#id}`,
# `href="#id"`, `\#1`, `$#x$`, `page?#anchor` or the colour `#00ff00`.
# It begins with the sign, which `re` finds at full speed, and then looks behind it.
_INLINE_TAG = re.compile(
    rf"""#(?<![\w/#&\])\[{{"'=\\$?]#)(?<!\]\(#)(?<!\]: #)(?!{_COLOUR})([\w/-]*[^\W\d_][\w/-]*)"""
)
# A tag of several words, as Logseq writes it.
_TAG_IN_BRACKETS = re.compile(r"#\[\[([^\[\]\n]+)\]\]")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|%%.*?%%", re.DOTALL)
# “Status: superseded by 0014”, “## Status”, a blank line and “Superseded”; within so many
# characters of the body.
_SUPERSEDED = re.compile(r"^[^\w\n]*status\b\W*superseded\b", re.IGNORECASE | re.MULTILINE)
MAX_STATUS_CHARS = 1_000


def parse_note(
    path: str,
    text: str,
    modified: float,
    archive_folders: Sequence[str] = ARCHIVE_FOLDERS,
    date_sources: Sequence[str] = DATE_SOURCES,
) -> Note:
    """Read a note from its text. `path` is relative to the vault, `modified` the file's mtime in
    seconds.

    Never raises: a problem becomes the note's `warning`, and all words of the note are in its
    fragments.
    """
    text = _words_of(text)
    head = split_head(text)
    body = text[head.body_start :]
    if page := page_properties(body):
        head = head._replace(properties={**page, **head.properties})
    sections = outline(body, first_line=1 + text.count("\n", 0, head.body_start))
    plain = f"{head.unread}\n{prose(body, sections.blocks.code_lines)}"
    date = dated(path, head.properties, modified, date_sources)
    form = form_of(
        text[: head.body_start], [heading.text for heading in sections.blocks.headings], plain
    )
    fragments = sections.fragments
    starts = [len(head.unread) + 1 + start for start in sections.starts]
    if head.unread.strip():
        # A head that cannot be parsed is a fragment of text, above all headings of the body.
        start = head.unread_start + len(head.unread) - len(head.unread.lstrip())
        line = 1 + text.count("\n", 0, start)
        fragments = (Fragment((), head.unread.strip(), line, line), *fragments)
        starts = [0, *starts]
    fragments = fragments or (Fragment((), "", 1, 1),)
    original = f"{head.unread}\n{body}"
    placed = list(placed_links(plain, original))
    values = (value for key in LINK_KEYS for value in texts_of(head.properties, key))
    named = (link for value in values for link in named_links(value))
    # A recall weighs words by their marks, also those in code; few notes have such marks there.
    marks_in_code = any(plain.count(mark) != original.count(mark) for mark in LINK_MARKS)
    named_language = text_of(head.properties, "lang") or text_of(head.properties, "language")
    metadata = _metadata(path, body, head, sections, plain, date, archive_folders)
    return Note(
        metadata=metadata._replace(form=form),
        fragments=fragments,
        headings=tuple(heading.text for heading in sections.blocks.headings),
        links=(*(link for _, link in placed), *named),
        link_words=_link_words(
            fragments, starts, list(placed_links(original)) if marks_in_code else placed
        ),
        language=(named_language and language_named(named_language))
        or detected_language(plain)
        or "",
        warning=head.warning or date.warning,
    )


def unparsed_note(
    path: str,
    text: str,
    modified: float,
    why: str,
) -> Note:
    """Return a note as plain text: the fallback if `parse_note` raises in spite of its contract."""
    return Note(
        metadata=NoteMetadata(
            path, title_of_path(path), modified, body_chars=len(text), properties={}
        ),
        fragments=(Fragment((), text, 1, 1),),
        warning=f"it could not be understood ({why}), so it is indexed as plain text",
    )


def warning_of(text: str) -> str | None:
    """Return the warning about a note, from its head alone."""
    head = split_head(_words_of(text))
    return head.warning or frontmatter_warning(head.properties)


def _words_of(text: str) -> str:
    """Return a text with Unix line ends, and without data."""
    return without_data(text.replace("\r\n", "\n").replace("\r", "\n"))


def _metadata(
    path: str,
    body: str,
    head: Head,
    sections: Outline,
    text: str,
    date: Dated,
    archive_folders: Sequence[str],
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
        salience=share_of(properties, "salience", USUAL_SHARE),
        confidence=share_of(properties, "confidence", USUAL_SHARE),
        strength=share_of(properties, "strength", None),
        decay_rate=share_of(properties, "decay_rate", None),
        pinned=flag_of(properties, "pinned"),
        archived=_archived(path, properties, archive_folders),
        quality=quality(
            features(
                body,
                has_frontmatter=bool(properties),
                headings=len(sections.blocks.headings),
                list_items=sections.blocks.list_items,
            )
        ),
        body_chars=len(body.strip()),
        revisions=count_of(properties, "revisions"),
        files=texts_of(properties, "files"),
        supersedes=tuple(
            named_link(value).target for value in texts_of(properties, "supersedes")
        ),
        superseded=_is_superseded(properties, body),
        properties=properties,
        dated_by=date.source,
        offset=date.offset,
    )


def _title(path: str, properties: Properties, sections: Outline) -> str:
    """Return the title of a note: the one in its frontmatter, else the level-1 heading that begins
    it, else one made of its path. A heading below other headings names only a part.

    The headings of an Excalidraw drawing are the plugin's own, and `{{title}}` is filled in by a
    template.
    """
    written = text_of(properties, "title")
    first = next((heading for heading in sections.blocks.headings if heading.text), None)
    if first and not written and first.level == 1 and "excalidraw-plugin" not in properties:
        written = "" if first.text.startswith(("{{", "<%")) else first.text
    return plain_title(written or "") or title_of_path(path)


def _kind(path: str, properties: Properties) -> str:
    """Return the kind that a note names, else that of the nearest folder named after a kind."""
    for key in ("type", "kind", "content_type"):
        if named := text_of(properties, key):
            return named.lower()
    folders = reversed(path.lower().split("/")[:-1])
    return next(filter(None, map(KIND_BY_FOLDER.get, folders)), "note")


def _tags(text: str, properties: Properties) -> tuple[str, ...]:
    key = next(filter(properties.__contains__, TAG_KEYS), "")
    # A tag of a list may have several words.
    separators = "," if isinstance(properties.get(key), list) else r"[,\s]+"
    named = (
        tag.strip()
        for value in texts_of(properties, key)
        for tag in re.split(separators, value)
    )
    if "<!--" in text or "%%" in text:
        text = _COMMENT.sub("", text)
    inline = (
        match.strip("/-")
        for tag in (_INLINE_TAG, _TAG_IN_BRACKETS)
        for match in tag.findall(text)
    )
    distinct: dict[str, str] = {}
    for tag in (*named, *inline):
        bare = tag.lstrip("#")
        distinct.setdefault(bare.casefold(), bare)
    return tuple(filter(None, distinct.values()))


def snoozed_until(properties: Properties) -> float:
    """Return the end of a note's snooze (`snoozed: DATE`) in seconds of the calendar; 0 if it is
    not snoozed.
    """
    written = written_time(text_of(properties, "snoozed") or "")
    return written.local if written else 0.0


def _archived(path: str, properties: Properties, archive_folders: Sequence[str]) -> bool:
    return (
        _status(properties) == "archived"
        or flag_of(properties, "archived")
        or archive_folder(path, archive_folders) is not None
    )


def archive_folder(path: str, archive_folders: Iterable[str]) -> str | None:
    """Return the archive folder that a note is in, as its path spells it (`Archive`); None if it is
    in none.
    """
    for each in archive_folders:
        if path.lower().startswith(f"{each.lower()}/"):
            return path[: len(each)]
    return None


def _is_superseded(properties: Properties, body: str) -> bool:
    """Return whether a note says that it is superseded: in its head, or at its beginning, as
    decision records do.
    """
    is_stated = text_of(properties, "superseded_by") or _SUPERSEDED.search(
        body, 0, MAX_STATUS_CHARS
    )
    return _status(properties).startswith("superseded") or bool(is_stated)


def _status(properties: Properties) -> str:
    return (text_of(properties, "status") or "").lower()


def _link_words(
    fragments: Sequence[Fragment], starts: Sequence[int], placed: Iterable[tuple[int, Link]]
) -> tuple[str, ...]:
    """Return the words of the links in each fragment, whose text begins at its character of
    `starts`.
    """
    found: list[list[Link]] = [[] for _ in fragments]
    for position, link in placed:
        number = bisect_right(starts, position) - 1
        # A link between two fragments is in a heading.
        if number >= 0 and position < starts[number] + len(fragments[number].text):
            found[number].append(link)
    for number, fragment in enumerate(fragments):
        if "]:" in fragment.text and DEFINITION.search(fragment.text):
            # The definition of a reference has the texts that refer to it in its own section.
            found[number] = list(links_in(fragment.text))
    return tuple(" ".join(f"{link.target} {link.text}" for link in links) for links in found)


FRONTMATTER = 0.20
ONE_HEADING = 0.20
MORE_HEADINGS = 0.30
LIST = 0.20
DECISION_TERMS = 0.20
SUBSTANCE = 0.10
LIST_ITEMS = 2
SUBSTANCE_CHARS = 200
_DECISION_TERMS = "decided|decisions?|chose|chosen|trade-?offs?|because we|instead of|rationale"
_DECISION_TERM = re.compile(rf"(?<!\w)(?:{_DECISION_TERMS})\b")
# A text without these has none of the terms, which a plain search shows sooner than the pattern.
_IN_DECISION_TERMS = (
    "decided",
    "decision",
    "chose",
    "trade",
    "because we",
    "instead of",
    "rationale",
)


class Feature(NamedTuple):
    """One feature of a well-built note: the share it adds, the most it can add, and how to get the
    rest.
    """

    name: str
    share: float
    most: float
    advice: str


def features(
    body: str,
    *,
    has_frontmatter: bool,
    headings: int,
    list_items: int,
) -> tuple[Feature, ...]:
    """Return all features, from the body of a note and the counts of its structure."""
    of_headings = MORE_HEADINGS if headings > 1 else ONE_HEADING * headings
    lower = body.lower()
    may_have_terms = any(part in lower for part in _IN_DECISION_TERMS)
    has_terms = may_have_terms and bool(_DECISION_TERM.search(lower))
    has_substance = len(body.strip()) >= SUBSTANCE_CHARS
    return (
        Feature(
            "frontmatter",
            FRONTMATTER * has_frontmatter,
            FRONTMATTER,
            "begin with frontmatter: type, date, tags",
        ),
        Feature("headings", of_headings, MORE_HEADINGS, "use two headings or more"),
        Feature(
            "list",
            LIST * (list_items >= LIST_ITEMS),
            LIST,
            f"put {LIST_ITEMS} points or more into a list",
        ),
        Feature(
            "decision",
            DECISION_TERMS * has_terms,
            DECISION_TERMS,
            "say what was decided, and instead of what",
        ),
        Feature(
            "substance",
            SUBSTANCE * has_substance,
            SUBSTANCE,
            f"write {SUBSTANCE_CHARS} characters or more",
        ),
    )


def quality(found: Iterable[Feature]) -> float:
    """Return the quality of a note (0..1) from its features."""
    return round(sum(feature.share for feature in found), 2)


def features_of(text: str) -> tuple[Feature, ...]:
    """Return all features of a note's text, as `parse_note` measures them."""
    text = _words_of(text)
    head = split_head(text)
    body = text[head.body_start :]
    blocks = read_blocks(body)
    return features(
        body,
        has_frontmatter=bool(head.properties),
        headings=len(blocks.headings),
        list_items=blocks.list_items,
    )
