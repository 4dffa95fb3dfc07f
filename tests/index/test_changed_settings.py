"""Settings that decide how notes are read change the index at once, though no note has changed."""

from __future__ import annotations

import pytest
from conftest import Vault


@pytest.fixture
def roof(vault: Vault) -> Vault:
    """A note that is archived by its folder under one setting, and dated by its frontmatter or by
    its name.
    """
    vault.note("old/2024-03-01 roof.md", "# Roof\n\nThe roof leaks.\n", date="2025-09-09")
    vault.brain.config.parent.mkdir(parents=True)
    return vault


def date_of_the_roof(roof: Vault) -> str:
    return str(roof.remember("roof leaks")["results"][0]["date"])[:10]


def test_another_order_of_date_sources_changes_the_dates_of_notes(roof: Vault) -> None:
    assert date_of_the_roof(roof) == "2025-09-09"
    roof.brain.config.write_text('dates = ["name", "frontmatter"]\n')
    assert date_of_the_roof(roof) == "2024-03-01"
    roof.brain.config.unlink()
    assert date_of_the_roof(roof) == "2025-09-09"


def test_another_archive_folder_archives_its_notes(roof: Vault) -> None:
    assert roof.remember("roof leaks")["results"]
    roof.brain.config.write_text('archive_folders = ["old"]\n')
    assert roof.remember("roof leaks")["results"] == []


def test_an_index_by_the_same_settings_is_not_built_again(roof: Vault) -> None:
    roof.brain("index", "--vault", roof.folder)
    [build] = (roof.brain.cache / "brain").glob("*/build-*")
    roof.brain("index", "--vault", roof.folder)
    assert [build] == list((roof.brain.cache / "brain").glob("*/build-*"))
