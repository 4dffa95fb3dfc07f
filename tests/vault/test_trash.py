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
from brain_cli.vault.change_journal import Change, ChangeSet, Journal, apply_change_set
from brain_cli.vault.trash import Trash

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
# Copy a note to the trash and remove it there; print where it is, its text, its time, and the path in
# the info file.
KEEP = """
import json, os, sys
from pathlib import Path
from brain_cli.vault.trash import Trash
top, trash = sys.argv[1:]
os.mkdir(f"{top}/notes")
note = f"{top}/notes/tea.md"
Path(note).write_text("Green.")
os.utime(note, (1_700_000_000, 1_700_000_000))
copy = Path(Trash(trash).keep(note, b"Green.", 1_763_719_200.0))
info = copy.parents[1] / "info" / f"{copy.name}.trashinfo"
path = next(line for line in info.read_text().splitlines() if line.startswith("Path="))
print(json.dumps([str(copy), copy.read_text(), copy.stat().st_mtime, path]))
Trash(trash).remove_copies(note, b"Green.")
assert not copy.exists()
assert not info.exists()
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
    command = [*MOUNTED, str(top), sys.executable, "-c", KEEP, str(top), str(home / "Trash")]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": ROOT},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        f"{home}/Trash/files/tea.md",
        "Green.",
        1_700_000_000,
        f"Path={top}/notes/tea.md",
    ]


@pytest.fixture
def note(tmp_path: Path) -> Path:
    file = tmp_path / "notes" / "tea.md"
    file.parent.mkdir()
    file.write_text("Green.")
    return file


@pytest.fixture
def trash(tmp_path: Path) -> Path:
    return tmp_path / "Trash"


def kept(note: Path, trash: Path) -> Path:
    return Path(Trash(str(trash)).keep(str(note), note.read_bytes(), 0.0))


def test_a_copy_is_made_once_also_by_a_process_that_completes_a_killed_one(
    note: Path, trash: Path
) -> None:
    info = trash / "info" / "tea.md.trashinfo"
    copy = kept(note, trash)
    copy.unlink()  # killed after it reserved the name
    (trash / "files" / ".tea.md.7.brain-tmp").write_text("Gre")
    os.utime(trash / "files" / ".tea.md.7.brain-tmp", (1, 1))
    for _ in range(2):
        assert kept(note, trash) == copy
    assert [path.name for path in copy.parent.iterdir()] == ["tea.md"]
    assert list(info.parent.iterdir()) == [info]
    assert Trash(str(trash)).copies(str(note)) == [str(copy)]
    assert Trash(str(trash)).copies(str(note), b"Black.") == []
    assert Trash(str(trash)).copies(str(note.with_name("tea 2.md"))) == []


def test_a_note_that_cannot_be_copied_stays_and_reserves_no_name(
    note: Path, trash: Path, tmp_path: Path
) -> None:
    trash.mkdir()
    (trash / "files").symlink_to("/proc")  # where nobody can create a file
    change_set = ChangeSet("forget", (Change("tea.md", b"Green.", None),))
    with pytest.raises(BrainError) as raised:
        apply_change_set(
            str(note.parent), change_set, Journal(tmp_path / "state", Trash(str(trash)))
        )
    assert raised.value.hint == "Nothing was changed."
    assert note.read_text() == "Green."
    assert list((trash / "info").iterdir()) == []


def test_on_a_full_disk_no_name_is_reserved(note: Path, trash: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(OSError, match="large"):
            kept(note, trash)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list((trash / "info").iterdir()) == []


def test_a_file_that_the_trash_does_not_list_is_not_overwritten(
    note: Path, trash: Path
) -> None:
    (trash / "files").mkdir(parents=True)
    (trash / "files" / "tea.md").write_text("Black.")
    assert kept(note, trash).name == "tea 2.md"
    assert (trash / "files" / "tea.md").read_text() == "Black."
    assert [path.name for path in (trash / "info").iterdir()] == ["tea 2.md.trashinfo"]


def test_notes_of_one_name_lie_in_the_trash_side_by_side(note: Path, trash: Path) -> None:
    names = []
    texts = ["Green.", "Black.", "White."]
    for text in texts:
        note.write_text(text)
        names.append(kept(note, trash).name)
    assert names == ["tea.md", "tea 2.md", "tea 3.md"]
    assert [(trash / "files" / name).read_text() for name in names] == texts
    (trash / "files" / "tea 2.md").unlink()
    Trash(str(trash)).remove_copies(str(note))
    assert not [*trash.glob("files/*")]
