"""Commands on the notes of a vault, run in a home of the test's own, its trash included."""

from __future__ import annotations

import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Answer, Vault

Run = Callable[..., "Answer"]


def runner(vault: Vault) -> Run:
    """Return a function that runs a command on a vault, by default in the vault's folder."""

    def run(*arguments: object, cwd: Path | None = None, stdin: str = "", **env: str) -> Answer:
        env = {
            "XDG_DATA_HOME": str(vault.brain.home / "data"),
            "BRAIN_VAULT": str(vault.folder),
            **env,
        }
        return vault.brain(*arguments, cwd=cwd or vault.folder, stdin=stdin, env=env)

    return run


def contents(vault: Vault) -> dict[str, bytes]:
    files = (path for path in vault.folder.rglob("*") if path.is_file())
    return {path.relative_to(vault.folder).as_posix(): path.read_bytes() for path in files}


def undone(answer: Answer, run: Run) -> Answer:
    """Type what a command says undoes it."""
    _, _, line = answer.err.partition("To undo: ")
    program, *arguments = shlex.split(line)
    assert program == "brain"
    return run(*arguments)


def typed(vault: Vault, keys: str, *arguments: object, **env: str) -> tuple[int, str]:
    """Run brain on a terminal and type into it; return its exit code and all it said there."""
    ours, theirs = pty.openpty()
    env = {
        "XDG_DATA_HOME": str(vault.brain.home / "data"),
        "BRAIN_VAULT": str(vault.folder),
        "TERM": "xterm",
        **env,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "brain_cli", *map(str, arguments)],
        stdin=theirs, stdout=theirs, stderr=theirs, env=vault.brain.environ(**env), cwd=vault.folder,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, keys.encode())
    said = b""
    try:
        while piece := os.read(ours, 65_536):
            said += piece
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(ours)
    return process.wait(timeout=60), said.decode()
