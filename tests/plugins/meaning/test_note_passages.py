"""The passages of a note that are embedded: a bounded number of bounded ones, each found again by
its position.
"""

from __future__ import annotations

from conftest import Vault

from brain_cli.index.directory import index_directory_of
from brain_cli.index.snapshot import open_snapshot
from brain_cli.plugins.meaning.embedding import (
    MAX_PASSAGES,
    EmbeddedPassage,
    note_passages,
    passages_at,
)


def passages_of(vault: Vault, text: str) -> list[EmbeddedPassage]:
    vault.note("note.md", text)
    assert vault.brain("index", "--vault", vault.folder).code == 0
    snapshot = open_snapshot(index_directory_of(str(vault.folder), str(vault.brain.cache)))
    try:
        return note_passages(snapshot, snapshot.note_table.ids["note.md"])
    finally:
        snapshot.index.close()


def test_a_long_note_has_a_bounded_number_of_passages(vault: Vault) -> None:
    sections = (
        f"## Part {number}\n\nThe otter number {number} swims far.\n\nIt eats fish.\n"
        for number in range(500)
    )
    assert len(passages_of(vault, "# Otters\n\n" + "\n".join(sections))) == MAX_PASSAGES


def test_neighbouring_paragraphs_are_embedded_together(vault: Vault) -> None:
    found = passages_of(
        vault,
        "# Otters\n\n" + "\n\n".join(f"The otter {n} swims to the river." for n in range(9)),
    )
    assert min(each.position.pieces for each in found) > 1


def test_a_note_without_words_is_embedded_by_its_title(vault: Vault) -> None:
    [only] = passages_of(vault, "# Otters\n")
    assert (only.context, *only.sentences) == ("Otters",)


def test_a_passage_is_cut_alike_alone_and_with_all_others(vault: Vault) -> None:
    sections = (
        f"## Part {n}\n\nThe otter {n} swims far. It eats fish.\n\n- one\n- two {n}\n"
        for n in range(9)
    )
    vault.note("note.md", "# Otters\n\n" + "\n".join(sections))
    assert vault.brain("index", "--vault", vault.folder).code == 0
    snapshot = open_snapshot(index_directory_of(str(vault.folder), str(vault.brain.cache)))
    note_id = snapshot.note_table.ids["note.md"]
    every = note_passages(snapshot, note_id)
    assert [passages_at(snapshot, note_id, [each.position]) for each in every] == [
        [each] for each in every
    ]
    snapshot.index.close()
