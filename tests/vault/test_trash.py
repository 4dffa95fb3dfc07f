"""A note goes to the trash of its own file system, and is never in no place at all."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from brain_cli.errors import BrainError
from brain_cli.vault.atomic_write import hash_of
from brain_cli.vault.change_journal import ChangeSet, Journal, apply_change_set
from brain_cli.vault.trash import move_to_trash, reserve, restore_from_trash

ROOT = str(Path(__file__).parents[2])
# Mount a file system of its own at a folder, which nobody else sees, and run a program there.
MOUNTED = [
    "unshare",
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    'mount -t tmpfs none "$0" && exec "$@"',
]
# Move a note to the trash; print where it is, its text, and the path in the info file.
MOVE = """
import json, os, sys
from pathlib import Path
from brain_cli.vault.atomic_write import hash_of
from brain_cli.vault.trash import move_to_trash, reserve, restore_from_trash
top, home = sys.argv[1:]
os.chdir(top)
os.mkdir("notes")
Path("notes/tea.md").write_text("Green.")
os.utime("notes/tea.md", (1_700_000_000, 1_700_000_000))
trashed = Path(reserve(f"{top}/notes", "tea.md", home, 1_763_719_200.0))
entry = ("tea.md", hash_of(b"Green."), str(trashed))
move_to_trash(f"{top}/notes", *entry)
info = trashed.parents[1] / "info" / f"{trashed.name}.trashinfo"
path = next(line for line in info.read_text().splitlines() if line.startswith("Path="))
print(json.dumps([str(trashed), trashed.read_text(), path, os.path.exists("notes/tea.md")]))
restore_from_trash(f"{top}/notes", *entry)
assert Path("notes/tea.md").read_text() == "Green."
assert os.stat("notes/tea.md").st_mtime == 1_700_000_000
assert os.listdir("notes") == ["tea.md"]
assert not trashed.exists()
"""


def can_mount(folder: Path) -> bool:
    try:
        return (
            subprocess.run(
                [*MOUNTED, str(folder), "true"], capture_output=True, check=False
            ).returncode
            == 0
        )
    except FileNotFoundError:
        return False


def test_a_note_of_another_file_system_is_copied_home(tmp_path: Path) -> None:
    top, home = tmp_path / "top", tmp_path / "home"
    top.mkdir()
    home.mkdir()
    if not can_mount(top):
        pytest.skip("this system lets nobody mount a file system of their own")
    command = [*MOUNTED, str(top), sys.executable, "-c", MOVE, str(top), str(home / "Trash")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ROOT}
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        f"{home}/Trash/files/tea.md",
        "Green.",
        f"Path={top}/notes/tea.md",
        False,
    ]


def entry_of(note: Path, trash: Path) -> tuple[str, str, str]:
    """Reserve a place in the trash for a note; return its name, hash and place."""
    return (
        note.name,
        hash_of(note.read_bytes()),
        reserve(str(note.parent), note.name, str(trash), 0.0),
    )


def forgotten(note: Path, trash: Path) -> tuple[str, str, str]:
    """Move a note to the trash; return its name, hash and place."""
    entry = entry_of(note, trash)
    move_to_trash(str(note.parent), *entry)
    return entry


# Each mount is a file system of its own for a rename, also where both have one device.
TWO_MOUNTS = [
    "unshare",
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    'mount --bind "$0" "$0" && exec "$@"',
]
BOTH_WAYS = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_trash import forgotten
from brain_cli.vault.trash import restore_from_trash
note, trash = Path(sys.argv[2]), Path(sys.argv[3])
entry = forgotten(note, trash)
assert not note.exists()
assert Path(entry[2]).read_text() == "Green."
restore_from_trash(str(note.parent), *entry)
assert note.read_text() == "Green."
"""


