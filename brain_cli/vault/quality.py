"""How well a note is built, 0..1, at index time: structure is what makes it findable and readable later.

    quality = .20 frontmatter + .20 one heading | .30 more + .20 list + .20 decision terms + .10 substance

Source: ClawMem, "Composite Scoring", which names the features; the shares are ours (docs/scoring.md).
"""

from __future__ import annotations

import re

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


def quality(body: str, *, has_frontmatter: bool, headings: int, list_items: int) -> float:
    """Return the quality of a note (0..1) from its body and the counts of its structure."""
    return round(
        FRONTMATTER * has_frontmatter
        + (MORE_HEADINGS if headings > 1 else ONE_HEADING * headings)
        + LIST * (list_items >= LIST_ITEMS)
        + DECISION_TERMS * bool(_DECISION_TERM.search(body))
        + SUBSTANCE * (len(body.strip()) >= SUBSTANCE_CHARS),
        2,
    )
