"""Fit the certainty of the first note to judged sets, and show how reliable it is on vaults left
out of the fit.

    python tools/fit_certainty.py [--model NAME] SET OTHER [MORE…]

Each SET is a folder for `brain eval`.

With an installed model, questions are asked by meaning too, and the constants are those of that
model: they belong into its file in `brain_cli/plugins/meaning/`. Only questions that are asked by
meaning count then.

A question that has no right note counts too: whatever comes first is wrong. Each vault is also
asked some questions of the other vaults. Every set counts the same, however many questions it has;
sets over the same vault are left out together. Copy the pooled constants into
`brain_cli/ranking/certainty.py`.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from calibrate import auc

from brain_cli.answer.retriever import Retriever
from brain_cli.index.directory import index_directory_of
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import IndexedVault, refresh
from brain_cli.paths import data_home
from brain_cli.plugins.evaluation.measures import mean
from brain_cli.plugins.evaluation.trial import (
    CLAIMS,
    QRELS,
    QUERIES,
    JudgedQuestion,
    Trial,
    newest,
    read_grades,
    read_questions,
)
from brain_cli.plugins.evaluation.tune import Sample, fit, log_loss, probability
from brain_cli.plugins.meaning.by_meaning import ByMeaning
from brain_cli.plugins.meaning.embedder import Models
from brain_cli.plugins.meaning.embedding import embed
from brain_cli.plugins.meaning.search import asks_by_meaning
from brain_cli.plugins.meaning.vectors import VectorStore, note_vectors
from brain_cli.ranking import STRONG_CERTAINTY, Certainty
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.search.relevance import Matches
from brain_cli.types import Strategy
from brain_cli.vault.analyzer import Word

RIDGE = 1.0
# Fewer questions are asked by meaning, and two features more are fitted to them.
RIDGE_BY_MEANING = 5.0
SET_WEIGHT, OFF_TOPIC_WEIGHT = 100.0, 30.0
OFF_TOPIC_QUESTIONS = 20
EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)


class Set(NamedTuple):
    """The questions of one set, and the vault they are asked of."""

    name: str
    vault: str
    questions: tuple[JudgedQuestion, ...]
    grades: dict[str, dict[str, int]]


class Answered(NamedTuple):
    """The certainty of one answer, whether its first note was right, and what was shown."""

    set: str
    vault: str
    answerable: bool
    right: bool
    certainty: Certainty | None
    strategy: Strategy


def read_set(folder: str) -> Set:
    grades = {qid: dict(each) for qid, each in read_grades(os.path.join(folder, QRELS)).items()}
    questions = read_questions(os.path.join(folder, QUERIES))
    return Set(
        Path(folder).name, os.path.realpath(os.path.join(folder, "vault")), questions, grades
    )


def opened(vault: str, cache: str) -> Snapshot:
    index_directory = index_directory_of(vault, cache)
    refresh(
        IndexedVault(vault, ("archive", "_archived")),
        index_directory,
        warn=lambda *_: None,
        progress=lambda *_: None,
    )
    return open_snapshot(index_directory)


def meaning_of(name: str, vault: str, cache: str, snapshot: Snapshot) -> Retriever:
    """Return how an installed model is asked; the notes are embedded first."""
    embedder = Models(Path(data_home(os.environ), "brain", "models")).load(name, threads=0)
    store = VectorStore(index_directory_of(vault, cache).folder, name)
    for _ in embed(snapshot, store, embedder, lambda _: 0.0):
        pass
    vectors = note_vectors(store, snapshot.note_table)
    # With any constant set, the features of meaning are measured.
    embedder.fusion = embedder.fusion._replace(certainty={"nearness": 0.0})

    def found(
        query: str, words: Sequence[Word], snapshot: Snapshot, matches: Matches
    ) -> ByMeaning | None:
        if not asks_by_meaning(query, words, matches):
            return None
        question = embedder.query(query)
        near = vectors.deviations(question.vector, embedder.fusion.usual)
        return ByMeaning(embedder, question, near, snapshot)

    return found


def answers(
    one: Set,
    snapshot: Snapshot,
    questions: Iterable[JudgedQuestion],
    name: str,
    meaning: Retriever | None,
) -> list[Answered]:
    trial = Trial(
        snapshot, RankingOptions(load_scorer("blend")), newest(snapshot), meaning=meaning
    )
    answered = []
    for outcome in trial.ask(questions, lambda *_: None):
        grades = one.grades.get(outcome.question.qid, {})
        answered.append(
            Answered(
                name,
                one.vault,
                any(grade > 0 for grade in grades.values()),
                any(grades.get(path, 0) > 0 for path in outcome.ranking[:1]),
                outcome.certainty,
                outcome.strategy,
            )
        )
    return answered


def off_topic(vault: str, sets: Sequence[Set]) -> list[JudgedQuestion]:
    """Return some questions of each set over another vault, evenly drawn."""
    drawn: list[JudgedQuestion] = []
    for other in sets:
        if other.vault != vault:
            drawn += other.questions[:: max(1, len(other.questions) // OFF_TOPIC_QUESTIONS)]
    return [
        question._replace(qid=f"elsewhere-{question.qid}", now=None, project=None)
        for question in drawn
    ]


def gathered(sets: Sequence[Set], cache: str, model: str) -> list[Answered]:
    found: list[Answered] = []
    for vault in dict.fromkeys(one.vault for one in sets):
        snapshot = opened(vault, cache)
        meaning = meaning_of(model, vault, cache, snapshot) if model else None
        mine = [one for one in sets if one.vault == vault]
        for one in mine:
            found += answers(one, snapshot, one.questions, one.name, meaning)
        found += answers(
            mine[0], snapshot, off_topic(vault, sets), f"off-topic for {mine[0].name}", meaning
        )
    return [each for each in found if not model or is_by_meaning(each)]


def is_by_meaning(each: Answered) -> bool:
    return each.certainty is not None and any(
        part.name == "nearness" for part in each.certainty.parts
    )


def samples(answered: Sequence[Answered]) -> list[Sample]:
    """Return what a fit learns from: answers that no rule decides."""
    counted = [each.set for each in answered if learnable(each)]
    weights = {
        name: (OFF_TOPIC_WEIGHT if name.startswith("off-topic") else SET_WEIGHT)
        / counted.count(name)
        for name in set(counted)
    }
    return [
        Sample(features(each.certainty), each.right, weights[each.set])
        for each in answered
        if learnable(each)
    ]


def learnable(each: Answered) -> bool:
    return each.certainty is not None and not each.certainty.rule


def features(certainty: Certainty | None) -> tuple[float, ...]:
    assert certainty
    return tuple(part.value for part in certainty.parts[1:])


def fit_of(answered: Sequence[Answered]) -> list[float]:
    found = samples(answered)
    ridge = RIDGE_BY_MEANING if is_by_meaning(answered[0]) else RIDGE
    return fit(found, [0.0] * (1 + len(found[0].values)), ridge)


def held_out(answered: Sequence[Answered]) -> list[tuple[Answered, float]]:
    """Return every answer with the probability that a fit on the other vaults gives it."""
    judged = []
    for vault in dict.fromkeys(each.vault for each in answered):
        model = fit_of([each for each in answered if each.vault != vault])
        for each in answered:
            if each.vault == vault and each.certainty:
                p = (
                    probability(model, features(each.certainty))
                    if learnable(each)
                    else each.certainty.probability
                )
                judged.append((each, p))
    return judged


def set_line(
    name: str, answered: Sequence[Answered], judged: Sequence[tuple[Answered, float]]
) -> str:
    asked = [each for each in answered if each.set == name]
    strong = [each for each, p in judged if each.set == name and p >= STRONG_CERTAINTY]
    answerable = [each for each in asked if each.answerable]
    unanswerable = [each for each in asked if not each.answerable]
    claimed = (
        mean([float(each.strategy in CLAIMS) for each in unanswerable])
        if unanswerable
        else None
    )
    shown = sum(each.answerable for each in strong) / len(answerable) if answerable else 0.0
    right = mean([float(each.right) for each in strong])
    return (
        f"| {name} | {len(asked)} | {mean([float(each.right) for each in asked]):.2f} | {len(strong)} | {shown:.2f} |"
        f" {f'{right:.2f}' if strong else '–'} | {'–' if claimed is None else f'{claimed:.2f}'} |"
    )


def reliability(judged: Sequence[tuple[Answered, float]]) -> Iterable[str]:
    yield "| certainty | answers | mean certainty | right |"
    yield "|---|---:|---:|---:|"
    for low, high in itertools.pairwise(EDGES):
        inside = [(p, each.right) for each, p in judged if low <= p < high]
        if inside:
            p, right = mean([p for p, _ in inside]), mean([float(right) for _, right in inside])
            yield f"| {low:.1f} to {min(1.0, high):.1f} | {len(inside)} | {p:.2f} | {right:.2f} |"


def main(folders: Sequence[str], model: str = "") -> None:
    if len(folders) < 2:
        sys.exit("usage: fit_certainty.py [--model NAME] SET OTHER [MORE…]")
    sets = [read_set(folder) for folder in folders]
    with tempfile.TemporaryDirectory() as temporary:
        answered = gathered(sets, os.environ.get("FIT_CACHE") or temporary, model)
    judged = held_out(answered)
    print(
        "| set | questions | first right | strong | strong of the answerable | strong right | claimed unanswerable |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in dict.fromkeys(each.set for each in answered):
        print(set_line(name, answered, judged))
    print("", *reliability(judged), "", sep="\n")
    right, wrong = ([p for each, p in judged if each.right is value] for value in (True, False))
    fitted = fit_of(answered)
    loss = mean([log_loss(fitted, sample) for sample in samples(answered)])
    print(f"AUC, held out: {auc(right, wrong):.3f}; log loss of the pooled fit: {loss:.4f}")
    names = next(each.certainty for each in answered if each.certainty).parts
    print(
        "\n".join(
            f"    {part.name}: float = {value:.2f}"
            for part, value in zip(names, fitted, strict=True)
        )
    )


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*((given[2:], given[1]) if given[:1] == ["--model"] else (given,)))
