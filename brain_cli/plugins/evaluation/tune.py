"""`brain tune`: fit constants to this vault from judged questions or feedback, and write them on
request.

One half of the questions is learned from. The certainty is fitted again, starting from the
constants in use; the weights of `blend` are tried in turn, at half, full and double their values.
The gain is measured on the other half, with a 95 % interval. The questions are asked as a recall
asks them, by meaning too where it does that. Such an answer has the certainty of the model, whose
constants are not fitted here, and teaches only the weights.

The certainty is a logistic regression, features → the probability that an answer is right, by
Newton's method, one coefficient after the other:

    minimize  Σ weight * -ln P(what happened)  +  ridge / 2 * Σ (coefficient - start)²

The intercept is not penalized. The ridge keeps the other coefficients near `start` if there are few
samples.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from math import exp, log
from pathlib import Path
from typing import Annotated, NamedTuple
from zlib import crc32

import typer

from brain_cli.answer.results import Recall
from brain_cli.answer.usage_over_time import feedback_on_answers
from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import flag
from brain_cli.errors import OK, BrainError, UsageError
from brain_cli.history.log import USEFUL, Event
from brain_cli.history.log_reader import events_until
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.recalling import ranking_options, retriever_of
from brain_cli.library.vault import Vault, open_vault
from brain_cli.plugins.evaluation.measures import Measure, estimate, mean
from brain_cli.plugins.evaluation.trial import Judged, JudgedQuestion, Trial, judged, newest
from brain_cli.ranking.certainty import CertaintyModel
from brain_cli.ranking.scorers.blend import Blend
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.types import Signals
from brain_cli.vault.atomic_write import own_path, replace_file

# New weights hardly lift a note from below this rank to the top.
CANDIDATES = 30
MIN_QUESTIONS = 20
# The ridge penalty, which pulls a fit to few answers towards the current constants.
RIDGE = 5.0
WEIGHTS = ("strength", "spreading", "context", "salience", "confidence", "quality")
FACTORS = (0.5, 2.0)
# The weights sum to less than 1, so that relevance stays ahead.
MAX_WEIGHT = 0.99
BEGIN, END = "# brain tune: begin", "# brain tune: end"
_WRITTEN_BEFORE = re.compile(rf"^{BEGIN}$.*?^{END}\n?", re.MULTILINE | re.DOTALL)
MAX_ROUNDS = 1_000
CONVERGED = 1e-6
# The intercept has hardly any penalty.
LEAST_PULL = 1e-9
# Beyond this z a probability is practically 0 or 1.
MAX_Z = 30.0


def command(
    options: CommonOptions,
    folder: Annotated[str | None, typer.Argument(metavar="[DIR]", hidden=True)] = None,
    apply: Annotated[
        bool, flag("--apply", "Write tables with a gain to the vault's settings.")
    ] = False,
) -> int:
    """Fit the certainty and the weights of `blend` to your own questions.

    DIR is a set as `brain eval` reads it, with its vault; without DIR the questions are those of
    the history that got feedback, which needs `record_queries = true`. One half of the questions is
    learned from, the other half shows what is gained, with a 95 % interval. Only --apply writes
    anything, and only tables with a gain.
    """
    if folder is None:
        vault = options.open_vault()
    else:
        vault = open_vault(os.path.join(folder, "vault"), options.now)
    history = () if folder else events_until(vault.history, vault.now, newest_first=True)
    questions = judged(folder) if folder else judged_by_feedback(history)
    if len(questions.questions) < MIN_QUESTIONS:
        raise UsageError(
            f"{len(questions.questions)} judged questions are too few to learn from.",
            f"At least {MIN_QUESTIONS} are needed; see `brain tune --help`.",
        )
    ranking = ranking_options(vault)
    if not isinstance(ranking.scorer, Blend):
        raise UsageError(
            f"Only blend can be tuned, not {ranking.scorer.name}.", 'Set scorer = "blend".'
        )
    vault.index(touch=False)
    judgements = vault.ask(
        lambda snapshot: _judgements(vault, ranking, snapshot, questions), touch=False
    )
    tuned = {
        "certainty": tuned_certainty(judgements, ranking.certainty),
        "scorers.blend": tuned_weights(judgements, ranking.scorer),
    }
    gaining = {
        table: each.constants
        for table, each in tuned.items()
        if each.constants and each.gain.low > 0
    }
    written = _write(vault, gaining) if apply and gaining else None
    options.answer(
        _document(judgements, tuned, written), _lines(judgements, tuned, gaining, written)
    )
    return OK


def _judgements(
    vault: Vault, options: RankingOptions, snapshot: Snapshot, questions: Judged
) -> list[Judgement]:
    narrowed = options._replace(limit=CANDIDATES)
    trial = Trial(snapshot, narrowed, newest(snapshot), meaning=retriever_of(vault))
    return [
        _judgement(question.qid, trial.recall(question), questions.grades[question.qid])
        for question in questions.questions
    ]


def _judgement(qid: str, recall: Recall, grades: Mapping[str, int]) -> Judgement:
    certainty = recall.certainty
    parts = {part.name: part.value for part in certainty.parts} if certainty else {}
    by_words = [*parts] == [*CertaintyModel.constants()]
    is_fitted = certainty and by_words and not certainty.rule
    return Judgement(
        qid,
        candidates={each.metadata.path: each.candidate.signals for each in recall.results},
        right=frozenset(path for path, grade in grades.items() if grade > 0),
        features=tuple(parts.values())[1:] if is_fitted else None,
        by_meaning=bool(parts) and not by_words,
    )


def _write(vault: Vault, gaining: Mapping[str, Mapping[str, float]]) -> str:
    """Write the tables into the vault's settings file, replacing those of an earlier run."""
    file = Path(own_path(vault.folder, "config.toml"))
    text = file.read_text(encoding="utf-8") if os.path.exists(file) else ""
    kept = _WRITTEN_BEFORE.sub("", text)
    for table in gaining:
        if re.search(rf"^\[{re.escape(table)}\]", kept, re.MULTILINE):
            raise BrainError(
                f"{file} has a table [{table}] already.",
                "Remove it, or write the constants there yourself.",
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
    lines = [
        f"Learned from {len(judgements) - held_out} questions, tried on {held_out} others."
    ]
    if by_meaning := sum(each.by_meaning for each in judgements):
        lines.append(
            f"{by_meaning} were asked by meaning: the model's own constants of certainty are not "
            "fitted."
        )
    for table, each in tuned.items():
        measure = "log loss" if table == "certainty" else "reciprocal rank"
        gain = f"{each.gain.mean:+.3f} ({each.gain.low:+.3f} to {each.gain.high:+.3f})"
        verdict = "a gain" if table in gaining else "no certain gain, so it is not changed"
        lines.append(f"[{table}]: {measure} better by {gain}: {verdict}.")
    if written:
        lines.append(f"Written to {written}.")
    elif gaining:
        lines += [
            "",
            *_toml(gaining).splitlines(),
            "",
            "--apply writes this into the vault's settings.",
        ]
    return lines


def _document(
    judgements: Sequence[Judgement], tuned: Mapping[str, Tuned], written: str | None
) -> dict[str, object]:
    return {
        "questions": len(judgements),
        "held_out": sum(each.held_out for each in judgements),
        "by_meaning": sum(each.by_meaning for each in judgements),
        "tables": {
            table: {
                "constants": dict(each.constants),
                "gain": {"mean": each.gain.mean, "low": each.gain.low, "high": each.gain.high},
            }
            for table, each in tuned.items()
        },
        "written": written,
    }


def judged_by_feedback(newest_first: Iterable[Event]) -> Judged:
    """Return the recorded queries whose notes were rated useful or wrong, omitting those without
    a useful note.
    """
    questions: dict[str, JudgedQuestion] = {}
    grades: dict[str, dict[str, int]] = {}
    for answer, path, verdict in feedback_on_answers(
        newest_first, lambda answer: [note[0] for note in answer.notes] if answer.value else []
    ):
        # Events are newest first: this keeps the first time of a query, and the last verdict on a
        # note.
        questions[answer.value] = JudgedQuestion(answer.value, answer.value, answer.at)
        grades.setdefault(answer.value, {}).setdefault(path, int(verdict == USEFUL))
    in_order = sorted(questions.values(), key=lambda question: question.now or 0.0)
    return Judged(tuple(each for each in in_order if any(grades[each.qid].values())), grades)


class Judgement(NamedTuple):
    """One answer: the signals of its candidates by path, the right paths, and the features of its
    certainty.

    There are no features if a rule decided, or the question was asked `by_meaning`.
    """

    qid: str
    candidates: Mapping[str, Signals]
    right: frozenset[str]
    features: tuple[float, ...] | None
    by_meaning: bool = False

    @property
    def first_right(self) -> bool:
        """Return whether the answer's first note is right."""
        return next(iter(self.candidates), None) in self.right

    @property
    def held_out(self) -> bool:
        """Return whether the answer is held out to measure the gain; a hash of the id chooses half
        of them.
        """
        return bool(crc32(self.qid.encode("utf-8", "surrogateescape")) & 1)


class Tuned(NamedTuple):
    """The fitted constants that differ from the current ones, and the gain on the held-out half."""

    constants: Mapping[str, float]
    gain: Measure


def tuned_certainty(judgements: Sequence[Judgement], model: CertaintyModel) -> Tuned:
    """Fit the certainty; the gain is in log loss, the mean -ln of the probability of the actual
    outcome.
    """
    start = [float(getattr(model, name)) for name in model.constants()]
    learned = fit(_samples(judgements, held_out=False), start, RIDGE)
    held_out = _samples(judgements, held_out=True)
    gains = [log_loss(start, sample) - log_loss(learned, sample) for sample in held_out]
    constants = {
        name: round(value, 3) for name, value in zip(model.constants(), learned, strict=True)
    }
    return Tuned(constants, estimate(gains))


def _samples(judgements: Sequence[Judgement], *, held_out: bool) -> list[Sample]:
    return [
        Sample(each.features, each.first_right)
        for each in judgements
        if each.features is not None and each.held_out is held_out
    ]


def tuned_weights(judgements: Sequence[Judgement], blend: Blend) -> Tuned:
    """Choose the weights of `blend`; the gain is in reciprocal rank, 1 for a right note that comes
    first.
    """

    def mean_rank(tried: Blend) -> float:
        return mean([reciprocal_rank(each, tried) for each in judgements if not each.held_out])

    best = blend
    for name in WEIGHTS:
        changed = (best.changed(**{name: getattr(best, name) * factor}) for factor in FACTORS)
        allowed = (
            each
            for each in changed
            if sum(getattr(each, weight) for weight in WEIGHTS) <= MAX_WEIGHT
        )
        best = max([best, *allowed], key=mean_rank)
    gains = [
        reciprocal_rank(each, best) - reciprocal_rank(each, blend)
        for each in judgements
        if each.held_out
    ]
    weights = {name: getattr(best, name) for name in WEIGHTS}
    constants = {
        name: weight for name, weight in weights.items() if weight != getattr(blend, name)
    }
    return Tuned(constants, estimate(gains))


def reciprocal_rank(judged: Judgement, blend: Blend) -> float:
    """Return 1 / rank of the first right note, 0 if there is none."""
    totals = {path: blend.score(signals).total for path, signals in judged.candidates.items()}
    order = sorted(totals, key=lambda path: (-totals[path], path))
    return next(
        (1 / rank for rank, path in enumerate(order, start=1) if path in judged.right), 0.0
    )


class Sample(NamedTuple):
    """One answer: its features, whether it was right, and its weight."""

    values: tuple[float, ...]
    right: bool
    weight: float = 1.0


def fit(samples: Sequence[Sample], start: Sequence[float], ridge: float) -> list[float]:
    """Return the fitted intercept and coefficients; `start` has the same length."""
    found = list(start)
    rows = [(1.0, *sample.values) for sample in samples]
    for _ in range(MAX_ROUNDS):
        steps = []
        for place, begun in enumerate(start):
            pull = ridge if place else LEAST_PULL
            gradient = pull * (begun - found[place])
            curvature = pull
            for sample, row in zip(samples, rows, strict=True):
                p = probability(found, sample.values)
                gradient += sample.weight * row[place] * (sample.right - p)
                curvature += sample.weight * row[place] ** 2 * p * (1 - p)
            steps.append(gradient / curvature)
            found[place] += steps[-1]
        if max(map(abs, steps)) < CONVERGED:
            break
    return found


def probability(coefficients: Sequence[float], values: Sequence[float]) -> float:
    """Return the probability (0..1) that an answer with these features is right."""
    z = coefficients[0] + sum(map(float.__mul__, coefficients[1:], values))
    return 1 / (1 + exp(-max(-MAX_Z, min(MAX_Z, z))))


def log_loss(coefficients: Sequence[float], sample: Sample) -> float:
    """Return -ln of the probability predicted for the outcome."""
    p = probability(coefficients, sample.values)
    return -log(p if sample.right else 1 - p)
