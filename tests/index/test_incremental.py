"""An index that followed the notes step by step answers as one that was built from scratch."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.index.directory import IndexDirectory, read_note_table
from brain_cli.index.sync import IndexedVault as Folder
from brain_cli.index.sync import refresh

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Vault

NAMES = ("tea", "soup", "deep/bread", "archive/rice")
WORDS = (
    "green",
    "leek",
    "rye",
    "milk",
    "[[tea]]",
    "[[bread]]",
    "#food",
    "\n\n## Later\n\n",
    "\n- salt\n",
)
LONG_AGO = 1_700_000_000
QUERIES = ("green tea", "leek soup with rye", "milk food", "bread")
EDIT = st.tuples(
    st.sampled_from(["write", "delete", "rename", "touch", "recall"]),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12),
)


def everything(vault: Vault) -> list[object]:
    """All that an answer consists of, but for the time it took."""
    documents = [vault.remember(query, "--scorer", "clawmem") for query in QUERIES]
    return [
        {key: value for key, value in each.items() if key != "elapsed_ms"} for each in documents
    ]


def apply(
    vault: Vault, action: str, name: str, other: str, words: list[str], step: int
) -> None:
    file, target = vault.folder / f"{name}.md", vault.folder / f"{other}.md"
    if action == "recall":
        vault.remember(QUERIES[step % len(QUERIES)])
    elif action == "write":
        vault.note(f"{name}.md", f"# {name.title()} {step}\n\n{' '.join(words)}\n")
        # A change shows in the file's time or in its size.
        os.utime(file, (LONG_AGO + step, LONG_AGO + step))
    elif file.exists():
        if action == "delete":
            file.unlink()
        elif action == "rename":
            target.parent.mkdir(exist_ok=True)
            file.rename(target)
        else:
            file.touch()


@pytest.mark.exhaustive
@examples(20)
@given(st.lists(EDIT, min_size=3, max_size=12))
def test_any_sequence_of_edits_leaves_the_answers_of_a_full_build(
    new_vault: Callable[[], Vault], edits: list[tuple[str, str, str, list[str]]]
) -> None:
    vault = new_vault()
    vault.note("always.md", "# Always\n\nGreen tea with milk, and [[soup]].\n")
    vault.remember("tea")
    for step, (action, name, other, words) in enumerate(edits):
        apply(vault, action, name, other, words, step)
    followed = everything(vault)
    shutil.rmtree(vault.brain.cache)
    assert followed == everything(vault)


HEADS = (
    "supersedes: tea",
    "supersedes: deep/TEA",
    "aliases: [Bread, a/b]",
    "aliases: [Tèa]",
    "supersedes: [bread, rice]",
    "aliases: [soup]",
    "title: Tea",
    "related: '[[rice]]'",
    "tags: x",
)
TEXTS = (
    *(
        "[[tea]]",
        "[[soup|x]]",
        "[b](deep/bread.md)",
        "[[Rice]]",
        "green",
        "# Bread",
        "[[soup|green leek]]",
    ),
    *(
        "[c](../archive/rice)",
        "[d](/deep/)",
        "[e](.)",
        "[f](./TEA.md)",
        "[g](<%20tea.md>)",
        "[[a.b|soup.x]]",
        "[[x|tea.leaf]]",
        "[[b]]",
    ),
)
GERMAN = "# Notiz\n\nDas war nicht im Garten, aber wir haben es auch mit dem Zug gesehen.\n"
PATHS = (
    *(
        "tea.md",
        "tea.markdown",
        "soup.md",
        "deep/bread.md",
        "deep/Tea.md",
        "archive/rice.md",
        "deep/index.md",
    ),
    *("archive/bread.md", "tea.leaf.md", "Bread.md", "deep/ tea.md"),
)
CHANGE = st.tuples(
    st.sampled_from(["write", "write", "write", "text", "delete", "rename", "touch"]),
    st.sampled_from(PATHS),
    st.sampled_from(PATHS),
    st.sets(st.sampled_from(HEADS), max_size=3),
    st.lists(st.sampled_from(TEXTS), max_size=3),
)


def connections(folder: Path, cache: Path) -> dict[str, object]:
    """Each note by path: its neighbours, those that supersede it, and the words of links to it,
    after a refresh.
    """
    index_directory = IndexDirectory(cache / "brain" / "notes")
    refresh(
        Folder(str(folder), ("archive",)), index_directory, lambda *_: None, lambda *_: None
    )
    note_table = read_note_table(index_directory)
    assert note_table is not None
    rows = note_table.rows

    def paths(note_ids: list[int]) -> list[str]:
        return sorted(rows[each].path for each in note_ids)

    words = ("green", "leek", "x", "b", "c", "d", "e", "f", "soup.x", "tea.leaf", "leaf")
    anchors = {word: note_table.anchors.links(word) for word in words}
    return {"words": note_table.anchors.lines.count("\n")} | {
        row.path: (
            paths(row.neighbours),
            paths(row.successors),
            note_table.metadata(row.note_id).superseded,
            {word: anchors[word].get(row.note_id) for word in words},
        )
        for row in rows.values()
    }


def change(
    folder: Path, action: str, path: str, other: str, head: set[str], text: list[str]
) -> None:
    file, target = folder / path, folder / other
    if action == "write":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(["---", *sorted(head), "---", *text, ""]))
    elif file.exists():
        if action == "text":
            file.write_text(file.read_text() + "\nand leek\n")
        elif action == "delete":
            file.unlink()
        elif action == "rename":
            target.parent.mkdir(parents=True, exist_ok=True)
            file.rename(target)
        else:
            file.touch()


@pytest.mark.exhaustive
@examples(50)
@given(st.lists(st.lists(CHANGE, min_size=1, max_size=2), min_size=2, max_size=8))
def test_notes_are_connected_after_any_sequence_of_edits_as_after_a_full_build(
    tmp_path_factory: pytest.TempPathFactory,
    batches: list[list[tuple[str, str, str, set[str], list[str]]]],
) -> None:
    root = tmp_path_factory.mktemp("connected")
    change(root / "notes", "write", "tea.md", "tea.md", {"supersedes: soup"}, ["[[rice]]"])
    change(root / "notes", "write", "archive/rice.md", "", {"supersedes: tea"}, ["[[tea]]"])
    connections(root / "notes", root / "followed")
    for batch in batches:
        for each in batch:
            change(root / "notes", *each)
        followed = connections(root / "notes", root / "followed")
    assert followed == connections(root / "notes", root / "new")


def test_a_note_too_short_to_tell_its_language_is_read_in_that_of_the_others(
    vault: Vault,
) -> None:
    for number in range(3):
        vault.note(f"tag{number}.md", GERMAN)
    vault.note("kurz.md", "# Einkaufslisten\n\nKartoffeln\n")
    first = vault.relevances("einkaufsliste")
    assert first["kurz"] > 0.9
    vault.note("kurz.md", "# Einkaufslisten\n\nKartoffeln!\n")
    assert vault.relevances("einkaufsliste") == first


def test_one_note_in_another_language_does_not_change_how_short_ones_are_found(
    vault: Vault,
) -> None:
    vault.note("kurz.md", "# Running\n\nShoes\n")
    assert vault.relevances("run")["kurz"] > 0.9
    vault.note("tag.md", GERMAN)
    assert vault.relevances("run")["kurz"] > 0.9


@pytest.mark.exhaustive
def test_deleting_notes_and_adding_them_again_leaves_every_relevance_as_it_was(
    sample: Vault, vault: Vault
) -> None:
    shutil.copytree(sample.folder, vault.folder, dirs_exist_ok=True)
    before = vault.relevances("event-driven design")
    kept = vault.folder.parent / "kept"
    for folder in ("projects", "learnings", "incidents"):
        shutil.move(vault.folder / folder, kept)
        assert vault.relevances("event-driven design") != before
        shutil.move(kept, vault.folder / folder)
    assert vault.relevances("event-driven design") == before
    assert vault.brain("index", "--full", "--vault", vault.folder).code == 0
    assert vault.relevances("event-driven design") == before


def test_one_changed_note_leaves_the_rest_of_the_note_table_as_it_is(vault: Vault) -> None:
    for number in range(50):
        vault.note(f"{number}.md", f"# Note {number}\n\nText {number}.\n")
    vault.brain("index", "--vault", vault.folder)
    (base,) = vault.brain.cache.rglob("base-*.notes")
    before = base.stat().st_ino
    vault.note("7.md", "# Note 7\n\nWith saffron.\n")
    assert [each["path"] for each in vault.remember("saffron")["results"]] == ["7.md"]
    assert [base] == list(vault.brain.cache.rglob("base-*.notes"))
    assert base.stat().st_ino == before


def test_a_note_table_whose_base_is_gone_is_rebuilt(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n\nGreen.\n")
    vault.brain("index", "--vault", vault.folder)
    (base,) = vault.brain.cache.rglob("base-*.notes")
    base.unlink()
    assert [each["path"] for each in vault.remember("green")["results"]] == ["tea.md"]
