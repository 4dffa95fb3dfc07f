"""Read files of judged questions: the questions, and a grade for each right note.

queries.jsonl   {"qid": "q1", "query": "why grpc", "now"?: ISO date, "project"?: "orders", "category"?: "…"}
qrels.tsv       q1 <tab> 0 <tab> decisions/grpc.md <tab> 1        (grade 0 is wrong; 2 is better than 1)
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from brain_cli.errors import UsageError
from brain_cli.vault.dates import timestamp_of

QUERIES = "queries.jsonl"
QRELS = "qrels.tsv"

# Question id → path of a note → its grade.
Grades = Mapping[str, Mapping[str, int]]


class JudgedQuestion(NamedTuple):
    """One question: `now` is its time in seconds since the epoch, `project` the session's project."""

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
    """Read a set, leaving out unjudged questions. UsageError names a line that cannot be read."""
    grades = read_grades(found_in(folder, qrels))
    asked = read_questions(found_in(folder, queries))
    right = tuple(question for question in asked if any(grade > 0 for grade in grades.get(question.qid, {}).values()))
    if not right:
        raise UsageError(
            f"No question in {queries} has a right note in {qrels}.", "A judgement names the question's qid."
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
                f"{path}:{number} is not a judgement.", "A line is: qid, 0, path of the note, grade, separated by tabs."
            ) from None
    return grades


def _question(line: str, location: str) -> JudgedQuestion:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or not isinstance(fields.get("query"), str) or "qid" not in fields:
        raise UsageError(
            f"{location} is not a question.", 'A line is a JSON object: {"qid": "q1", "query": "why grpc"}.'
        )
    now = fields.get("now")
    moment = timestamp_of(str(now)) if now else None
    if now and moment is None:
        raise UsageError(f"{location}: “{now}” is not a date.", "Write it as 2026-11-21T10:00:00Z.")
    return JudgedQuestion(
        str(fields["qid"]), fields["query"], moment, fields.get("project") or None, str(fields.get("category") or "")
    )


def found_in(folder: str, name: str) -> str:
    """Return the path of a file in the set's folder, else in the working folder."""
    inside = os.path.join(folder, name)
    return inside if os.path.exists(inside) or not os.path.exists(name) else name


def _lines(path: str) -> Iterator[tuple[int, str]]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines: Iterable[str] = file.read().split("\n")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}.", "`brain eval --help` says which files a set has."
        ) from None
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
