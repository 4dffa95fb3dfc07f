"""Boilerplate is found by counting in how many notes of the vault each line stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brain_cli.index.directory import index_directory_of, read_note_table
from brain_cli.vault.repetition import (
    line_counts,
    line_hash,
    line_hashes,
    without_boilerplate,
)

if TYPE_CHECKING:
    from conftest import Vault

FOOTER = "Please do not edit anything below this line"


def boilerplate_of(vault: Vault) -> frozenset[str]:
    assert vault.brain("index", "--vault", vault.folder).code == 0
    note_table = read_note_table(index_directory_of(str(vault.folder), str(vault.brain.cache)))
    assert note_table is not None
    return note_table.boilerplate


def write_notes(vault: Vault, first: int, last: int) -> None:
    for number in range(first, last):
        vault.note(
            f"{number}.md", f"# Note {number}\n\nText of note {number} alone.\n\n{FOOTER}\n"
        )


def test_a_line_of_ten_notes_is_boilerplate(vault: Vault) -> None:
    write_notes(vault, 0, 10)
    assert boilerplate_of(vault) == {line_hash(FOOTER)}


def test_a_line_of_nine_notes_is_not(vault: Vault) -> None:
    write_notes(vault, 0, 9)
    assert boilerplate_of(vault) == frozenset()


def test_a_refresh_counts_as_a_full_build_does(vault: Vault) -> None:
    write_notes(vault, 0, 9)
    assert boilerplate_of(vault) == frozenset()
    write_notes(vault, 9, 10)
    assert boilerplate_of(vault) == {line_hash(FOOTER)}
    (vault.folder / "3.md").unlink()
    assert boilerplate_of(vault) == frozenset()


def test_in_a_large_vault_a_line_stands_in_one_note_of_a_hundred() -> None:
    common, rare = line_hashes("a line of many notes"), line_hashes("a line of few notes")
    notes = [common] * 20 + [rare] * 19 + [""] * 1_961
    assert line_counts(lambda: notes, len(notes)).frequent((), (), len(notes)) == frozenset(
        (common,)
    )


def test_a_line_counts_once_for_each_note() -> None:
    assert line_hashes(f"{FOOTER}\nother text here\n  {FOOTER}") == line_hash(
        FOOTER
    ) + line_hash("other text here")


def test_very_short_lines_are_never_boilerplate() -> None:
    assert line_hashes("---\n- a\n\n") == ""
    assert without_boilerplate("---", {line_hash("---")}) == "---"


def test_the_first_and_the_last_lines_of_a_long_note_are_counted() -> None:
    lines = [f"line number {number}" for number in range(100_000)]
    hashes = line_hashes("\n".join(lines))
    assert len(hashes) == 150 * 8
    assert hashes.startswith(line_hash(lines[0]))
    assert hashes.endswith(line_hash(lines[-1]))


def test_a_text_can_be_read_without_its_boilerplate() -> None:
    assert without_boilerplate(f"One.\n{FOOTER}\nTwo.", {line_hash(FOOTER)}) == "One.\nTwo."


def test_an_address_that_is_shown_distinguishes_lines() -> None:
    assert line_hash("Site: <https://example.org/a>") != line_hash(
        "Site: <https://example.org/b>"
    )
    assert line_hash("See [the site](https://example.org/a)") == line_hash(
        "See [the site](https://example.org/b)"
    )
