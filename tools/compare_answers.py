"""Compare the answers of two versions of brain: the gate for changes that must not change an
answer.

    compare_answers.py OLD NEW --vault DIR --questions FILE [--screens N] [--field NAME …]

OLD and NEW are `brain` programs, FILE has one JSON object per line with a `query` (and perhaps
`now`, `project`). Every question is asked of both over the same vault, each with an index of its
own. Prints how many answers are equal, and for each different one the question and its first
differing field. Exits with 1 if any differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOW = "2026-11-22"
# What the ranking decides. How much of a note is shown is compared on screens.
FIELDS = (
    "strategy",
    "results.path",
    "results.score",
    "archive.path",
    "suggestions",
    "considered",
    "more",
    "unknown",
)


def main() -> int:
    """Compare, print the differences, return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--vault", required=True, type=Path)
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument(
        "--screens", type=int, default=20, help="how many answers are compared as printed, too"
    )
    parser.add_argument(
        "--field", action="append", help="compare these fields of the JSON document only"
    )
    given = parser.parse_args()
    questions = [
        json.loads(line) for line in given.questions.read_text(encoding="utf-8").splitlines()
    ]
    with tempfile.TemporaryDirectory() as folder:
        sides = [
            Side(program, given.vault, Path(folder, name))
            for name, program in (("old", given.old), ("new", given.new))
        ]
        differences = list(compare(sides, questions, given.field or FIELDS, given.screens))
    print(
        f"{len(questions) - len({query for query, _ in differences})} of {len(questions)} answers are equal."
    )
    for query, difference in differences:
        print(f"  {query}\n      {difference}")
    return 1 if differences else 0


class Side:
    """One program with caches and settings of its own."""

    def __init__(self, program: str, vault: Path, home: Path) -> None:
        self._program, self._vault = program, str(vault)
        names = {
            "HOME": "",
            "XDG_CACHE_HOME": "cache",
            "XDG_STATE_HOME": "state",
            "XDG_CONFIG_HOME": "config",
        }
        self._env = {**os.environ, **{key: str(home / name) for key, name in names.items()}}
        self._env |= {"COLUMNS": "80", "LINES": "40", "BRAIN_NOW": NOW}
        self._run("index", "--vault", self._vault)

    def answers(self, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the JSON documents of all questions, in order."""
        lines = [
            json.dumps({"id": str(n), "now": NOW} | question)
            for n, question in enumerate(questions)
        ]
        printed = self._run(
            "remember",
            "--vault",
            self._vault,
            "--batch",
            "-",
            "--no-touch",
            stdin="\n".join(lines),
        )
        return [json.loads(line) for line in printed.splitlines()]

    def screen(self, query: str) -> str:
        """Return what a terminal of 80 columns shows for one question."""
        return self._run(
            "remember",
            "--vault",
            self._vault,
            "--format",
            "rich",
            "--no-touch",
            "--words",
            "--",
            query,
        )

    def _run(self, *arguments: str, stdin: str = "") -> str:
        done = subprocess.run(
            [self._program, *arguments],
            input=stdin,
            env=self._env,
            capture_output=True,
            text=True,
        )
        if done.returncode not in (0, 1):
            sys.exit(f"{self._program} {' '.join(arguments[:1])}: {done.stderr}")
        return done.stdout


def compare(
    sides: list[Side],
    questions: list[dict[str, Any]],
    fields: tuple[str, ...] | list[str],
    screens: int,
) -> Iterator[tuple[str, str]]:
    """Yield each question whose answers differ, with the difference."""
    for question, old, new in zip(
        questions, *(side.answers(questions) for side in sides), strict=True
    ):
        for field in fields:
            if (before := value_of(old, field)) != (after := value_of(new, field)):
                yield question["query"], f"{field}: {before!r} → {after!r}"
                break
    for question in questions[:screens]:
        before, after = (side.screen(question["query"]) for side in sides)
        if before != after:
            yield question["query"], f"screen:\n{before}\n      →\n{after}"


def value_of(answer: dict[str, Any], field: str) -> Any:
    """Return a field of an answer; `results.path` is the paths of its results."""
    name, _, inner = field.partition(".")
    value = answer.get(name)
    return [rounded(each.get(inner)) for each in value or ()] if inner else value


def rounded(value: Any) -> Any:
    """Return a score to six digits, anything else as it is."""
    return round(value, 6) if isinstance(value, float) else value


if __name__ == "__main__":
    sys.exit(main())
