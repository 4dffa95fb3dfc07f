"""Folders of brain that belong to somebody else: an answer or one sentence, never a traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Vault

SOMEBODY = 1234
POWERLESS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
FOLDERS = (
    ".cache",
    ".cache/brain",
    ".local/state",
    ".local/state/brain",
    ".local/share",
    ".local/share/brain",
    ".config",
)
COMMANDS = (
    ("remember", "leek"),
    ("status",),
    ("recent",),
    ("undo", "--list"),
    ("add", "New"),
    ("pin", "leek"),
    ("model", "list"),
)
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of others"),
    pytest.mark.skipif(not shutil.which("setpriv"), reason="needs setpriv"),
]


def powerless(vault: Vault, *arguments: str) -> str:
    """Run a command as root without its powers; return what it says."""
    command = [
        *POWERLESS,
        sys.executable,
        "-m",
        "brain_cli",
        *arguments,
        "--vault",
        str(vault.folder),
    ]
    return subprocess.run(
        command,
        env=vault.brain.environ(),
        cwd=vault.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    ).stderr


def test_a_file_that_may_not_be_read_is_named_once_and_by_its_name(vault: Vault) -> None:
    vault.note("leek.md", "# Leek\n\nLeek soup needs salt.\n")
    vault.note("Gymnasium.md", "# Gymnasium\n\nIt begins at eight.\n")
    (vault.folder / "data").mkdir()
    vault.note("data/nas.md", "# NAS\n\nTwo disks.\n").chmod(0)
    said = powerless(vault, "show", "nas")
    assert said.count("cannot be read") == 1
    assert "data/nas.md is left out." in said
    assert "brain doctor why data/nas.md" in said
    for command in ("related leek", "history leek", "add x --path y.md"):
        assert powerless(vault, *command.split()).count("cannot be read") == 1, command


def test_a_change_that_the_mode_forbids_is_told_plainly(vault: Vault) -> None:
    vault.note("work/leek.md", "# Leek\n\nLeek soup needs salt.\n")
    (vault.folder / "work").chmod(0o555)
    for command in ("pin leek", "mv leek soup", "forget leek --yes", "snooze leek 2w"):
        said = powerless(vault, *command.split())
        assert "Nothing was changed. Its owner or its mode forbids it" in said
        assert "To recall the words" not in said


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_of_somebody_else_is_no_bug(vault: Vault, tmp_path: Path, folder: str) -> None:
    vault.note("leek.md", "# Leek\n\nLeek soup needs salt.\n")
    home = tmp_path / "home"
    closed = home / folder
    closed.mkdir(parents=True, exist_ok=True)
    os.chown(closed, SOMEBODY, SOMEBODY)
    closed.chmod(0o700)
    for command in COMMANDS:
        done = subprocess.run(
            [*POWERLESS, sys.executable, "-m", "brain_cli", *command, "--vault", vault.folder],
            cwd="/",
            env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"},
            input="",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1, 2, 3), (command, done.stderr)
        assert "Traceback" not in done.stderr, (command, done.stderr)
        if command[0] == "remember" and folder != ".config":
            assert "leek.md" in done.stdout
