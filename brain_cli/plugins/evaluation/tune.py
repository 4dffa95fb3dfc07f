"""`brain tune`: fit constants to this vault from judged questions or feedback, and write them on request."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from brain_cli.cli._recall import ranking_options
from brain_cli.cli._workspace import CommonOptions, Workspace, events_until, index_session, open_workspace, refreshed
from brain_cli.errors import OK, BrainError, UsageError
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins.evaluation.feedback_questions import judged_by_feedback
from brain_cli.plugins.evaluation.judged import Judged, judged
from brain_cli.plugins.evaluation.trial import Trial, newest
from brain_cli.plugins.evaluation.tuning import (
    MIN_QUESTIONS,
    Judgement,
    Tuned,
    judgement,
    tuned_certainty,
    tuned_weights,
)
from brain_cli.ranking.scorers.blend import Blend
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.vault.atomic_write import own_path, replace_file

# New weights hardly lift a note from below this rank to the top.
CANDIDATES = 30
BEGIN, END = "# brain tune: begin", "# brain tune: end"
_WRITTEN_BEFORE = re.compile(rf"^{BEGIN}$.*?^{END}\n?", re.MULTILINE | re.DOTALL)


def command(
    options: CommonOptions,
    folder: Annotated[str | None, typer.Argument(metavar="[DIR]", hidden=True)] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Write tables with a gain to the vault's settings.")] = False,
) -> int:
    """Fit the certainty and the weights of `blend` to your own questions.

    DIR is a set as `brain eval` reads it, with its vault; without DIR the questions are those of the history that got
    feedback, which needs `record_queries = true`. One half of the questions is learned from, the other half shows what
    is gained, with a 95 % interval. Only --apply writes anything, and only tables with a gain.
    """
    workspace = options.open_workspace() if folder is None else _workspace_of(folder, options.now)
    questions = judged(folder) if folder else _judged_in_history(workspace)
    if len(questions.questions) < MIN_QUESTIONS:
        raise UsageError(
            f"{len(questions.questions)} judged questions are too few to learn from.",
            f"At least {MIN_QUESTIONS} are needed; see `brain tune --help`.",
        )
    ranking = ranking_options(workspace)
    if not isinstance(ranking.scorer, Blend):
        raise UsageError(f"Only blend can be tuned, not {ranking.scorer.name}.", 'Set scorer = "blend".')
    index = index_session(workspace, touch=False)
    refreshed(index)
    judgements = index.ask(lambda snapshot: _judgements(ranking, snapshot, questions))
    tuned = {
        "certainty": tuned_certainty(judgements, ranking.certainty),
        "scorers.blend": tuned_weights(judgements, ranking.scorer),
    }
    gaining = {table: each.constants for table, each in tuned.items() if each.constants and each.gain.low > 0}
    written = _write(workspace, gaining) if apply and gaining else None
    options.answer(_document(judgements, tuned, written), _lines(judgements, tuned, gaining, written))
    return OK


def _judged_in_history(workspace: Workspace) -> Judged:
    return judged_by_feedback(events_until(workspace, workspace.now, newest_first=True))


def _workspace_of(folder: str, now: str | None) -> Workspace:
    return open_workspace(os.path.join(folder, "vault"), now)


def _judgements(options: RankingOptions, snapshot: Snapshot, questions: Judged) -> list[Judgement]:
    trial = Trial(snapshot, options._replace(limit=CANDIDATES), newest(snapshot))
    return [
        judgement(
            each.qid, trial.recall(each), (path for path, grade in questions.grades[each.qid].items() if grade > 0)
        )
        for each in questions.questions
    ]


def _write(workspace: Workspace, gaining: Mapping[str, Mapping[str, float]]) -> str:
    """Write the tables into the vault's settings file, replacing those of an earlier run."""
    file = Path(own_path(workspace.vault, "config.toml"))
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    kept = _WRITTEN_BEFORE.sub("", text)
    for table in gaining:
        if re.search(rf"^\[{re.escape(table)}\]", kept, re.MULTILINE):
            raise BrainError(
                f"{file} has a table [{table}] already.", "Remove it, or write the constants there yourself."
            )
    before = f"{kept.rstrip()}\n\n" if kept.strip() else ""
    file.parent.mkdir(exist_ok=True)
    replace_file(file, f"{before}{BEGIN}\n{_toml(gaining)}{END}\n".encode())
    return str(file)


def _toml(gaining: Mapping[str, Mapping[str, float]]) -> str:
    return "".join(
        f"[{table}]\n" + "".join(f"{name} = {value!r}\n" for name, value in constants.items())
        for table, constants in gaining.items()
    )


def _lines(
    judgements: Sequence[Judgement],
    tuned: Mapping[str, Tuned],
    gaining: Mapping[str, Mapping[str, float]],
    written: str | None,
) -> list[str]:
    held_out = sum(each.held_out for each in judgements)
    lines = [f"Learned from {len(judgements) - held_out} questions, tried on {held_out} others."]
    for table, each in tuned.items():
        measure = "log loss" if table == "certainty" else "reciprocal rank"
        gain = f"{each.gain.mean:+.3f} ({each.gain.low:+.3f} to {each.gain.high:+.3f})"
        verdict = "a gain" if table in gaining else "no certain gain, so it is not changed"
        lines.append(f"[{table}]: {measure} better by {gain}: {verdict}.")
    if written:
        lines.append(f"Written to {written}.")
    elif gaining:
        lines += ["", *_toml(gaining).splitlines(), "", "--apply writes this into the vault's settings."]
    return lines


def _document(judgements: Sequence[Judgement], tuned: Mapping[str, Tuned], written: str | None) -> dict[str, object]:
    return {
        "questions": len(judgements),
        "held_out": sum(each.held_out for each in judgements),
        "tables": {
            table: {"constants": dict(each.constants), "gain": each.gain._asdict()} for table, each in tuned.items()
        },
        "written": written,
    }
