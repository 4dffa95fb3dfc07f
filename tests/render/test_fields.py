"""The option --fields: some keys of each result, of the document, or as columns of the plain
format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Answer, Vault


def asked(sample: Vault, *options: object) -> Answer:
    return sample.brain(
        "remember", "duplicate payments", "--no-touch", *options, "--vault", sample.folder
    )


def test_a_result_has_the_fields_asked_for_in_their_order(sample: Vault) -> None:
    for result in asked(sample, "--json", "--fields", "line,path,date").json["results"]:
        assert list(result) == ["line", "path", "date"]


def test_fields_of_results_do_not_change_the_rest_of_the_document(sample: Vault) -> None:
    assert list(asked(sample, "--json", "--fields", "path").json) == list(
        asked(sample, "--json").json
    )


def test_a_field_of_the_document_leaves_out_its_others(sample: Vault) -> None:
    assert set(asked(sample, "--json", "--fields", "key_points").json) == {"version", "key_points"}


def test_lines_of_json_have_fields_too(sample: Vault) -> None:
    assert all(
        list(line) == ["path"]
        for line in asked(sample, "--format", "jsonl", "--fields", "path").lines
    )


def test_plain_columns_are_the_fields_and_none_is_empty(sample: Vault) -> None:
    names = "path,line,matched,unmatched,pinned,resembles,passage,date"
    lines = asked(sample, "--format", "plain", "--fields", names).out.splitlines()
    for line in lines:
        columns = line.split("\t")
        assert len(columns) == 8
        assert all(columns)
        assert columns[1].isdecimal()


def test_an_unknown_field_names_the_nearest_one(sample: Vault) -> None:
    answer = asked(sample, "--json", "--fields", "pth")
    assert (answer.code, "“path”" in answer.err) == (2, True)


def test_a_format_without_fields_says_so(sample: Vault) -> None:
    answer = asked(sample, "--format", "markdown", "--fields", "path")
    assert (answer.code, "json, jsonl, plain" in answer.err) == (2, True)


def test_a_batch_has_fields(sample: Vault) -> None:
    fixed = ("--no-touch", "--vault", sample.folder)
    answer = sample.brain(
        "remember", "--batch", "-", "--fields", "path", *fixed, stdin='{"query": "kafka"}\n'
    )
    assert list(answer.lines[0]["results"][0]) == ["path"]


def test_asking_for_the_steps_explains(sample: Vault) -> None:
    assert asked(sample, "--json", "--fields", "path,steps").json["results"][0]["steps"]
