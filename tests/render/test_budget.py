"""The option --budget: every format keeps to it, stays valid, and says the best first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from examples import in_ci
from hypothesis import given
from hypothesis import strategies as st
from texts import any_text

from brain_cli.render.budget import bounded_document, compact

if TYPE_CHECKING:
    from conftest import Vault

FORMATS = ("rich", "markdown", "plain", "json", "jsonl", "paths")
QUERIES = (
    "why did we leave REST",
    "duplicate payments",
    "save energy at home",
    "SOAP gateway",
    "zeppelin",
)
# The keys of a document that are no list.
ENVELOPE_CHARS = 600


def printed(sample: Vault, query: str, name: str, budget: int, *options: object) -> str:
    fixed = ("--format", name, "--budget", budget, "--no-touch", "--vault", sample.folder)
    return sample.brain("remember", query, *fixed, *options).out


@pytest.mark.parametrize("budget", [700, in_ci(1_500), in_ci(4_000)])
@pytest.mark.parametrize("name", FORMATS)
def test_no_format_prints_more_than_its_budget(sample: Vault, name: str, budget: int) -> None:
    for query in QUERIES:
        assert len(printed(sample, query, name, budget)) <= budget


@pytest.mark.parametrize(
    "name", ["rich", in_ci("markdown"), "plain", in_ci("jsonl"), in_ci("paths")]
)
def test_a_tiny_budget_is_kept_too(sample: Vault, name: str) -> None:
    for query in QUERIES:
        assert len(printed(sample, query, name, 60)) <= 60


@pytest.mark.parametrize("name", ["jsonl", "plain", "paths"])
def test_a_budget_too_small_for_one_line_is_reported(sample: Vault, name: str) -> None:
    fixed = ("--format", name, "--budget", 10, "--no-touch", "--vault", sample.folder)
    answer = sample.brain("remember", "duplicate payments", *fixed)
    assert (answer.code, answer.out) == (0, "")
    assert "A budget of 10 characters has no space for one line." in answer.err


@pytest.mark.exhaustive
def test_a_json_document_stays_valid_however_small_the_budget(sample: Vault) -> None:
    for query in QUERIES:
        for budget in (1, 500, 1_000, 3_000):
            document = json.loads(printed(sample, query, "json", budget))
            assert document["query"] == query
            assert document["more"] + len(document["results"]) == document["considered"]


def test_a_large_budget_changes_nothing(sample: Vault) -> None:
    whole = sample.remember("duplicate payments")
    bounded = json.loads(printed(sample, "duplicate payments", "json", 1_000_000, "--explain"))
    del whole["elapsed_ms"], bounded["elapsed_ms"]
    assert bounded == whole


def test_the_best_passage_comes_first_and_the_text_of_sections_last(sample: Vault) -> None:
    whole = sample.remember("duplicate payments")
    bounded = json.loads(printed(sample, "duplicate payments", "json", 2_500))
    kept = len(bounded["shown"])
    assert bounded["shown"] == whole["shown"][:kept]
    assert kept
    few = json.loads(printed(sample, "duplicate payments", "json", 9_000))
    assert few["shown"] == whole["shown"]
    assert few["results"][0]["passage"] == whole["results"][0]["passage"]


def test_a_budget_is_filled(sample: Vault) -> None:
    for name in ("markdown", "plain", "json"):
        assert len(printed(sample, "duplicate payments", name, 1_100)) > 600, name


def test_a_long_note_is_cut_for_its_budget_at_the_end_of_a_word(sample: Vault) -> None:
    words = {*(sample.folder / "decisions/grpc.md").read_text().split()}
    text = printed(sample, "why did we leave REST", "markdown", 900)
    *_, last = text.rstrip().rstrip("…").split()
    assert last in words


def test_lines_for_programs_stay_whole(sample: Vault) -> None:
    whole = printed(sample, "duplicate payments", "paths", 100_000).splitlines()
    few = printed(sample, "duplicate payments", "paths", 150).splitlines()
    assert few == whole[: len(few)]
    assert 0 < len(few) < len(whole)


def test_every_line_of_a_batch_keeps_to_the_budget(sample: Vault) -> None:
    lines = "".join(json.dumps({"query": query}) + "\n" for query in QUERIES)
    out = sample.brain(
        "remember", "--batch", "-", "--budget", 1_500, "--vault", sample.folder, stdin=lines
    ).out
    for line in out.splitlines():
        assert len(line) <= 1_500 + len('"id": null, ')


TEXTS = any_text(300)
RESULTS = st.lists(
    st.fixed_dictionaries(
        {
            "path": TEXTS,
            "fragment": st.fixed_dictionaries({"line": st.integers(), "text": TEXTS}),
        }
    ),
    max_size=4,
)


@given(
    results=RESULTS,
    points=st.lists(st.fixed_dictionaries({"text": TEXTS}), max_size=4),
    room=st.integers(0, 2_000),
)
def test_a_document_of_any_texts_fits_its_budget(
    results: list[object], points: list[object], room: int
) -> None:
    empty: dict[str, list[object]] = {"results": [], "key_points": []}
    bounded = bounded_document(
        {"results": results, "key_points": points}, len(compact(empty)) + room
    )
    assert len(compact(bounded)) <= len(compact(empty)) + room
