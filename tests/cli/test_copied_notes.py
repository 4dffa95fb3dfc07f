"""Notes whose files were copied or cloned together, and that name no date, pass for notes without a
date.
"""

from __future__ import annotations

import os

import pytest
from conftest import Vault

COPIED = 1_795_100_000  # 19 November 2026, two days before the clock of the tests
UNDATED = (
    "20 of 22 notes have no date of their own: their files were copied or cloned together."
)


@pytest.fixture
def copied(vault: Vault) -> Vault:
    """A vault that was copied: a journal of two days, and twenty notes that name no day."""
    vault.note("2026-11-20 Roof.md", "# Roof\n\nThe roof got new tiles.\n")
    vault.note("2024-03-01 Roof plan.md", "# Roof plan\n\nThe roof needs a plan.\n")
    for number in range(20):
        vault.note(f"tile-{number}.md", f"# Tile {number}\n\nA tile of the roof.\n")
    for file in vault.folder.iterdir():
        os.utime(file, (COPIED, COPIED))
    return vault


def found(vault: Vault, *arguments: str) -> set[str]:
    answer = vault.brain(*arguments, "--json", "--vault", vault.folder, "-n", 50)
    return {each["path"] for each in answer.json["results"]}


@pytest.mark.parametrize("command", [["remember", "roof"], ["recent"]])
def test_the_time_of_a_copy_passes_no_filter_by_date(copied: Vault, command: list[str]) -> None:
    assert found(copied, *command, "--since", "1w") == {"2026-11-20 Roof.md"}
    assert len(found(copied, *command)) == 22


def test_a_copied_note_is_not_from_before_a_date_either(copied: Vault) -> None:
    assert found(copied, "remember", "roof", "--until", "2026-11-20") == {
        "2024-03-01 Roof plan.md"
    }


@pytest.mark.parametrize(
    "command", [["remember", "roof", "--since", "1w"], ["recent", "--since", "1w"]]
)
def test_a_filter_by_date_says_how_many_notes_it_cannot_judge(
    copied: Vault, command: list[str]
) -> None:
    answer = copied.brain(*command, "--vault", copied.folder)
    assert answer.err.splitlines() == [
        f"brain: {UNDATED}",
        "  No --since or --until lets them through.",
    ]


def test_without_a_filter_nothing_is_said(copied: Vault) -> None:
    assert copied.brain("remember", "roof", "--vault", copied.folder).err == ""


def test_recent_prints_no_day_for_a_copied_note(copied: Vault) -> None:
    answer = copied.brain("recent", "--vault", copied.folder)
    first, second, third, *_ = answer.out.splitlines()
    assert first.split("\t")[:2] == ["2026-11-20", "name"]
    assert second.split("\t")[:2] == ["2024-03-01", "name"]
    assert third.split("\t")[:2] == ["-", "mtime"]
    assert answer.err.splitlines() == [f"brain: {UNDATED}", "  They come last."]


def test_status_counts_copied_notes_as_of_an_unknown_day(copied: Vault) -> None:
    answer = copied.brain("status", "--vault", copied.folder)
    assert [line.split()[:3] for line in answer.out.splitlines() if "not known" in line] == [
        ["not", "known", "20"]
    ]
    document = copied.brain("status", "--json", "--vault", copied.folder).json
    assert sum(document["ages"].values()) == document["notes"]
    assert sum(document["periods"].values()) == 2
    assert answer.err.splitlines() == [f"brain: {UNDATED}"]


def test_a_question_with_a_date_finds_no_note_of_the_day_of_the_copy(copied: Vault) -> None:
    asked = copied.remember("what happened on 19 November 2026")
    assert not [each for each in asked["results"] if each["path"].startswith("tile")]


def test_an_answer_about_a_time_shows_no_day_beside_a_copied_note(copied: Vault) -> None:
    asked = ("remember", "tiles of the roof in november 2026", "--format", "rich", "-n", "9")
    shown = copied.brain(*asked, "--vault", copied.folder).out
    assert "(2026-11-20)" in shown
    assert "tile-" in shown
    assert "2026-11-19" not in shown
