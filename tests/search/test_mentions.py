"""How a note mentions the words of a question: in passing, only in code, or with another number."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from brain_cli.index.directory import IndexDirectory
from brain_cli.index.snapshot import open_snapshot
from brain_cli.index.sync import Vault as IndexedVault
from brain_cli.index.sync import refresh
from brain_cli.ranking.certainty import STRONG_CERTAINTY
from brain_cli.search.bm25 import look_up
from brain_cli.search.mentions import MAX_SECTIONS, Mentions
from brain_cli.types import Fragment
from brain_cli.vault.analyzer import Word

if TYPE_CHECKING:
    from conftest import Vault

FILLER = "\n\n".join(f"Paragraph {number} tells of plaster, paint, lime and brushes." for number in range(12))


def parts_of(vault: Vault, query: str) -> dict[str, float]:
    first, *_ = vault.remember(query)["results"]
    return {part["name"]: part["value"] for part in first["certainty_parts"]}


def first_of(vault: Vault, query: str) -> dict[str, Any]:
    found: dict[str, Any] = vault.remember(query)["results"][0]
    return found


@pytest.fixture
def workshop(vault: Vault) -> Vault:
    for number in range(8):
        vault.note(f"day-{number}.md", f"# Day {number}\n\nThe workshop opened early, and we used the bench.\n")
    return vault


@pytest.mark.parametrize(
    ("query", "usual", "rare"),
    [
        ("can we use the workshop with a chisel", "We use the workshop early.", "A friend bought a chisel."),
        ("kann ich in der Werkstatt hobeln", "Die Werkstatt ist am Abend geschlossen.", "Ein Freund will hobeln."),
        ("есть ли в мастерской рубанок", "В мастерской сегодня было очень тепло.", "Друг принёс рубанок и ушёл."),
    ],
)
def test_a_rare_word_mentioned_in_passing_makes_no_strong_match(
    vault: Vault, query: str, usual: str, rare: str
) -> None:
    for number in range(8):
        vault.note(f"{number}.md", f"# {number}\n\n{usual}\n")
    vault.note("letter.md", f"# 9\n\n{usual} {rare}\n\n{FILLER}\n")
    first = first_of(vault, query)
    assert first["path"] == "letter.md"
    assert parts_of(vault, query)["lone_word"] == 1.0
    assert first["certainty"] < STRONG_CERTAINTY


@pytest.mark.parametrize(
    "note",
    [
        "# The chisel\n\nWe use the workshop.\n",
        "# Letter\n\n## Chisel\n\nWe use the workshop.\n",
        "---\naliases: [chisel]\n---\n# Letter\n\nWe use the workshop.\n",
    ],
)
def test_a_word_in_a_name_or_a_heading_is_not_a_passing_mention(workshop: Vault, note: str) -> None:
    workshop.note("tool.md", note)
    assert parts_of(workshop, "can we use the workshop with a chisel")["lone_word"] == 0.0


def test_a_question_of_one_word_matches_any_mention_of_it(workshop: Vault) -> None:
    workshop.note("letter.md", f"# Letter\n\nA friend bought a chisel.\n\n{FILLER}\n")
    assert parts_of(workshop, "chisel")["lone_word"] == 0.0


@pytest.mark.parametrize("question", ["what is a chisel", "how does the chisel look?"])
def test_a_note_that_says_the_word_by_the_way_does_not_answer_what_it_is(workshop: Vault, question: str) -> None:
    workshop.note("letter.md", f"# Letter\n\nA friend bought a chisel.\n\n{FILLER}\n")
    assert workshop.remember("chisel")["strategy"] == "single-strong"
    assert workshop.remember(question)["strategy"] == "many-weak"
    assert parts_of(workshop, question)["lone_word"] == 1.0


def test_a_name_in_two_words_has_the_compound(workshop: Vault) -> None:
    workshop.note("sort.md", f"# Quick Sort\n\nQuicksort divides a list.\n\n{FILLER}\n")
    assert parts_of(workshop, "what is quicksort")["lone_word"] == 0.0


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_a_word_in_a_block_of_code_alone_counts_as_one_in_code(workshop: Vault, fence: str) -> None:
    workshop.note("address.md", f"# Addresses\n\nGive out addresses.\n\n{fence}\n# hacked servers\nrange 1\n{fence}\n")
    assert parts_of(workshop, "hacked servers")["in_code"] == pytest.approx(1.0)
    workshop.note(
        "address.md", f"# Addresses\n\nGive hacked servers addresses.\n\n{fence}\n# hacked servers\n{fence}\n"
    )
    assert parts_of(workshop, "hacked servers")["in_code"] == 0.0


def test_code_below_a_heading_that_the_question_names_is_not_a_passing_mention(workshop: Vault) -> None:
    workshop.note("watch.md", "# Watch\n\nRound.\n\n## Classes of servers\n\n```\n.hacked {}\n```\n")
    assert parts_of(workshop, "servers hacked")["in_code"] == 0.0


def test_a_word_after_a_block_of_code_is_not_in_it(workshop: Vault) -> None:
    workshop.note("address.md", "# Addresses\n\n```sh\nrange 1\n```\n\nSome servers were hacked.\n")
    assert parts_of(workshop, "hacked servers")["in_code"] == 0.0


def test_a_note_about_another_year_is_not_certain(workshop: Vault) -> None:
    workshop.note("Fair of 2021.md", "# Fair of 2021\n\nMaren won the fair with a chair.\n")
    workshop.note("list.md", "# List\n\nChairs of 2024 are in the shed.\n")
    asked = {year: first_of(workshop, f"who won the fair of {year}") for year in ("2021", "2024")}
    assert {year: found["path"] for year, found in asked.items()} == dict.fromkeys(asked, "Fair of 2021.md")
    assert asked["2021"]["certainty"] >= STRONG_CERTAINTY > asked["2024"]["certainty"]
    assert asked["2024"]["certainty_rule"] == "the note's name has another number"


def test_of_a_word_in_thousands_of_sections_only_the_first_few_are_read(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    sections = "\n\n".join(f"## Day {number}\n\nThe gouge lay there.\n" for number in range(2_000))
    (tmp_path / "notes" / "journal.md").write_text(f"# Journal\n\n{sections}")
    index_directory = IndexDirectory(tmp_path / "cache" / "brain" / "notes")
    refresh(IndexedVault(str(tmp_path / "notes"), ()), index_directory, lambda *_: None, lambda *_: None)
    snapshot = open_snapshot(index_directory)
    read: set[int] = set()
    read_fragment = snapshot.index.fragment

    def fragment(number: int) -> Fragment:
        read.add(number)
        return read_fragment(number)

    snapshot.index.fragment = fragment  # type: ignore[method-assign]
    words = [look_up(snapshot, Word(term, (term,))) for term in ("goug", "lathe")]
    [note_id] = snapshot.note_table.rows
    mentions = Mentions(snapshot, note_id, words)
    assert len(words[0].scores.sections) == 2_000
    assert mentions.is_lone_word
    assert mentions.code_share == 0.0
    assert len(read) == MAX_SECTIONS
