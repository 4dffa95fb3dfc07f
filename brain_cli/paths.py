"""Where things live, told from the environment and a folder's name alone.

This is what a warm recall needs before it may import anything, so: text and `os`, no `pathlib`.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VAULT_MARKS = (".brain", ".obsidian", ".zk")


def home(environ: Mapping[str, str], variable: str, default: str) -> str:
    """Return a folder of the user's: as its XDG variable says, else `default` in the home folder."""
    named = environ.get(variable, "")
    # A relative path is none, by the XDG specification.
    return named if named.startswith("/") else os.path.join(environ.get("HOME") or os.path.expanduser("~"), default)


def cache_home(environ: Mapping[str, str]) -> str:
    """Return where indexes are kept, which may be deleted at any time."""
    return home(environ, "XDG_CACHE_HOME", ".cache")


def config_home(environ: Mapping[str, str]) -> str:
    """Return where the user's settings are."""
    return home(environ, "XDG_CONFIG_HOME", ".config")


def state_home(environ: Mapping[str, str]) -> str:
    """Return where histories are kept, which nothing can rebuild, and the log of bugs."""
    return home(environ, "XDG_STATE_HOME", ".local/state")


def marked_parent(folder: str) -> str | None:
    """Return the nearest folder, from one upwards, that is marked as a vault."""
    while True:
        if any(os.path.isdir(os.path.join(folder, mark)) for mark in VAULT_MARKS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def vault_name(vault: str) -> str:
    """Return the name under which a vault's index and history are kept: a person can tell, and no two are the same."""
    # Two checksums make a key of 64 bits without importing OpenSSL, which would cost every start 5 ms.
    from zlib import adler32, crc32

    # A vault that is reached through a symbolic link is the same vault.
    path = os.path.realpath(vault)
    real = path.encode("utf-8", "surrogateescape")
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in os.path.basename(path))[:40]
    return f"{name or 'vault'}-{crc32(real):08x}{adler32(real):08x}"
