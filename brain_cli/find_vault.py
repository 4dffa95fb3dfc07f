"""Find the vault that a command works on."""

from __future__ import annotations

import os
from collections.abc import Mapping

from brain_cli.config_file import config_files, read_table
from brain_cli.errors import NoVaultError
from brain_cli.paths import marked_parent


def find_vault(flag: str | None, folder: str, environ: Mapping[str, str], base: str = "") -> str:
    """Return the vault's folder: --vault, else BRAIN_VAULT, else a marked parent, else the user's setting.

    A relative path starts from `base`, or from the working folder of this process. Raise NoVaultError if there is no
    vault or if it is not a folder.
    """
    named_by, name = _named(flag, folder, environ)
    if not name:
        raise NoVaultError(
            "There is no vault here.",
            "Name one with --vault DIR or BRAIN_VAULT, or run `brain init` in your folder of notes.",
        )
    path = os.path.abspath(os.path.join(base, os.path.expanduser(name)))
    if not os.path.isdir(path):
        what = "is not a folder" if os.path.exists(path) else "does not exist"
        raise NoVaultError(f"The vault {name} {what}{named_by}.", "Check the path, or name another with --vault DIR.")
    return path


def _named(flag: str | None, folder: str, environ: Mapping[str, str]) -> tuple[str, str | None]:
    """Return what names the vault, in words for an error, and the name."""
    if name := flag or environ.get("BRAIN_VAULT"):
        return "" if flag else " (named by BRAIN_VAULT)", name
    if parent := marked_parent(folder):
        return "", parent
    [user] = config_files(None, environ)
    configured = read_table(user).get("vault")
    return f" (named in {user})", configured if isinstance(configured, str) else None
