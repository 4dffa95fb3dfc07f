"""A repository may be a stranger's: installing hooks does not block on any file, and writes nothing
outside.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deadline import deadline
from examples import in_ci

if TYPE_CHECKING:
    from conftest import Answer, Brain

PRECIOUS = "precious\n"


class Repository:
    """A repository, beside a folder with a file outside of the repository."""

    def __init__(self, folder: Path, brain: Brain) -> None:
        self.folder, self.brain = folder / "repository", brain
        self.outside = folder / "outside"
        self.outside.mkdir()
        (self.outside / "precious").write_text(PRECIOUS)
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        (self.folder / ".brain").mkdir()

    def run(self, *arguments: str) -> Answer:
        with deadline():
            return self.brain(
                *arguments, cwd=self.folder, env={"GIT_CONFIG_GLOBAL": "/dev/null"}
            )

    def use_husky(self) -> None:
        subprocess.run(
            ["git", "-C", self.folder, "config", "core.hooksPath", ".husky/_"], check=True
        )

    def outside_is_as_it_was(self) -> bool:
        found = {path.name: path.read_text() for path in self.outside.iterdir()}
        return found == {"precious": PRECIOUS}


@pytest.fixture
def repository(tmp_path: Path, brain: Brain) -> Repository:
    return Repository(tmp_path, brain)


def is_explained(answer: Answer) -> bool:
    return (
        answer.code in (0, 3) and "bug" not in answer.err and len(answer.err.splitlines()) <= 2
    )


def link_to_the_file(path: Path) -> None:
    path.symlink_to("../../outside/precious")


def link_to_nothing(path: Path) -> None:
    path.symlink_to("../../outside/new")


MADE: dict[str, Callable[[Path], object]] = {
    "a pipe": lambda path: os.mkfifo(path),
    "an endless file": lambda path: path.symlink_to("/dev/zero"),
    "a folder": lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path),
    "a link outside": link_to_the_file,
    "a link to a new file outside": link_to_nothing,
    "a huge file": lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 8 << 30),
    "bytes": lambda path: path.write_bytes(b"\xff\0"),
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("name", ["settings.json", "settings.json.brain-tmp"])
def test_the_settings_of_an_agent_may_be_anything(
    repository: Repository, made: str, name: str
) -> None:
    folder = repository.folder / ".claude"
    folder.mkdir()
    MADE[made](folder / name)
    for action in ("--write", "--undo"):
        answer = repository.run("hooks", "agent", action, "--yes")
        assert is_explained(answer), answer.err
    assert repository.outside_is_as_it_was()


def test_a_linked_folder_of_settings_leads_nowhere(repository: Repository) -> None:
    (repository.folder / ".claude").symlink_to("../outside")
    answer = repository.run("hooks", "agent", "--write", "--yes")
    assert answer.code == 3
    assert "is a link to" in answer.err
    assert repository.outside_is_as_it_was()


@pytest.mark.parametrize(
    "settings",
    [
        '{"hooks": {"Stop": 5}}',
        '{"hooks": {"Stop": [5, {"hooks": 7}, {"hooks": [1]}]}}',
        '{"hooks": 1}',
        "[]",
        "9" * 5_000,
        '{"a":' + "[" * 100_000,
    ],
)
def test_settings_of_another_form_are_kept_or_refused(
    repository: Repository, settings: str
) -> None:
    path = repository.folder / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(settings)
    answer = repository.run("hooks", "agent", "--write", "--yes")
    assert is_explained(answer), answer.err
    assert answer.code == 0 or path.read_text() == settings


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("name", ["post-commit", "post-commit.brain-tmp"])
@pytest.mark.parametrize("hooks", [in_ci(".git/hooks"), ".husky"])
def test_a_hook_may_be_anything(
    repository: Repository, hooks: str, made: str, name: str
) -> None:
    if hooks == ".husky":
        repository.use_husky()
    folder = repository.folder / hooks
    folder.mkdir(exist_ok=True)
    depth = "../" * hooks.count("/")
    if made.startswith("a link") and "itself" not in made:
        (folder / name).symlink_to(
            f"{depth}../../outside/{'new' if 'new' in made else 'precious'}"
        )
    else:
        MADE[made](folder / name)
    for action in ("install", "status", "uninstall"):
        answer = repository.run("hooks", action)
        assert is_explained(answer), answer.err
    assert hooks == ".git/hooks" or repository.outside_is_as_it_was()


def test_a_linked_folder_of_husky_leads_nowhere(repository: Repository) -> None:
    repository.use_husky()
    (repository.folder / ".husky").symlink_to("../outside")
    assert repository.run("hooks", "install").code == 3
    assert repository.outside_is_as_it_was()


def test_a_linked_hook_in_a_linked_folder_of_husky_is_not_copied(
    repository: Repository,
) -> None:
    repository.use_husky()
    (repository.folder / ".husky").symlink_to("../outside")
    (repository.outside / "precious").chmod(0o755)
    (repository.outside / "post-commit").symlink_to("precious")
    assert repository.run("hooks", "install").code == 3
    assert {path.name for path in repository.outside.iterdir()} == {"precious", "post-commit"}


def test_a_readme_that_is_a_pipe_is_not_waited_for(repository: Repository) -> None:
    os.mkfifo(repository.folder / "README.md")
    (repository.folder / "notes").mkdir()
    answer = repository.run("context", "--vault", "notes")
    assert (answer.code, answer.err) == (1, "brain: There are no notes in this vault yet.\n")


NAMES = ["a b", "a'b", 'a"b', "a`touch PWNED`b", "a\nb", "a;touch PWNED;b", "-n", "ü%s\\x"]


@pytest.mark.parametrize("name", ["a$(touch PWNED)b", "$HOME", *map(in_ci, NAMES)])
def test_the_hooks_of_a_repository_with_an_odd_name_call_brain_with_that_name(
    tmp_path: Path, brain: Brain, name: str
) -> None:
    folder = tmp_path / name
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / ".brain").mkdir()
    script, called = tmp_path / "brain", tmp_path / "called"
    script.write_text(
        f'#!/bin/sh\nprintf "%s\\0" "$@" > {called}.$$\nmv {called}.$$ {called}\n'
    )
    script.chmod(0o755)
    environ = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": "/dev/null"}
    assert brain.process("hooks", "install", "--vault", ".", cwd=folder, env=environ).code == 0
    hook = folder / ".git/hooks/post-commit"
    subprocess.run(["sh", str(hook)], cwd=folder, env={**os.environ, **environ}, check=True)
    until = time.monotonic() + 20
    while not called.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert called.read_bytes().split(b"\0")[:3] == [
        b"index",
        b"--vault",
        os.fsencode(str(folder)),
    ]
    assert not list(tmp_path.rglob("PWNED"))


@pytest.mark.exhaustive
def test_the_background_process_of_a_capture_imports_nothing_from_the_repository(
    tmp_path: Path, brain: Brain
) -> None:
    marker, vault = tmp_path / "PWNED", tmp_path / "notes"
    vault.mkdir()
    for name in ("json", "yaml", "frontmatter", "tempfile", "typer", "brain_cli"):
        (tmp_path / f"{name}.py").write_text(f"open({str(marker)!r}, 'w')\n")
    environ = brain.environ(BRAIN_VAULT=str(vault), PYTHONPATH=str(Path(__file__).parents[3]))
    command = [sys.executable, "-P", "-m", "brain_cli", "capture"]
    subprocess.run(
        command, input=b"We keep carts in Redis. " * 3, cwd=tmp_path, env=environ, check=True
    )
    waited_until = time.monotonic() + 30
    while (
        not list(vault.rglob("*.md"))
        and not marker.exists()
        and time.monotonic() < waited_until
    ):
        time.sleep(0.1)
    assert list(vault.rglob("*.md"))
    assert not marker.exists()
