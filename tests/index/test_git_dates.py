"""After a clone every file has the same time; git still knows when each note was committed."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Vault

CLONED = 1_790_000_000


def git(folder: Path, *arguments: str, at: str = "2024-01-01T00:00:00Z") -> None:
    identity = {
        f"GIT_{who}_{what}": "x@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **identity, **dates}, check=True
    )


@pytest.fixture
def cloned(vault: Vault) -> Vault:
    """A vault with two commits, in which every file has the time of a clone."""
    git(vault.folder, "init", "-q")
    for name, at in (("old", "2022-02-02T00:00:00Z"), ("new", "2024-04-04T00:00:00Z")):
        vault.note(f"{name}.md", f"# The {name} roof\n\nTiles of the roof.\n")
        git(vault.folder, "add", ".")
        git(vault.folder, "commit", "-q", "-m", name, at=at)
    for path in vault.folder.glob("*.md"):
        os.utime(path, (CLONED, CLONED))
    return vault


def dates(vault: Vault) -> dict[str, tuple[str, str]]:
    found = vault.remember("roof")["results"]
    return {each["path"]: (each["date"][:10], each["dated_by"]) for each in found}


def test_a_fresh_clone_is_dated_by_the_commits(cloned: Vault) -> None:
    assert dates(cloned) == {"old.md": ("2022-02-02", "git"), "new.md": ("2024-04-04", "git")}


def test_a_note_that_is_edited_after_the_clone_is_dated_by_its_file(cloned: Vault) -> None:
    assert dates(cloned)["old.md"] == ("2022-02-02", "git")
    cloned.note("old.md", "# The old roof\n\nNew tiles on the roof.\n")
    os.utime(cloned.folder / "old.md", (CLONED + 60, CLONED + 60))
    assert dates(cloned)["old.md"][1] == "mtime"
    assert dates(cloned)["new.md"] == ("2024-04-04", "git")


def test_the_oldest_commit_of_a_shallow_clone_dates_no_note(
    cloned: Vault, tmp_path: Path
) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", cloned.folder.as_uri(), str(shallow))
    assert {source for _, source in dates(type(cloned)(shallow, cloned.brain)).values()} == {
        "mtime"
    }


def test_without_git_the_files_date_the_notes(cloned: Vault, tmp_path: Path) -> None:
    answer = cloned.brain(
        "remember", "roof", "--json", "--vault", cloned.folder, env={"PATH": str(tmp_path)}
    )
    assert {each["dated_by"] for each in answer.json["results"]} == {"mtime"}


def test_the_configuration_of_a_repository_starts_no_program(
    cloned: Vault, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {started}\n")
    program.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "gpg.program",
        "diff.external",
        "core.sshCommand",
    ):
        git(cloned.folder, "config", key, str(program))
    git(cloned.folder, "config", "log.showSignature", "true")
    assert dates(cloned)["old.md"] == ("2022-02-02", "git")
    assert not started.exists()


def test_notes_that_were_written_one_after_the_other_are_dated_by_their_files(
    cloned: Vault,
) -> None:
    os.utime(cloned.folder / "old.md", (CLONED - 90_000, CLONED - 90_000))
    assert {source for _, source in dates(cloned).values()} == {"mtime"}
