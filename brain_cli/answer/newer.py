"""Find a newer word on what the best note says: a note at least 30 days younger that has the
question's words in one sentence.

A sentence has the words if it has 70 % of the question by idf, two words or more, side by side but
for one word, and says what is so or what has changed; the title of the note is a sentence too.
Questions and open tasks say nothing, and a note that is less than half as relevant as the best one
only mentions the subject. A note that was compared by meaning also counts if it is as near as the
best one.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain

from brain_cli.answer.find import Found
from brain_cli.answer.pieces import pieces_of
from brain_cli.answer.results import Newer
from brain_cli.answer.sentences import sentences
from brain_cli.ranking import Candidate
from brain_cli.search.bm25 import ScoredTerm
from brain_cli.types import SECONDS_PER_DAY, NoteMetadata
from brain_cli.vault.analyzer import fold, terms
from brain_cli.vault.blocks import CODE, HIDDEN
from brain_cli.vault.languages import phrases_of

YOUNGER_DAYS = 30
RELEVANCE_SHARE = 0.5
WORDS_SHARE = 0.7
MIN_WORDS = 2
NEARNESS_SHARE = 0.95
MAX_SECTIONS = 3
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


def _told(found: Found, note_id: int, note: NoteMetadata) -> Iterator[Newer]:
    """Yield the sentences of a note that have the words of the question."""
    asked = [term for term in found.matches.terms if not term.word.optional]
    worth = sum(term.idf for term in asked)
    language = found.snapshot.language(note_id)
    for text, line in _sentences(found, note_id, note):
        own = terms(text, language)
        said = [term for term in asked if not set(term.word.found_by).isdisjoint(own)]
        has_most = sum(term.idf for term in said) >= WORDS_SHARE * worth
        if len(said) >= MIN_WORDS and has_most and (text == note.title or _are_near(said, own)):
            yield Newer(note, text, line)


def _are_near(said: list[ScoredTerm], own: list[str]) -> bool:
    """Return whether some words stand side by side in a sentence, but for one other word."""
    span = len(said) + 1
    parts = (set(own[start : start + span]) for start in range(max(1, len(own) - span + 1)))
    return any(all(not part.isdisjoint(term.word.found_by) for term in said) for part in parts)


def _sentences(found: Found, note_id: int, note: NoteMetadata) -> Iterator[tuple[str, int]]:
    """Yield what a note says, and in which line: its title, and the sentences that match."""
    sections = [number for number, _ in found.sections(note_id)[:MAX_SECTIONS]]
    if not sections:
        return
    fragments = [found.snapshot.index.fragment(number) for number in sections]
    yield note.title, fragments[0].line
    for piece in chain.from_iterable(map(pieces_of, fragments)):
        spans = sentences(piece.text) if piece.kind not in (CODE, HIDDEN) else []
        for start, end in spans:
            text = piece.text[start:end]
            if _says(fold(text).lower()) and not _SAYS_NOTHING.match(text):
                yield text, piece.first + piece.text.count("\n", 0, start)


def _says(text: str) -> bool:
    """Return whether a folded text says what is so or has changed, and does not only mention it."""
    return bool(_saying().search(text)) and not _mentioning().search(text)


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
