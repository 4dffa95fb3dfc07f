"""`brain eval`: measure recall on judged questions, for several formulas side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Annotated, NamedTuple

import typer

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import SCORER_NAMES, flag
from brain_cli.errors import OK, UsageError, did_you_mean
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.recalling import ranking_options, retriever_of
from brain_cli.library.vault import Vault, open_vault
from brain_cli.plugins.evaluation.measures import (
    NEWEST,
    Summary,
    Values,
    as_document,
    measured,
    summary,
    table,
)
from brain_cli.plugins.evaluation.trial import (
    QRELS,
    QUERIES,
    RANKED,
    Judged,
    JudgedQuestion,
    Trial,
    TrialOutcome,
    judged,
    newest,
    read_questions,
)
from brain_cli.ranking.scorers import Formula, load_scorer
from brain_cli.streams import Progress, say
from brain_cli.types import Strategy

FLOOR = "floor (BM25)"
# The exit code if a measure is less than its --min.
BELOW_THE_LIMIT = 1


def command(
    options: CommonOptions,
    folder: Annotated[str, typer.Argument(metavar="DIR", hidden=True)],
    scorers: Annotated[
        list[str] | None,
        flag(
            "--scorer NAME",
            "A formula; repeat it to compare others with the first.",
            SCORER_NAMES,
        ),
    ] = None,
    queries: Annotated[
        str, flag("--queries FILE", "Other questions, in DIR.", show_default=False)
    ] = QUERIES,
    qrels: Annotated[
        str, flag("--qrels FILE", "Other judgements, in DIR.", show_default=False)
    ] = QRELS,
    filter_project: Annotated[
        bool, flag("--filter-project", "Search only the project that a question names.")
    ] = False,
    off_topic: Annotated[
        str | None,
        flag("--off-topic DIR", "Also ask this set's questions: nothing should be found."),
    ] = None,
    run_file: Annotated[
        str | None, flag("--run FILE", "Write the ranking: qid, tab, path; best first.")
    ] = None,
    minimum: Annotated[
        list[str] | None,
        flag(
            "--min MEASURE=NUMBER",
            "Exit with 1 if a measure is less: ndcg, recall, mrr, newest, strong-right or "
            "strong-shown.",
        ),
    ] = None,
) -> int:
    """Evaluate recall on judged questions, for one formula or several side by side.

    DIR/vault is a folder of notes, DIR/queries.jsonl has one question a line:

    {"qid": "q1", "query": "why grpc", "now": "2026-11-21T10:00:00Z", "project": "orders",
    "category": "…"}

    with now (else --now, else the vault's newest date), project and category as you like; every
    word of a query is a word. DIR/qrels.tsv has the notes that are right: qid, 0, path and grade,
    with tabs between. A grade above 1 is better still; where the category is “recency-intent”,
    grade 2 marks the newest of the right notes.

    Prints nDCG@10, Recall@5, MRR@10 and newest in top 3 with 95 % confidence intervals, differences
    to the first formula with their p, each strategy's share of the answers and how often it was
    right, and the time of a recall.
    --min ndcg=.50 --min strong-right=.85 makes it a test: the exit code is 1 if a formula is below.

    The last column is the floor: the full-text table of SQLite, by any word of the question.

    Examples:
      brain eval questions --scorer blend
      brain eval questions --min ndcg=.50
    """
    if run_file and len(set(scorers or ())) > 1:
        raise UsageError(
            "--run writes one ranking, and several scorers are named.", "Name one --scorer."
        )
    limits = list(map(read_limit, minimum or ()))
    found = evaluated(
        folder,
        scorers or (),
        queries,
        qrels,
        off_topic,
        filter_project=filter_project,
        now=options.now,
    )
    if run_file:
        _write_run(run_file, found.outcomes)
    missed = list(failures(found.summaries, limits))
    document = {**as_evaluated(folder, found), "missed": missed}
    options.answer(document, table(found.summaries, found.floor).splitlines())
    for sentence in missed:
        say(sentence)
    return BELOW_THE_LIMIT if missed else OK


def evaluated(
    folder: str,
    scorers: Iterable[str] = (),
    queries: str = QUERIES,
    qrels: str = QRELS,
    off_topic: str | None = None,
    *,
    filter_project: bool = False,
    now: str | None = None,
) -> Comparison:
    """Ask the questions of a judged set with the formulas named, else with the configured one.

    No recall is recorded. UsageError names a line that cannot be read.
    """
    vault = open_vault(os.path.join(folder, "vault"), now)
    questions = judged(folder, queries, qrels)
    others = read_questions(os.path.join(off_topic, QUERIES)) if off_topic else ()
    formulas = _scorers(vault, scorers)
    has_now = bool(now or os.environ.get("BRAIN_NOW"))
    vault.index()

    def compared(snapshot: Snapshot) -> Comparison:
        trial = Trial(
            snapshot,
            ranking_options(vault)._replace(limit=RANKED),
            vault.now if has_now else newest(snapshot),
            filter_project,
            retriever_of(vault),
        )
        return _compared(trial, formulas, questions, others)

    return vault.ask(compared)


def as_evaluated(folder: str, found: Comparison) -> dict[str, object]:
    """Return the numbers of the judged set in a folder for JSON."""
    return {
        "set": folder,
        "questions": len(found.outcomes),
        "scorers": [as_document(each) for each in found.summaries],
        "floor": as_document(found.floor)["measures"],
    }


def _scorers(vault: Vault, names: Iterable[str]) -> list[Formula]:
    """Return the formulas to compare, each once: those named, else the configured one."""
    constants = vault.config.scorers
    distinct = dict.fromkeys(names) or (ranking_options(vault).scorer.name,)
    return [load_scorer(name, constants.get(name, {})) for name in distinct]


class Comparison(NamedTuple):
    """The numbers of every scorer, the last one's answer to each judged question, and the numbers
    of a plain BM25.
    """

    summaries: list[Summary]
    outcomes: list[TrialOutcome]
    floor: Summary


def _compared(
    trial: Trial,
    scorers: Sequence[Formula],
    judgements: Judged,
    off_topic: Sequence[JudgedQuestion],
) -> Comparison:
    """Ask every question with every formula, without recording the recalls; differences are to the
    first formula.
    """
    latest = newest(trial.snapshot)
    off_topic = [question._replace(now=latest, project=None) for question in off_topic]
    progress = Progress("asking questions")
    grades = judgements.grades
    baseline: Values | None = None
    summaries = []
    outcomes = []
    for scorer in scorers:
        by_scorer = trial._replace(options=trial.options._replace(scorer=scorer))
        outcomes = by_scorer.ask(judgements.questions, progress)
        others = by_scorer.ask(off_topic, progress)
        summaries.append(summary(scorer.name, outcomes, others, grades, baseline))
        baseline = baseline or measured(outcomes, grades)
    floor = trial.by_floor(judgements.questions)
    return Comparison(summaries, outcomes, summary(FLOOR, floor, (), grades, baseline))


def _write_run(name: str, outcomes: Sequence[TrialOutcome]) -> None:
    lines = (
        f"{outcome.question.qid}\t{path}\n" for outcome in outcomes for path in outcome.ranking
    )
    try:
        with open(name, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(lines)
    except OSError as error:
        raise UsageError(
            f"The ranking {name} cannot be written: {error.strerror}.",
            "Name a file you may write.",
        ) from None


# What may have a limit: the measures by their short names, and two shares of the single strong
# matches.
MEASURE_BY_LIMIT = {"ndcg": "nDCG@10", "recall": "Recall@5", "mrr": "MRR@10", "newest": NEWEST}
STRONG_RIGHT = "strong-right"
STRONG_SHOWN = "strong-shown"


def _number(found: Summary, name: str) -> float | None:
    """Return a number of an evaluation by the name of its limit; None if the evaluation has no such
    number.
    """
    if name in MEASURE_BY_LIMIT:
        measure = found.measures.get(MEASURE_BY_LIMIT[name])
        return measure.mean if measure else None
    strong = found.strategies[Strategy.SINGLE_STRONG]
    if name == STRONG_RIGHT:
        return strong.right / strong.shown if strong.shown else None
    return strong.shown / max(1, sum(answers.shown for answers in found.strategies.values()))


def read_limit(text: str) -> tuple[str, float]:
    """Read `name=number`, a limit from 0 to 1; UsageError for any other text."""
    name, _, number = text.partition("=")
    known = (*MEASURE_BY_LIMIT, STRONG_RIGHT, STRONG_SHOWN)
    if name not in known:
        raise UsageError(
            f"There is no measure “{name:.59}” to set a least value for.",
            did_you_mean(name, known),
        )
    try:
        minimum = float(number)
    except ValueError:
        minimum = -1.0
    if not 0.0 <= minimum <= 1.0:
        raise UsageError(
            f"{name} must be at least a number from 0 to 1, not {number!r:.60}.",
            f"Write {name}=.50.",
        )
    return name, minimum


def failures(
    summaries: Iterable[Summary], limits: Iterable[tuple[str, float]]
) -> Iterator[str]:
    """Yield one sentence for each number that is missing or does not reach its limit."""
    for found, (name, minimum) in product(summaries, limits):
        number = _number(found, name)
        if number is None:
            yield f"{found.scorer}: there is no {name} to compare with {minimum:g}."
        elif number < minimum:
            yield f"{found.scorer}: {name} is {number:.3f}, less than {minimum:g}."
