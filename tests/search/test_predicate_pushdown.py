"""The scope of a condition has every note that meets it; a store filters by it before it looks for the best."""

from __future__ import annotations

import pytest

from brain_cli.index.engines import _postgresql_scope
from brain_cli.index.filter_keys import ANYTHING, COMPARISONS, KEYS, Both, Compared, Either, HasWord, Outside, Scope
from brain_cli.search.conditions import FIELDS, All, AnyOf, Condition, Everything, Excluded, Holds, Phrase
from brain_cli.search.predicate_pushdown import scope_of

TEA, MILK = HasWord(("tea",)), HasWord(("milk",))
OF_X, TAGGED_Y = Compared("kind", "is", "x"), Compared("tags", "has", "y")
SCOPES: dict[str, tuple[Condition, Scope]] = {
    "everything": (Everything(), ANYTHING),
    "a word": (Holds("tea"), Both((TEA,))),
    "a beginning": (Holds("te*"), ANYTHING),
    "a phrase": (Phrase("tea milk"), Both((TEA, MILK))),
    "a tag": (FIELDS["tag"]("#Drink"), Compared("tags", "has", "drink")),
    "a path": (FIELDS["path"]("/Ops/"), Compared("path", "contains", "ops")),
    "a pattern": (FIELDS["path"]("ops/*.md"), Compared("path", "matches", ("ops/*.md", "*/ops/*.md"))),
    "a set of letters": (FIELDS["path"]("ops/[ab].md"), ANYTHING),
    "a title": (FIELDS["title"]("tea milk"), Both((TEA, MILK))),
    "not a title": (Excluded(FIELDS["title"]("tea milk")), ANYTHING),
    "not a tag": (Excluded(FIELDS["tag"]("drink")), Outside(Compared("tags", "has", "drink"))),
    # A phrase has fewer notes than its words, so that without the phrase there are more than without the words.
    "not a phrase": (Excluded(Phrase("tea milk")), ANYTHING),
    "both": (All((Holds("tea"), OF_X)), Both((Both((TEA,)), OF_X))),
    "either": (AnyOf((Holds("tea"), OF_X)), Either((Both((TEA,)), OF_X))),
    "neither": (
        Excluded(AnyOf((OF_X, TAGGED_Y))),
        Outside(Either((OF_X, TAGGED_Y))),
    ),
    "not either phrase": (Excluded(AnyOf((OF_X, Phrase("tea milk")))), ANYTHING),
}


@pytest.mark.parametrize("name", SCOPES)
def test_a_condition_has_this_scope(name: str) -> None:
    condition, scope = SCOPES[name]
    assert scope_of(condition, ["english"]) == scope


def test_a_server_has_every_key_and_every_comparison() -> None:
    assert _postgresql_scope.COLUMNS.keys() == KEYS.keys()
    assert _postgresql_scope.COMPARISONS.keys() == COMPARISONS.keys()
