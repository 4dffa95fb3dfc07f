"""`brain tags` lists all tags with the number of their active notes."""

from __future__ import annotations

import json

import pytest
from conftest import Vault


@pytest.fixture
def notes(vault: Vault) -> Vault:
    vault.note("a.md", "# A\n\nText with #tea.\n", tags=["ops/oncall", "tea"])
    vault.note("b.md", "# B\n\nText.\n", tags=["tea"])
    vault.note("archive/c.md", "# C\n\nText.\n", tags=["tea", "gone"])
    return vault


def test_the_most_frequent_tag_is_first(notes: Vault) -> None:
    answer = notes.brain("tags", "--vault", notes.folder)
    assert (answer.code, answer.out) == (0, "2\ttea\n1\tops/oncall\n")


def test_each_format_of_lists_prints_them(notes: Vault) -> None:
    document = json.loads(notes.brain("tags", "--json", "-n", "1", "--vault", notes.folder).out)
    assert document["tags"] == [{"tag": "tea", "notes": 2}]
    lines = notes.brain("tags", "--format", "jsonl", "--vault", notes.folder).out.splitlines()
    assert [json.loads(line)["tag"] for line in lines] == ["tea", "ops/oncall"]


def test_a_vault_without_tags_says_so(vault: Vault) -> None:
    vault.note("a.md", "# A\n\nText.\n")
    answer = vault.brain("tags", "--vault", vault.folder)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith("brain: No note has a tag.\n")
