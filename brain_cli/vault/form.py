"""Recognize notes that list links, and templates that are still to be filled in.

Two forms have little content: an index, which lists links, and a template, which has blanks to fill
in. An index has at least five lines with little more than a link to a note, and they are at least
60 % of its lines. A template has a placeholder (`{{title}}`, `<% tp.date.now() %>`) in its
frontmatter or in a heading.
"""

import re
from collections.abc import Iterable, Sequence

from brain_cli.types import INDEX, TEMPLATE, Link, NoteMetadata

MIN_LINKS = 5
MIN_SHARE = 0.6
MAX_OTHER_WORDS = 3
# A longer line is prose.
MAX_LINE_CHARS = 500

# Every repetition is bounded, so that no text takes quadratic time.
_NOTE_LINK = re.compile(
    r"\[(?<!!\[)(?:\[[^\[\]\n]{0,200}\]\]|[^\[\]\n]{0,200}\]\((?![a-z]{1,20}:)[^()\n]{0,200}\))"
)
# This does not match Hugo's shortcodes, {{< figure >}} and {{% note %}}, nor code.
_PLACEHOLDER = re.compile(r"(?<!`)(?:\{\{(?![<%])[^{}\n]{1,200}\}\}|<%[^<>\n]{1,200}%>)")
_WORD = re.compile(r"\w+")
# Notes are named and filed as such, too.
NAVIGATION_KINDS = ("template", "index", "moc", "map", "toc")
_TEMPLATE_PATH = re.compile(
    r"(^|/)[._]?templates?/|(^|/)templates?([ ._-][^/]*)?\.\w+$|[ ._-]template\.\w+$", re.I
)
_INDEX_PATH = re.compile(
    r"(^|/)(_?index|home|moc|toc|contents|table of contents|[^/]*[ _-]moc)\.\w+$", re.I
)


def form_of(head: str, headings: Iterable[str], text: str) -> str:
    """Return the form of a note: `index`, `template`, or empty for any other note; `text` is its
    prose.
    """
    if any(
        ("{{" in each or "<%" in each) and _PLACEHOLDER.search(each)
        for each in (head, *headings)
    ):
        return TEMPLATE
    return INDEX if text.count("[") >= MIN_LINKS and _is_index(text) else ""


def _is_index(text: str) -> bool:
    lines = [
        line
        for line in text.splitlines()
        if not line.lstrip().startswith("#") and _WORD.search(line)
    ]
    links = 0
    for line in lines:
        if "[" in line and len(line) <= MAX_LINE_CHARS:
            other_text, found = _NOTE_LINK.subn(" ", line)
            links += bool(found) and len(_WORD.findall(other_text)) <= MAX_OTHER_WORDS
    return links >= MIN_LINKS and links >= MIN_SHARE * len(lines)


def is_navigation(metadata: NoteMetadata, links: Sequence[Link]) -> bool:
    """Return whether a note is an index or a template, by its kind, path or form.

    A file named `index` is one only if it links to others.
    """
    return bool(
        metadata.form
        or metadata.kind in NAVIGATION_KINDS
        or _TEMPLATE_PATH.search(metadata.path)
        or (links and _INDEX_PATH.search(metadata.path))
    )
