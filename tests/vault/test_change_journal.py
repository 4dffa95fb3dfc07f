"""Several files change together or not at all, whatever fails half-way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brain_cli.errors import BrainError
from brain_cli.vault.atomic_write import COMPARED, hash_of
from brain_cli.vault.change_journal import (
    Change,
    ChangeSet,
    Journal,
    PlannedChanges,
    Rating,
    apply_change_set,
    recover,
)
from brain_cli.vault.trash import Trash

TIME_NS = 1_700_000_000_000_000_000


def change(path: str, after: bytes | None = b"after") -> Change:
    return Change(path, b"before", after, TIME_NS)


def moved(path: str, new_path: str, after: bytes = b"after") -> tuple[Change, Change]:
    return Change(new_path, None, after), Change(path, b"before", None, TIME_NS)


def edits_and_move(*edits: Change, move: tuple[str, str]) -> ChangeSet:
    return ChangeSet("archive", (*edits, *moved(*move)), moves=(move,))


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
    return Journal(tmp_path / "state", Trash(str(tmp_path / "Trash")))


def texts(vault: Path) -> dict[str, bytes]:
    return {
        path.relative_to(vault).as_posix(): path.read_bytes()
        for path in vault.rglob("*.md")
        if path.is_file()
    }


def trashed(vault: Path) -> list[str]:
    files = vault.parent / "Trash" / "files"
    return sorted(os.listdir(files)) if files.exists() else []


def test_a_change_that_fails_is_rolled_back_with_its_times_and_folders(
    vault: Path, journal: Journal
) -> None:
    before = texts(vault)
    (vault / "in the way.md").mkdir()
    (vault / "empty").mkdir()
    changes = (
        change("a.md"),
        *moved("b.md", "new/folder/b.md"),
        Change("empty/new.md", None, b"new"),
        change("c.md", None),
        Change("in the way.md", None, b"new"),
    )
    with pytest.raises(BrainError) as raised:
        apply_change_set(
            str(vault), ChangeSet("x", changes, moves=(("b.md", "new/folder/b.md"),)), journal
        )
    assert raised.value.hint == "Nothing was changed."
    assert texts(vault) == before
    for name in ("a.md", "b.md", "c.md"):
        assert (vault / name).stat().st_mtime_ns == TIME_NS
    assert not (vault / "new").exists()
    assert (vault / "empty").exists()
    assert trashed(vault) == []
    assert journal.pending() is None


def test_a_journal_that_cannot_be_written_changes_nothing(vault: Path, tmp_path: Path) -> None:
    before = texts(vault)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(BrainError, match="cannot be written") as raised:
        apply_change_set(
            str(vault),
            ChangeSet("archive", (change("a.md"),)),
            Journal(tmp_path / "file" / "state", Trash("")),
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
    journal.begin(edits_and_move(change("a.md"), move=("b.md", "new/b.md")))
    (vault / "a.md").write_bytes(b"after")
    recovery = recover(str(vault), journal)
    assert recovery
    assert recovery.completed
    assert texts(vault) == {"a.md": b"after", "new/b.md": b"after", "c.md": b"before"}


def test_a_move_interrupted_between_its_two_steps_is_completed(
    vault: Path, journal: Journal
) -> None:
    journal.begin(edits_and_move(move=("b.md", "new.md")))
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
    journal.begin(edits_and_move(change("b.md"), move=("a.md", "new.md")))
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
    done = edits_and_move(change("a.md"), move=("b.md", "new/b.md"))
    apply_change_set(str(vault), done, journal)
    journal.finish(done)
    [(number, last)] = journal.changes()
    assert last == done._replace(folders=("new",))
    undoing = last.reversed(undoes=number)
    apply_change_set(str(vault), undoing, journal)
    journal.finish(undoing)
    assert not list(journal.changes())
    assert texts(vault) == before


def add(journal: Journal, change_set: ChangeSet) -> None:
    journal.begin(change_set)
    journal.finish(change_set)


def test_the_journal_keeps_the_newest_changes_within_its_limits(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brain_cli.vault.change_journal.MAX_CHANGES", 3)
    for number in range(1, 6):
        add(journal, ChangeSet("feedback", rated=(Rating(f"{number}.md", "useful"),)))
    assert [number for number, _ in journal.changes()] == [5, 4, 3]
    monkeypatch.setattr("brain_cli.vault.change_journal.MAX_BYTES", 10)
    add(journal, ChangeSet("feedback"))
    assert [number for number, _ in journal.changes()] == [6]


def test_what_killed_processes_left_beside_the_journal_is_removed(
    journal: Journal, tmp_path: Path
) -> None:
    add(journal, ChangeSet("feedback"))
    state = tmp_path / "state"
    left = [state / ".pending.json.7.brain-tmp", state / "changes" / ".new.7.brain-tmp"]
    for path in left:
        path.write_text("[")
        os.utime(path, (1, 1))
    add(journal, ChangeSet("feedback"))
    assert [number for number, _ in journal.changes()] == [2, 1]
    assert not [path for path in left if path.exists()]


def test_a_damaged_entry_hides_no_other(journal: Journal, tmp_path: Path) -> None:
    for _ in range(2):
        add(journal, ChangeSet("feedback"))
    (tmp_path / "state" / "changes" / "2.json").write_text("[")
    assert [number for number, _ in journal.changes()] == [1]


NEW = ChangeSet("add", (Change("new/d.md", None, b"new"),))
GONE = ChangeSet("forget", (change("c.md", None),))


@pytest.mark.parametrize("change_set", [NEW, GONE], ids=["add", "forget"])
def test_a_new_note_and_one_that_goes_are_completed_and_undone_like_an_edit(
    vault: Path, journal: Journal, change_set: ChangeSet
) -> None:
    before = texts(vault)
    journal.begin(change_set)
    recovery = recover(str(vault), journal)
    assert recovery
    assert recovery.completed
    journal.finish(change_set)
    assert texts(vault) != before
    assert trashed(vault) == (["c.md"] if change_set is GONE else [])
    [(number, last)] = journal.changes()
    apply_change_set(str(vault), last.reversed(undoes=number), journal)
    journal.finish(last.reversed(undoes=number))
    assert texts(vault) == before
    assert (vault / "c.md").stat().st_mtime_ns == TIME_NS
    assert trashed(vault) == ([] if change_set is GONE else ["d.md"])
    assert not list(journal.changes())


def test_a_note_that_was_forgotten_comes_back_from_an_emptied_trash(
    vault: Path, journal: Journal
) -> None:
    apply_change_set(str(vault), GONE, journal)
    for path in (vault.parent / "Trash").glob("*/*"):
        path.unlink()
    apply_change_set(str(vault), GONE.reversed(), journal)
    assert (vault / "c.md").read_bytes() == b"before"
    assert (vault / "c.md").stat().st_mtime_ns == TIME_NS


def test_a_forgotten_note_in_whose_place_another_one_is_stays_in_the_trash(
    vault: Path, journal: Journal
) -> None:
    apply_change_set(str(vault), GONE, journal)  # killed before the journal was finished
    (vault / "c.md").write_bytes(b"other")
    recovery = recover(str(vault), journal)
    assert recovery
    assert (recovery.completed, recovery.left) == (False, ("c.md",))
    assert recovery.set_aside
    assert (texts(vault)["c.md"], trashed(vault)) == (b"other", ["c.md"])


def test_a_killed_removal_is_completed_from_the_name_that_it_gave(
    vault: Path, journal: Journal
) -> None:
    journal.begin(GONE)
    folder = str(vault)
    (vault / "c.md").rename(vault / f".{hash_of(b'c.md')}{COMPARED}")
    recovery = recover(folder, journal)
    assert recovery
    assert recovery.completed
    assert [path.name for path in vault.iterdir() if path.name[0] == "."] == []
    assert trashed(vault) == ["c.md"]


def test_a_plan_knows_its_own_notes_and_refuses_what_no_file_can_be(vault: Path) -> None:
    plan = PlannedChanges(str(vault))
    plan.create("new/d.md", b"new", 7)
    plan.replace("new/d.md", b"newer")
    plan.replace("a.md", b"after")
    plan.replace("b.md", b"before")
    for path in ("new/d.md", "b.md"):
        with pytest.raises(FileExistsError):
            plan.create(path, b"")
    for path in (f"new/{'x' * 300}.md", "a.md/x.md", f"{'x' * 300}/y.md"):
        with pytest.raises(OSError, match=r"File name too long|Not a directory"):
            plan.create(path, b"")
    with pytest.raises(BrainError, match="outside the vault"):
        plan.create("../x.md", b"")
    assert plan.read("new/d.md") == b"newer"
    assert plan.read("b.md") == b"before"
    assert plan.changes == (Change("new/d.md", None, b"newer", 7), change("a.md"))


def test_all_that_an_edit_depends_on_is_on_the_disk_before_it(
    vault: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    real = os.fsync

    def sync(handle: int) -> None:
        steps.append(os.readlink(f"/proc/self/fd/{handle}").removeprefix(f"{vault.parent}/"))
        real(handle)

    monkeypatch.setattr(os, "fsync", sync)
    apply_change_set(str(vault), edits_and_move(move=("b.md", "new/deep/b.md")), journal)
    names = [step.partition(".brain-tmp")[0].rpartition(".md")[0] or step for step in steps]
    assert names.index("state") < names.index("notes")
    new = [step for step in steps if step.startswith("notes")]
    assert new[:2] == ["notes", "notes/new"], "each new folder is in a folder that is synced"
    assert new[-2:] == ["notes/new/deep", "notes"]
