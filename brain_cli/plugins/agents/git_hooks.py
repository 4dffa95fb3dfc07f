"""Install and remove git hooks: a block of shell lines in each hook file, next to the existing
hook.

The block comes right after the `#!` line, so an `exit` or `exec` of the existing hook does not skip
it. It starts `brain` in the background and never changes the hook's exit code. If brain is missing
it does nothing.

`core.hooksPath` in the user's configuration applies to every repository. A hook in that folder
would run everywhere, so the repository gets a folder of its own instead, whose hooks call the
shared ones.

The files of a repository are untrusted: pipes are refused, and links that lead out of it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import stat
import subprocess
from collections.abc import Mapping
from typing import NamedTuple

from brain_cli.errors import BrainError, explained
from brain_cli.files import read_regular
from brain_cli.paths import is_inside
from brain_cli.vault.atomic_write import replace_file
from brain_cli.vault.git import repository_root

HOOKS = ("post-commit", "post-merge", "post-checkout", "post-rewrite")
BEGIN = "# >>> brain: added by `brain hooks install`, removed by `brain hooks uninstall` >>>"
END = "# <<< brain <<<"
# A hook that is not a shell script is copied to a file with this suffix, and ours calls it.
ORIGINAL_SUFFIX = ".before-brain"
_BLOCK = re.compile(rf"{re.escape(BEGIN)}\n.*?{re.escape(END)}\n", re.DOTALL)
_SHELL = re.compile(rb"#!\s*\S*/(?:env\s+)?(?:ba|da|k|z)?sh\b")
# Where there is a program `timeout`, nothing of ours runs for longer.
BACKGROUND_SECONDS = 600
FOREGROUND_SECONDS = 10
# Longer than any hook or settings file that a person writes.
MAX_BYTES = 1 << 20
_VAULT = re.compile(r"""--vault ((?:[^\s'"\\]|'[^']*'|"'")+)""")
OWN_FOLDER = "brain-hooks"
# This file keeps the repository's own former value of core.hooksPath.
PREVIOUS = "previous-hooks-path"
_CLIENT_HOOKS = """
applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg
commit-msg post-commit
pre-rebase post-checkout post-merge pre-push post-rewrite pre-auto-gc sendemail-validate
"""


class Hook(NamedTuple):
    """One hook file: `installed` if it has our block, `chained` if another hook is in it or next to
    it.

    `vault` is the one that our block names, else empty.
    """

    name: str
    path: str
    installed: bool
    chained: bool
    vault: str


def status(folder: str) -> list[Hook]:
    """Return the state of each hook."""
    where = hooks_folder(folder)
    return [_state(os.path.join(where, name)) for name in HOOKS]


def install(folder: str, plan: Mapping[str, str]) -> list[Hook]:
    """Add our block to every hook of the plan, or replace the existing block; return the new state.

    The plan has shell command lines by the name of the hook.
    """
    where = _own_folder(folder)
    limit = _limit(where, folder)
    for name in HOOKS:
        path = os.path.join(where, name)
        if lines := plan.get(name):
            _install(path, f"{BEGIN}\n{lines}{END}\n", limit)
        else:
            _uninstall(path, limit)
    return status(folder)


def uninstall(folder: str) -> list[Hook]:
    """Remove our block from every hook, and restore the files; return the hooks that had it."""
    had = [hook for hook in status(folder) if hook.installed]
    for hook in had:
        _uninstall(hook.path, _limit(os.path.dirname(hook.path), folder))
    _restore_hooks_path(folder)
    return had


def background_line(brain: str, *arguments: str, revision: str = "") -> str:
    """Return a shell line that starts brain in the background if it can be found, and always
    succeeds.

    `revision` is a shell word that is added to the arguments. It is evaluated before the hook ends,
    because HEAD may have moved on when the background process runs.
    """
    words = shlex.join(arguments)
    assignment = f"; revision={revision}" if revision else ""
    last = ' "$revision"' if revision else ""
    run = f'"$@" {words}{last} </dev/null >/dev/null 2>&1 &'
    return f"( {_found(brain, BACKGROUND_SECONDS)}{assignment}; {run} ) 2>/dev/null || :\n"


def foreground_line(brain: str, *arguments: str) -> str:
    """Return a shell line for post-checkout that runs brain on a terminal and always succeeds.

    It runs after the checkout of a branch, but not of single files, and not in the middle of a
    rebase or a pull.
    """
    run = f'"$@" {shlex.join(arguments)} </dev/null 2>/dev/null'
    return (
        f'if [ -t 1 ] && [ "$3" = 1 ] && [ -z "$GIT_REFLOG_ACTION" ]; then '
        f"( {_found(brain, FOREGROUND_SECONDS)}; {run} ); fi || :\n"
    )


def _found(brain: str, seconds: int) -> str:
    """Return shell code that sets `$@` to brain with a limit: by its path, else from PATH, else it
    exits.
    """
    return (
        f'brain={shlex.quote(brain)}; [ -x "$brain" ] || brain=$(command -v brain) || exit 0; '
        f'set -- "$brain"; ! command -v timeout >/dev/null || set -- timeout {seconds} "$@"'
    )


def _install(path: str, block: str, limit: str) -> None:
    raw = read_file(path)
    if raw is None:
        write_file(path, f"#!/bin/sh\n{block}".encode(), limit, 0o755)
        return
    text = _BLOCK.sub("", os.fsdecode(raw))
    if _SHELL.match(raw):
        first, _, rest = text.partition("\n")
        mode = stat.S_IMODE(os.stat(path).st_mode) | 0o100
        write_file(path, os.fsencode(f"{first}\n{block}{rest}"), limit, mode)
    elif os.access(path, os.X_OK) or raw.startswith(b"#!"):
        _chain(path, block, limit)
    else:
        # Husky's own files have no `#!` line; `sh` runs them.
        write_file(path, os.fsencode(block + text), limit)


def _chain(path: str, block: str, limit: str) -> None:
    """Replace another hook with ours, which calls it; at every moment one of the two is
    in place.
    """
    copy = path + ORIGINAL_SUFFIX
    if os.path.realpath(path) != os.path.realpath(copy):
        _real_path(copy, limit, follows=False)
        remove_file(copy)
        with explained(copy):
            os.link(path, copy, follow_symlinks=False)
    original = f'"$(dirname -- "$0")/{os.path.basename(path)}{ORIGINAL_SUFFIX}"'
    text = f'#!/bin/sh\n{block}exec {original} "$@"\n'
    write_file(path, os.fsencode(text), limit, 0o755, follows=False)


def _uninstall(path: str, limit: str) -> None:
    text = os.fsdecode(read_file(path) or b"")
    rest, count = _BLOCK.subn("", text)
    original = path + ORIGINAL_SUFFIX
    # If our hook does not call the copy, the copy is older, and the rest of this file is the user's
    # own hook.
    if count and ORIGINAL_SUFFIX in rest and os.path.exists(original):
        with explained(path):
            os.replace(original, path)
    elif count and rest.strip() in ("", "#!/bin/sh"):
        remove_file(path)
    elif count:
        write_file(path, os.fsencode(rest), limit)


def _limit(where: str, folder: str) -> str:
    """Return the folder that writes must not leave: tracked files may contain links made by
    strangers.

    Links in the git folder, and in a hooks folder outside the repository, are the user's own.
    """
    root = os.path.join(repository_root(folder) or folder, "")
    inside = where.startswith(root) and not where.startswith(f"{root}.git/")
    return root if inside else "/"


def _state(path: str) -> Hook:
    text = os.fsdecode(read_file(path) or b"")
    block = _BLOCK.search(text)
    rest = _BLOCK.sub("", text).strip()
    # One of our hooks that calls a shared hook.
    shared = re.search("^original=(.*)", text, re.MULTILINE)
    beside = rest not in ("", "#!/bin/sh")
    if shared:
        beside = os.path.exists(shlex.split(shared[1])[0])
    vault = _VAULT.search(block[0]) if block else None
    return Hook(
        os.path.basename(path),
        path,
        installed=block is not None,
        chained=beside or os.path.exists(path + ORIGINAL_SUFFIX),
        vault=shlex.split(vault[1])[0] if vault else "",
    )


def hooks_folder(folder: str) -> str:
    """Return the folder from which git runs the hooks of a repository; BrainError outside a
    repository.

    Husky keeps generated hooks in `.husky/_` and the user's own in `.husky`: return the latter.
    """
    path = os.path.normpath(
        os.path.join(folder, _git(folder, "rev-parse", "--git-path", "hooks"))
    )
    return os.path.dirname(path) if path.endswith(os.path.join(".husky", "_")) else path


def is_tracked(folder: str, hooks: str) -> bool:
    """Return whether a hooks folder is part of the work tree, so that its files are shared with
    others.
    """
    return is_inside(hooks, _work_tree(folder)) and not is_inside(hooks, _common_folder(folder))


def _own_folder(folder: str) -> str:
    """Return the hooks folder of this repository alone, making one that calls the shared hooks if
    there is none.
    """
    shared = hooks_folder(folder)
    common = _common_folder(folder)
    root = repository_root(folder)
    # A path in the repository may be a link that leads out.
    is_named_within = root is not None and shared.startswith(os.path.join(root, ""))
    if is_named_within or is_inside(shared, common) or is_inside(shared, _work_tree(folder)):
        return shared
    own = os.path.join(common, OWN_FOLDER)
    for name in _CLIENT_HOOKS.split():
        original = f"original={shlex.quote(os.path.join(shared, name))}"
        forwarder = (
            f'#!/bin/sh\n{original}\n[ -x "$original" ] || exit 0\nexec "$original" "$@"\n'
        )
        write_file(os.path.join(own, name), os.fsencode(forwarder), common, 0o755)
    previous = _git(folder, "config", "--local", "--default", "", "--get", "core.hooksPath")
    write_file(os.path.join(own, PREVIOUS), os.fsencode(previous), common)
    _git(folder, "config", "--local", "core.hooksPath", own)
    return own


def _restore_hooks_path(folder: str) -> None:
    """Remove the folder that `_own_folder` made, and restore the former core.hooksPath."""
    own = hooks_folder(folder)
    if os.path.basename(own) != OWN_FOLDER or not is_inside(own, _common_folder(folder)):
        return
    previous = os.fsdecode(read_file(os.path.join(own, PREVIOUS)) or b"")
    restored = ["core.hooksPath", previous] if previous else ["--unset", "core.hooksPath"]
    _git(folder, "config", "--local", *restored)
    shutil.rmtree(own)


def _common_folder(folder: str) -> str:
    return os.path.normpath(os.path.join(folder, _git(folder, "rev-parse", "--git-common-dir")))


def _work_tree(folder: str) -> str:
    """Return the top folder of the work tree; in a bare repository its git folder."""
    if _git(folder, "rev-parse", "--is-inside-work-tree") != "true":
        return _common_folder(folder)
    return _git(folder, "rev-parse", "--show-toplevel")


def _git(folder: str, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", folder, *arguments], capture_output=True, check=False, timeout=10
        )
    except (FileNotFoundError, subprocess.TimeoutExpired):
        raise BrainError(
            "git cannot be run here.", "Install git, or check that it answers."
        ) from None
    if done.returncode:
        raise BrainError(
            f"{folder} is not in a git repository.",
            "Run this inside one, or make one with git init.",
        )
    return os.fsdecode(done.stdout.removesuffix(b"\n"))


def read_file(path: str) -> bytes | None:
    """Return the content of a file, None if it does not exist; BrainError if it cannot be read."""
    with explained(path), contextlib.suppress(FileNotFoundError):
        return read_regular(path, MAX_BYTES)
    return None


def write_file(
    path: str, raw: bytes, root: str, mode: int | None = None, *, follows: bool = True
) -> None:
    """Replace a file below the folder `root`, making its folder; a link is followed to the real
    file, or replaced.

    BrainError if a link leads out of `root`. `mode` is the new file mode; None keeps the present
    one.
    """
    real = _real_path(path, root, follows=follows)
    with explained(path):
        os.makedirs(os.path.dirname(real), exist_ok=True)
        if mode is None and os.path.exists(real):
            mode = stat.S_IMODE(os.stat(real).st_mode)
        # The file has its mode from the start, because git skips a hook that is not executable.
        replace_file(real, raw, mode=mode or 0o666)
        if mode is not None:
            os.chmod(real, mode)


def remove_file(path: str) -> None:
    """Remove a file; BrainError if it cannot be removed."""
    with explained(path), contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _real_path(path: str, root: str, *, follows: bool) -> str:
    """Return a path without links, but maybe the last one; BrainError if it is not in `root`."""
    folder, name = os.path.split(path)
    real = os.path.realpath(path) if follows else os.path.join(os.path.realpath(folder), name)
    if not real.startswith(os.path.join(os.path.realpath(root), "")):
        raise BrainError(
            f"{path} is a link to {real}, outside {root}, so it is not changed.",
            "Remove the link.",
        )
    return real
