"""The SQL of a condition lets every note through that meets it, so that the server finds the best
of these.
"""

from __future__ import annotations

import pytest

from brain_cli.index.filter_keys import COMPARISONS, KEYS, Compared
from brain_cli.plugins.team import question
from brain_cli.search.filters import (
    FIELDS,
    All,
    AnyOf,
    Condition,
    Everything,
    Excluded,
    Holds,
    Phrase,
)

TEA_MILK = "(n.keys && %(scope0)s::text[] and n.keys && %(scope1)s::text[])"
OF_X, TAGGED_Y = Compared("kind", "is", "x"), Compared("tags", "has", "y")
SCOPES: dict[str, tuple[Condition, str]] = {
    "everything": (Everything(), "true"),
    "a word": (Holds("tea"), "(n.keys && %(scope0)s::text[])"),
    "a beginning": (Holds("te*"), "true"),
    "a phrase": (Phrase("tea milk"), TEA_MILK),
    "a title": (FIELDS["title"]("tea milk"), TEA_MILK),
    "a tag": (FIELDS["tag"]("#Drink"), "n.keys @> array[%(scope0)s::text]"),
    "a set of letters": (
        FIELDS["path"]("ops/[ab].md"),
        "n.path_key like any(%(scope0)s::text[])",
    ),
    "not a title": (Excluded(FIELDS["title"]("tea milk")), "true"),
    "not a tag": (Excluded(FIELDS["tag"]("drink")), "not (n.keys @> array[%(scope0)s::text])"),
    # A phrase has fewer notes than its words, so that without the phrase there are more than without the
    # words.
    "not a phrase": (Excluded(Phrase("tea milk")), "true"),
    "both": (
        All((Holds("tea"), OF_X)),
        "((n.keys && %(scope0)s::text[]) and n.kind = %(scope1)s::text)",
    ),
    "either": (
        AnyOf((OF_X, TAGGED_Y)),
        "(n.kind = %(scope0)s::text or n.keys @> array[%(scope1)s::text])",
    ),
    "not either phrase": (Excluded(AnyOf((OF_X, Phrase("tea milk")))), "true"),
}


@pytest.mark.parametrize("name", SCOPES)
def test_a_condition_has_this_scope(name: str) -> None:
    condition, sql = SCOPES[name]
    assert question.scope_of(condition, ["english"])[0] == sql


def test_a_server_has_every_key_and_every_comparison() -> None:
    assert question.COLUMNS.keys() == KEYS.keys()
    assert question.COMPARISONS.keys() == COMPARISONS.keys()
