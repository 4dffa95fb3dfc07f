"""What makes a note well built (scoring, section 7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import any_text

from brain_cli.vault.note import features, parse_note, quality

HEAD = "---\ntitle: A\n---\n"
LONG = "Plain words that say nothing of note. " * 6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One plain short paragraph.", 0.0),
        (HEAD + "Short.", 0.2),
        ("# One heading\n\nShort.", 0.2),
        ("# One\n\nShort.\n\n## Two\n\nShort.", 0.3),
        ("- one item", 0.0),
        ("- one\n- two", 0.2),
        ("1. one\n2. two", 0.2),
        ("- [ ] task\n- [x] done", 0.2),
        ("```\n- not\n- a list\n```", 0.0),
        ("We decided.", 0.2),
        ("A trade-off, DECIDED because we chose it.", 0.2),
        ("He is undecided.", 0.0),
        (LONG, 0.1),
        (f"{HEAD}# A\n\nWe decided.\n\n## B\n\n- one\n- two\n\n{LONG}", 1.0),
    ],
)
def test_each_feature_adds_its_share(text: str, expected: float) -> None:
    assert parse_note("a.md", text, 0).metadata.quality == expected


@pytest.mark.parametrize(
    "term",
    [
        "decided",
        "decision",
        "chose",
        "chosen",
        "tradeoff",
        "trade-off",
        "because we",
        "instead of",
        "rationale",
    ],
)
def test_every_decision_term_counts(term: str) -> None:
    assert (
        quality(features(f"x {term} y", has_frontmatter=False, headings=0, list_items=0)) == 0.2
    )


def test_substance_begins_at_two_hundred_characters() -> None:
    def of(length: int) -> float:
        body = " " + "x" * length + "\n\n"
        return quality(features(body, has_frontmatter=False, headings=0, list_items=0))

    assert (of(199), of(200)) == (0.0, 0.1)


@given(any_text(), st.booleans(), st.integers(0, 100), st.integers(0, 100))
def test_quality_is_a_share(
    body: str, has_frontmatter: bool, headings: int, list_items: int
) -> None:
    found = features(
        body, has_frontmatter=has_frontmatter, headings=headings, list_items=list_items
    )
    assert 0.0 <= quality(found) <= 1.0
