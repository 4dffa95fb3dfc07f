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
