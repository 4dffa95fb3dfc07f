"""Every number of BM25 equals that of a plain reference, which counts words and spells out every
field weight.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from brain_cli.index.directory import IndexDirectory
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import IndexedVault, refresh
from brain_cli.search.bm25 import look_up
from brain_cli.vault.analyzer import query_words

K1, B = 2.0, 0.75
WORDS = (
    "milk",
    "salt",
    "lamp",
    "wolf",
    "drum",
    "flint",
    "corn",
    "vest",
)  # their stems are the words themselves
ABOUT = {"title": 3.0, "alias": 3.0, "tag": 3.0, "path": 1.5, "author": 1.0}
UPPER_HEADING, HEADING, BODY = 1.0, 2.0, 1.0


class Written(NamedTuple):
    """A note as words: of its frontmatter and path, and for each section (headings above, own
    heading, text).
    """

    about: dict[str, list[str]]
    sections: list[tuple[list[str], list[str], list[str]]]

    def text(self) -> str:
        head = "\n".join(
            f"{key}: {' '.join(words)}"
            for key, words in self.about.items()
            if words and key != "path"
        )
        parts = [
            f"# {' '.join(up)}\n\n## {' '.join(own)}\n\n{' '.join(body)}\n"
            for up, own, body in self.sections
        ]
        return f"---\n{head}\n---\n\n" + "\n".join(parts)


def weighted(words: dict[float, list[list[str]]]) -> Counter[str]:
    """Add up the weights of words: `words` has lists of words by weight."""
    counted: Counter[str] = Counter()
    for weight, lists in words.items():
        for word in (word for each in lists for word in each):
            counted[word] += weight  # type: ignore[assignment]
    return counted


class Reference:
    """BM25 as docs/scoring.md has it: k1 = 2, b = 0.75, counted in sections."""

    def __init__(self, notes: list[Written]) -> None:
        self.about = [
            sum((weighted({ABOUT[k]: [v]}) for k, v in note.about.items()), Counter())
            for note in notes
        ]
        self.bodies = [
            [
                weighted({UPPER_HEADING: [up], HEADING: [own]}) + weighted({BODY: [body]})
                for up, own, body in n.sections
            ]
            for n in notes
        ]
        self.count = sum(map(len, self.bodies))
        self.length = sum(body.total() for note in self.bodies for body in note)

    def idf(self, word: str) -> float:
        having = sum(
            bool(body[word] or about[word])
            for about, n in zip(self.about, self.bodies, strict=True)
            for body in n
        )
        return math.log(1 + (self.count - having + 0.5) / (having + 0.5))

    def note(self, number: int, word: str) -> float:
        bodies = self.bodies[number]
        norm = (
            1 - B + B * sum(body.total() for body in bodies) / (self.length / len(self.bodies))
        )
        about = min(2.0, self.about[number][word])
        return saturation(about + sum(body[word] for body in bodies) / norm)

    def section(self, number: int, position: int, word: str) -> float:
        body, about = self.bodies[number][position], self.about[number][word]
        norm = 1 - B + B * body.total() / (self.length / self.count)
        return saturation(about + body[word] / norm) - saturation(about)


def saturation(tf: float) -> float:
    return tf * (K1 + 1) / (tf + K1)


def written(chance: random.Random) -> Written:
    def some(most: int) -> list[str]:
        return chance.choices(WORDS, k=chance.randint(0, most))

    sections = [
        (["quay"], chance.choices(WORDS, k=2), chance.choices(WORDS, k=chance.randint(1, 40)))
    ]
    sections += [
        (chance.choices(WORDS, k=1), chance.choices(WORDS, k=1), chance.choices(WORDS, k=9))
    ]
    return Written(
        {
            "title": chance.choices(WORDS, k=2),
            "alias": some(2),
            "tag": some(1),
            "author": some(2),
        },
        sections,
    )


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Snapshot, Reference]:
    root, chance = tmp_path_factory.mktemp("bm25"), random.Random(3)
    notes = [written(chance) for _ in range(12)]
    for number, note in enumerate(notes):
        name = chance.choice(WORDS)
        note.about["path"] = [name]
        _write(root / "notes" / f"{number}" / f"{name}.md", note.text())
    index_directory = IndexDirectory(root / "cache" / "brain" / "notes")
    refresh(
        IndexedVault(str(root / "notes"), ()), index_directory, lambda *_: None, lambda *_: None
    )
    return open_snapshot(index_directory), Reference(notes)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("word", WORDS)
def test_every_number_of_bm25_is_that_of_the_reference(
    indexed: tuple[Snapshot, Reference], word: str
) -> None:
    snapshot, reference = indexed
    scored = look_up(snapshot, query_words(word, ["english"])[0])
    numbers = {
        row: int(snapshot.note_table.metadata(row).path.split("/")[0])
        for row in snapshot.note_table.rows
    }
    assert scored.idf == pytest.approx(reference.idf(word))
    found = {numbers[note_id]: value for note_id, value in scored.scores.notes.items()}
    expected = {n: value for n in range(12) if (value := reference.note(n, word))}
    assert found == pytest.approx(expected)
    about = {numbers[note_id]: value for note_id, value in scored.scores.about.items()}
    assert about == pytest.approx(
        {n: saturation(reference.about[n][word]) for n in range(12) if reference.about[n][word]}
    )
    first: dict[int, int] = {}
    for number, note_id in enumerate(snapshot.index.note_ids):
        position = number - first.setdefault(note_id, number)
        gain = reference.section(numbers[note_id], position, word)
        assert scored.scores.sections.get(number, 0.0) == pytest.approx(gain)
