"""Find the vault's tags that an observation names, so that the captured note joins the notes on its subject."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from brain_cli.plugins.agents.draft import Draft
from brain_cli.vault.analyzer import terms

MAX_TAGS = 5
# These tags say how a note was made, not what it is about.
_OWN_TAGS = frozenset(("captured", "commit", "handoff"))


class KnownTags(NamedTuple):
    """The tags of a vault, case-folded, and the language in which their words are compared."""

    tags: frozenset[str] = frozenset()
    language: str = "english"


NO_TAGS = KnownTags()


def named_tags(draft: Draft, known: KnownTags) -> tuple[str, ...]:
    """Return the tags whose every word is in a draft's title or file names, or in its text if a person wrote it."""
    texts = [draft.title, *map(_words_of_file, draft.files), "" if _is_from_tool(draft) else draft.text]
    named = frozenset(terms(" ".join(texts), known.language))
    tags = (tag for tag in known.tags - _OWN_TAGS - frozenset(draft.tags) if _is_named(tag, named, known.language))
    return tuple(sorted(tags, key=lambda tag: (-len(tag), tag))[:MAX_TAGS])


def with_named_tags(draft: Draft, known: KnownTags) -> Draft:
    """Return a draft with the tags that it names."""
    return draft._replace(tags=(*draft.tags, *named_tags(draft, known)))


def _is_named(tag: str, named: Iterable[str], language: str) -> bool:
    words = frozenset(terms(re.sub(r"[-_/]", " ", tag), language))
    return bool(words) and words.issubset(named)


def _is_from_tool(draft: Draft) -> bool:
    return len(draft.tags) > 1


def _words_of_file(file: str) -> str:
    return " ".join(os.path.splitext(file)[0].replace("_", " ").split("/"))
