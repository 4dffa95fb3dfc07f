"""Find the vault of a command and the settings files, and read one: TOML, from a regular file of a reasonable size."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from brain_cli.errors import NoVaultError, NoVaultHereError, UsageError
from brain_cli.paths import config_home, marked_parent

MAX_FILE_BYTES = 1 << 20
MAX_DOTS = 1_000


def config_files(vault: str | None, environ: Mapping[str, str]) -> list[Path]:
    """Return the paths of the settings files, the strongest last, whether the files exist or not."""
    user = Path(config_home(environ)) / "brain" / "config.toml"
    return [user, vault_file(vault)] if vault else [user]


def vault_file(vault: str) -> Path:
    """Return the path of a vault's settings file."""
    return Path(vault) / ".brain" / "config.toml"


def read_table(path: Path) -> dict[str, Any]:
    """Return the content of a settings file, empty if it does not exist; raise UsageError if it cannot be read."""
    text = _read(path)
    if not text:
        return {}
    import tomllib

    try:
        # tomllib takes quadratic time for a key of many parts.
        if any(line.count(".") > MAX_DOTS for line in text.split("\n")):
            raise RecursionError
        return tomllib.loads(text)
    except RecursionError:
        raise UsageError(f"{path} is nested too deeply.", "Check the file.") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {_explained(str(error))}.", _correction(text)) from None
    except ValueError:  # Python refuses to read an integer of thousands of digits.
        raise UsageError(f"{path} has a number that is too long.", "Check the file.") from None


def _read(path: Path) -> str:
    """Read a settings file; a device, a pipe or a huge file must neither block nor fill the memory."""
    try:
        # O_NONBLOCK lets a pipe be opened without a writer.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise UsageError(f"{path} is not a regular file.", "Check the file.")
            if status.st_size > MAX_FILE_BYTES:
                raise UsageError(f"{path} is larger than {MAX_FILE_BYTES >> 20} MB.", "Check the file.")
            return file.read(MAX_FILE_BYTES).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", "Check the file.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} cannot be read: it is not UTF-8.", "Check the file.") from None


def _explained(error: str) -> str:
    """Put the line first: “Invalid value (at line 3, column 9)” becomes “line 3, invalid value”."""
    found = re.fullmatch(r"(.+) \(at (line \d+|end of document)(?:, column \d+)?\)", error, re.DOTALL)
    return f"{found[2]}, {found[1][0].lower()}{found[1][1:]}" if found else error[:1].lower() + error[1:]


def _correction(text: str) -> str:
    if re.search(r"^\s*profile\s*=", text, re.MULTILINE) and re.search(r"^\s*\[profile\.", text, re.MULTILINE):
        return "Together with `profile = …`, write [profiles.NAME] for [profile.NAME]."
    return "Correct that line."


def find_vault(flag: str | None, folder: str, environ: Mapping[str, str], base: str = "") -> str:
    """Return the vault's folder: --vault, else BRAIN_VAULT, else a marked parent, else the user's setting.

    A relative path starts from `base`, or from the working folder of this process. Raise NoVaultError if there is no
    vault or if it is not a folder.
    """
    named_by, name = _named(flag, folder, environ)
    if not name:
        raise NoVaultHereError.usual()
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
