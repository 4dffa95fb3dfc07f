"""Scoring stops early, and nobody notices: what is shown is what scoring every candidate would
show.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import ClassVar

import pytest
from examples import examples, in_ci, sized
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.answer.recall import recall
from brain_cli.answer.results import Recall
from brain_cli.index.directory import IndexDirectory
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import IndexedVault, refresh
from brain_cli.ranking.scorers import Score
from brain_cli.ranking.scorers.blend import Blend
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.search.query import Query
from brain_cli.types import BY_DATE, BY_PATH, BY_SCORE, Session, Signals, Strategy

DAY = 86_400.0
NOW = 1_790_000_000.0
WORDS = [
    f"{a}{b}"
    for a in ("lor", "tan", "mir", "sel", "dov", "kap")
    for b in ("ena", "ist", "umo", "ark", "ebo")
]
REPEATED = " ".join(WORDS)
QUESTIONS = (
    "lorena tanist",
    "mirumo",
    "selark dovebo kapena",
    "latest lorena",
    "lorxna tanist",
    '"lorena tanist"',
)


class Exhaustive(Blend):
    """The same formula, without saying what is ideal: every candidate is scored."""

    upper_bound: ClassVar[None] = None


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """Four hundred notes of few words, linked, of all ages; some repeat others, some supersede
    others or each other.
    """
    root = tmp_path_factory.mktemp("contest")
    chance = random.Random(7)
    for number in range(400):
        _write(root / "notes", number, chance)
    index_directory = IndexDirectory(root / "cache" / "brain" / "notes")
    refresh(
        IndexedVault(str(root / "notes"), ("archive",)),
        index_directory,
        lambda *_: None,
        lambda *_: None,
    )
    return open_snapshot(index_directory)


def _write(folder: Path, number: int, chance: random.Random) -> None:
    head = [
        f"date: 202{chance.randint(2, 6)}-0{chance.randint(1, 9)}-11",
        f"salience: {chance.random():.2f}",
    ]
    if number % 17 == 5:
        head.append(f"supersedes: n{chance.randrange(number)}")
    if number % 100 in (22, 23):
        head.append(f"supersedes: n{number ^ 1}")
    if number % 5 == 0:
        head.append("project: orchard")
    words = chance.choices(
        WORDS, weights=[1 / rank for rank in range(1, len(WORDS) + 1)], k=chance.randint(3, 40)
    )
    # A line that many notes share word for word would be a boilerplate line.
    text = " ".join(words) if number % 11 else f"{REPEATED} {number}"
    links = " ".join(f"[[n{chance.randrange(400)}]]" for _ in range(chance.randint(0, 3)))
    folder.mkdir(exist_ok=True)
    (folder / f"n{number}.md").write_text(
        "\n".join(["---", *head, "---", f"# Note {number}", "", text, links, ""])
    )


def recalled(
    snapshot: Snapshot,
    query: str,
    scorer: Blend,
    limit: int,
    project: str | None = None,
    order: str = BY_SCORE,
) -> Recall:
    return recall(
        Query(query, order=order),
        Session(NOW, project),
        snapshot,
        RankingOptions(scorer, limit),
    )


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("limit", [in_ci(1), 10, in_ci(70)])
@pytest.mark.parametrize("project", [None, "orchard"])
def test_the_first_places_are_those_that_scoring_every_candidate_gives(
    snapshot: Snapshot, question: str, limit: int, project: str | None
) -> None:
    early, late = (
        recalled(snapshot, question, each, limit, project) for each in (Blend(), Exhaustive())
    )
    assert early == late
    assert early.results


@pytest.mark.exhaustive
@examples(30)
@given(
    words=st.lists(
        st.sampled_from([*WORDS, "latest", "orchard", "mirumu"]), min_size=1, max_size=4
    ),
    limit=st.integers(1, 30),
)
def test_any_question_gets_the_ranking_that_scoring_every_candidate_gives(
    snapshot: Snapshot, words: list[str], limit: int
) -> None:
    question = " ".join(words)
    assert recalled(snapshot, question, Blend(), limit) == recalled(
        snapshot, question, Exhaustive(), limit
    )


@pytest.mark.parametrize("order", [BY_DATE, BY_PATH])
@pytest.mark.parametrize("question", QUESTIONS)
def test_another_order_than_by_score_misses_no_note(
    snapshot: Snapshot, question: str, order: str
) -> None:
    early, late = (
        recalled(snapshot, question, each, 3, order=order) for each in (Blend(), Exhaustive())
    )
    assert early == late


@pytest.mark.exhaustive
@examples(30)
@given(
    words=st.lists(
        st.sampled_from([*WORDS, "latest", "mirumu", '"lorena tanist"']), min_size=1, max_size=3
    ),
    others=st.lists(st.sampled_from(["path:n1", "project:orchard", "since:2024"]), max_size=2),
    project=st.sampled_from([None, "orchard"]),
)
def test_a_question_asked_again_gets_the_same_answer_whatever_was_asked_between(
    snapshot: Snapshot, words: list[str], others: list[str], project: str | None
) -> None:
    question = " ".join(words)
    first = recalled(snapshot, question, Blend(), 10)
    recalled(snapshot, " ".join([question, *others]), Blend(), 5, project, BY_DATE)
    recalled(snapshot, question, Exhaustive(), 30, project)
    assert recalled(snapshot, question, Blend(), 10) == first
    snapshot.question_cache.clear()
    assert recalled(snapshot, question, Blend(), 10) == first


def test_repeats_are_shown_only_after_everything_else(snapshot: Snapshot) -> None:
    results = recalled(snapshot, " ".join(WORDS[-5:]), Blend(), 10, None).results
    repeated = [each for each in results if REPEATED in snapshot.body(each.candidate.note_id)]
    assert len(results) == 10
    assert len(repeated) == 1


def test_most_candidates_of_a_common_word_are_never_scored(snapshot: Snapshot) -> None:
    scored: list[Signals] = []

    class Counting(Blend):
        def score(self, signals: Signals) -> Score:
            scored.append(signals)
            return super().score(signals)

    recall = recalled(snapshot, "lorena tanist", Counting(), 5, None)
    # No note of this vault is pinned; the formula's ideal is.
    assert sum(not signals.pinned for signals in scored) < recall.considered / 2


class Salient(Blend):
    """A formula that looks only at a note's salience, so the first note need not be the one that
    matches.
    """

    calibrated: ClassVar[bool] = False
    upper_bound: ClassVar[None] = None

    def score(self, signals: Signals) -> Score:
        return Score().plus("salience", signals.salience)


def test_a_strong_match_beyond_the_limit_is_not_shown_as_the_answer(tmp_path: Path) -> None:
    for name, salience, title in (("aside", 0.9, "Aside"), ("answer", 0.8, "Lorena tanist")):
        (tmp_path / "notes").mkdir(exist_ok=True)
        text = "Once there was a lorena, " + "and much else was there too. " * 20
        (tmp_path / "notes" / f"{name}.md").write_text(
            f"---\nsalience: {salience}\n---\n# {title}\n\n{text}\n"
        )
    index_directory = IndexDirectory(tmp_path / "cache" / "brain" / "notes")
    refresh(
        IndexedVault(str(tmp_path / "notes"), ()),
        index_directory,
        lambda *_: None,
        lambda *_: None,
    )
    opened = open_snapshot(index_directory)
    both, one = (recalled(opened, "lorena tanist", Salient(), limit, None) for limit in (2, 1))
    assert (both.strategy, both.answer.metadata.path) == (Strategy.SINGLE_STRONG, "answer.md")
    assert (one.strategy, one.presented, one.more) == (Strategy.MANY_WEAK, (), 1)


@pytest.mark.parametrize("order", [BY_SCORE, in_ci(BY_DATE), in_ci(BY_PATH)])
@pytest.mark.parametrize("question", [*QUESTIONS, "kapena", "orchard lorist", "latest"])
def test_the_verdict_does_not_depend_on_how_much_is_shown(
    snapshot: Snapshot, question: str, order: str
) -> None:
    usual = recalled(snapshot, question, Blend(), 10, order=order)
    for limit in (1, 2, 3, 7, 15, 40)[:: sized(1, everyday=2)]:
        shown = recalled(snapshot, question, Blend(), limit, order=order)
        assert (shown.strategy, shown.certainty) == (usual.strategy, usual.certainty)
        common = min(limit, 10)
        assert [each.note_id for each in shown.results[:common]] == [
            each.note_id for each in usual.results[:common]
        ]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_floor_on_scores_leaves_out_notes_but_does_not_change_the_verdict(
    snapshot: Snapshot, question: str
) -> None:
    usual = recalled(snapshot, question, Blend(), 10)
    last = usual.results[2].candidate.score.share
    options = RankingOptions(Blend(), 10, min_share=last)
    floored = recall(Query(question), Session(NOW), snapshot, options)
    assert (floored.strategy, floored.certainty) == (usual.strategy, usual.certainty)
    assert all(each.candidate.score.share >= last for each in floored.results)
