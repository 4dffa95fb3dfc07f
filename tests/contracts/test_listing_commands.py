"""Every command that lists something has -n, --json and --format, with the formats that its verb
names.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Vault

from brain_cli.cli import verbs
from brain_cli.cli._app import command_named

# How each command lists, and the key of its list in the JSON document; those of a server
# and of a repository are tested with these.
LISTS = {
    "recent": ((), "results"),
    "related": (("grpc",), "related"),
    "review": ((), "results"),
    "status": (("--notes",), "results"),
    "context": ((), "results"),
    "undo": (("--list",), "changes"),
    "tags": ((), "tags"),
    "history": (("grpc",), "moments"),
    "doctor": ((), "checks"),
    "config": ((), "settings"),
    "index": (("--status",), "daemons"),
    "model": (("list",), "models"),
    "import": (("jsonl", "{notes}", "--dry-run"), "notes"),
    "export": ((), ""),
}
ELSEWHERE = ("team", "hooks")


def options_of(name: str) -> set[str]:
    return {option for each in command_named(name).params for option in each.opts}


def test_each_command_that_lists_is_in_the_table() -> None:
    assert {name for name, verb in verbs().items() if verb.lists} == {*LISTS, *ELSEWHERE}


@pytest.mark.parametrize("name", [*LISTS, *ELSEWHERE])
def test_a_command_that_lists_has_the_options_of_a_list(name: str) -> None:
    assert {"-n", "--limit", "--json", "--format"} <= options_of(name)


@pytest.mark.parametrize("name", verbs())
def test_the_same_option_has_the_same_names_everywhere(name: str) -> None:
    for names in ({"-y", "--yes"}, {"-o", "--out"}, {"-n", "--limit"}):
        assert not options_of(name) & names or names <= options_of(name)


@pytest.mark.parametrize("name", LISTS)
def test_each_format_of_a_list_prints_the_same_entries(
    sample: Vault, tmp_path: Path, name: str
) -> None:
    (tmp_path / "notes.jsonl").write_text(
        '{"title": "Tea", "text": "Green."}\n', encoding="utf-8"
    )
    words, key = LISTS[name]
    asked = [
        name,
        *(each.format(notes=tmp_path / "notes.jsonl") for each in words),
        "--vault",
        str(sample.folder),
    ]
    asked += ["--now", "2026-11-21T10:00:00Z"]
    lines = sample.brain(*asked, "--format", "jsonl").out.splitlines()
    entries = [json.loads(line) for line in lines]
    if key:
        listed = sample.brain(*asked, "--json").json[key]
        assert len(listed) == len(entries) if isinstance(listed, list) else listed
    for form in set(verbs()[name].lists) - {"json", "jsonl", "paths"}:
        assert sample.brain(*asked, "--format", form).code in (0, 1, 3)
    if "paths" in verbs()[name].lists:
        paths = sample.brain(*asked, "--format", "paths").out.splitlines()
        assert [path.removeprefix(f"{sample.folder}/") for path in paths] == [
            entry["path"] for entry in entries
        ]
    if len(entries) > 1:
        assert len(sample.brain(*asked, "--format", "jsonl", "-n", "1").out.splitlines()) == 1
    wrong = sample.brain(*asked, "--format", "xml")
    assert (wrong.code, wrong.out) == (2, "")
    assert "There is no format “xml” here." in wrong.err
