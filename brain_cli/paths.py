"""Find the folders of the configuration, cache and history, and name a vault's folder in them.

Every recall starts with this module, so it works on text with `os` and does not import `pathlib`.
"""

from __future__ import annotations

import os
from zlib import adler32, crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Files and folders of note programs that mark the folder with them as a vault.
VAULT_MARKS = (
    ".brain",
    ".obsidian",
    ".zk",
    ".foam",
    "logseq/config.edn",
    "dendron.yml",
)
# The kernel's limit for the path of a socket (104 bytes on macOS, 108 on Linux), less a final NUL.
MAX_SOCKET_BYTES = 103


def home(environ: Mapping[str, str], variable: str, default: str) -> str:
    """Return a folder of the user: the value of its XDG variable, else `default` in the home
    folder.
    """
    folder = environ.get(variable, "")
    # The XDG specification says to ignore relative paths.
    return folder if folder.startswith("/") else os.path.join(user_home(environ), default)


def user_home(environ: Mapping[str, str]) -> str:
    """Return the user's home folder."""
    return environ.get("HOME") or os.path.expanduser("~")


def terminal_name() -> str:
    """Return the name of the terminal that a stream of this process is: in `brain show 1 | less`,
    stdin and stderr still are one. Empty if none is.
    """
    return next((os.ttyname(stream) for stream in (1, 2, 0) if os.isatty(stream)), "")


def terminal_size() -> tuple[int, int]:
    """Return the columns and rows of the terminal that stdout is, 0 if it is none."""
    try:
        size = os.get_terminal_size(1)
    except OSError:
        return 0, 0
    return size.columns, size.lines


def local_zone(environ: Mapping[str, str]) -> str:
    """Return the asker's time zone: from TZ, else the machine's, as TZ names it."""
    named = environ.get("TZ")
    if named is None:
        file = os.path.realpath("/etc/localtime")
        named = file.partition("/zoneinfo/")[2] or file
    return named.removeprefix(":").removeprefix("Etc/") or "UTC"


def cache_home(environ: Mapping[str, str]) -> str:
    """Return the folder for indexes, which may be deleted at any time."""
    return home(environ, "XDG_CACHE_HOME", ".cache")


def config_home(environ: Mapping[str, str]) -> str:
    """Return the folder for the user's configuration."""
    return home(environ, "XDG_CONFIG_HOME", ".config")


def state_home(environ: Mapping[str, str]) -> str:
    """Return the folder for histories, which cannot be rebuilt, and for the error log."""
    return home(environ, "XDG_STATE_HOME", ".local/state")


def make_private_folder(folder: str | os.PathLike[str]) -> None:
    """Make a folder and the missing ones above it, all for the user alone, as the XDG specification
    says.
    """
    mask = os.umask(0o077)
    try:
        os.makedirs(folder, exist_ok=True)
    finally:
        os.umask(mask)


def data_home(environ: Mapping[str, str]) -> str:
    """Return the folder for installed models."""
    return home(environ, "XDG_DATA_HOME", ".local/share")


def working_folder() -> str:
    """Return the folder of this process; `/` if it has been deleted."""
    try:
        return os.getcwd()
    except OSError:
        return "/"


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is a folder or is inside it, after resolving links."""
    path = os.path.realpath(path)
    folder = os.path.realpath(folder)
    return path == folder or path.startswith(os.path.join(folder, ""))


def marked_parent(folder: str) -> str | None:
    """Return the nearest folder, this one or above it, that is marked as a vault."""
    while True:
        if any(os.path.exists(os.path.join(folder, mark)) for mark in VAULT_MARKS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def vault_name(vault: str) -> str:
    """Return the name of a vault's index and history: readable, and unique by its path."""
    # A vault that is reached through a symbolic link is the same vault.
    path = os.path.realpath(vault)
    folder = os.path.basename(path)[:40]
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in folder)
    return f"{name or 'vault'}-{_key(path)}"


def _key(path: str) -> str:
    """Return 64 bits of checksums; hashlib would import OpenSSL and cost every start 5 ms."""
    raw = path.encode("utf-8", "surrogateescape")
    return f"{crc32(raw):08x}{adler32(raw):08x}"


def socket_address(vault: str, environ: Mapping[str, str]) -> str:
    """Return the path of a vault's socket. It depends on the cache folder too: another cache has
    another daemon.
    """
    index_folder = os.path.join(cache_home(environ), "brain", vault_name(vault))
    runtime_folder = environ.get("XDG_RUNTIME_DIR", "")
    path = os.path.join(runtime_folder, "brain", f"{_key(index_folder)}.sock")
    if runtime_folder.startswith("/") and len(os.fsencode(path)) <= MAX_SOCKET_BYTES:
        return path
    return os.path.join(index_folder, "socket")
