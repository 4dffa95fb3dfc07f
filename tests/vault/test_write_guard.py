"""Every writer of notes refuses a path outside the vault by itself, whatever its caller has
checked.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from deadline import deadline

from brain_cli.errors import BrainError
from brain_cli.vault.atomic_write import (
    create_note,
    folders_above,
    hash_of,
    move_file,
    remove_empty_folders,
    remove_note,
    replace_note,
)
from brain_cli.vault.change_journal import (
    ChangeSet,
    FileChange,
    Journal,
    apply_change_set,
    recover,
)
from brain_cli.vault.trash import move_to_trash, reserve, restore_from_trash

Write = Callable[[str, str], object]

WRITERS: dict[str, Write] = {
    "create": lambda vault, path: create_note(vault, path, b"new"),
    "replace": lambda vault, path: replace_note(vault, path, b"theirs", b"mine"),
    "remove": lambda vault, path: remove_note(vault, path, "tea.md", b"theirs"),
    "move to": lambda vault, path: move_file(vault, "tea.md", path, b"tea"),
    "move from": lambda vault, path: move_file(vault, path, "new.md", b"theirs"),
    "reserve": lambda vault, path: reserve(vault, path, f"{vault}/../Trash", 0.0),
    "trash": lambda vault, path: move_to_trash(
        vault, path, hash_of(b"theirs"), f"{vault}/../trashed.md"
    ),
    "restore": lambda vault, path: restore_from_trash(
        vault, path, hash_of(b"tea"), f"{vault}/tea.md"
    ),
}
OUTSIDE = [
    "../outside/note.md",
    "a/../../outside/note.md",
    "{outside}/note.md",
    "linked/note.md",
    ".git/note.md",
    "",
]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "note.md").write_bytes(b"theirs")
    return folder


@pytest.fixture
def vault(tmp_path: Path, outside: Path) -> Path:
    """A vault with a note, a folder that links to one outside, and a note in a hidden folder."""
    folder = tmp_path / "vault"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "note.md").write_bytes(b"theirs")
    (folder / "tea.md").write_bytes(b"tea")
    (folder / "linked").symlink_to(outside)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("writer", WRITERS)
def test_a_writer_refuses_a_path_that_is_no_place_for_a_note(
    vault: Path, outside: Path, tmp_path: Path, writer: str, path: str
) -> None:
    before = files(tmp_path)
    with deadline(), pytest.raises(BrainError, match="nothing is written there"):
        WRITERS[writer](str(vault), path.format(outside=outside))
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    "path", ["../outside/tea.md", "{outside}/tea.md", ".git/tea.md", "linked/tea.md"]
)
def test_a_move_out_of_the_vault_is_refused_and_later_edits_work(
    vault: Path, outside: Path, tmp_path: Path, path: str
) -> None:
    before, journal = files(vault), Journal(tmp_path / "state")
    change = FileChange("tea.md", path.format(outside=outside), b"tea", b"tea", 1)
    with deadline(), pytest.raises(BrainError, match="nothing is written there"):
        apply_change_set(str(vault), ChangeSet("archive", (change,)), journal)
    assert files(vault) == before
    assert journal.pending() is None


@pytest.mark.parametrize(
    "path", ["../outside/tea.md", "{outside}/tea.md", ".git/tea.md", "linked/tea.md"]
)
def test_an_interrupted_move_out_of_the_vault_is_not_completed(
    vault: Path, outside: Path, tmp_path: Path, path: str
) -> None:
    before, journal = files(vault), Journal(tmp_path / "state")
    journal.begin(
        ChangeSet(
            "archive", (FileChange("tea.md", path.format(outside=outside), b"tea", b"tea", 1),)
        )
    )
    with deadline():
        recovery = recover(str(vault), journal)
    assert recovery
    assert not recovery.completed
    assert files(vault) == before
    assert journal.pending() is None


@pytest.mark.parametrize("folder", ["/", "/nowhere/at/all", "..", "../..", "a/b", ""])
def test_removing_empty_folders_ends_and_stays_in_the_vault(vault: Path, folder: str) -> None:
    (vault / "a" / "b").mkdir(parents=True)
    (vault.parent / "empty").mkdir()
    with deadline():
        remove_empty_folders(str(vault), folders_above(f"{folder}/note.md"))
        remove_empty_folders(str(vault), ["../empty"])
    assert (vault.parent / "empty").is_dir()
    assert (vault / "a").is_dir() == (folder != "a/b")


BROKEN = [
    *("", "[]", "{}", '{"changes": [["a.md"]]}', '{"changes": 7, "command": "x"}', "[" * 100_000),
    '{"changes": [], "command": "forget", "trashed": [["tea.md"]]}',
    '{"changes": [], "command": "forget", "trashed": [["tea.md", "1", "/a\\u0000b"]]}',
    '{"changes": [], "command": "forget", "undoes": "x"}',
    '{"changes": [], "command": 3}',
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_journal_that_cannot_be_read_is_kept_aside(
    vault: Path, tmp_path: Path, text: str
) -> None:
    pending = tmp_path / "state" / "pending.json"
    pending.parent.mkdir()
    pending.write_text(text)
    before, journal = files(vault), Journal(pending.parent)
    recovery = recover(str(vault), journal)
    assert recovery
    assert recovery.set_aside
    assert Path(recovery.set_aside).read_text() == text
    assert not pending.exists()
    assert files(vault) == before
    assert recover(str(vault), journal) is None


@pytest.mark.parametrize(
    "place", ["{outside}/note.md", "{outside}", "/proc/tea.md", "/nowhere/tea.md", "tea.md"]
)
def test_an_interrupted_forget_that_cannot_be_completed_leaves_the_note_and_later_edits_work(
    vault: Path, outside: Path, tmp_path: Path, place: str
) -> None:
    before, journal = files(tmp_path), Journal(tmp_path / "state")
    entry = ("tea.md", hash_of(b"tea"), place.format(outside=outside))
    journal.begin(ChangeSet("forget", trashed=(entry,)))
    recovery = recover(str(vault), journal)
    assert recovery
    assert not recovery.completed
    assert {
        path: raw for path, raw in files(tmp_path).items() if not path.startswith("state")
    } == before
    assert recover(str(vault), journal) is None


def test_a_journal_that_cannot_be_undone_either_is_kept_aside_with_the_former_texts(
    vault: Path, tmp_path: Path
) -> None:
    journal = Journal(tmp_path / "state")
    changes = (
        FileChange("tea.md", "new.md", b"tea", b"TEA", 1),
        FileChange("b.md", "b.md", b"b", b"B", 1),
    )
    journal.begin(ChangeSet("archive", changes))
    (vault / "tea.md").unlink()
    (vault / "tea.md").mkdir()
    (vault / "new.md").write_bytes(b"TEA")
    recovery = recover(str(vault), journal)
    assert recovery
    assert recovery.left == ("new.md",)
    assert "dGVh" in Path(recovery.set_aside).read_text()
    assert recover(str(vault), journal) is None
