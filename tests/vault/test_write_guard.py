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
    remove_empty_folders,
    remove_note,
    replace_note,
)
from brain_cli.vault.change_journal import (
    Change,
    ChangeSet,
    Journal,
    PlannedChanges,
    apply_change_set,
    recover,
)
from brain_cli.vault.trash import Trash

Write = Callable[[str, str], object]

WRITERS: dict[str, Write] = {
    "create": lambda vault, path: create_note(vault, path, b"new"),
    "replace": lambda vault, path: replace_note(vault, path, b"theirs", b"mine"),
    "remove": lambda vault, path: remove_note(vault, path, b"theirs"),
    "plan": lambda vault, path: PlannedChanges(vault).create(path, b"new"),
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


def move_to(path: str, after: bytes = b"tea") -> ChangeSet:
    changes = (Change(path, None, after), Change("tea.md", b"tea", None))
    return ChangeSet("archive", changes, moves=(("tea.md", path),))


@pytest.mark.parametrize(
    "path", ["../outside/tea.md", "{outside}/tea.md", ".git/tea.md", "linked/tea.md"]
)
def test_a_move_out_of_the_vault_is_refused_and_later_edits_work(
    vault: Path, outside: Path, tmp_path: Path, path: str
) -> None:
    before, journal = files(vault), Journal(tmp_path / "state", Trash(str(tmp_path / "Trash")))
    change_set = move_to(path.format(outside=outside))
    with deadline(), pytest.raises(BrainError, match="nothing is written there"):
        apply_change_set(str(vault), change_set, journal)
    assert files(vault) == before
    assert journal.pending() is None


@pytest.mark.parametrize(
    "path", ["../outside/tea.md", "{outside}/tea.md", ".git/tea.md", "linked/tea.md"]
)
def test_an_interrupted_move_out_of_the_vault_is_not_completed(
    vault: Path, outside: Path, tmp_path: Path, path: str
) -> None:
    before, journal = files(vault), Journal(tmp_path / "state", Trash(str(tmp_path / "Trash")))
    journal.begin(move_to(path.format(outside=outside)))
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


REST = '"at": 1, "moves": [], "rated": [], "undoes": -1, "folders": [], "author": ""'
BROKEN = [
    *(
        "",
        "[]",
        "{}",
        '{"changes": [["a.md"]]}',
        '{"changes": 7, "command": "x"}',
        "[" * 100_000,
    ),
    f'{{"changes": [["tea.md", null]], "command": "forget", {REST}}}',
    f'{{"changes": [["tea.md", 1, null, 0]], "command": "forget", {REST}}}',
    f'{{"changes": [["tea.md", "%", null, "x"]], "command": "forget", {REST}}}',
    f'{{"changes": [], "command": 3, {REST}}}',
    f'{{"changes": [], "command": "forget", {REST.replace("-1", "[]")}}}',
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_journal_that_cannot_be_read_is_kept_aside(
    vault: Path, tmp_path: Path, text: str
) -> None:
    pending = tmp_path / "state" / "pending.json"
    pending.parent.mkdir()
    pending.write_text(text)
    before, journal = files(vault), Journal(pending.parent, Trash(""))
    recovery = recover(str(vault), journal)
    assert recovery
    assert recovery.set_aside
    assert Path(recovery.set_aside).read_text() == text
    assert not pending.exists()
    assert files(vault) == before
    assert recover(str(vault), journal) is None


@pytest.mark.parametrize(
    "path", ["../outside/note.md", "linked/note.md", ".git/note.md", "a\0b.md"]
)
def test_an_interrupted_forget_outside_the_vault_is_not_completed_and_later_edits_work(
    vault: Path, tmp_path: Path, path: str
) -> None:
    before = files(tmp_path)
    journal = Journal(tmp_path / "state", Trash(str(tmp_path / "Trash")))
    journal.begin(ChangeSet("forget", (Change(path, b"theirs", None),)))
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
    journal = Journal(tmp_path / "state", Trash(str(tmp_path / "Trash")))
    change_set = move_to("new.md", b"TEA")
    journal.begin(
        change_set._replace(changes=(Change("b.md", b"b", b"B"), *change_set.changes))
    )
    (vault / "tea.md").unlink()
    (vault / "tea.md").mkdir()
    (vault / "new.md").write_bytes(b"TEA")
    recovery = recover(str(vault), journal)
    assert recovery
    assert recovery.left == ("new.md",)
    assert "dGVh" in Path(recovery.set_aside).read_text()
    assert recover(str(vault), journal) is None
