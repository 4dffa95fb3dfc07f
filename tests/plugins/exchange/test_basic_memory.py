"""The notes of basic-memory, as its version 0.24.1 writes them, come over with their names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import Vault

BREWING = """---
title: Coffee Brewing Methods
type: note
permalink: main/coffee/coffee-brewing-methods
tags:
- coffee
- brewing
---

# Coffee Brewing Methods

Notes from the kitchen.

## Observations
- [method] Pour over gives more clarity than French press #filter
- [temperature] Water at 96 °C extracts best #brewing (own measurement)

## Relations
- relates_to [[Coffee Bean Origins]]
- requires [[Proper Grinding Technique]] (before each cup)
- pairs_with [[coffee/lemon-cake]]
"""
ORIGINS = """---
title: Coffee Bean Origins
type: note
permalink: main/coffee/coffee-bean-origins
---

# Coffee Bean Origins

- [origin] Yirgacheffe tastes of lemon #ethiopia
- part_of [[main/coffee/coffee-brewing-methods]]
"""
CAKE = (
    "---\ntitle: 'Cake, with lemon'\npermalink: main/coffee/lemon-cake\n---\n\n- [taste] Sour\n"
)
PLAIN = "A note by hand, without a frontmatter.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "basic-memory"
    (folder / "coffee").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "coffee" / "Coffee Brewing Methods.md").write_text(BREWING, encoding="utf-8")
    (folder / "coffee" / "Coffee Bean Origins.md").write_text(ORIGINS, encoding="utf-8")
    (folder / "coffee" / "Cake.md").write_text(CAKE, encoding="utf-8")
    (folder / "plain.md").write_text(PLAIN, encoding="utf-8")
    (folder / ".hidden" / "draft.md").write_text("No note.\n", encoding="utf-8")
    return folder


@pytest.fixture
def imported(vault: Vault, project: Path) -> Vault:
    answer = vault.brain("import", "basic-memory", project, "--vault", vault.folder)
    assert (answer.code, answer.out) == (0, "4 notes made.\n")
    return vault


def test_each_note_keeps_its_place_and_its_text(imported: Vault) -> None:
    folder = imported.folder / "imported" / "basic-memory"
    note = (folder / "coffee" / "Coffee Brewing Methods.md").read_text(encoding="utf-8")
    head, _, body = BREWING.partition("\n---\n")
    assert note == (
        f"{head}\naliases: [main/coffee/coffee-brewing-methods, coffee/coffee-brewing-methods]\n"
        f'source_id: "basic-memory:main/coffee/coffee-brewing-methods"\n---\n{body}'
    )
    assert (folder / "plain.md").read_text(encoding="utf-8").endswith(PLAIN)


def test_relations_by_title_and_by_permalink_are_links(imported: Vault) -> None:
    named = "Coffee Brewing Methods"
    answer = imported.brain("related", named, "--json", "--vault", imported.folder)
    links = {os.path.basename(each["path"]): each["link"] for each in answer.json["related"]}
    assert links == {"Coffee Bean Origins.md": "both", "Cake.md": "to"}


@pytest.mark.parametrize(
    "name", ["main/coffee/lemon-cake", "coffee/lemon-cake", "Cake, with lemon"]
)
def test_a_permalink_names_its_note(imported: Vault, name: str) -> None:
    answer = imported.brain("show", name, "--json", "--vault", imported.folder)
    assert answer.json["path"] == "imported/basic-memory/coffee/Cake.md"


@pytest.mark.parametrize(
    "question", ["tag:filter", "tag:brewing water", "which water temperature"]
)
def test_observations_are_found_by_their_words_and_tags(imported: Vault, question: str) -> None:
    answer = imported.brain(
        "remember", question, "-n", "1", "--format", "paths", "--vault", imported.folder
    )
    assert answer.out.endswith("Coffee Brewing Methods.md\n")


def test_a_second_import_brings_only_what_is_new(imported: Vault, project: Path) -> None:
    moved = ("mv", "Cake", "cake/sour.md", "--vault", imported.folder)
    assert imported.brain(*moved).code == 0
    (project / "tea.md").write_text("---\ntitle: Tea\npermalink: tea\n---\n\nGreen.\n")
    answer = imported.brain("import", "basic-memory", project, "--vault", imported.folder)
    assert answer.out == "1 note made; 4 known already.\n"


def test_the_database_is_not_its_notes(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"SQLite format 3\0")
    answer = vault.brain(
        "import", "basic-memory", tmp_path / "memory.db", "--vault", vault.folder
    )
    assert answer.code == 3
    assert answer.err.endswith(
        "memory.db is not a folder.\n  Name the folder of a project, such as ~/basic-memory.\n"
    )


def test_help_finds_it_by_its_name(vault: Vault) -> None:
    printed = vault.brain("help", "basic-memory").out
    assert any(line.startswith("brain import SOURCE") for line in printed.splitlines())
