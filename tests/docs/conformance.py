"""docs/conformance.md from conformance.tsv: each point of the four publications, in our words, and
what shows it.

A point is `works` (a test shows it), `decided` (a decision says how it differs, or how a gap was
filled), `measured` (a figure, no test), `not shown` (no test) or `not`. Evidence is `FILE::TEST`, a
decision's file, or a page with an anchor.
"""

from __future__ import annotations

import csv
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
STATES = ("works", "decided", "measured", "not shown", "not")


class Point(NamedTuple):
    """One point of a publication."""

    publication: str
    section: str
    point: str
    state: str
    evidence: tuple[str, ...]
    remark: str


def points() -> list[Point]:
    """Return all points, in the order of the publications."""
    with Path(__file__).with_name("conformance.tsv").open(encoding="utf-8", newline="") as file:
        return [
            _point(*row)
            for row in list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
        ]


def _point(
    publication: str, section: str, point: str, state: str, evidence: str = "", remark: str = ""
) -> Point:
    return Point(publication, section, point, state, tuple(evidence.split()), remark)


def tables() -> str:
    """Return the counts, then a table for each section of each publication."""
    every = points()
    counts = Counter(each.state for each in every)
    total = ", ".join(f"{counts[state]} {state}" for state in STATES)
    lines = [f"{len(every)} points: {total}."]
    for publication, of_publication in groupby(every, lambda each: each.publication):
        lines += ["", f"## {publication}"]
        for section, of_section in groupby(of_publication, lambda each: each.section):
            lines += [
                "",
                f"### {section}",
                "",
                "| point | state | shown by |",
                "|---|---|---|",
                *map(_row, of_section),
            ]
    return "\n".join(lines)


def _row(each: Point) -> str:
    remark = f" ({each.remark})" if each.remark else ""
    return f"| {each.point}{remark} | {each.state} | {', '.join(map(_link, each.evidence)) or '–'} |"


def _link(evidence: str) -> str:
    file, _, test = evidence.partition("::")
    path, name = (f"../{file}", test) if test else (file.removeprefix("docs/"), Path(file).stem)
    return f"[{name.removeprefix('test_').replace('_', ' ')}]({path})"