@pytest.mark.exhaustive
def test_a_trash_on_another_mount_of_the_same_device_is_copied_to_and_from(tmp_path: Path) -> None:
    note, trash = tmp_path / "notes" / "tea.md", tmp_path / "Trash"
    note.parent.mkdir()
    note.write_text("Green.")
    folder = str(note.parent)
    probe = subprocess.run([*TWO_MOUNTS, folder, "true"], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip("this system lets nobody mount a file system of their own")
    command = [
        *TWO_MOUNTS,
        folder,
        sys.executable,
        "-c",
        BOTH_WAYS,
        str(Path(__file__).parent),
        str(note),
        str(trash),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ROOT}
    )
    assert done.returncode == 0, done.stderr


def test_a_copy_between_file_systems_that_was_killed_is_completed(tmp_path: Path) -> None:
    note, trash = tmp_path / "tea.md", tmp_path / "Trash"
    note.write_text("Green.")
    entry = entry_of(note, trash)
    Path(entry[2]).write_text("Green.")
    move_to_trash(str(tmp_path), *entry)
    assert not note.exists()
    note.write_text("Green.")
    (tmp_path / ".tea.md.7.brain-tmp").write_text("Gre")
    restore_from_trash(str(tmp_path), *entry)
    assert not [*tmp_path.glob(".tea*")]
    assert (note.read_text(), Path(entry[2]).exists()) == ("Green.", False)


@pytest.mark.parametrize("changed", ["note", "trash"])
def test_what_changed_meanwhile_is_neither_moved_nor_overwritten(
    tmp_path: Path, changed: str
) -> None:
    note, trash = tmp_path / "tea.md", tmp_path / "Trash"
    note.write_text("Green.")
    entry = entry_of(note, trash)
    place = Path(entry[2])
    (note if changed == "note" else place).write_text("Black.")
    before = note.read_text(), place.exists()
    with pytest.raises(BrainError, match="was changed by another program"):
        (restore_from_trash if changed == "note" else move_to_trash)(str(tmp_path), *entry)
    assert (note.read_text(), place.exists()) == before


def test_a_note_that_cannot_be_moved_stays_and_reserves_no_name(tmp_path: Path) -> None:
    note, trash = tmp_path / "tea.md", tmp_path / "Trash"
    note.write_text("Green.")
    trash.mkdir()
    (trash / "files").symlink_to("/proc")  # where nobody can create a file
    change = ChangeSet("forget", trashed=(entry_of(note, trash),))
    with pytest.raises(BrainError) as raised:
        apply_change_set(str(tmp_path), change, Journal(tmp_path / "state"))
    assert raised.value.hint == "Nothing was changed."
    assert note.read_text() == "Green."
    assert list((trash / "info").iterdir()) == []


def test_on_a_full_disk_no_name_is_reserved(tmp_path: Path) -> None:
    note, trash = tmp_path / "tea.md", tmp_path / "Trash"
    note.write_text("Green.")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(OSError, match="large"):
            entry_of(note, trash)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list((trash / "info").iterdir()) == []


def test_a_file_that_the_trash_does_not_list_is_not_overwritten(tmp_path: Path) -> None:
    note, trash = tmp_path / "tea.md", tmp_path / "Trash"
    note.write_text("Green.")
    (trash / "files").mkdir(parents=True)
    (trash / "files" / "tea.md").write_text("Black.")
    assert Path(forgotten(note, trash)[2]).name == "tea 2.md"
    assert (trash / "files" / "tea.md").read_text() == "Black."
    assert [path.name for path in (trash / "info").iterdir()] == ["tea 2.md.trashinfo"]


def test_notes_of_one_name_lie_in_the_trash_side_by_side(tmp_path: Path) -> None:
    note, trash = tmp_path / "tea.md", tmp_path / "Trash"
    names = []
    for text in ("Green.", "Black.", "White."):
        note.write_text(text)
        names.append(Path(forgotten(note, trash)[2]).name)
    assert names == ["tea.md", "tea 2.md", "tea 3.md"]
    assert [(trash / "files" / name).read_text() for name in names] == [
        "Green.",
        "Black.",
        "White.",
    ]
