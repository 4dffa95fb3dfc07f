"""Run what the README and the docs show: a home with a vault, a shell, and the code blocks of the
pages.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import copy_with_index

if TYPE_CHECKING:
    from conftest import Brain, Vault

ROOT = Path(__file__).parents[2]
README, RECIPES, CONTRIBUTING = (
    (ROOT / page).read_text(encoding="utf-8")
    for page in ("README.md", "docs/recipes.md", "docs/contributing.md")
)


def block(text: str, mark: str = "") -> str:
    """Return the first code block after a mark, without its fence."""
    found = re.search(
        rf"{re.escape(mark)}.*?^```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
    )
    assert found, mark
    return found[1]


def recipe(name: str) -> str:
    return block(README + RECIPES, f"<!-- recipe: {name} -->")


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed")


class Shell:
    """A home with `notes` in it, and `brain` on the path."""

    def __init__(self, brain: Brain, sample: Vault, program: Path) -> None:
        self.home = brain.home
        self.notes = copy_with_index(sample, brain.home / "notes", brain).folder
        programs = self.home / ".local" / "bin"
        programs.mkdir(parents=True)
        (programs / "brain").symlink_to(program / "brain")
        path = f"{programs}:{os.environ['PATH']}"
        self.environ = brain.environ(
            BRAIN_VAULT=str(self.notes), PATH=path, PYTHONPATH=str(ROOT), EDITOR="echo"
        )

    def __call__(self, script: str, cwd: Path | None = None, **changes: str) -> str:
        """Run a script and return its output. The first command that fails makes the script fail."""
        return self.run(["sh", "-ec", script], cwd, **changes)

    def run(self, command: list[str], cwd: Path | None = None, **changes: str) -> str:
        done = subprocess.run(
            command,
            cwd=cwd or self.home,
            env={**self.environ, **changes},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def program(self, name: str, script: str) -> None:
        """Put a program of this name on the path."""
        file = self.home / ".local" / "bin" / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def remember_long_ago(self) -> None:
        """Let the history begin long ago: only time that brain has seen is idle time."""
        self("brain remember outbox --now 2024-01-01")


def run_block(name: str) -> str:
    """Return the code block that is marked to be run under this name."""
    pages = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    return block(
        "\n".join(page.read_text(encoding="utf-8") for page in pages), f"<!-- run: {name} -->"
    )
