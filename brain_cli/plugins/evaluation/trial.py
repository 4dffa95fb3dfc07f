"""Ask judged questions, and record the ranking, the strategy, the notes presented and the time
taken.

queries.jsonl   {"qid": "q1", "query": "why grpc", "now"?: ISO date, "project"?: "orders",
                "category"?: "…"}
qrels.tsv       q1 <tab> 0 <tab> decisions/grpc.md <tab> 1        (grade 0 is wrong; 2 is better
                than 1)

The floor that a formula has to beat is the full-text table of SQLite: BM25 over whole notes
(k1 1.2, b .75), by any word of the question, with stems of all words of file name and text.
"""

import json
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from brain_cli.answer.recall import recall
from brain_cli.answer.results import Recall
from brain_cli.answer.retriever import Retriever
from brain_cli.errors import UsageError
from brain_cli.index.snapshot import Snapshot
from brain_cli.ranking import Certainty
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.search.filters import Filters
from brain_cli.search.query import Query
from brain_cli.types import Session, Strategy, stem
from brain_cli.vault.dates import timestamp_of

QUERIES = "queries.jsonl"
QRELS = "qrels.tsv"

# Question id → path of a note → its grade.
Grades = Mapping[str, Mapping[str, int]]
_WORD = re.compile(r"\w+")
# The measures use the first ten results, which is also what a recall shows.
RANKED = 10
# The strategies that claim an answer, rather than offer notes.
CLAIMS = frozenset({Strategy.SINGLE_STRONG, Strategy.SYNTHESIZE})


class JudgedQuestion(NamedTuple):
    """One question: `now` is its time in seconds since the epoch, `project` the session's
    project.
    """

    qid: str
    text: str
    now: float | None = None
    project: str | None = None
    category: str = ""


class Judged(NamedTuple):
    """Questions that have at least one right note, and the grades of their notes."""

    questions: tuple[JudgedQuestion, ...]
    grades: Grades


def judged(folder: str, queries: str = QUERIES, qrels: str = QRELS) -> Judged:
    """Read a set, omitting unjudged questions. UsageError names a line that cannot be read."""
    grades = read_grades(os.path.join(folder, qrels))
    right = tuple(
        question
        for question in read_questions(os.path.join(folder, queries))
        if any(grade > 0 for grade in grades.get(question.qid, {}).values())
    )
    if not right:
        raise UsageError(
            f"No question in {queries} has a right note in {qrels}.",
            "A judgement names the question's qid.",
        )
    return Judged(right, grades)


def read_questions(path: str) -> tuple[JudgedQuestion, ...]:
    """Read JSON lines of questions."""
    return tuple(_question(line, f"{path}:{number}") for number, line in _lines(path))


def read_grades(path: str) -> Grades:
    """Read lines of `qid<TAB>0<TAB>path<TAB>grade`."""
    grades: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        try:
            qid, _, note, grade = line.split("\t")
            grades.setdefault(qid, {})[note] = int(grade)
        except ValueError:
            raise UsageError(
                f"{path}:{number} is not a judgement.",
                "A line is: qid, 0, path of the note, grade, separated by tabs.",
            ) from None
    return grades


def _question(line: str, location: str) -> JudgedQuestion:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if (
        not isinstance(fields, dict)
        or not isinstance(fields.get("query"), str)
        or "qid" not in fields
    ):
        raise UsageError(
            f"{location} is not a question.",
            'A line is a JSON object: {"qid": "q1", "query": "why grpc"}.',
        )
    now = fields.get("now")
    moment = timestamp_of(str(now)) if now else None
    if now and moment is None:
        raise UsageError(
            f"{location}: “{now}” is not a date.", "Write it as 2026-11-21T10:00:00Z."
        )
    return JudgedQuestion(
        str(fields["qid"]),
        fields["query"],
        moment,
        fields.get("project") or None,
        str(fields.get("category") or ""),
    )


def _lines(path: str) -> Iterator[tuple[int, str]]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines: Iterable[str] = file.read().split("\n")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}.",
            "`brain eval --help` says which files a set has.",
        ) from None
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


