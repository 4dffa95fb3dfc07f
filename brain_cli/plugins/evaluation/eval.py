"""`brain eval`: measure recall on judged questions, for several formulas side by side."""

from __future__ import annotations

import json as json_text
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, product
from typing import Annotated, NamedTuple

import typer

from brain_cli.cli._options import SCORER_NAMES, JsonOption, NowOption
from brain_cli.cli._output import Progress, say, write
from brain_cli.cli._recall import ranking_options, retriever_of
from brain_cli.cli._workspace import Workspace, index_session, open_workspace, refreshed
from brain_cli.errors import OK, UsageError, did_you_mean
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.evaluation.judged import QRELS, QUERIES, Judged, JudgedQuestion, judged, questions_of
from brain_cli.plugins.evaluation.measures import Values
from brain_cli.plugins.evaluation.summary import NEWEST, Summary, as_document, measured, summary, table
from brain_cli.plugins.evaluation.trial import RANKED, Trial, TrialOutcome, newest
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.types import Strategy
from brain_cli.version import DOCUMENT_VERSION

FLOOR = "floor (BM25)"
# The exit code if a measure is less than its --min.
BELOW_THE_LIMIT = 1

FolderArgument = Annotated[str, typer.Argument(metavar="DIR", hidden=True)]
ScorersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scorer",
        metavar="NAME",
        autocompletion=SCORER_NAMES,
        help="A formula; repeat it to compare others with the first.",
    ),
]
QueriesOption = Annotated[
    str, typer.Option("--queries", metavar="FILE", help="Other questions, in DIR.", show_default=False)
]
QrelsOption = Annotated[
    str, typer.Option("--qrels", metavar="FILE", help="Other judgements, in DIR.", show_default=False)
]
FilterProjectOption = Annotated[
    bool, typer.Option("--filter-project", help="Search only the project that a question names.")
]
OffTopicOption = Annotated[
    str | None,
    typer.Option("--off-topic", metavar="DIR", help="Also ask this set's questions: nothing should be found."),
]
RunOption = Annotated[
    str | None, typer.Option("--run", metavar="FILE", help="Write the ranking: qid, tab, path; best first.")
]
MinOption = Annotated[
    list[str] | None,
    typer.Option(
        "--min",
        metavar="MEASURE=NUMBER",
        help="Exit with 1 if a measure is less: ndcg, recall, mrr, newest, strong-right or strong-shown.",
    ),
]


MakeOption = Annotated[
    int | None,
    typer.Option("--make", metavar="N", min=1, help="Draft N questions from the notes, to reword and judge."),
]


class Limit(NamedTuple):
    """The minimum (0..1) of a number of an evaluation."""

    name: str
    minimum: float


class Evaluation(NamedTuple):
    """The set to evaluate, and how. Without scorers the configured one is used; `limits` decide the exit code."""

    folder: str
    scorers: tuple[str, ...] = ()
    queries: str = QUERIES
    qrels: str = QRELS
    filter_project: bool = False
    off_topic: str | None = None
    run_file: str | None = None
    now: str | None = None
    limits: tuple[Limit, ...] = ()


class Comparison(NamedTuple):
    """The numbers of every scorer, the last one's answer to each judged question, and the numbers of a plain BM25."""

    summaries: list[Summary]
    outcomes: list[TrialOutcome]
    floor: Summary


