"""Measure the structure of a note, 0..1, at index time: structure makes it easy to find and to read.

    quality = .20 frontmatter + .20 one heading | .30 more + .20 list + .20 decision terms + .10 substance

Source: ClawMem, "Composite Scoring", for the features; the shares are ours (docs/scoring.md).
"""

from __future__ import annotations

import re
from typing import NamedTuple

FRONTMATTER = 0.20
ONE_HEADING = 0.20
MORE_HEADINGS = 0.30
LIST = 0.20
DECISION_TERMS = 0.20
SUBSTANCE = 0.10
LIST_ITEMS = 2
SUBSTANCE_CHARS = 200
_DECISION_TERM = re.compile(
    r"\b(?:decided|decisions?|chose|chosen|trade-?offs?|because we|instead of|rationale)\b", re.IGNORECASE
)


class Feature(NamedTuple):
    """One feature of a well-built note: the share it adds, the most it can add, and how to get the rest."""

    name: str
    share: float
    most: float
    advice: str


def features(body: str, *, has_frontmatter: bool, headings: int, list_items: int) -> tuple[Feature, ...]:
    """Return all features, from the body of a note and the counts of its structure."""
    of_headings = MORE_HEADINGS if headings > 1 else ONE_HEADING * headings
    has_terms = bool(_DECISION_TERM.search(body))
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
    from brain_cli.vault.sections import outline

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    head = split_head(text)
    body = text[head.body_start :]
    sections = outline(body, first_line=1)
    return features(
        body,
        has_frontmatter=bool(head.properties),
        headings=len(sections.headings),
        list_items=sections.list_items,
    )