class Floor:
    """A full-text table of SQLite in memory, with all active notes of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._table = sqlite3.connect(":memory:")
        self._table.execute("CREATE VIRTUAL TABLE notes USING fts5(text, tokenize=porter)")
        active = (row for row in snapshot.note_table.rows.values() if not row.archived)
        self._notes = sorted(active, key=attrgetter("path"))
        for note in self._notes:
            sections = map(snapshot.index.fragment, snapshot.numbers_of(note.note_id))
            texts = (text for each in sections for text in (*each.trail[-1:], each.text))
            words = _WORD.findall(" ".join((stem(note.path), *texts)))
            self._table.execute("INSERT INTO notes VALUES (?)", (" ".join(words),))

    def ranking(self, question: str, most: int, project: str | None = None) -> tuple[str, ...]:
        """Return the paths of the best notes, best first; with `project`, only of its notes."""
        found = self._table.execute(
            "SELECT rowid FROM notes WHERE notes MATCH ? ORDER BY rank, rowid",
            (" OR ".join(f'"{word}"' for word in _WORD.findall(question)) or '""',),
        )
        notes = (self._notes[number - 1] for (number,) in found)
        allowed = (
            note.path for note in notes if not project or note.project == project.casefold()
        )
        return tuple(islice(allowed, most))


class TrialOutcome(NamedTuple):
    """The answer to one question: all paths, best first, the paths of the notes that it presents,
    and its duration.

    `certainty` is that of the first path; None if the formula's ranking is not calibrated, or
    nothing was found.
    """

    question: JudgedQuestion
    ranking: tuple[str, ...]
    strategy: Strategy
    presented: tuple[str, ...]
    elapsed_ms: float
    certainty: Certainty | None = None

    def right(self, grades: Grades) -> bool:
        """Return whether a right note is among those that the answer presents."""
        return any(
            grades.get(self.question.qid, {}).get(path, 0) > 0 for path in self.presented
        )


class Trial(NamedTuple):
    """The setting of an evaluation: the index, the ranking, and whether a question is limited to
    its own project.

    `now`, in seconds since the epoch, is when a question is asked that does not say so itself.
    `meaning` asks by meaning too; None uses only words.
    """

    snapshot: Snapshot
    options: RankingOptions
    now: float
    filter_project: bool = False
    meaning: Retriever | None = None

    def ask(
        self, questions: Sequence[JudgedQuestion], progress: Callable[[int, int], object]
    ) -> list[TrialOutcome]:
        """Answer every question, with their progress."""
        outcomes = []
        for done, question in enumerate(questions):
            progress(done, len(questions))
            outcomes.append(self._outcome(question))
        return outcomes

    def by_floor(self, questions: Iterable[JudgedQuestion]) -> list[TrialOutcome]:
        """Return the ranking of a plain BM25 for every question, with the strategy of a list."""
        floor = Floor(self.snapshot)
        rankings = (
            (each, floor.ranking(each.text, RANKED, self._narrowed(each))) for each in questions
        )
        return [
            TrialOutcome(question, ranking, Strategy.MANY_WEAK, ranking, 0.0)
            for question, ranking in rankings
        ]

    def _narrowed(self, question: JudgedQuestion) -> str | None:
        """Return the project that a question is limited to."""
        return question.project if self.filter_project else None

    def _outcome(self, question: JudgedQuestion) -> TrialOutcome:
        started = time.perf_counter()
        recall = self.recall(question)
        elapsed_ms = (time.perf_counter() - started) * 1_000
        is_archived = recall.strategy is Strategy.ARCHIVE_FALLBACK
        shown = recall.presented or (recall.archive if is_archived else recall.results)
        return TrialOutcome(
            question,
            tuple(each.path for each in recall.results),
            recall.strategy,
            tuple(each.path for each in shown),
            elapsed_ms,
            recall.certainty,
        )

    def recall(self, question: JudgedQuestion) -> Recall:
        """Answer one question."""
        project = self._narrowed(question)
        filters = Filters.of(where=f"project={project}" if project else None)
        # Questions are in plain language: signs and capitals in them are not operators.
        query = Query(question.text, filters, literal=True)
        session = Session(self.now if question.now is None else question.now, question.project)
        return recall(query, session, self.snapshot, self.options, meaning=self.meaning)


def newest(snapshot: Snapshot) -> float:
    """Return the vault's newest date, in seconds since the epoch."""
    return max(snapshot.note_table.values("timestamp"), default=0.0)
