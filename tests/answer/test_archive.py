"""Archived notes are shown only if no active note is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Vault

ARCHIVED: list[tuple[str, dict[str, object]]] = [
    ("archive/a.md", {}),
    ("_archived/deep/a.md", {}),
    ("a.md", {"archived": "true"}),
    ("a.md", {"status": "archived"}),
]


@pytest.mark.parametrize(
    ("path", "head"), ARCHIVED, ids=["archive/", "_archived/", "archived", "status"]
)
def test_an_archived_note_is_found_when_nothing_active_is(
    vault: Vault, path: str, head: dict[str, object]
) -> None:
    vault.note(path, "# Lighthouse\n\nBuilt of stone.\n", **head)
    recalled = vault.remember("lighthouse")
    assert recalled["strategy"] == "archive-fallback"
    assert recalled["results"] == []
    assert [each["path"] for each in recalled["archive"]] == [path]
    assert vault.brain("remember", "lighthouse", "--vault", vault.folder).code == 0


def test_an_archived_note_is_not_shown_while_an_active_one_has_the_word(vault: Vault) -> None:
    vault.note("archive/a.md", "# Lighthouse\n\nBuilt of stone.\n")
    vault.note("b.md", "# Harbour\n\nSeen from the lighthouse.\n")
    recalled = vault.remember("lighthouse")
    assert [each["path"] for each in recalled["results"]] == ["b.md"]
    assert recalled["archive"] == []


def test_a_folder_called_archive_below_the_top_is_an_ordinary_folder(vault: Vault) -> None:
    vault.note("projects/archive/a.md", "# Lighthouse\n\nBuilt of stone.\n")
    assert vault.order("lighthouse") == ["projects/archive/a"]


def test_the_archive_has_a_higher_threshold(vault: Vault) -> None:
    vault.note(
        "archive/a.md",
        "# Holidays\n\n" + "We went to the beach and had ice cream. " * 60 + "A lighthouse.\n",
    )
    for number in range(12):
        vault.note(f"{number}.md", f"# Subject {number}\n\nSomething about subject {number}.\n")
    recalled = vault.remember("lighthouse keeper quaternion marmalade sarcophagus")
    assert (recalled["results"], recalled["archive"]) == ([], [])
    assert [each["path"] for each in vault.remember("lighthouse")["archive"]] == [
        "archive/a.md"
    ]


def test_the_settings_may_name_other_folders(vault: Vault) -> None:
    (vault.folder / ".brain").mkdir()
    (vault.folder / ".brain" / "config.toml").write_text('archive_folders = ["old"]\n')
    vault.note("old/a.md", "# Lighthouse\n")
    vault.note("archive/b.md", "# Harbour\n")
    assert vault.remember("lighthouse")["strategy"] == "archive-fallback"
    assert vault.order("harbour") == ["archive/b"]


def test_topics_are_suggested_when_nothing_active_is_found_and_only_then(vault: Vault) -> None:
    vault.note("a.md", "# Harbour\n\nBoats.\n", tags=["sea", "boats"])
    vault.note("b.md", "# Beach\n\nSand.\n", tags=["sea"])
    vault.note("archive/c.md", "# Desert\n\nSand.\n", tags=["dry"])
    assert vault.remember("zeppelin")["suggestions"] == ["sea", "boats"]
    assert vault.remember("harbour")["suggestions"] == []


def test_only_topics_of_notes_with_a_word_of_the_question_are_said(vault: Vault) -> None:
    vault.note("a.md", "# First\n\nRain, tea and a walk to the harbour.\n", tags=["sea"])
    vault.note("b.md", "# Linker\n\nThe linker joins objects.\n", tags=["code"])
    vault.note("c.md", "# Day\n\nThe boat needs paint, and the engine needs oil.\n")

    def said(question: str, *more: str) -> str:
        return vault.brain("remember", question, *more, "--vault", vault.folder).err

    topics = "Related topics you have memories about: "
    assert topics not in said("zeppelin")
    assert f"{topics}code, sea" in said("zeppelin", "--scorer", "brain")
    off_topic = said("zeppelin mooring walk")
    assert f"{topics}sea\n" in off_topic
    assert "brain: One note has “walk”: First (a.md).\n" in off_topic


def test_a_question_for_a_day_needs_no_other_word(vault: Vault) -> None:
    vault.note("2026-06-02.md", "# Tuesday\n\nThe crane broke.\n")
    at = ("--vault", vault.folder)
    assert vault.brain("remember", "what was on 2026-06-02", *at).err == ""
    assert "nearly every text has" in vault.brain("remember", "what was on", *at).err
    assert "dated “2026-07-02”" in vault.brain("remember", "what was on 2026-07-02", *at).err


def test_nothing_found_is_exit_1_and_a_valid_document(vault: Vault) -> None:
    vault.note("a.md", "# Harbour\n")
    answer = vault.brain("remember", "zeppelin", "--json", "--vault", vault.folder)
    assert answer.code == 1
    assert (answer.json["results"], answer.json["archive"], answer.json["considered"]) == (
        [],
        [],
        0,
    )


@pytest.mark.parametrize("query", ["anything", "the", "tag:x"])
def test_an_empty_vault_is_an_empty_memory(vault: Vault, query: str) -> None:
    answer = vault.brain("remember", query, "--json", "--vault", vault.folder)
    assert (answer.code, answer.json["strategy"]) == (1, "archive-fallback")
