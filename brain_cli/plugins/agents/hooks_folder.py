"""Find the folder of a repository's git hooks, and make a separate one if several repositories share it.

`core.hooksPath` in the user's configuration applies to every repository. A hook in that folder would run everywhere,
so the repository gets a folder of its own instead, whose hooks call the shared ones.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess

from brain_cli.errors import BrainError
from brain_cli.paths import is_inside
from brain_cli.plugins.agents.repository_files import read_file, write_file
from brain_cli.vault.git import repository_root

OWN_FOLDER = "brain-hooks"
# This file keeps the repository's own former value of core.hooksPath.
PREVIOUS = "previous-hooks-path"
_CLIENT_HOOKS = """
applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
pre-rebase post-checkout post-merge pre-push post-rewrite pre-auto-gc sendemail-validate
"""


def hooks_folder(folder: str) -> str:
    """Return the folder from which git runs the hooks of a repository; BrainError outside a repository.

    Husky keeps generated hooks in `.husky/_` and the user's own in `.husky`: return the latter.
    """
    path = os.path.normpath(os.path.join(folder, _git(folder, "rev-parse", "--git-path", "hooks")))
    return os.path.dirname(path) if path.endswith(os.path.join(".husky", "_")) else path


def is_tracked(folder: str, hooks: str) -> bool:
    """Return whether a hooks folder is part of the work tree, so that its files are shared with others."""
    return is_inside(hooks, _work_tree(folder)) and not is_inside(hooks, _common_folder(folder))


def own_folder(folder: str) -> str:
    """Return the hooks folder of this repository alone, making one that calls the shared hooks if there is none."""
    shared = hooks_folder(folder)
    common = _common_folder(folder)
    if is_inside(shared, common) or is_inside(shared, _work_tree(folder)) or _is_named_within(shared, folder):
        return shared
    own = os.path.join(common, OWN_FOLDER)
    for name in _CLIENT_HOOKS.split():
        forwarder = _forwarder(os.path.join(shared, name))
        write_file(os.path.join(own, name), os.fsencode(forwarder), common, 0o755)
    previous = _git(folder, "config", "--local", "--default", "", "--get", "core.hooksPath")
    write_file(os.path.join(own, PREVIOUS), os.fsencode(previous), common)
    _git(folder, "config", "--local", "core.hooksPath", own)
    return own


def restore_hooks_path(folder: str) -> None:
    """Remove the folder that `own_folder` made, and restore the former core.hooksPath."""
    own = hooks_folder(folder)
    if os.path.basename(own) != OWN_FOLDER or not is_inside(own, _common_folder(folder)):
        return
    previous = os.fsdecode(read_file(os.path.join(own, PREVIOUS)) or b"")
    _git(folder, "config", "--local", *(["core.hooksPath", previous] if previous else ["--unset", "core.hooksPath"]))
    shutil.rmtree(own)


def forwards_to(text: str) -> str | None:
    """Return the shared hook that one of our hooks calls; None for any other hook."""
    line = next((line for line in text.splitlines() if line.startswith("original=")), None)
    return shlex.split(line.partition("=")[2])[0] if line else None


def _forwarder(original: str) -> str:
    return f'#!/bin/sh\noriginal={shlex.quote(original)}\n[ -x "$original" ] || exit 0\nexec "$original" "$@"\n'


def _common_folder(folder: str) -> str:
    return os.path.normpath(os.path.join(folder, _git(folder, "rev-parse", "--git-common-dir")))


def _work_tree(folder: str) -> str:
    """Return the top folder of the work tree; in a bare repository its git folder."""
    if _git(folder, "rev-parse", "--is-inside-work-tree") != "true":
        return _common_folder(folder)
    return _git(folder, "rev-parse", "--show-toplevel")


def _is_named_within(hooks: str, folder: str) -> bool:
    """Return whether the path of a hooks folder lies in the repository, even if it is a link that leads out."""
    root = repository_root(folder)
    return root is not None and hooks.startswith(os.path.join(root, ""))


def _git(folder: str, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, check=False, timeout=10)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        raise BrainError("git cannot be run here.", "Install git, or check that it answers.") from None
    if done.returncode:
        raise BrainError(f"{folder} is not in a git repository.", "Run this inside one, or make one with git init.")
    return os.fsdecode(done.stdout.removesuffix(b"\n"))
