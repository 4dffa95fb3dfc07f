"""Kill what a commit hook starts, in work trees, submodules and rebases: no note is lost, torn or
made twice.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from crash import SavedVault, contents, killed_at_every_change
from examples import in_ci
from test_git import Repository

if TYPE_CHECKING:
    from conftest import Vault

OWN_WORDS = "\n## Why\n\nThe bank asked for it.\n"
Started = list[tuple[list[str], Path]]


class Recorded(Repository):
    """A repository whose hooks only record how they start brain, so that a test can start it and
    kill it.
    """

    def record(self, log: Path) -> None:
        # One line for each start: hooks start brain in the background, so the lines are appended whole.
        program = "import json, os, sys; os.write(1, (json.dumps([sys.argv[1:], os.getcwd()]) + '\\n').encode())"
        (self.bin / "brain").write_text(
            f'#!/bin/sh\nexec {sys.executable} -c "{program}" "$@" >>{log}\n'
        )

    def started(self, log: Path, option: str, least: int) -> Started:
        """Return the command lines and folders of the starts so far, once this many have an option."""
        until = time.monotonic() + 20
        while (
            not (log.exists() and log.read_text().count(option) >= least)
            and time.monotonic() < until
        ):
            time.sleep(0.02)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        log.unlink()
        return [
            (arguments, Path(folder))
            for arguments, folder in lines
            if arguments[0] == "capture"
        ]


def in_a_worktree(repository: Recorded, tmp_path: Path) -> Recorded:
    repository.commit("chore: start", at=1)
    repository.git("worktree", "add", "-q", str(tmp_path / "elsewhere"))
    repository.folder = tmp_path / "elsewhere"
    return repository


def in_a_submodule(repository: Recorded, tmp_path: Path) -> Recorded:
    part = Recorded(tmp_path / "part", repository.brain, repository.vault)
    part.commit("chore: start", at=1)
    repository.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(part.folder),
        "lib/part",
    )
    part.folder = repository.folder / "lib" / "part"
    return part


def in_the_repository(repository: Recorded, _: Path) -> Recorded:
    repository.commit("chore: start", at=1)
    return repository


PLACES: dict[str, Callable[[Recorded, Path], Recorded]] = {
    "repository": in_the_repository,
    "work tree": in_a_worktree,
    "submodule": in_a_submodule,
}


def notes(vault: Vault) -> dict[str, bytes]:
    return {
        path: raw
        for path, raw in contents(vault.folder).items()
        if not Path(path).name.startswith(".")
    }


def run(vault: Vault, started: Started) -> None:
    for arguments, folder in started:
        answer = vault.brain(*arguments, "--vault", vault.folder, cwd=folder)
        assert answer.code == 0, answer.err


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", ["submodule", in_ci("work tree"), in_ci("repository")])
def test_a_killed_commit_hook_makes_a_note_once_and_a_killed_rebase_keeps_the_user_s_words(
    vault: Vault, tmp_path: Path, place: str
) -> None:
    log = tmp_path / "log"
    repository = PLACES[place](Recorded(tmp_path / "shop", vault.brain, vault.folder), tmp_path)
    repository.record(log)
    repository.run("hooks", "install", "--capture")
    repository.git("branch", "other")
    repository.commit("fix: stop the double charge", at=2)
    repository.commit("feat: keep carts for a week", "carts.py", at=3)
    killed(vault, repository.started(log, "--commit", 2), tmp_path / "committed", new=2)
    edited = next(path for path, raw in notes(vault).items() if b"double" in raw)
    (vault.folder / edited).write_text((vault.folder / edited).read_text() + OWN_WORDS)
    repository.git("checkout", "-q", "-b", "third", "other")
    repository.commit("chore: elsewhere", "other.txt", at=4)
    repository.git("checkout", "-q", "-")
    repository.git("rebase", "-q", "third")
    killed(vault, repository.started(log, "--known", 1), tmp_path / "rebased", new=2)
    assert OWN_WORDS in (vault.folder / edited).read_text()
    for commit in ("HEAD", "HEAD~1"):
        full_hash = repository.git("rev-parse", commit).strip().encode()
        assert sum(full_hash in raw for raw in notes(vault).values()) == 1


def killed(vault: Vault, started: Started, saved_in: Path, new: int) -> None:
    """Run what the hooks started, each also killed before every change: a note is as before or as
    after, and once.
    """
    for number, (arguments, folder) in enumerate(started):
        before = notes(vault)
        saved = SavedVault(vault, saved_in / str(number))
        run(vault, [(arguments, folder)])
        after = notes(vault)
        command = [*arguments, "--vault", vault.folder]
        for _ in killed_at_every_change(vault, saved, command, cwd=folder):
            for path, raw in notes(vault).items():
                assert raw in (before.get(path), after.get(path)), (
                    f"{path} is as it was or as it shall be"
                )
            assert notes(vault).keys() >= before.keys()
            run(vault, [(arguments, folder)])
            assert notes(vault) == after, "repeated, it comes to the same"
        run(vault, [(arguments, folder)])
        assert (len(after) - len(before)) in (0, 1)
    assert len(notes(vault)) == new
