"""Find a newer word on what the best note says: a note at least 30 days younger that has the
question's words in one sentence.

A sentence has the words if it has 70 % of the question by idf, two words or more, side by side but
for one word, and says what is so or what has changed, or is hardly more than these words and a
number; the title of the note is a sentence too. A row of a table has the words of its head.
Questions and open tasks say nothing, and a note that is less than half as relevant as the best one
only mentions the subject. A note that was compared by meaning also counts if it is as near as the
best one.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from brain_cli.answer.find import Found
from brain_cli.answer.pieces import pieces_of
from brain_cli.answer.results import Newer
from brain_cli.answer.sentences import sentences
from brain_cli.ranking import Candidate
from brain_cli.search.bm25 import ScoredTerm
from brain_cli.types import SECONDS_PER_DAY, NoteMetadata
from brain_cli.vault.analyzer import fold, terms
from brain_cli.vault.blocks import CODE, HEAD, HIDDEN, ROW
from brain_cli.vault.languages import phrases_of

YOUNGER_DAYS = 30
RELEVANCE_SHARE = 0.5
WORDS_SHARE = 0.7
MIN_WORDS = 2
NEARNESS_SHARE = 0.95
MAX_SECTIONS = 3
# A sentence of which so few words are not the question's, one of them a number, says that number.
MAX_OTHERS = 2
# Open tasks and questions.
_SAYS_NOTHING = re.compile(r"[\s>]*[-*+]\s+\[ \]|.*[?？]\W*$", re.DOTALL)


def newer_word(found: Found, candidates: list[Candidate]) -> Newer | None:
    """Return what the youngest note says that is about the same as the first of some candidates."""
    first, *others = candidates
    least = RELEVANCE_SHARE * first.signals.relevance
    after = first.metadata.timestamp + YOUNGER_DAYS * SECONDS_PER_DAY
    younger = [
        each
        for each in others
        if each.metadata.timestamp >= after
        and each.signals.relevance >= least
        and not each.signals.superseded
        and found.snapshot.note_table.stated_date(each.note_id) is not None
    ]
    for each in sorted(younger, key=lambda each: -each.metadata.timestamp):
        said = next(_told(found, each.note_id, each.metadata), None) or _near(
            found, first, each
        )
        if said:
            return said
    return None


class Statement(NamedTuple):
    """A sentence of a note or a row of a table, and its line; `head` is the head of the table."""

    text: str
    line: int
    head: str = ""


def _told(found: Found, note_id: int, note: NoteMetadata) -> Iterator[Newer]:
    """Yield the statements of a note that have the words of the question."""
    asked = [term for term in found.matches.terms if not term.word.optional]
    worth = sum(term.idf for term in asked)
    language = found.snapshot.language(note_id)
    for each in _statements(found, note_id, note):
        own = terms(each.text, language)
        words = {*own, *terms(each.head, language)}
        said = [term for term in asked if not words.isdisjoint(term.word.found_by)]
        has_most = sum(term.idf for term in said) >= WORDS_SHARE * worth
        if len(said) < MIN_WORDS or not has_most:
            continue
        if each.head:
            tells = any(not set(term.word.found_by).isdisjoint(own) for term in said)
        else:
            is_said = _are_near(said, own) and _says(each.text, said, own)
            tells = is_said or each.text == note.title
        if tells:
            yield Newer(note, each.text, each.line)


def _are_near(said: list[ScoredTerm], own: list[str]) -> bool:
    """Return whether some words stand side by side in a sentence, but for one other word."""
    span = len(said) + 1
    parts = (set(own[start : start + span]) for start in range(max(1, len(own) - span + 1)))
    return any(all(not part.isdisjoint(term.word.found_by) for term in said) for part in parts)


def _statements(found: Found, note_id: int, note: NoteMetadata) -> Iterator[Statement]:
    """Yield what a note says: its title, and the sentences and rows of the sections that match."""
    sections = [number for number, _ in found.sections(note_id)[:MAX_SECTIONS]]
    fragments = [found.snapshot.index.fragment(number) for number in sections]
    for fragment in fragments[:1]:
        yield Statement(note.title, fragment.line)
    for fragment in fragments:
        head = ""
        for piece in pieces_of(fragment):
            if piece.kind in (HEAD, ROW):
                # A head comes with its rule and the first row.
                lines = piece.text.split("\n")
                head = lines[0] if piece.kind == HEAD else head
                yield Statement(lines[-1], piece.last, head)
            elif piece.kind not in (CODE, HIDDEN):
                for start, end in sentences(piece.text):
                    line = piece.first + piece.text.count("\n", 0, start)
                    yield Statement(piece.text[start:end], line)


def _says(text: str, said: list[ScoredTerm], own: list[str]) -> bool:
    """Return whether a sentence says what is so or has changed, and does not only mention it."""
    folded = fold(text).lower()
    if _SAYS_NOTHING.match(text) or _mentioning().search(folded):
        return False
    asked = {variant for term in said for variant in term.word.found_by}
    others = [word for word in own if word not in asked]
    has_number = any(map(str.isdecimal, others))
    return (has_number and len(others) <= MAX_OTHERS) or bool(_saying().search(folded))


@cache
def _mentioning() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{phrases_of('mentions')})\b")


@cache
def _saying() -> re.Pattern[str]:
    return re.compile(rf"[:=→：\u3040-\u9fff\uac00-\ud7af]|\b(?:{phrases_of('says')})\b")


def _near(found: Found, first: Candidate, other: Candidate) -> Newer | None:
    """Return a note that is as near in meaning as the first one, if they were compared."""
    near = found.near
    if not near or not all(near.certainty_model(each.note_id) for each in (first, other)):
        return None
    nearness = near.nearness(first.note_id)["nearness"]
    if near.nearness(other.note_id)["nearness"] < NEARNESS_SHARE * nearness:
        return None
    return Newer(other.metadata, other.metadata.title, min(near.lines(other.note_id)))
