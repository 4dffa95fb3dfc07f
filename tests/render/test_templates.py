"""The formats of lists: a template, and every named format, for each list of notes."""

from __future__ import annotations

import json

import pytest
from conftest import Vault

LISTS = (
    ("remember", "dead letter queue"),
    ("recent",),
    ("related", "how-to/replay-dead-letters.md"),
)
NOW = ("--now", "2031-01-01T10:00:00Z", "-n", "3")


def lines(vault: Vault, *words: object) -> list[str]:
    answer = vault.brain(*words, "--vault", vault.folder, *NOW)
    assert answer.code in (0, 1), answer.err
    return answer.out.splitlines()


@pytest.mark.parametrize("command", LISTS, ids=lambda command: command[0])
def test_every_list_takes_a_template(sample: Vault, command: tuple[str, ...]) -> None:
    paths = lines(sample, *command, "--format", "paths")
    assert paths
    assert lines(sample, *command, "--format", "{path}") == paths
    filled = lines(sample, *command, "--format", r"{path}:{line}\t{title}\t{date}")
    assert len(filled) == len(paths)
    assert all(row.count("\t") == 2 and row.split("\t")[1] for row in filled)


@pytest.mark.parametrize("command", LISTS, ids=lambda command: command[0])
@pytest.mark.parametrize("form", ["plain", "jsonl", "markdown", "json"])
def test_every_list_has_every_format(
    sample: Vault, command: tuple[str, ...], form: str
) -> None:
    answer = sample.brain(*command, "--vault", sample.folder, *NOW, "--format", form)
    assert answer.code == 0, answer.err
    assert answer.out
    if form == "json":
        assert json.loads(answer.out)["version"] == 1


def test_the_columns_of_plain_are_those_of_a_template(sample: Vault) -> None:
    plain = lines(sample, "remember", "dead letter queue", "--format", "plain")
    filled = lines(
        sample, "remember", "dead letter queue", "--format", r"{score}\t{path}:{line}"
    )
    assert [row.split("\t")[:2] for row in plain] == [row.split("\t") for row in filled]


def test_no_field_is_empty_or_longer_than_a_line(sample: Vault) -> None:
    form = r"{score}\t{path}\t{line}\t{title}\t{heading}\t{date}\t{text}\t{vault}\t{claim}"
    for row in lines(sample, "remember", "dead letter queue", "--format", form):
        assert len(row.split("\t")) == 9
        assert all(row.split("\t"))


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("{colour}", "There is no field “colour”"),
        ("{path", "cannot be read"),
        ("{path}}", "cannot be read"),
        ("{}", "There is no field “”"),
    ],
)
def test_a_wrong_template_is_explained(sample: Vault, form: str, said: str) -> None:
    answer = sample.brain("recent", "--vault", sample.folder, "--format", form)
    assert answer.code == 2
    assert said in answer.err


def test_a_budget_cuts_by_whole_entries(sample: Vault) -> None:
    whole = lines(sample, "remember", "dead letter queue", "--format", r"{path}\n{title}")
    cut = lines(
        sample,
        "remember",
        "dead letter queue",
        "--format",
        r"{path}\n{title}",
        "--budget",
        len(whole[0]) + len(whole[1]) + len(whole[2]) + 4,
    )
    assert cut == whole[:2]
