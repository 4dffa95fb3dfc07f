"""The draft of a note: its title, kind and text. A kind is what the author called it, never guessed from code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from brain_cli.plugins.agents.observation import ASKING, Observation, orders_to_remember
from brain_cli.vault.create import first_sentence

MAX_ANSWER_CHARS = 4_000
# What the user ordered or answered matters more than an ordinary note, which has .5.
ORDERED = "0.8"
# “Decision: we keep carts in Redis.” The kinds are those of notes.
_NAMED_KIND = re.compile(
    r"(decision|preference|learning|bugfix|feature|refactor|problem|milestone|todo|question|research)s?:\s+(?=\S)",
    re.IGNORECASE,
)
_DECIDED = re.compile(r"\b(?:we|I|they) (?:have )?(?:decided|chose|agreed|will use|switched)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"[^.!?\n]{25,}[.!?](?=\s|$)")


class Draft(NamedTuple):
    """A note that is not written yet. `key` identifies its source; `at` is in seconds, `salience` 0..1 if known."""

    key: str
    title: str
    kind: str
    text: str
    at: float
    folder: str = ""
    session: str = ""
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    salience: str = ""


def drafted_text(observation: Observation) -> Draft:
    """Return the draft of a text from a pipe."""
    text = observation.response
    kind, title = kind_and_title(text, "observation")
    return _draft(observation, title or "Observation", kind, text)


def kind_and_title(text: str, otherwise: str) -> tuple[str, str]:
    """Return the kind that a text names, or else what it says is decided, and its first sentence."""
    named = _NAMED_KIND.match(text)
    kind = named[1].lower() if named else "decision" if _DECIDED.search(text) else otherwise
    return kind, first_sentence(text[named.end() :] if named else text)


def drafted_answer(observation: Observation, answers: Iterable[str] = ()) -> Draft | None:
    """Return the draft of an answer that deserves its own note; None for one without prose."""
    if observation.tool.casefold() == ASKING:
        found = list(answers)
        return _draft(observation, found[0], "decision", "\n".join(found))._replace(salience=ORDERED) if found else None
    text = observation.response.strip()
    if len(_SENTENCES.findall(text)) < 2:
        return None
    text = text if len(text) <= MAX_ANSWER_CHARS else f"{text[:MAX_ANSWER_CHARS].rsplit(' ', 1)[0]} …"
    title = observation.title.partition(": ")[2] or observation.title or observation.input
    return _draft(observation, first_sentence(title), "discovery", text)


def drafted_directive(observation: Observation) -> Draft | None:
    """Return the draft of what a prompt orders to remember (“remember: …”, “from now on …”); None for other prompts."""
    rest = orders_to_remember(observation.prompt)
    if not rest:
        return None
    kind, title = kind_and_title(rest, "preference")
    return _draft(observation, title, kind, observation.prompt.strip())._replace(salience=ORDERED)


def relative(files: Iterable[str], folder: str) -> tuple[str, ...]:
    """Return files as paths from the root of the repository that `folder` is in; files outside it stay absolute."""
    from brain_cli.vault.git import below_root

    return tuple(below_root(file, folder) for file in files)


def _draft(observation: Observation, title: str, kind: str, text: str) -> Draft:
    each = observation
    return Draft(
        each.id, title, kind, text, each.at, each.folder, each.session, relative(each.files, each.folder), ("captured",)
    )
