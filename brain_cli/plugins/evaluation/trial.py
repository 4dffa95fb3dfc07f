"""Answer judged questions by recall, and record the ranking, the strategy, the notes presented and the time taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from brain_cli.answer.recall import recall
from brain_cli.answer.results import Recall
from brain_cli.answer.retriever import Retriever
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.evaluation.floor import Floor
from brain_cli.plugins.evaluation.judged import Grades, JudgedQuestion
from brain_cli.ranking import Certainty
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.search.filters import Filters
from brain_cli.search.query import Query
from brain_cli.types import Session, Strategy

# The measures use the first ten results, which is also what a recall shows.
RANKED = 10
# The strategies that claim an answer, rather than offer notes.
CLAIMS = frozenset({Strategy.SINGLE_STRONG, Strategy.SYNTHESIZE})


class TrialOutcome(NamedTuple):
    """The answer to one question: all paths, best first, the paths of the notes that it presents, and its duration.

    `certainty` is that of the first path; None if the formula's ranking is not calibrated, or nothing was found.
    """

    question: JudgedQuestion
    ranking: tuple[str, ...]
    strategy: Strategy
    presented: tuple[str, ...]
    elapsed_ms: float
    certainty: Certainty | None = None

    def first_is_right(self, grades: Grades) -> bool:
        """Return whether the first note is a right one."""
        return bool(self.ranking) and grades.get(self.question.qid, {}).get(self.ranking[0], 0) > 0

    def right(self, grades: Grades) -> bool:
        """Return whether a right note is among those that the answer presents."""
        return any(grades.get(self.question.qid, {}).get(path, 0) > 0 for path in self.presented)


class Trial(NamedTuple):
    """The setting of an evaluation: the index, the ranking, and whether a question is limited to its own project.

    `now`, in seconds since the epoch, is when a question is asked that does not say so itself. `meaning` asks by
    meaning too; None uses only words.
    """

    snapshot: Snapshot
    options: RankingOptions
    now: float
    filter_project: bool = False
    meaning: Retriever | None = None

    def ask(self, questions: Iterable[JudgedQuestion], asked: Callable[[], None] = lambda: None) -> list[TrialOutcome]:
        """Answer every question; `asked` is called after each."""
        outcomes = []
        for question in questions:
            outcomes.append(self._outcome(question))
            asked()
        return outcomes

    def by_floor(self, questions: Iterable[JudgedQuestion]) -> list[TrialOutcome]:
        """Return the ranking of a plain BM25 for every question, with the strategy of a list."""
        floor = Floor(self.snapshot)

        def outcome(question: JudgedQuestion) -> TrialOutcome:
            ranking = floor.ranking(question.text, RANKED, question.project if self.filter_project else None)
            return TrialOutcome(question, ranking, Strategy.MANY_WEAK, ranking, 0.0)

        return list(map(outcome, questions))

    def _outcome(self, question: JudgedQuestion) -> TrialOutcome:
        started = time.perf_counter()
        recall = self.recall(question)
        elapsed_ms = (time.perf_counter() - started) * 1_000
        ranking = tuple(ranked.metadata.path for ranked in recall.results)
        others = recall.archive if recall.strategy is Strategy.ARCHIVE_FALLBACK else recall.results
        shown = tuple(each.metadata.path for each in (recall.presented if recall.strategy in CLAIMS else others))
        return TrialOutcome(question, ranking, recall.strategy, shown, elapsed_ms, recall.certainty)

    def recall(self, question: JudgedQuestion) -> Recall:
        """Answer one question."""
        narrowed = self.filter_project and question.project
        filters = Filters.of(where=f"project={question.project}" if narrowed else None)
        # Questions are in plain language: signs and capitals in them are not operators.
        query = Query(question.text, filters, literal=True)
        session = Session(self.now if question.now is None else question.now, question.project)
        return recall(query, session, self.snapshot, self.options, meaning=self.meaning)


def newest(snapshot: Snapshot) -> float:
    """Return the vault's newest date, in seconds since the epoch."""
    note_table = snapshot.note_table
    return max((note_table.metadata(note_id).timestamp for note_id in note_table.rows), default=0.0)
