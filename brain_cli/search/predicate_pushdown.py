"""Translate a condition into the scope by which a store filters notes before it ranks them.

A scope may be wider than its condition but never narrower: brain tests the condition itself on every candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brain_cli.index.filter_keys import ANYTHING, Both, Compared, Either, HasWord, Outside, Scope
from brain_cli.search.conditions import All, AnyOf, Condition, Everything, Excluded, Holds, Phrase, TitleHas
from brain_cli.vault.analyzer import Word, query_words


def scope_of(condition: Condition, languages: Sequence[str]) -> Scope:
    """Return a scope that contains all notes that meet a condition."""
    return _scope(condition, languages)[0]


def words_in(condition: Condition, languages: Sequence[str]) -> Iterator[Word]:
    """Yield the words that a condition tests."""
    match condition:
        case Holds(text) | Phrase(text):
            yield from _words(text, languages)
        case All(conditions) | AnyOf(conditions):
            for each in conditions:
                yield from words_in(each, languages)
        case Excluded(inner):
            yield from words_in(inner, languages)


def _scope(condition: Condition, languages: Sequence[str]) -> tuple[Scope, bool]:
    """Return a scope, and whether it is exactly the condition."""
    match condition:
        case Everything():
            return ANYTHING, True
        case Compared(_, "matches", patterns) if any("[" in pattern for pattern in patterns):
            # The patterns of SQL have no sets of letters.
            return ANYTHING, False
        case Compared():
            return condition, True
        case Holds(text):
            return _having(text, languages), not text.endswith("*")
        case Phrase(text) | TitleHas(text):
            return _having(text, languages), False
        case Excluded(inner):
            scope, is_exact = _scope(inner, languages)
            return (Outside(scope), True) if is_exact else (ANYTHING, False)
        case All(conditions):
            scopes, exact = zip(*(_scope(each, languages) for each in conditions), strict=True)
            return Both(scopes), all(exact)
        case AnyOf(conditions):
            scopes, exact = zip(*(_scope(each, languages) for each in conditions), strict=True)
            return Either(scopes), all(exact)
    return ANYTHING, False


def _having(text: str, languages: Sequence[str]) -> Scope:
    words = [] if text.endswith("*") and len(text) > 1 else _words(text, languages)
    return Both(tuple(HasWord(word.variants) for word in words)) if words else ANYTHING


def _words(text: str, languages: Sequence[str]) -> list[Word]:
    return [word for word in query_words(text, languages) if not word.optional]
