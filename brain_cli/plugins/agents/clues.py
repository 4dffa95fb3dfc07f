"""Find clues to the work in a folder, which replace a query; recognize indexes and templates, which
are not shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import NamedTuple

from brain_cli.search.asked_time import recency_intent
from brain_cli.types import Intent, Session
from brain_cli.vault.analyzer import Word, query_words

MAX_FILES = 6
MAX_FOLDERS = 2
# Names that say nothing about the work in them.
_ROUTINE_NAMES = """
main master develop dev trunk head feature feat fix bugfix hotfix chore release src lib libs app
apps cmd pkg internal
test tests docs doc index init mod build dist bin scripts tmp add remove delete update change use
make new improve
cleanup wip the a of and to for in on with readme license package setup config makefile dockerfile
requirements
changelog contributing lock
"""
_ROUTINE = frozenset(_ROUTINE_NAMES.split())
_WORD = re.compile(r"[^\W\d_]{2,}|\d{3,}")


class Place(NamedTuple):
    """The situation in which work begins. Paths of `files` are relative to the repository's root,
    newest first; without any, `paths` are those of the folder.

    `is_neutral`: the folder is in the vault or the user's home, so it belongs to no project.
    Without `cross_project`, only notes of the session's project and of no project are shown.
    """

    folders: tuple[str, ...] = ()
    branch: str = ""
    files: tuple[str, ...] = ()
    prompt: str = ""
    readme_title: str = ""
    is_neutral: bool = False
    cross_project: bool = True
    paths: tuple[str, ...] = ()

    @property
    def intent(self) -> Intent:
        """Whether the prompt asks for what is new."""
        return recency_intent(self.prompt).intent


class Clue(NamedTuple):
    """The words of one clue; `is_prompt` for the user's own words, which are a query."""

    words: list[Word]
    is_prompt: bool = False


def clues(
    place: Place, session: Session, languages: tuple[str, ...], is_known: Callable[[str], bool]
) -> Iterator[Clue]:
    """Yield the clues of a place. Of a name only the words that the vault knows count, and only if
    half of them are.
    """
    project = (session.project or "").casefold()
    paths = (os.path.splitext(file)[0] for file in place.files or place.paths)
    told = islice(filter(None, map(_meaningful_words, paths)), MAX_FILES)
    names = [place.branch, " ".join(place.folders[-MAX_FOLDERS:]), " ".join(session.topics)]
    texts = [*names, place.readme_title if not session.project else ""]
    for text in (*filter(None, map(_meaningful_words, texts)), *told):
        words = [
            word
            for word in query_words(text, languages)
            if project not in map(str.casefold, word.variants)
        ]
        known = [word for word in words if any(is_known(variant) for variant in word.variants)]
        if known and len(known) * 2 >= len(words):
            yield Clue(known)
    if place.prompt:
        yield Clue(list(query_words(place.prompt, languages)), is_prompt=True)


def names_one_of(named: Collection[str], changed: Collection[str]) -> bool:
    """Return whether a note names one of the changed files, from the repository's root or from
    above it.
    """
    return any(
        one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")
        for one in named
        for other in changed
    )


def _meaningful_words(text: str) -> str:
    """Return the meaningful words of a name: `feature/refund-timeouts` → `refund timeouts`."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(word for word in _WORD.findall(apart) if word.casefold() not in _ROUTINE)
