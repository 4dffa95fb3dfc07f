"""Recognize a question for a definition, and the notes whose opening answers it.

“What is a hash?” is answered by the first sentence of the note “Hash function”, which seldom repeats its title.
"""

from __future__ import annotations

import re

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


def subject_of_definition(query: str) -> str:
    """Return what a question asks the meaning of; empty for a question that asks for something else."""
    asking = _ASKING.match(query)
    return query[asking.end() :].strip(" ?!.¿") if asking else ""


def is_about(name: str, subject: str, language: str) -> bool:
    """Return whether a note's name begins with a subject: “Hash function” does with “a hash”."""
    wanted, of_name = set(terms(subject, language)), terms(name, language)
    return bool(wanted) and wanted <= set(of_name) and of_name[0] in wanted
