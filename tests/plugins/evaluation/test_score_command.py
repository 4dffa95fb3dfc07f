"""`brain score`: a line of signals in, a line of score out; a bad line costs only itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brain_cli.errors import OK, WRONG_USAGE, UsageError
from brain_cli.plugins.evaluation.score import answers as answers_to
from brain_cli.plugins.evaluation.score import run
from brain_cli.types import Signals


def strictly(constant: str) -> float:
    raise AssertionError(f"{constant} is not JSON")


def answers(*lines: str | bytes, **options: Any) -> list[dict[str, Any]]:
    texts = [json.dumps(each, allow_nan=False) for each in answers_to(lines, **options)]
    return [json.loads(text, parse_constant=strictly) for text in texts]


def answer(question: dict[str, Any], **options: Any) -> dict[str, Any]:
    [only] = answers(json.dumps(question), **options)
    return only


def test_an_answer_names_the_scorer_the_total_the_share_and_every_step() -> None:
    assert answer({"scorer": "clawdbot", "signals": {"relevance": 0.5, "age_days": 30}}) == {
        "scorer": "clawdbot",
        "total": 0.25,
        "share": 0.25,
        "steps": [
            {"name": "relevance", "op": "+", "value": 0.5, "weight": 1.0, "total": 0.5},
            {"name": "recency_weight", "op": "*", "value": 0.5, "weight": None, "total": 0.25},
        ],
    }


def test_scorer_and_settings_may_be_left_out() -> None:
    assert answer({"signals": {}})["scorer"] == "brain"
    assert answer({"scorer": None, "signals": {}, "settings": None})["scorer"] == "brain"


def test_the_scorer_of_a_line_wins_over_the_option() -> None:
    assert answer({"signals": {}}, scorer="clawmem")["scorer"] == "clawmem"
    assert answer({"scorer": "brain", "signals": {}}, scorer="clawmem")["scorer"] == "brain"


def test_a_line_may_set_constants_of_its_formula() -> None:
    question = {
        "signals": {"relevance": 1, "age_days": 900},
        "settings": {"half_life_days": 7, "floor": 0.3},
    }
    assert answer(question, scorer="clawdbot")["total"] == 0.3


def test_every_line_has_the_version_of_the_format(capsys: pytest.CaptureFixture[str]) -> None:
    run(['{"signals": {}}', '{"signals": {"relevance": "high"}}'])
    assert [json.loads(line)["version"] for line in capsys.readouterr().out.splitlines()] == [
        1,
        1,
    ]


def test_a_signal_that_is_null_counts_as_absent() -> None:
    nothing = dict.fromkeys(Signals._fields)
    assert answer({"signals": nothing}) == answer({"signals": {}})


def test_spreading_is_absent_when_not_given_and_present_when_0() -> None:
    names = [step["name"] for step in answer({"signals": {"spreading": 0}})["steps"]]
    assert "spreading" in names
    assert "context" not in names


def test_keys_beside_the_known_ones_are_passed_over() -> None:
    assert answer({"id": 7, "why": "a case file", "signals": {}}) == answer({"signals": {}})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("not json", "not JSON"),
        ("{", "not JSON"),
        (b'{"signals": {"kind": "\xff"}}', "not JSON"),
        ('{"signals": {"relevance": ' + "9" * 5000 + "}}", "not JSON"),
        ("[" * 100_000, "nested"),
        ("[1, 2]", "JSON object"),
        ("3", "JSON object"),
        ("null", "JSON object"),
        ("{}", "signals"),
        ('{"signals": [0.5]}', "signals"),
        ('{"signals": {"relevnace": 0.5}}', "“relevance”"),
        ('{"signals": {"relevance": "0.5"}}', "relevance"),
        ('{"signals": {"relevance": true}}', "relevance"),
        ('{"signals": {"spreading": "none"}}', "spreading"),
        ('{"signals": {"pinned": 1}}', "pinned"),
        ('{"signals": {"kind": 3}}', "kind"),
        ('{"signals": {}, "scorer": "brian"}', "“brain”"),
        ('{"signals": {}, "scorer": 3}', "scorer"),
        ('{"signals": {}, "settings": []}', "settings"),
        ('{"signals": {}, "settings": {"floor": 0.2}}', "floor"),
        (
            '{"scorer": "clawdbot", "signals": {}, "settings": {"half_life_days": 0}}',
            "half_life_days",
        ),
        ('{"scorer": "clawdbot", "signals": {}, "settings": {"floor": NaN}}', "floor"),
    ],
)
def test_a_bad_line_gets_an_error_in_its_place_and_costs_only_itself(
    line: str | bytes, said: str
) -> None:
    before, error, after = answers('{"signals": {}}', line, '{"signals": {"relevance": 1}}')
    assert set(error) == {"error"}
    assert said in error["error"]
    assert before["total"] < after["total"]


def test_blank_lines_are_skipped() -> None:
    assert len(answers("", "  \n", '{"signals": {}}\n', b"\r\n", "\t")) == 1


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e400", "9" * 400, "-" + "9" * 400]
)
def test_numbers_that_are_none_come_out_as_valid_json(number: str) -> None:
    signals = ", ".join(
        f'"{name}": {number}' for name in ("relevance", "age_days", "accesses", "body_chars")
    )
    for scorer in ("brain", "clawmem", "claude-mem", "clawdbot"):
        [scored] = answers(f'{{"signals": {{{signals}}}}}', scorer=scorer)
        assert 0.0 <= scored["share"] <= 1.0


def test_a_nan_counts_as_0() -> None:
    assert answers('{"signals": {"relevance": NaN}}') == answers(
        '{"signals": {"relevance": 0}}'
    )


def test_half_a_character_in_a_kind_does_not_break_the_output() -> None:
    [known, unknown] = answers(
        '{"signals": {"kind": "\\ud800"}}', '{"signals": {"\\ud800": 1}}'
    )
    assert "total" in known
    assert "error" in unknown


def test_each_line_is_answered_before_the_next_is_read() -> None:
    read: list[int] = []

    def questions() -> Iterator[str]:
        for number in range(3):
            read.append(number)
            yield '{"signals": {}}'

    replies = answers_to(questions())
    next(replies)
    assert read == [0]


def test_a_run_without_a_bad_line_is_a_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(['{"signals": {}}', ""]) == OK
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_a_run_with_a_bad_line_answers_all_and_fails_in_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["oops", '{"signals": {}}']) == WRONG_USAGE
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert "error" in first
    assert "total" in second


def test_a_scorer_option_that_does_not_exist_fails_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match="“brian”"):
        run(['{"signals": {}}'], scorer="brian")


def test_the_case_file_can_be_piped_in_unchanged() -> None:
    lines = (
        (Path(__file__).parents[2] / "ranking" / "score_cases.jsonl").read_text().splitlines()
    )
    for line, scored in zip(lines, answers(*lines), strict=True):
        assert scored["total"] == pytest.approx(json.loads(line)["expect"]["total"], abs=1e-6)
