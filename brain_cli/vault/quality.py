"""Measure the structure of a note at index time: its quality, 0..1, and its form.

Structure makes a note easy to find and to read:

    quality = .20 frontmatter + .20 one heading | .30 more + .20 list + .20 decision terms + .10 substance

Source: ClawMem, "Composite Scoring", for the features; the shares are ours (docs/scoring.md).

Two forms have little content: an index, which lists links, and a template, which has blanks to fill in. An index has at
least five lines with little more than a link to a note, and they are at least 60 % of its lines. A template has a
placeholder (`{{title}}`, `<% tp.date.now() %>`) in its frontmatter or in a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from brain_cli.types import INDEX, TEMPLATE

FRONTMATTER = 0.20
ONE_HEADING = 0.20
MORE_HEADINGS = 0.30
LIST = 0.20
DECISION_TERMS = 0.20
SUBSTANCE = 0.10
LIST_ITEMS = 2
SUBSTANCE_CHARS = 200
_DECISION_TERMS = "decided|decisions?|chose|chosen|trade-?offs?|because we|instead of|rationale"
# Each alternative begins with its letter, and then looks behind it: `re` skips other letters at full speed.
_DECISION_TERM = re.compile("|".join(rf"{term[0]}(?<!\w{term[0]}){term[1:]}\b" for term in _DECISION_TERMS.split("|")))
MIN_LINKS = 5
MIN_SHARE = 0.6
MAX_OTHER_WORDS = 3
# A longer line is prose.
MAX_LINE_CHARS = 500

# Every repetition is bounded, so that no text takes quadratic time.
_NOTE_LINK = re.compile(r"\[(?<!!\[)(?:\[[^\[\]\n]{0,200}\]\]|[^\[\]\n]{0,200}\]\((?![a-z]{1,20}:)[^()\n]{0,200}\))")
# This does not match Hugo's shortcodes, {{< figure >}} and {{% note %}}, nor code.
_PLACEHOLDER = re.compile(r"(?<!`)(?:\{\{(?![<%])[^{}\n]{1,200}\}\}|<%[^<>\n]{1,200}%>)")
_WORD = re.compile(r"\w+")


class Feature(NamedTuple):
    """One feature of a well-built note: the share it adds, the most it can add, and how to get the rest."""

    name: str
    share: float
    most: float
    advice: str


def features(body: str, *, has_frontmatter: bool, headings: int, list_items: int) -> tuple[Feature, ...]:
    """Return all features, from the body of a note and the counts of its structure."""
    of_headings = MORE_HEADINGS if headings > 1 else ONE_HEADING * headings
    has_terms = bool(_DECISION_TERM.search(body.lower()))
    has_substance = len(body.strip()) >= SUBSTANCE_CHARS
    return (
        Feature("frontmatter", FRONTMATTER * has_frontmatter, FRONTMATTER, "begin with frontmatter: type, date, tags"),
        Feature("headings", of_headings, MORE_HEADINGS, "use two headings or more"),
        Feature("list", LIST * (list_items >= LIST_ITEMS), LIST, f"put {LIST_ITEMS} points or more into a list"),
        Feature("decision", DECISION_TERMS * has_terms, DECISION_TERMS, "say what was decided, and instead of what"),
        Feature("substance", SUBSTANCE * has_substance, SUBSTANCE, f"write {SUBSTANCE_CHARS} characters or more"),
    )


def quality(body: str, *, has_frontmatter: bool, headings: int, list_items: int) -> float:
    """Return the quality of a note (0..1) from its body and the counts of its structure."""
    found = features(body, has_frontmatter=has_frontmatter, headings=headings, list_items=list_items)
    return round(sum(feature.share for feature in found), 2)


def features_of(text: str) -> tuple[Feature, ...]:
    """Return all features of a note's text, as `parse_note` measures them."""
    from brain_cli.vault.frontmatter import split_head
    from brain_cli.vault.markdown import read_blocks

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    head = split_head(text)
    body = text[head.body_start :]
    blocks = read_blocks(body)
    return features(
        body, has_frontmatter=bool(head.properties), headings=len(blocks.headings), list_items=blocks.list_items
    )


def form_of(head: str, headings: Iterable[str], text: str) -> str:
    """Return the form of a note: `index`, `template`, or empty for any other note; `text` is its prose."""
    if any("{{" in each or "<%" in each for each in (head, *headings)) and _has_placeholder((head, *headings)):
        return TEMPLATE
    return INDEX if text.count("[") >= MIN_LINKS and _is_index(text) else ""


def _has_placeholder(texts: Iterable[str]) -> bool:
    return any(_PLACEHOLDER.search(each) for each in texts)


def _is_index(text: str) -> bool:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#") and _WORD.search(line)]
    links = sum("[" in line and len(line) <= MAX_LINE_CHARS and _is_link(line) for line in lines)
    return links >= MIN_LINKS and links >= MIN_SHARE * len(lines)


def _is_link(line: str) -> bool:
    """Return whether a line has little more than links to notes."""
    other_text, links = _NOTE_LINK.subn(" ", line)
    return bool(links) and len(_WORD.findall(other_text)) <= MAX_OTHER_WORDS
