"""A hook that is not a shell script is kept beside ours as `.before-brain`, whatever an older copy
left there.
"""

from __future__ import annotations

import os
import subprocess
from itertools import product
from pathlib import Path

import pytest
from conftest import Brain
from crash import killed_before
from examples import in_ci

OLD, CURRENT = (
    "#!/usr/bin/env python3\nprint('old')\n",
    "#!/usr/bin/env python3\nprint('current')\n",
)


class Hook:
    """The post-commit hook of a repository, and the place of the user's own hook beside it."""

    def __init__(self, folder: Path, brain: Brain) -> None:
        subprocess.run(["git", "init", "-q", folder], check=True)
        (folder / ".brain").mkdir()
        self.folder, self.path = folder, folder / ".git/hooks/post-commit"
        self.path.parent.mkdir(exist_ok=True)
        self.original = self.path.with_name("post-commit.before-brain")
        self._brain = brain

    def brain(self, action: str) -> None:
        answer = self._brain(
            "hooks", action, cwd=self.folder, env={"GIT_CONFIG_GLOBAL": "/dev/null"}
        )
        assert answer.code == 0, answer.err

    def printed(self) -> str:
        environ = {"PATH": os.environ["PATH"]}
        return subprocess.run(
            [self.path], cwd=self.folder, env=environ, check=True, stdout=-1, text=True
        ).stdout

    def names(self) -> set[str]:
        return {path.name for path in self.path.parent.glob("post-commit*")}


@pytest.fixture
def hook(tmp_path: Path, brain: Brain) -> Hook:
    return Hook(tmp_path / "repository", brain)


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("name", ["post-commit.before-brain", "post-commit.brain-new"])
def test_a_leftover_link_is_never_written_through(hook: Hook, name: str) -> None:
    precious = script(hook.folder / "precious.py", OLD)
    hook.path.with_name(name).symlink_to(precious)
    script(hook.path, CURRENT)
    hook.brain("install")
    assert precious.read_text() == OLD
    assert not hook.path.is_symlink()
    assert not hook.original.is_symlink()
    assert hook.printed() == "current\n"


@pytest.mark.parametrize("old", ["file", "link", "broken link"])
@pytest.mark.parametrize("current", ["file", in_ci("link")])
def test_the_current_hook_runs_and_not_an_older_copy(
    hook: Hook, old: str, current: str
) -> None:
    place(hook.original, old, script(hook.folder / "old.py", OLD))
    place(hook.path, current, script(hook.folder / "current.py", CURRENT))
    hook.brain("install")
    assert hook.printed() == "current\n"
    assert hook.names() == {"post-commit", "post-commit.before-brain"}
    hook.brain("uninstall")
    assert hook.path.is_symlink() == (current == "link")
    assert (hook.path.read_text(), hook.names()) == (CURRENT, {"post-commit"})
    assert (hook.folder / "old.py").read_text() == OLD


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("old", "current"),
    [
        ("file", "link"),
        *(
            in_ci(old, current)
            for old, current in product(("nothing", "file"), ("file", "link"))
            if (old, current) != ("file", "link")
        ),
    ],
)
def test_a_killed_installation_leaves_the_current_hook_running(
    hook: Hook, old: str, current: str
) -> None:
    number, is_killed = 1, True
    while is_killed:
        for path in hook.path.parent.glob("post-*"):
            path.unlink()
        if old != "nothing":
            place(hook.original, old, script(hook.folder / "old.py", OLD))
        place(hook.path, current, script(hook.folder / "current.py", CURRENT))
        is_killed = killed_before(number, lambda: hook.brain("install"))
        assert hook.printed() == "current\n"
        number += 1
    assert number > 4


def place(path: Path, kind: str, source: Path) -> None:
    """Put a script at a path: as a file, or as a link to it or to nothing."""
    if kind == "file":
        script(path, source.read_text())
    else:
        path.symlink_to(source if kind == "link" else "nowhere")


def test_a_hook_that_is_a_link_to_its_older_copy_still_runs(hook: Hook) -> None:
    script(hook.original, CURRENT)
    hook.path.symlink_to(hook.original.name)
    hook.brain("install")
    assert hook.printed() == "current\n"


def test_an_older_copy_never_replaces_a_shell_hook(hook: Hook) -> None:
    script(hook.original, OLD)
    script(hook.path, "#!/bin/sh\necho current\n")
    hook.brain("install")
    assert hook.printed() == "current\n"
    hook.brain("uninstall")
    assert hook.path.read_text() == "#!/bin/sh\necho current\n"
