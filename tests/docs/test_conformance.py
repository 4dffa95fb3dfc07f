"""The page of conformance names nothing that is not there."""

from __future__ import annotations

import ast
from functools import cache

import pytest
from conformance import ROOT, STATES, Point, points


@cache
def names_in(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(
        each.name
        for each in ast.walk(tree)
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    )


@pytest.mark.parametrize("publication", sorted({each.publication for each in points()}))
def test_each_point_has_the_evidence_of_its_state(publication: str) -> None:
    for each in points():
        if each.publication == publication:
            assert each.state in STATES, each
            assert all(map(exists, each.evidence)), each
            assert is_enough(each), each


def exists(evidence: str) -> bool:
    file, _, test = evidence.partition("::")
    return test in names_in(file) if test else (ROOT / file.partition("#")[0]).is_file()


def is_enough(each: Point) -> bool:
    """Return whether a point has the kind of evidence that its state needs; what is missing needs a
    remark instead.
    """
    if each.state in ("not shown", "not"):
        return bool(each.remark)
    needed = {"works": "::", "decided": "docs/decisions/", "measured": "docs/measurements.md#"}[
        each.state
    ]
    return any(needed in evidence for evidence in each.evidence)
