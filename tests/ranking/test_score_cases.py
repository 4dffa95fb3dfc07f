"""Every case of score_cases.jsonl: worked examples of the four formulas, with each step's value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from brain_cli.ranking.scorers import Score, load_scorer
from brain_cli.types import Signals

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("score_cases.jsonl").read_text().splitlines()
]
by_id = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])


def scored(case: dict[str, Any]) -> Score:
    return load_scorer(case["scorer"], case["settings"]).score(Signals(**case["signals"]))


@by_id
def test_the_total_and_the_share_are_the_expected_ones(case: dict[str, Any]) -> None:
    score = scored(case)
    assert score.total == pytest.approx(case["expect"]["total"], abs=1e-6)
    assert score.share == pytest.approx(case["expect"]["share"], abs=1e-6)


@by_id
def test_the_steps_are_the_expected_ones_in_their_order(case: dict[str, Any]) -> None:
    steps = [
        step for step in scored(case).steps if step.name != "pin"
    ]  # its value is not in the cases
    assert [step.name for step in steps] == list(case["expect"]["steps"])
    assert {step.name: step.value for step in steps} == pytest.approx(
        case["expect"]["steps"], abs=1e-6
    )


def test_the_cases_cover_every_published_formula() -> None:
    assert {case["scorer"] for case in CASES} == {"brain", "clawmem", "claude-mem", "clawdbot"}
