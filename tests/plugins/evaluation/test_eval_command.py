"""`brain eval` on five notes and four judged questions: what it prints, writes and refuses."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from brain_cli.ranking.scorers import SCORERS

if TYPE_CHECKING:
    from conftest import Brain

HERE = Path(__file__).parent


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the example set, which a test may change."""
    return Path(shutil.copytree(HERE / "example", tmp_path / "example"))


def evaluated(brain: Brain, folder: Path, *options: object) -> dict[str, Any]:
    answer = brain("eval", folder, "--json", *options)
    assert answer.code == 0, answer.err
    return answer.json


class TestEvaluation:
    def test_a_small_vault_is_recalled_without_fault(self, brain: Brain, example: Path) -> None:
        document = evaluated(brain, example, "--scorer", "blend")
        assert document["questions"] == 4  # the fifth is not judged
        (blend,) = document["scorers"]
        means = {name: value["mean"] for name, value in blend["measures"].items()}
        assert means == pytest.approx(
            {"nDCG@10": 1.0, "Recall@5": 1.0, "MRR@10": 1.0, "newest in top 3": 1.0}, abs=0.1
        )
        assert sum(answers["shown"] for answers in blend["strategies"].values()) == 4
        assert all(
            answers["right"] <= answers["shown"] for answers in blend["strategies"].values()
        )
        assert 0 < blend["latency_ms"]["p50"] <= blend["latency_ms"]["p95"]
        assert blend["off_topic"] is None

    def test_beside_every_measure_stands_that_of_a_plain_bm25(
        self, brain: Brain, example: Path
    ) -> None:
        document = evaluated(brain, example, "--scorer", "blend")
        blend, floor = document["scorers"][0]["measures"], document["floor"]
        assert floor.keys() == blend.keys()
        for name, value in floor.items():
            assert 0.0 <= value["mean"] <= 1.0
            assert value["difference"]["mean"] == pytest.approx(
                value["mean"] - blend[name]["mean"]
            )

    def test_scorers_stand_side_by_side_and_are_compared_with_the_first(
        self, brain: Brain, example: Path
    ) -> None:
        names = [option for name in SCORERS for option in ("--scorer", name)]
        first, *others = evaluated(brain, example, *names)["scorers"]
        assert [first["scorer"], *(other["scorer"] for other in others)] == list(SCORERS)
        assert all(value["difference"] is None for value in first["measures"].values())
        for other in others:
            for name, value in other["measures"].items():
                expected = value["mean"] - first["measures"][name]["mean"]
                assert value["difference"]["mean"] == pytest.approx(expected)
                assert value["low"] <= value["mean"] + 1e-9 <= value["high"] + 2e-9

    def test_the_table_names_every_scorer_and_number(self, brain: Brain, example: Path) -> None:
        out = brain(
            "eval",
            example,
            "--scorer",
            "brain",
            "--scorer",
            "blend",
            "--off-topic",
            HERE / "elsewhere",
        ).out
        head, rule, *rows = out.splitlines()
        assert [cell.strip() for cell in head.split("|")[1:-1]] == [
            "",
            "brain",
            "blend",
            "floor (BM25)",
        ]
        assert set(rule) <= set("|- ")
        names = [row.split("|")[1].strip() for row in rows]
        assert names == [
            "nDCG@10",
            "Recall@5",
            "MRR@10",
            "newest in top 3",
            "single-strong, of these right",
            "synthesize, of these right",
            "many-weak, of these right",
            "archive-fallback, of these right",
            "latency p50 / p95, ms",
            "off-topic, yet answered",
        ]
        assert "0.0 % of 2" in rows[-1]

    def test_questions_about_something_else_find_nothing(
        self, brain: Brain, example: Path
    ) -> None:
        (blend,) = evaluated(
            brain, example, "--scorer", "blend", "--off-topic", HERE / "elsewhere"
        )["scorers"]
        assert (blend["off_topic"]["asked"], blend["off_topic"]["answered"]) == (2, 0)

    def test_the_ranking_is_written_best_first(self, brain: Brain, example: Path) -> None:
        run = example / "run.tsv"
        evaluated(brain, example, "--scorer", "blend", "--run", run)
        lines = [line.split("\t") for line in run.read_text().splitlines()]
        assert next(line for line in lines if line[0] == "outbox") == ["outbox", "outbox.md"]
        assert {line[0] for line in lines} == {"outbox", "retry", "moor", "provider"}

    def test_a_question_is_narrowed_to_its_project_on_demand(
        self, brain: Brain, example: Path
    ) -> None:
        run = example / "run.tsv"
        evaluated(brain, example, "--scorer", "blend", "--run", run, "--filter-project")
        found = {
            line.split("\t")[1]
            for line in run.read_text().splitlines()
            if line.startswith("moor")
        }
        assert found == {"harbour.md"}

    def test_an_operator_without_operands_is_a_word(self, brain: Brain, example: Path) -> None:
        run = example / "run.tsv"
        evaluated(brain, example, "--scorer", "blend", "--run", run)
        assert "retry\tretries.md" in run.read_text()  # although it is asked without “again”

    def test_other_questions_and_judgements_may_be_named(
        self, brain: Brain, example: Path
    ) -> None:
        (example / "few.jsonl").write_text('{"qid": "x", "query": "harbour of Piran"}\n')
        (example / "few.tsv").write_text("x\t0\tharbour.md\t1\n")
        document = evaluated(brain, example, "--queries", "few.jsonl", "--qrels", "few.tsv")
        assert document["questions"] == 1
        assert "newest in top 3" not in document["scorers"][0]["measures"]

    def test_an_evaluation_records_nothing_and_writes_nothing_into_the_set(
        self, brain: Brain, example: Path
    ) -> None:
        before = sorted(example.rglob("*"))
        evaluated(brain, example)
        assert sorted(example.rglob("*")) == before
        assert not list(brain.state.rglob("*.jsonl"))

    def test_a_measure_below_its_least_value_makes_the_command_fail(
        self, brain: Brain, example: Path
    ) -> None:
        limits = ("--min", "ndcg=.5", "--min", "mrr=.5")
        assert brain("eval", example, *limits).code == 0
        answer = brain("eval", example, *limits, "--min", "strong-shown=1", "--json")
        assert answer.code == 1
        (sentence,) = answer.json["missed"]
        assert sentence in answer.err
        assert sentence.startswith("blend: strong-shown is 0.")

    def test_the_gate_of_the_readme_opens_where_strong_matches_are_right(
        self, brain: Brain, example: Path
    ) -> None:
        gate = ("--min", "ndcg=.50", "--min", "strong-right=.85")
        assert brain("eval", example, *gate).code == 0
        wrong = "".join(
            f"{qid}\t0\tnowhere.md\t1\n" for qid in ("outbox", "retry", "moor", "provider")
        )
        (example / "qrels.tsv").write_text(wrong)
        answer = brain("eval", example, *gate)
        assert answer.code == 1
        assert "blend: ndcg is 0.000, less than 0.5." in answer.err
        assert "blend: strong-right is 0.000, less than 0.85." in answer.err

    def test_a_measure_that_the_set_does_not_have_reaches_no_limit(
        self, brain: Brain, example: Path
    ) -> None:
        (example / "few.jsonl").write_text('{"qid": "x", "query": "harbour of Piran"}\n')
        (example / "few.tsv").write_text("x\t0\tharbour.md\t1\n")
        answer = brain(
            "eval",
            example,
            "--queries",
            "few.jsonl",
            "--qrels",
            "few.tsv",
            "--min",
            "newest=.1",
        )
        assert answer.code == 1
        assert "there is no newest" in answer.err

    @pytest.mark.parametrize(
        ("limit", "said"),
        [
            ("ndgc=.5", "There is no measure “ndgc”"),
            ("ndcg", "ndcg must be at least a number from 0 to 1"),
            ("ndcg=50", "ndcg must be at least a number from 0 to 1"),
            ("ndcg=nan", "ndcg must be at least a number from 0 to 1"),
        ],
    )
    def test_a_limit_that_cannot_be_read_is_named(
        self, brain: Brain, example: Path, limit: str, said: str
    ) -> None:
        answer = brain("eval", example, "--min", limit)
        assert (answer.code, answer.out) == (2, "")
        assert said in answer.err

    @pytest.mark.parametrize(
        ("file", "text", "said"),
        [
            ("queries.jsonl", "{", "queries.jsonl:1 is not a question."),
            ("queries.jsonl", '{"qid": "x"}', "queries.jsonl:1 is not a question."),
            (
                "queries.jsonl",
                '{"qid": "x", "query": "y", "now": "soon"}',
                "queries.jsonl:1: “soon” is not a date.",
            ),
            (
                "queries.jsonl",
                "",
                "No question in queries.jsonl has a right note in qrels.tsv.",
            ),
            ("qrels.tsv", "x a.md 1", "qrels.tsv:1 is not a judgement."),
        ],
    )
    def test_a_line_that_cannot_be_read_is_named(
        self, brain: Brain, example: Path, file: str, text: str, said: str
    ) -> None:
        (example / file).write_text(text)
        answer = brain("eval", example)
        assert (answer.code, answer.out) == (2, "")
        assert said in answer.err

    def test_a_ranking_is_of_one_scorer(self, brain: Brain, example: Path) -> None:
        answer = brain(
            "eval",
            example,
            "--scorer",
            "brain",
            "--scorer",
            "blend",
            "--run",
            example / "run.tsv",
        )
        assert answer.code == 2
        assert "several scorers" in answer.err


def test_a_folder_without_a_vault_is_not_a_judged_set(brain: Brain, tmp_path: Path) -> None:
    answer = brain("eval", tmp_path)
    assert (answer.code, answer.out) == (3, "")
    assert "does not exist" in answer.err
