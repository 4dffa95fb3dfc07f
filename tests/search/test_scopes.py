"""The scope of a condition has every note that meets it; a store filters by it before it looks for the best."""

from __future__ import annotations

import pytest

from brain_cli.index.scope import (
    ANYTHING,
    Both,
    DatedSince,
    Either,
    HasWord,
    OfKind,
    Outside,
    PathHas,
    PathLike,
    PropertyIs,
    Scope,
    Tagged,
)
from brain_cli.search.conditions import All, AnyOf, Condition, Everything, Excluded, Field, Holds, Phrase
from brain_cli.search.filters import DatedFrom, FrontmatterEquals
from brain_cli.search.scopes import scope_of

TEA, MILK = HasWord(("tea",)), HasWord(("milk",))
SCOPES: dict[str, tuple[Condition, Scope]] = {
    "everything": (Everything(), ANYTHING),
    "a word": (Holds("tea"), Both((TEA,))),
    "a beginning": (Holds("te*"), ANYTHING),
    "a phrase": (Phrase("tea milk"), Both((TEA, MILK))),
    "a tag": (Field("tag", "#Drink"), Tagged("drink")),
    "a kind": (Field("type", "Decision"), OfKind("decision")),
    "a path": (Field("path", "/Ops/"), PathHas("ops")),
    "a pattern": (Field("path", "ops/*.md"), PathLike(("ops/*.md", "*/ops/*.md"))),
    "a set of letters": (Field("path", "ops/[ab].md"), ANYTHING),
    "a title": (Field("title", "tea"), ANYTHING),
    "a date": (DatedFrom(5.0), DatedSince(5.0)),
    "a property": (FrontmatterEquals("owner", "Ana"), PropertyIs("owner", "ana")),
    "not a tag": (Excluded(Field("tag", "drink")), Outside(Tagged("drink"))),
    # A phrase has fewer notes than its words, so that without the phrase there are more than without the words.
    "not a phrase": (Excluded(Phrase("tea milk")), ANYTHING),
    "both": (All((Holds("tea"), Field("type", "x"))), Both((Both((TEA,)), OfKind("x")))),
    "either": (AnyOf((Holds("tea"), Field("type", "x"))), Either((Both((TEA,)), OfKind("x")))),
    "neither": (
        Excluded(AnyOf((Field("type", "x"), Field("tag", "y")))),
        Outside(Either((OfKind("x"), Tagged("y")))),
    ),
    "not either phrase": (Excluded(AnyOf((Field("type", "x"), Phrase("tea milk")))), ANYTHING),
}


@pytest.mark.parametrize("name", SCOPES)
def test_a_condition_has_this_scope(name: str) -> None:
    condition, scope = SCOPES[name]
    assert scope_of(condition, ["english"]) == scope
