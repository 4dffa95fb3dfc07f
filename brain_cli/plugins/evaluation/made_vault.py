"""Vaults to measure with: of any size, the same ones every time, of words as unevenly common as real ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

SEED = 20261121
VOCABULARY = 12_000
FRAGMENTS_PER_NOTE = (6, 10)
SENTENCES_PER_FRAGMENT = (2, 5)
KINDS = ("decision", "learning", "insight", "experience", "observation", "note")
FOLDERS = ("decisions", "learnings", "journal", "projects", "people", "incidents")

# What everybody writes about comes first and most often; behind it a long tail of names that hardly anybody does.
COMMON_WORDS = """
queue order payment invoice driver carrier booking window deploy service topic partition index cache latency budget
customer contract price release retry timeout backup schema migration review meeting plan roadmap goal risk switch
table query lock worker cluster broker event message handler gateway token session cookie certificate key secret
alert dashboard metric trace log incident cause fix rollback feature flag test fixture branch commit merge pull
request response header payload field column row record report export import file folder path name address phone
mail letter office desk chair window kitchen coffee train station ticket hotel garden tree river mountain winter
summer morning evening week month quarter year budget salary team lead manager engineer designer analyst partner
"""
SYLLABLES = """
b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sk st t tr v w z
a e i o u ai ea ee io ou
n r l st nd ck m t x sk rn
"""
SENTENCES = """
The {} of the {} was slower than the {} we had before.
We moved the {} to another {} because the {} kept failing.
After the {} nobody looked at the {} for a {}.
Ask {} before you change the {}: the {} depends on it.
If the {} grows, the {} needs a second {} and a larger {}.
It took a {} to see that the {} and the {} were the same {}.
In the end a smaller {} did what the {} could not.
{} wants the {} by the end of the {}, with a {} for each {}.
There is no {} without a {}; that is what the {} taught us.
What we agreed on: one {} per {}, and the {} stays where it is.
""".strip().splitlines()
COMMON = COMMON_WORDS.split()
ONSETS, VOWELS, CODAS = (line.split() for line in SYLLABLES.strip().splitlines())


class MadeWords:
    """A vocabulary after Zipf: the word of rank r is drawn in proportion to 1 / r."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        words = dict.fromkeys(COMMON)
        while len(words) < VOCABULARY:
            words[self._invented()] = None
        self.ranked = list(words)
        self._weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def _invented(self) -> str:
        syllables = (
            self._chance.choice(ONSETS) + self._chance.choice(VOWELS) for _ in range(self._chance.choice((2, 2, 3)))
        )
        return "".join(syllables) + self._chance.choice(CODAS)

    def draw(self, count: int) -> list[str]:
        return self._chance.choices(self.ranked, cum_weights=self._weights, k=count)

    def sentence(self) -> str:
        form = self._chance.choice(SENTENCES)
        text = form.format(*self.draw(form.count("{}")))
        return text[0].upper() + text[1:]


def write_vault(folder: Path, notes: int) -> None:
    """Write this number of notes, of eight fragments on average, into a folder and its subfolders."""
    chance = random.Random(SEED)
    words = MadeWords(chance)
    stems: list[str] = []
    for number in range(notes):
        count = chance.randint(*FRAGMENTS_PER_NOTE)
        stem = f"{'-'.join(words.draw(3))}-{number}"
        file = folder / chance.choice(FOLDERS) / f"{stem}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(_lines(chance, words, count, stems)), encoding="utf-8")
        stems.append(stem)


def _lines(chance: random.Random, words: MadeWords, fragments: int, stems: list[str]) -> Iterator[str]:
    yield "---"
    yield f"type: {chance.choice(KINDS)}"
    yield f"date: 202{chance.randint(3, 6)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    yield f"tags: [{', '.join(words.draw(2))}]"
    yield "---"
    yield f"# {' '.join(words.draw(4)).capitalize()}"
    yield from _section(chance, words, stems)
    for _ in range(fragments - 1):
        yield ""
        yield f"## {' '.join(words.draw(2)).capitalize()}"
        yield from _section(chance, words, stems)


def _section(chance: random.Random, words: MadeWords, stems: list[str]) -> Iterator[str]:
    yield ""
    yield " ".join(words.sentence() for _ in range(chance.randint(*SENTENCES_PER_FRAGMENT)))
    if stems and chance.random() < 0.3:
        yield f"See [[{chance.choice(stems)}]]."
