"""A note goes to the trash of its own file system, and is never in no place at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from brain_cli.vault.trash import move_to_trash

ROOT = str(Path(__file__).parents[2])
# Mount a file system of its own at a folder, which nobody else sees, and run a program there.
MOUNTED = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"']
# Prepare the top folder, move a note to the trash; print where it is, its text, and the path in the info file.
MOVE = """
import json, os, sys
from pathlib import Path
from brain_cli.vault.trash import move_to_trash
top, home, prepare = sys.argv[1:]
os.chdir(top)
os.mkdir("notes")
Path("notes/tea.md").write_text("Green.")
exec(prepare)
trashed = Path(move_to_trash(f"{top}/notes", "tea.md", home, 1_763_719_200.0))
info = trashed.parents[1] / "info" / f"{trashed.name}.trashinfo"
path = next(line for line in info.read_text().splitlines() if line.startswith("Path="))
print(json.dumps([str(trashed), trashed.read_text(), path, os.path.exists("notes/tea.md")]))
"""


def can_mount(folder: Path) -> bool:
    try:
        return subprocess.run([*MOUNTED, str(folder), "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("prepare", "trash", "path"),
    [
        ("", "TOP/.Trash-0", "notes/tea.md"),
        ("os.mkdir('.Trash'); os.chmod('.Trash', 0o1777)", "TOP/.Trash/0", "notes/tea.md"),
        ("os.mkdir('.Trash'); os.chmod('.Trash', 0o777)", "TOP/.Trash-0", "notes/tea.md"),
        ("Path('.Trash').write_text('')", "TOP/.Trash-0", "notes/tea.md"),
        ("os.mkdir('elsewhere'); os.symlink('elsewhere', '.Trash-0')", "HOME/Trash", "TOP/notes/tea.md"),
        ("Path('.Trash-0').write_text('')", "HOME/Trash", "TOP/notes/tea.md"),
    ],
    ids=[
        "the user's own",
        "a shared one",
        "a shared one that anybody may empty",
        "a file in place of the shared one",
        "a link in place of the own one",
        "a file in place of the own one",
    ],
)
def test_a_note_of_another_file_system_goes_to_the_trash_there_or_is_copied_home(
    tmp_path: Path, prepare: str, trash: str, path: str
) -> None:
    top, home = tmp_path / "top", tmp_path / "home"
    top.mkdir()
    home.mkdir()
    if not can_mount(top):
        pytest.skip("this system lets nobody mount a file system of their own")
    command = [*MOUNTED, str(top), sys.executable, "-c", MOVE, str(top), str(home / "Trash"), prepare]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ROOT})
    assert done.returncode == 0, done.stderr
    places = {"TOP": str(top), "HOME": str(home)}
    for name, place in places.items():
        trash, path = trash.replace(name, place), path.replace(name, place)
    assert json.loads(done.stdout) == [f"{trash}/files/tea.md", "Green.", f"Path={path}", False]


def test_a_note_that_cannot_be_moved_stays_and_reserves_no_name(tmp_path: Path) -> None:
    note, trash = tmp_path / "tea.md", tmp_path / "Trash"
    note.write_text("Green.")
    trash.mkdir()
    (trash / "files").symlink_to("/proc")  # where nobody can create a file
    with pytest.raises(OSError, match="tea"):
        move_to_trash(str(tmp_path), note.name, str(trash), 0.0)
    assert note.read_text() == "Green."
    assert list((trash / "info").iterdir()) == []


def test_a_file_that_the_trash_does_not_list_is_not_overwritten(tmp_path: Path) -> None:
    note, trash = tmp_path / "tea.md", tmp_path / "Trash"
    note.write_text("Green.")
    (trash / "files").mkdir(parents=True)
    (trash / "files" / "tea.md").write_text("Black.")
    assert Path(move_to_trash(str(tmp_path), note.name, str(trash), 0.0)).name == "tea 2.md"
    assert (trash / "files" / "tea.md").read_text() == "Black."
    assert [path.name for path in (trash / "info").iterdir()] == ["tea 2.md.trashinfo"]


def test_notes_of_one_name_lie_in_the_trash_side_by_side(tmp_path: Path) -> None:
    note, trash = tmp_path / "tea.md", tmp_path / "Trash"
    names = []
    for text in ("Green.", "Black.", "White."):
        note.write_text(text)
        names.append(Path(move_to_trash(str(tmp_path), note.name, str(trash), 0.0)).name)
    assert names == ["tea.md", "tea 2.md", "tea 3.md"]
    assert [(trash / "files" / name).read_text() for name in names] == ["Green.", "Black.", "White."]
