"""Every engine gives the same answers: one that is added has to pass this class with a line in
ENGINES.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from brain_cli import index
from brain_cli.index.damage import BrokenIndexError
from brain_cli.index.directory import IndexDirectory
from brain_cli.index.snapshot import Snapshot, open_snapshot
from brain_cli.index.sync import IndexedVault as Folder
from brain_cli.index.sync import refresh

if TYPE_CHECKING:
    from conftest import Vault

# `plain` is one file beside this one, as an engine that somebody adds is.
ENGINES = {**index.ENGINES, "plain": "plain_engine"}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    monkeypatch.setitem(index.ENGINES, "whoosh", ENGINES[name])
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return name


def indexed(vault: Vault) -> tuple[IndexDirectory, Snapshot]:
    directory = IndexDirectory(vault.folder.parent / "cache" / "notes")
    refresh(Folder(str(vault.folder), ()), directory, lambda *_: None, lambda *_: None)
    return directory, open_snapshot(directory)


def fragments_with(snapshot: Snapshot, field: str, term: str) -> dict[str, float]:
    """Return the weights of a term by the path of its note."""
    return {
        snapshot.note_table.metadata(snapshot.index.note_ids[number]).path: weight
        for numbers, weights in snapshot.index.postings(field, term)
        for number, weight in zip(numbers, weights, strict=True)
        if snapshot.index.note_ids[number]
    }


@pytest.mark.usefixtures("engine")
class TestEngine:
    def test_postings_have_the_weights_of_each_field(self, vault: Vault) -> None:
        vault.note("tea.md", "# Tea\n\nGreen lamp, green door.\n")
        vault.note("soup.md", "# Soup\n\nA green [[tea|lamp]].\n")
        _, snapshot = indexed(vault)
        assert fragments_with(snapshot, index.BODY, "green") == {"tea.md": 2.0, "soup.md": 1.0}
        assert fragments_with(snapshot, index.ABOUT, "tea") == {"tea.md": 4.5}
        assert fragments_with(snapshot, index.IN_LINKS, "lamp") == {"soup.md": 0.5}
        assert fragments_with(snapshot, index.BODY, "wolf") == {}

    def test_terms_are_found_by_prefix(self, vault: Vault) -> None:
        vault.note("a.md", "lamp lump land wolf\n")
        _, snapshot = indexed(vault)
        assert sorted(snapshot.index.terms_with_prefix(index.BODY, "la")) == ["lamp", "land"]

    def test_fragments_come_back_as_they_were_written(self, vault: Vault) -> None:
        vault.note("a.md", "# Tea\n\nGreen.\n\n## Milk\n\nWhite.\n")
        _, snapshot = indexed(vault)
        found = [
            snapshot.index.fragment(number) for number in range(len(snapshot.index.note_ids))
        ]
        assert [(each.trail, each.text, each.line) for each in found] == [
            (("Tea",), "Green.", 1),
            (("Tea", "Milk"), "White.", 5),
        ]

    def test_a_change_replaces_the_fragments_of_its_notes_and_makes_a_generation(
        self, vault: Vault
    ) -> None:
        vault.note("a.md", "Green.\n")
        vault.note("b.md", "White.\n")
        _, before = indexed(vault)
        vault.note("a.md", "Brown and white.\n")
        (vault.folder / "b.md").unlink()
        _, after = indexed(vault)
        assert after.index.generation > before.index.generation
        assert fragments_with(after, index.BODY, "green") == {}
        assert fragments_with(after, index.BODY, "white") == {"a.md": 1.0}

    def test_an_opened_index_stays_as_it_was_while_another_generation_is_written(
        self, vault: Vault
    ) -> None:
        vault.note("a.md", "Green.\n")
        _, before = indexed(vault)
        vault.note("a.md", "Brown.\n")
        indexed(vault)
        assert fragments_with(before, index.BODY, "green") == {"a.md": 1.0}

    def test_a_damaged_file_is_noticed(self, vault: Vault) -> None:
        vault.note("a.md", "Green.\n")
        directory, _ = indexed(vault)
        build = directory.build()
        assert build is not None
        max(build.glob("_MAIN_*.toc")).write_bytes(b"")
        with pytest.raises(BrokenIndexError):
            open_snapshot(directory)