def command(
    folder: FolderArgument,
    scorers: ScorersOption = None,
    queries: QueriesOption = QUERIES,
    qrels: QrelsOption = QRELS,
    filter_project: FilterProjectOption = False,
    off_topic: OffTopicOption = None,
    run_file: RunOption = None,
    minimum: MinOption = None,
    make: MakeOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Evaluate recall on judged questions, for one formula or several side by side.

    DIR/vault is a folder of notes, DIR/queries.jsonl has one question a line:

    {"qid": "q1", "query": "why grpc", "now": "2026-11-21T10:00:00Z", "project": "orders", "category": "…"}

    with now (else --now, else the vault's newest date), project and category as you like; every word of a query
    is a word. DIR/qrels.tsv has the notes that are right: qid, 0, path and grade, with tabs between. A grade above
    1 is better still; where the category is “recency-intent”, grade 2 marks the newest of the right notes.

    Prints nDCG@10, Recall@5, MRR@10 and newest in top 3 with 95 % confidence intervals, differences to the first
    formula with their p, each strategy's share of the answers and how often it was right, and the time of a recall.
    --min ndcg=.50 --min strong-right=.85 makes it a test: the exit code is 1 if a formula is below.

    The last column is the floor: a plain BM25 over whole notes, by any word of the question.

    Examples:
      brain eval questions --scorer blend
      brain eval questions --make 20
    """
    if make is not None:
        return _draft(folder, make, now)
    distinct = tuple(dict.fromkeys(scorers or ()))
    limits = tuple(map(read_limit, minimum or ()))
    evaluation = Evaluation(folder, distinct, queries, qrels, filter_project, off_topic, run_file, now, limits)
    return run(evaluation, as_json=json)


def _draft(folder: str, count: int, now: str | None) -> int:
    """Print drafts of questions, as JSON lines."""
    from brain_cli.plugins.evaluation.floor import drafts

    index = index_session(open_workspace(os.path.join(folder, "vault"), now))
    refreshed(index)
    lines = index.ask(lambda snapshot: list(drafts(snapshot, count)))
    write("".join(f"{line}\n" for line in lines))
    return OK


class Evaluated(NamedTuple):
    """The numbers of a set as a table and as a JSON document, and a sentence for each limit that was missed."""

    table: str
    document: dict[str, object]
    missed: list[str]


def run(evaluation: Evaluation, *, as_json: bool) -> int:
    """Print the comparison."""
    found = evaluated(evaluation)
    if as_json:
        write(json_text.dumps({"version": DOCUMENT_VERSION, **found.document}, allow_nan=False) + "\n")
    else:
        write(found.table)
    for sentence in found.missed:
        say(sentence)
    return BELOW_THE_LIMIT if found.missed else OK


def evaluated(evaluation: Evaluation) -> Evaluated:
    """Ask the questions of a set, without recording the recalls. UsageError names a line that cannot be read."""
    if evaluation.run_file and len(evaluation.scorers) > 1:
        raise UsageError("--run writes one ranking, and several scorers are named.", "Name one --scorer.")
    workspace = open_workspace(os.path.join(evaluation.folder, "vault"), evaluation.now)
    questions = judged(evaluation.folder, evaluation.queries, evaluation.qrels)
    off_topic = questions_of(evaluation.off_topic) if evaluation.off_topic else ()
    options = ranking_options(workspace)._replace(limit=RANKED)
    constants = workspace.config.scorers
    rankings = {
        name: options._replace(scorer=load_scorer(name, constants.get(name, {})))
        for name in evaluation.scorers or (options.scorer.name,)
    }
    index = index_session(workspace)
    refreshed(index)
    compared = index.ask(lambda found: _compared(evaluation, workspace, found, rankings, questions, off_topic))
    if evaluation.run_file:
        _write_run(evaluation.run_file, compared.outcomes)
    missed = list(failures(compared.summaries, evaluation.limits))
    document: dict[str, object] = {
        "set": evaluation.folder,
        "questions": len(questions.questions),
        "scorers": [as_document(each) for each in compared.summaries],
        "floor": as_document(compared.floor)["measures"],
        "missed": missed,
    }
    return Evaluated(table(compared.summaries, compared.floor), document, missed)


def _compared(
    evaluation: Evaluation,
    workspace: Workspace,
    snapshot: Snapshot,
    rankings: Mapping[str, RankingOptions],
    judgements: Judged,
    off_topic: Sequence[JudgedQuestion],
) -> Comparison:
    """Ask every question with every formula; differences are to the first one."""
    latest = newest(snapshot)
    moment = workspace.now if evaluation.now or os.environ.get("BRAIN_NOW") else latest
    off_topic = [question._replace(now=latest, project=None) for question in off_topic]
    progress, done = Progress("asking questions"), count()
    total = len(rankings) * (len(judgements.questions) + len(off_topic))
    grades = judgements.grades
    meaning = retriever_of(workspace)
    baseline: Values | None = None
    summaries, outcomes = [], []
    for name, ranking in rankings.items():
        trial = Trial(snapshot, ranking, moment, evaluation.filter_project, meaning)
        outcomes = trial.ask(judgements.questions, lambda: progress(next(done), total))
        others = trial.ask(off_topic, lambda: progress(next(done), total))
        summaries.append(summary(name, outcomes, others, grades, baseline))
        baseline = baseline or measured(outcomes, grades)
    floor = trial.by_floor(judgements.questions)
    return Comparison(summaries, outcomes, summary(FLOOR, floor, (), grades, baseline))


def _write_run(name: str, outcomes: Sequence[TrialOutcome]) -> None:
    lines = (f"{outcome.question.qid}\t{path}\n" for outcome in outcomes for path in outcome.ranking)
    try:
        with open(name, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(lines)
    except OSError as error:
        raise UsageError(
            f"The ranking {name} cannot be written: {error.strerror}.", "Name a file you may write."
        ) from None


def _mean_of(measure: str) -> Callable[[Summary], float | None]:
    return lambda found: found.measures[measure].mean if measure in found.measures else None


def _strong_right(found: Summary) -> float | None:
    """Return the share of single strong matches that were right; None if there were none."""
    strong = found.strategies[Strategy.SINGLE_STRONG]
    return strong.right / strong.shown if strong.shown else None


def _strong_shown(found: Summary) -> float:
    asked = sum(answers.shown for answers in found.strategies.values())
    return found.strategies[Strategy.SINGLE_STRONG].shown / max(1, asked)


# The numbers that may have a limit: name → function that returns it, or None if the evaluation has no such number.
NUMBERS: Mapping[str, Callable[[Summary], float | None]] = {
    "ndcg": _mean_of("nDCG@10"),
    "recall": _mean_of("Recall@5"),
    "mrr": _mean_of("MRR@10"),
    "newest": _mean_of(NEWEST),
    "strong-right": _strong_right,
    "strong-shown": _strong_shown,
}


def read_limit(text: str) -> Limit:
    """Read `name=number`; UsageError for any other text."""
    name, _, number = text.partition("=")
    if name not in NUMBERS:
        raise UsageError(f"There is no measure “{name:.59}” to set a least value for.", did_you_mean(name, NUMBERS))
    try:
        minimum = float(number)
    except ValueError:
        minimum = -1.0
    if not 0.0 <= minimum <= 1.0:
        raise UsageError(f"{name} must be at least a number from 0 to 1, not {number!r:.60}.", f"Write {name}=.50.")
    return Limit(name, minimum)


def failures(summaries: Iterable[Summary], limits: Iterable[Limit]) -> Iterator[str]:
    """Yield one sentence for each number that is missing or does not reach its limit."""
    for found, limit in product(summaries, limits):
        number = NUMBERS[limit.name](found)
        if number is None:
            yield f"{found.scorer}: there is no {limit.name} to compare with {limit.minimum:g}."
        elif number < limit.minimum:
            yield f"{found.scorer}: {limit.name} is {number:.3f}, less than {limit.minimum:g}."
