"""Find the sentence that defines what a question asks for: the opening of the note about it.

“What is a hash?” is answered by the first sentence of the note “Hash function”, which seldom repeats its title.
"""

from __future__ import annotations

import re

from brain_cli.answer.passages.blocks import Kind
from brain_cli.answer.passages.passage_text import joined
from brain_cli.answer.passages.quotable import Piece, pieces
from brain_cli.answer.passages.regions import SHORT_CHARS
from brain_cli.answer.passages.section_text import SectionText
from brain_cli.answer.passages.selection import Source
from brain_cli.answer.passages.windows import understandable_around
from brain_cli.types import KeyPoint
from brain_cli.vault.analyzer import terms

# How such a question begins, by language; the rest of the question is its subject.
ASKING = {
    "english": r"what(?:['’]?s| is| are)|define|definition of|meaning of",
    "german": r"was (?:ist|sind|bedeutet|bedeuten|heißt)|was versteht man unter|definition von",
    "french": r"qu['’]est[- ]ce qu(?:e|['’])(?: c['’]est qu(?:e|['’]))?|c['’]est quoi|que signifie|définition d[e'’]",
    "italian": r"(?:che )?(?:cos['’]è|cosa è|cosa sono|cosa significa)|che significa|definizione di",
    "spanish": r"qu[eé] (?:es|son|significan?)|definición de",
    "portuguese": r"o que (?:é|são|significam?)|definição de",
    "dutch": r"wat (?:is|zijn|betekent)",
    "russian": r"что (?:такое|значит|означает|за)|определение",
}
_ASKING = re.compile(rf"[\s¿]*(?:{'|'.join(ASKING.values())})(?:(?!\w)|(?<=['’]))", re.IGNORECASE)
_ARTICLE = re.compile(
    r"(?:an?|the|eine?r?|d(?:er|ie|as)|une?|l[ea'’]|les|il|lo|los?|las?|uno|una|o|het) ?\b", re.IGNORECASE
)
# The verbs and signs between a word and its definition, in all these languages.
_COPULA = (
    r"(?:\s+(?:is|are|means|refers to|ist|sind|heißt|bezeichnet|bedeutet|est|sont|è|sono|es|son|é|são|betekent|это"
    r"|называ\w+|явля\w+)\b|\s*[—–=:]\s)"
)
MIN_BLANKS = 4
# More than the words of the neighbouring sentences can add to a passage that defines nothing (see `windows`).
DEFINING = 2.0
# Further down, a sentence no longer says what the note is about.
MAX_OPENING_PIECES = 8


def subject_of_definition(query: str) -> str:
    """Return what a question asks the meaning of; empty for a question that asks for something else."""
    asking = _ASKING.match(query)
    return query[asking.end() :].strip(" ?!.¿") if asking else ""


def defines(text: str, subject: str) -> bool:
    """Return whether a sentence of a text defines a subject: “RSA is a …”, “A hash — …”."""
    article = _ARTICLE.match(subject)
    bare = subject[article.end() if article else 0 :].strip()
    pattern = rf"(?:^|[.!?]\s+)(?:\w{{1,5}}['’ ]\s*)?{re.escape(bare)}\w{{0,2}}(?:\s*\([^)]*\))?{_COPULA}"
    return bool(bare) and re.search(pattern, text, re.IGNORECASE | re.MULTILINE) is not None


def is_about(name: str, subject: str, language: str) -> bool:
    """Return whether a note's name begins with a subject: “Hash function” does with “a hash”."""
    wanted, of_name = set(terms(subject, language)), terms(name, language)
    return bool(wanted) and wanted <= set(of_name) and of_name[0] in wanted


def opening(source: Source) -> KeyPoint | None:
    """Return the first sentence of a section that can stand alone, with its neighbours; None if it has none."""
    section = source.section_text() if source.section_text else SectionText(source.fragment, source.boilerplate)
    found = pieces(section.readable(0, section.text.count("\n", 0, SHORT_CHARS) + 1), source.boilerplate)
    first = next((index for index, piece in enumerate(found[:MAX_OPENING_PIECES]) if _stands_alone(piece)), None)
    if first is None or found[first].text in source.left_out:
        return None
    shown = understandable_around(found, first)
    end_line = max(piece.end_line for piece in shown)
    return KeyPoint(joined(shown), source.path, shown[0].line, end_line, source.fragment.trail, source.title)


def _stands_alone(piece: Piece) -> bool:
    is_sentence = piece.kind is Kind.PROSE and not piece.field and piece.text.count(" ") >= MIN_BLANKS
    return is_sentence and piece.says_something and not (piece.introduces_next or piece.needs_previous)
