"""The first question of a large vault is answered from the notes that ten seconds can read."""

from __future__ import annotations

import pytest
from conftest import Vault

from brain_cli.index.directory import index_directory_of
from brain_cli.index.sync import IndexedVault, refresh
from brain_cli.index.sync_plan import FIRST_NOTES, BehindError

MORE = 50


@pytest.fixture
def large(vault: Vault) -> Vault:
    for number in range(FIRST_NOTES + MORE):
        vault.note(f"{number:04}.md", f"# Note {number}\n\nleek{number} soup\n")
    return vault


def test_a_first_index_ends_in_time_and_the_next_refresh_goes_on(large: Vault) -> None:
    notes = IndexedVault(str(large.folder), ())
    directory = index_directory_of(str(large.folder), str(large.brain.cache))

    def run(seconds: float) -> int:
        done = refresh(
            notes, directory, lambda *_: None, lambda *_: None, first_seconds=seconds
        )
        return done.notes

    with pytest.raises(BehindError) as behind:
        run(0.001)
    assert behind.value.changed == MORE
    assert large.order("leek7") == ["0007"]
    assert run(0.001) == FIRST_NOTES + MORE, "a second refresh has no such limit"
    assert large.order(f"leek{FIRST_NOTES + 7}") == [f"{FIRST_NOTES + 7:04}"]


def test_a_first_index_with_time_enough_is_complete(large: Vault) -> None:
    assert large.order(f"leek{FIRST_NOTES + 7}") == [f"{FIRST_NOTES + 7:04}"]
