"""Several files change together or not at all, whatever fails half-way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brain_cli.errors import BrainError
from brain_cli.vault.change_journal import ChangeSet, FileChange, Journal, apply_change_set, recover

TIME_NS = 1_700_000_000_000_000_000


def change(path: str, new_path: str = "", after: bytes = b"after") -> FileChange:
    return FileChange(path, new_path or path, b"before", after, TIME_NS)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault of three notes with the text that the changes of these tests expect."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("a.md", "b.md", "c.md"):
        (folder / name).write_bytes(b"before")
        os.utime(folder / name, ns=(TIME_NS, TIME_NS))
    return folder


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


def texts(vault: Path) -> dict[str, bytes]:
    return {
        path.relative_to(vault).as_posix(): path.read_bytes()
        for path in vault.rglob("*.md")
        if path.is_file()
    }


def failing(vault: Path, *changes: FileChange) -> tuple[FileChange, ...]:
    """Return changes that end with one that fails: a folder is in its way."""
    (vault / "in the way.md").mkdir()
    return (*changes, change("c.md", "in the way.md"))


def test_a_change_that_fails_is_rolled_back_with_its_times_and_folders(
    vault: Path, journal: Journal
) -> None:
    before = texts(vault)
    changes = failing(vault, change("a.md"), change("b.md", "new/folder/b.md"))
    with pytest.raises(BrainError) as raised:
        apply_change_set(str(vault), ChangeSet("archive", changes), journal)
    assert raised.value.hint == "Nothing was changed."
    assert texts(vault) == before
    assert (vault / "a.md").stat().st_mtime_ns == TIME_NS
    assert not (vault / "new").exists()
    assert journal.pending() is None


def test_a_journal_that_cannot_be_written_changes_nothing(vault: Path, tmp_path: Path) -> None:
    before = texts(vault)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(BrainError, match="cannot be written") as raised:
        apply_change_set(
            str(vault),
            ChangeSet("archive", (change("a.md"),)),
            Journal(tmp_path / "file" / "state"),
        )
    assert raised.value.hint == "Nothing was changed."
    assert texts(vault) == before


def test_a_note_that_another_program_changed_stops_the_whole_change(
    vault: Path, journal: Journal
) -> None:
    (vault / "b.md").write_bytes(b"changed")
    with pytest.raises(BrainError, match=r"b\.md was changed by another program"):
        apply_change_set(
            str(vault), ChangeSet("archive", (change("a.md"), change("b.md"))), journal
        )
    assert texts(vault) == {"a.md": b"before", "b.md": b"changed", "c.md": b"before"}


def test_an_interrupted_change_is_completed(vault: Path, journal: Journal) -> None:
    journal.begin(ChangeSet("archive", (change("a.md"), change("b.md", "new/b.md"))))
    (vault / "a.md").write_bytes(b"after")
    recovery = recover(str(vault), journal)
    assert recovery
    assert recovery.completed
    assert texts(vault) == {"a.md": b"after", "new/b.md": b"after", "c.md": b"before"}


def test_a_move_interrupted_between_its_two_steps_is_completed(
    vault: Path, journal: Journal
) -> None:
    journal.begin(ChangeSet("archive", (change("b.md", "new.md"),)))
    (vault / "new.md").write_bytes(b"after")
    recovery = recover(str(vault), journal)
    assert recovery
    assert recovery.completed
    assert texts(vault) == {"a.md": b"before", "new.md": b"after", "c.md": b"before"}


def test_an_interrupted_change_is_undone_if_one_of_its_notes_has_changed_since(
    vault: Path, journal: Journal
) -> None:
    journal.begin(ChangeSet("archive", (change("a.md"), change("b.md"))))
    (vault / "a.md").write_bytes(b"after")
    (vault / "b.md").write_bytes(b"changed")
    recovery = recover(str(vault), journal)
    assert recovery
    assert (recovery.completed, recovery.left) == (False, ())
    assert texts(vault) == {"a.md": b"before", "b.md": b"changed", "c.md": b"before"}
    assert journal.pending() is None


def test_what_cannot_be_put_back_is_named(vault: Path, journal: Journal) -> None:
    journal.begin(ChangeSet("archive", (change("a.md", "new.md"), change("b.md"))))
    (vault / "a.md").unlink()
    (vault / "new.md").write_bytes(b"after")
    (vault / "a.md").mkdir()  # the former place is taken
    (vault / "b.md").write_bytes(b"changed")
    recovery = recover(str(vault), journal)
    assert recovery
    assert (recovery.completed, recovery.left) == (False, ("new.md",))
    assert (vault / "new.md").read_bytes() == b"after"


def test_without_a_journal_nothing_is_recovered(vault: Path, journal: Journal) -> None:
    assert recover(str(vault), journal) is None


def test_undoing_a_change_puts_every_note_back(vault: Path, journal: Journal) -> None:
    before = texts(vault)
    done = ChangeSet("archive", (change("a.md"), change("b.md", "new/b.md")))
    apply_change_set(str(vault), done, journal)
    journal.finish(done)
    [(number, last)] = journal.changes()
    assert last == done._replace(folders=("new",))
    undoing = last.reversed("undo", undoes=number)
    apply_change_set(str(vault), undoing, journal)
    journal.finish(undoing)
    assert not list(journal.changes())
    assert texts(vault) == before


def test_a_change_that_was_finished_when_the_process_was_killed_is_kept_once(
    vault: Path, journal: Journal
) -> None:
    done = ChangeSet("pin", (change("a.md"),))
    journal.begin(done)
    (vault / "a.md").write_bytes(b"after")
    state = vault.parent / "state"
    os.link(state / "pending.json", state / "changes" / "1.json")
    assert recover(str(vault), journal) is None
    assert [found for _, found in journal.changes()] == [done]


def test_the_journal_keeps_the_newest_changes_within_its_limits(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brain_cli.vault.change_journal.MAX_CHANGES", 3)
    for number in range(1, 6):
        journal.add(ChangeSet("feedback", rated=((f"{number}.md", "useful"),)))
    assert [number for number, _ in journal.changes()] == [5, 4, 3]
    monkeypatch.setattr("brain_cli.vault.change_journal.MAX_BYTES", 10)
    journal.add(ChangeSet("feedback"))
    assert [number for number, _ in journal.changes()] == [6]


def test_what_killed_processes_left_beside_the_journal_is_removed(
    journal: Journal, tmp_path: Path
) -> None:
    journal.add(ChangeSet("feedback"))
    state = tmp_path / "state"
    left = [state / ".pending.json.7.brain-tmp", state / "changes" / ".new.7.brain-tmp"]
    for path in left:
        path.write_text("[")
        os.utime(path, (1, 1))
    journal.add(ChangeSet("feedback"))
    assert [number for number, _ in journal.changes()] == [2, 1]
    assert not [path for path in left if path.exists()]


def test_a_damaged_entry_hides_no_other(journal: Journal, tmp_path: Path) -> None:
    for _ in range(2):
        journal.add(ChangeSet("feedback"))
    (tmp_path / "state" / "changes" / "2.json").write_text("[")
    assert [number for number, _ in journal.changes()] == [1]
