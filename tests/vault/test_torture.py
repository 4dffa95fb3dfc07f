"""Vaults as they are: whatever lies in a folder is read as far as it can be, quickly, and found by
its words.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from deadline import deadline

from brain_cli.index.directory import index_directory_of
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import IndexedVault, Refreshed, refresh
from brain_cli.search.relevance import matches
from brain_cli.types import ARCHIVE_FOLDERS
from brain_cli.vault.analyzer import query_words, same_name

from .torture import TIMES, make_torture


class Tortured(NamedTuple):
    """The folder, the word of each note, and what became of them."""

    vault: Path
    words: dict[str, str]
    refreshed: Refreshed
    snapshot: Snapshot
    warnings: list[tuple[str, str]]


@pytest.fixture(scope="module")
def tortured(tmp_path_factory: pytest.TempPathFactory) -> Tortured:
    home = tmp_path_factory.mktemp("home")
    vault = home / "vault"
    words = make_torture(vault)
    place = index_directory_of(str(vault), str(home / "cache"))
    warnings: list[tuple[str, str]] = []
    with deadline():
        refreshed = refresh(
            IndexedVault(str(vault), ARCHIVE_FOLDERS),
            place,
            lambda path, why: warnings.append((path, why)),
            lambda *_: None,
        )
    return Tortured(vault, words, refreshed, open_snapshot(place), warnings)


def test_every_note_is_indexed_and_nothing_else(tortured: Tortured) -> None:
    assert set(tortured.snapshot.note_table.ids) == {*tortured.words, "empty.md"}
    assert tortured.refreshed.added == len(tortured.words) + 1


def test_every_note_is_found_by_its_word_and_by_no_other(tortured: Tortured) -> None:
    rows = tortured.snapshot.note_table.rows
    languages = tortured.snapshot.note_table.languages
    found = {}
    for path, word in tortured.words.items():
        notes = matches(
            tortured.snapshot, query_words(word, languages), same_name(word)
        ).relevances
        found[path] = [rows[note_id].path for note_id in notes]
    assert found == {path: [path] for path in tortured.words}


@pytest.mark.parametrize("query", ["Größe", "grosse naive cafe", "設計", "quick fox", "secret"])
def test_other_words_are_found_as_well_but_none_from_outside(
    tortured: Tortured, query: str
) -> None:
    words = query_words(query, tortured.snapshot.note_table.languages)
    found = matches(tortured.snapshot, words, same_name(query)).relevances
    assert bool(found) == (query != "secret")


def test_there_is_at_most_one_warning_for_a_file_and_it_is_one_line(tortured: Tortured) -> None:
    assert len(dict(tortured.warnings)) == len(tortured.warnings)
    assert not [why for _, why in tortured.warnings if "\n" in why]


def test_files_that_are_wrong_are_named(tortured: Tortured) -> None:
    named = {path for path, _ in tortured.warnings}
    assert {
        "heads/template.md",
        "heads/deep.md",
        "heads/unterminated.md",
        "heads/impossible-date.md",
        "heads/toml.md",
        "encodings/latin1.md",
        "encodings/shift-jis.md",
    } <= named
    assert (
        not {"heads/rules.md", "heads/booleans.md", "encodings/crlf.md", "texts/open-links.md"}
        & named
    )


def test_no_file_of_the_vault_was_executed(tortured: Tortured) -> None:
    assert not (tortured.vault / "EXECUTED").exists()
    assert not Path("EXECUTED").exists()


def test_old_and_future_files_keep_their_time(tortured: Tortured) -> None:
    note_table = tortured.snapshot.note_table
    for name, seconds in TIMES.items():
        assert note_table.metadata(note_table.ids[f"{name}.md"]).timestamp == seconds
