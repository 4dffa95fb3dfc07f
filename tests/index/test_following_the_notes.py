"""The index follows the notes: whatever happens to a file between two recalls, the next answer
knows of it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Vault


@pytest.fixture
def tea(vault: Vault) -> Vault:
    """Three notes that have been asked for once."""
    vault.note("tea.md", "# Tea\n\nGreen or black.\n")
    vault.note("soup.md", "# Soup\n\nWith leek and potato.\n")
    vault.note("deep/bread.md", "# Bread\n\nSour, with rye.\n")
    assert vault.order("leek") == ["soup"]
    return vault


def counts(vault: Vault, *options: str) -> dict[str, int]:
    document = vault.brain("index", "--json", "--vault", vault.folder, *options).json
    return {
        key: document[key]
        for key in ("added", "changed", "removed", "renamed", "notes", "fragments")
    }


def nothing(notes: int, fragments: int) -> dict[str, int]:
    return {
        "added": 0,
        "changed": 0,
        "removed": 0,
        "renamed": 0,
        "notes": notes,
        "fragments": fragments,
    }


def test_a_note_that_was_added_is_found(tea: Vault) -> None:
    tea.note("rice.md", "# Rice\n\nBasmati.\n")
    assert tea.order("basmati") == ["rice"]


def test_a_note_that_was_changed_is_found_by_its_new_words_and_not_by_its_old(
    tea: Vault,
) -> None:
    tea.note("soup.md", "# Soup\n\nWith pumpkin.\n")
    assert tea.order("pumpkin") == ["soup"]
    assert tea.order("leek") == []


def test_a_note_that_was_removed_is_not_found(tea: Vault) -> None:
    (tea.folder / "soup.md").unlink()
    assert tea.order("leek") == []
    assert tea.order("soup") == []


def test_a_note_that_was_renamed_is_found_under_its_new_name(tea: Vault) -> None:
    (tea.folder / "soup.md").rename(tea.folder / "deep" / "potage.md")
    assert tea.order("leek") == ["deep/potage"]
    assert tea.order("potage") == ["deep/potage"]


def test_two_notes_that_swapped_their_names_keep_their_words(tea: Vault) -> None:
    (tea.folder / "soup.md").rename(tea.folder / "swap")
    (tea.folder / "tea.md").rename(tea.folder / "soup.md")
    (tea.folder / "swap").rename(tea.folder / "tea.md")
    assert tea.order("leek") == ["tea"]
    assert tea.order("green") == ["soup"]


def test_a_folder_that_was_renamed_takes_its_notes_along(tea: Vault) -> None:
    (tea.folder / "deep").rename(tea.folder / "shallow")
    assert tea.order("rye") == ["shallow/bread"]
    assert counts(tea) == nothing(3, 3)


def test_an_undated_note_that_was_touched_is_younger_and_nothing_has_to_be_read_again(
    tea: Vault,
) -> None:
    before = tea.remember("leek")["results"][0]
    os.utime(tea.folder / "soup.md", (1_750_000_000, 1_750_000_000))
    after = tea.remember("leek")["results"][0]
    assert after["age_days"] < before["age_days"]
    assert counts(tea) == nothing(3, 3)


def test_a_dated_note_is_as_old_as_it_says_however_often_it_is_touched(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n", date="2026-11-11T10:00:00Z")
    assert vault.remember("leek")["results"][0]["age_days"] == 10
    os.utime(vault.folder / "soup.md", (1_750_000_000, 1_750_000_000))
    assert vault.remember("leek")["results"][0]["age_days"] == 10


def test_a_change_in_the_same_second_and_of_the_same_size_is_seen(vault: Vault) -> None:
    file = vault.folder / "soup.md"
    file.write_text("# Soup\n\nWith leek.\n")
    assert vault.order("leek") == ["soup"]
    file.write_text("# Soup\n\nWith kale.\n")
    assert vault.order("kale") == ["soup"]
    assert vault.order("leek") == []


def test_an_archived_note_is_no_longer_a_candidate(tea: Vault) -> None:
    (tea.folder / "archive").mkdir()
    (tea.folder / "soup.md").rename(tea.folder / "archive" / "soup.md")
    recalled = tea.remember("leek")
    assert recalled["strategy"] == "archive-fallback"
    assert [found["path"] for found in recalled["archive"]] == ["archive/soup.md"]


def test_the_counts_say_what_was_done(tea: Vault) -> None:
    assert counts(tea) == nothing(3, 3)
    tea.note("tea.md", "# Tea\n\nOolong.\n\n## How\n\nHot.\n")
    tea.note("rice.md", "# Rice\n")
    (tea.folder / "deep" / "bread.md").rename(tea.folder / "loaf.md")
    (tea.folder / "soup.md").unlink()
    assert counts(tea) == {
        "added": 1,
        "changed": 1,
        "removed": 1,
        "renamed": 1,
        "notes": 3,
        "fragments": 4,
    }
    assert counts(tea) == nothing(3, 4)


def test_a_full_build_reads_everything_and_changes_no_answer(tea: Vault) -> None:
    tea.note("rice.md", "# Rice\n\nBasmati, with leek.\n")
    before = tea.relevances("leek rice")
    assert counts(tea, "--full")["added"] == 4
    assert tea.relevances("leek rice") == before
    assert counts(tea) == nothing(4, 4)


def test_a_deleted_cache_loses_nothing(tea: Vault) -> None:
    before = tea.relevances("leek soup")
    shutil.rmtree(tea.brain.cache)
    assert tea.relevances("leek soup") == before


def test_a_file_that_is_not_a_note_is_left_alone(tea: Vault) -> None:
    for path in (
        ".obsidian/leek.md",
        "node_modules/leek.md",
        "leek.txt",
        ".leek.md",
        "ignored/leek.md",
    ):
        tea.note(path, "# Leek\n")
    (tea.folder / ".gitignore").write_text("ignored/\n")
    (tea.folder / "linked.md").symlink_to(tea.folder / "soup.md")
    os.mkfifo(tea.folder / "pipe.md")
    assert tea.order("leek") == ["soup"]


def test_a_vault_has_one_index_for_all_paths_that_lead_to_it(
    tea: Vault, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tea.folder)
    assert tea.brain("index", "--vault", tmp_path / "link").code == 0
    assert len(list((tea.brain.cache / "brain").iterdir())) <= 2
    assert tea.brain("index", "--json", "--vault", f"{tea.folder}/../notes").json["added"] == 0


def test_a_folder_that_cannot_be_read_is_named_and_the_others_are_recalled(tea: Vault) -> None:
    if os.geteuid() == 0:
        pytest.skip("root can read everything")
    (tea.folder / "deep").chmod(0)
    answer = tea.brain("remember", "leek", "--format", "paths", "--vault", tea.folder)
    (tea.folder / "deep").chmod(0o755)
    assert answer.code == 0
    assert "deep" in answer.err
