"""Measure a shared memory of made notes: how long they take to send, how large they are, and how
long a recall takes.

    python tests/benchmarks/shared.py postgresql://USER@HOST/DATABASE --fragments 1m [--questions
    100] [--minutes 60]

The notes are those of `made_vault.py`, with links among them. They never were files: each is parsed
and stemmed as a file would be, by as many readers as there are cores, and goes through the writer
of the store. A database that has notes already is only asked.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from brain_cli.answer.recall import recall
from brain_cli.index.note_reader import NoteReader, ReadNote, Undetermined, in_order
from brain_cli.index.note_table import NoteTable
from brain_cli.index.sync_plan import IndexedVault, Source
from brain_cli.plugins.evaluation.bench import (
    COMMON,
    FOLDERS,
    FRAGMENTS_PER_NOTE,
    KINDS,
    SEED,
    MadeWords,
)
from brain_cli.plugins.evaluation.measures import percentile
from brain_cli.plugins.team.note import SharedEngine, SharedNotes
from brain_cli.plugins.team.question import UnaskedSnapshot
from brain_cli.plugins.team.reading import Reader
from brain_cli.plugins.team.sending import PORTION_FRAGMENTS
from brain_cli.plugins.team.store import Store, open_store
from brain_cli.plugins.team.writer import VaultWriter
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.search.query import Query
from brain_cli.types import Session
from brain_cli.vault.walk import File

NOW = 1.79e9
AT_ONCE = 4_000
LINKS = 2.4
LANGUAGE = "english"
FACTS = {"token": "made", "oldest_date": 0, "projects": [], "boilerplate": [], "tags": {}}


class Made(NamedTuple):
    """A made note: its number, the number of its fragments, and the numbers of the notes that it
    links to.
    """

    number: int
    fragments: int
    targets: Sequence[int]


def made_notes(fragments: int) -> list[Made]:
    chance = random.Random(SEED + 2)
    found: list[Made] = []
    written = 0
    while written < fragments:
        number, count = len(found), chance.randint(*FRAGMENTS_PER_NOTE)
        links = min(number, int(chance.expovariate(1 / LINKS)))
        found.append(Made(number, count, [chance.randrange(number) for _ in range(links)]))
        written += count
    return found


class Writing:
    """Turns made notes into texts; every note has its own source of chance, so that any process can
    write any note.
    """

    def __init__(self) -> None:
        self._words = MadeWords(random.Random(SEED))
        self._reader = NoteReader(IndexedVault("", ()), SharedEngine())

    def read(self, made: Made) -> ReadNote:
        """Write, parse and stem a note."""
        chance = random.Random(SEED + made.number)
        self._words._chance = chance
        text = "\n".join(self._lines(made, chance))
        raw = text.encode()
        path = f"{chance.choice(FOLDERS)}/note-{made.number}.md"
        file = File(path, len(raw), int(NOW * 1e9) - made.number)
        found = self._reader.read((made.number + 1, Source(file, raw, f"{made.number:032x}")))
        if isinstance(found, Undetermined):
            found = self._reader.in_language(made.number + 1, found, LANGUAGE)
        assert isinstance(found, ReadNote)
        return found

    def _lines(self, made: Made, chance: random.Random) -> Iterator[str]:
        words = self._words
        yield f"---\ntype: {chance.choice(KINDS)}\ndate: 202{chance.randint(3, 6)}-{chance.randint(1, 12):02}-11"
        yield f"tags: [{', '.join(words.draw(2))}]\n---\n# {' '.join(words.draw(4)).capitalize()}\n"
        for section in range(made.fragments):
            if section:
                yield f"\n## {' '.join(words.draw(2)).capitalize()}\n"
            yield " ".join(words.sentence() for _ in range(chance.randint(2, 5)))
        yield from (f"See [[note-{target}]]." for target in made.targets)


def send(target: VaultWriter, notes: Sequence[Made], minutes: float) -> int:
    """Send notes until the time is over; return how many fragments there are."""
    linked: dict[int, list[int]] = {}
    for made in notes:
        for other in made.targets:
            linked.setdefault(made.number, []).append(other)
            linked.setdefault(other, []).append(made.number)
    ids = dict(enumerate(target.new_ids(len(notes)), start=1))
    end, written, batch = time.monotonic() + 60 * minutes, 0, 0
    writing, portion = Writing(), []
    for start in range(0, len(notes), AT_ONCE):
        several = notes[start : start + AT_ONCE]
        for made, read in zip(several, in_order(writing.read, several), strict=True):
            near = sorted({each + 1 for each in linked.get(made.number, ())} - {made.number + 1})
            row = read.row._replace(neighbours=near)
            portion.append(
                SharedNotes(NoteTable(rows={row.note_id: row}), ids, {}, "").stored(
                    row, read.prepared, ()
                )
            )
            batch += made.fragments
            if batch >= PORTION_FRAGMENTS:
                target.write(portion)
                portion, written, batch = [], written + batch, 0
        print(f"{written:,} fragments", flush=True)
        if time.monotonic() > end:
            break
    target.write(portion, facts=FACTS)
    target.close()
    return written + batch


def ask(store: Store, asked: Sequence[str], scorer: str) -> list[float]:
    options = RankingOptions(load_scorer(scorer))
    taken = []
    for question in asked:
        started = time.perf_counter()
        reader = Reader(store)
        found = UnaskedSnapshot(reader).about(Query(question), NOW)
        recall(Query(question), Session(NOW), found, options)
        reader.close()
        taken.append(1_000 * (time.perf_counter() - started))
    return taken


def server_memory(store: Any) -> str:
    """Return the resident memory of the process that serves this connection, its share of the
    buffers included.
    """
    with open(f"/proc/{store.connection.info.backend_pid}/status", encoding="utf-8") as file:
        kilobytes = {
            line.split()[0]: int(line.split()[1])
            for line in file
            if line.startswith(("VmHWM", "RssShmem"))
        }
    return f"{kilobytes['VmHWM:'] / 1e3:.0f} MB at most, {kilobytes['RssShmem:'] / 1e3:.0f} MB of them shared buffers"


def questions() -> Iterator[str]:
    """Yield questions without end: two or three words, of which one at least is not common."""
    chance = random.Random(SEED + 1)
    words = MadeWords(random.Random(SEED))
    while True:
        rare = words.ranked[chance.randint(len(COMMON), 2_000)]
        yield " ".join([chance.choice(COMMON), rare, *words.draw(chance.randint(0, 1))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument(
        "--fragments", default="100k", type=lambda text: int(text.replace("m", "000k")[:-1]) * 1_000
    )
    parser.add_argument("--questions", default=100, type=int)
    parser.add_argument("--minutes", default=60.0, type=float)
    parser.add_argument("--scorer", default="blend")
    options = parser.parse_args()
    store = open_store(options.url)
    target = store.vault("made", "made")
    if target.token != "made":
        started, cpu = time.monotonic(), os.times()
        count = send(target, made_notes(options.fragments), options.minutes)
        spent = sum(os.times()[:4]) - sum(cpu[:4])
        seconds = time.monotonic() - started
        print(
            f"sent {count:,} fragments in {seconds:.0f} s; {spent:.0f} s of processor time beside the server's"
        )
    health = store.health()
    print(
        f"{health.notes:,} notes, {health.fragments:,} fragments, {health.size_bytes / 1e6:,.0f} MB"
    )
    asked = list(itertools.islice(questions(), options.questions))
    ask(store, asked[:3], options.scorer)
    taken = ask(store, asked, options.scorer)
    print(
        f"recall: p50 {percentile(taken, 0.5):.0f} ms, p95 {percentile(taken, 0.95):.0f} ms of {len(taken)} questions"
    )
    print(f"the server's process: {server_memory(store)}")


if __name__ == "__main__":
    main()
