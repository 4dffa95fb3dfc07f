"""`brain eval`: judged questions → how well each formula recalls, side by side."""

from __future__ import annotations

import json as json_text
import os
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import typer

from brain_cli.commands.completing import SCORER
from brain_cli.commands.options import JsonOption, NowOption, shared
from brain_cli.commands.progress import Progress
from brain_cli.commands.request import options
from brain_cli.commands.setting import Setting, library, setting, write
from brain_cli.errors import OK, UsageError
from brain_cli.evaluation.judged import QRELS, QUERIES, Judged, Question, judged, questions_of
from brain_cli.evaluation.measures import Values
from brain_cli.evaluation.measures import library as measures_library
from brain_cli.evaluation.summary import Summary, as_document, measured, summary
from brain_cli.evaluation.table import table
from brain_cli.evaluation.trial import RANKED, Outcome, Trial, newest
from brain_cli.index.snapshot import Snapshot
from brain_cli.recall.contest import Options
from brain_cli.scoring import load_scorer

LOCK_SECONDS = 30.0


class Evaluation(NamedTuple):
    """What is evaluated, and how."""

    folder: str
    scorers: tuple[str, ...] = ()
    queries: str = QUERIES
    qrels: str = QRELS
    off_topic: str | None = None
    filter_project: bool = False
    now: str | None = None
    run_file: str | None = None
    as_json: bool = False


def command(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(metavar="DIR", hidden=True)],
    scorer: Annotated[
        list[str] | None,
        typer.Option(
            "--scorer", metavar="NAME", click_type=SCORER, help="A formula; repeat it to compare others with the first."
        ),
    ] = None,
    queries: Annotated[
        str, typer.Option("--queries", metavar="FILE", help="Other questions, in DIR.", show_default=False)
    ] = QUERIES,
    qrels: Annotated[
        str, typer.Option("--qrels", metavar="FILE", help="Other judgements, in DIR.", show_default=False)
    ] = QRELS,
    filter_project: Annotated[
        bool, typer.Option("--filter-project", help="Search only the project that a question names.")
    ] = False,
    off_topic: Annotated[
        str | None,
        typer.Option("--off-topic", metavar="DIR", help="Also ask this set's questions: nothing should be found."),
    ] = None,
    run_file: Annotated[
        str | None, typer.Option("--run", metavar="FILE", help="Write the ranking: qid, tab, path; best first.")
    ] = None,
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
    """
    return run(
        Evaluation(
            folder=folder,
            scorers=tuple(dict.fromkeys(scorer or ())),
            queries=queries,
            qrels=qrels,
            off_topic=off_topic,
            filter_project=filter_project,
            now=shared(context, "now", now),
            run_file=run_file,
            as_json=shared(context, "json", json),
        )
    )


def run(asked: Evaluation) -> int:
    """Print the comparison; records nothing of its recalls."""
    if asked.run_file and len(asked.scorers) > 1:
        raise UsageError("--run writes one ranking, and several scorers are named.", "Name one --scorer.")
    measures_library()
    here = setting(os.path.join(asked.folder, "vault"), asked.now, {})
    judgements = judged(asked.folder, asked.queries, asked.qrels)
    elsewhere = questions_of(asked.off_topic) if asked.off_topic else ()
    scorers = asked.scorers or (here.config.scorer,)
    ways = {name: _way(here, name) for name in scorers}  # a wrong name fails before the work
    notes = library(here)
    notes.refresh(wait_seconds=LOCK_SECONDS)
    summaries, ranking = notes.ask(lambda snapshot: _compare(asked, here, snapshot, ways, judgements, elsewhere))
    if asked.run_file:
        _write_run(asked.run_file, ranking)
    write(_document(asked, judgements, summaries) if asked.as_json else table(summaries))
    return OK


def _way(here: Setting, name: str) -> Options:
    scorer = load_scorer(name, here.config.constants.get(name, {}))
    return options(here)._replace(scorer=scorer, limit=RANKED)


def _compare(
    asked: Evaluation,
    here: Setting,
    snapshot: Snapshot,
    ways: dict[str, Options],
    judgements: Judged,
    elsewhere: Sequence[Question],
) -> tuple[list[Summary], list[Outcome]]:
    """Ask every question with every formula; the outcomes returned beside are the last one's."""
    latest = newest(snapshot)
    told = here.now if asked.now or os.environ.get("BRAIN_NOW") else latest
    tick = _ticks(len(ways) * (len(judgements.questions) + len(elsewhere)))
    misplaced = [question._replace(now=latest, project=None) for question in elsewhere]
    baseline: Values | None = None
    summaries, outcomes = [], []
    for name, way in ways.items():
        trial = Trial(snapshot, way, told, asked.filter_project)
        outcomes = trial.ask(judgements.questions, lambda: next(tick, None))
        lost = trial.ask(misplaced, lambda: next(tick, None))
        summaries.append(summary(name, outcomes, lost, judgements.grades, baseline))
        baseline = baseline or measured(outcomes, judgements.grades)
    return summaries, outcomes


def _ticks(total: int) -> Iterator[None]:
    progress = Progress("asking questions")
    for done in range(total):
        progress(done, total)
        yield


def _write_run(name: str, outcomes: Sequence[Outcome]) -> None:
    lines = (f"{outcome.question.qid}\t{path}\n" for outcome in outcomes for path in outcome.ranking)
    try:
        with open(name, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(lines)
    except OSError as error:
        raise UsageError(
            f"The ranking {name} cannot be written: {error.strerror}.", "Name a file you may write."
        ) from None


def _document(asked: Evaluation, judgements: Judged, summaries: Sequence[Summary]) -> str:
    document: dict[str, Any] = {
        "version": 1,
        "set": asked.folder,
        "questions": len(judgements.questions),
        "scorers": [as_document(each) for each in summaries],
    }
    return json_text.dumps(document, allow_nan=False) + "\n"
