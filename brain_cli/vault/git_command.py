"""Run git safely in a stranger's repository: its configuration cannot start a program."""

from __future__ import annotations

import os
import shutil

_OVERRIDES = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "credential.helper=",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.mailmap=false",
    "log.showSignature=false",
    "protocol.allow=never",
)


def git_program() -> str | None:
    """Return the path of git; None if there is none, or only one relative to the working folder."""
    found = shutil.which("git")
    return found if found and os.path.isabs(found) else None


def git_command(program: str, folder: str) -> list[str]:
    """Return the first arguments of a git command, with settings that override those of the repository."""
    overrides = [part for setting in _OVERRIDES for part in ("-c", setting)]
    return [program, "--no-pager", "--no-optional-locks", *overrides, "-C", folder]


def git_environment() -> dict[str, str]:
    """Return an environment in which git uses the vault's own repository, prints paths unquoted, and never prompts."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_LITERAL_PATHSPECS": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
