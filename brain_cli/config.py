"""Settings and places: defaults < user's file < vault's file < environment < flags, and where things live."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from brain_cli import places
from brain_cli.errors import NoVaultError, UsageError
from brain_cli.places import VAULT_MARKS as VAULT_MARKS
from brain_cli.places import marked_parent

SCORERS_TABLE = "scorers"
PROFILE_TABLE = "profile"


class Config(NamedTuple):
    """What can be set. `constants` holds each scorer's overridden constants, by scorer and field.

    `record_queries` keeps what was asked in the history, beside the notes that were shown.
    """

    vault: str | None = None
    scorer: str = "blend"
    limit: int = 10
    minimum_relevance: float = 0.01
    min_score: float = 0.0
    mmr: bool = True
    archive_folders: tuple[str, ...] = ("archive", "_archived")
    record_queries: bool = False
    profile: str | None = None
    constants: Mapping[str, Mapping[str, object]] = MappingProxyType({})


# A profile is a set of these settings under a name; what else it holds are constants of its scorer.
BUILT_IN_PROFILES: Mapping[str, Mapping[str, object]] = {
    "speed": {"limit": 5},
    "balanced": {"limit": 10},
    "deep": {"limit": 20},
}


def _share(value: object) -> float:
    number = float(value)  # type: ignore[arg-type]
    if isinstance(value, bool) or not 0 <= number <= 1:
        raise ValueError
    return number


def _limit(value: object) -> int:
    if isinstance(value, bool | float) or int(value) < 1:  # type: ignore[call-overload]
        raise ValueError
    return int(value)  # type: ignore[call-overload, no-any-return]


def _flag(value: object) -> bool:
    known = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    if str(value).lower() not in known:
        raise ValueError
    return known[str(value).lower()]


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value


def _folders(value: object) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError
    return tuple(item.strip() for item in items)


READERS: Mapping[str, Callable[[object], Any]] = {
    "vault": _text,
    "scorer": _text,
    "limit": _limit,
    "minimum_relevance": _share,
    "min_score": _share,
    "mmr": _flag,
    "archive_folders": _folders,
    "record_queries": _flag,
    "profile": _text,
}


EXPECTED: Mapping[Callable[[object], Any], str] = {
    _text: "a text",
    _limit: "a whole number from 1",
    _share: "a number from 0 to 1",
    _flag: "true or false",
    _folders: "a list of folder names",
}


def load_config(vault: str | None, flags: Mapping[str, object], environ: Mapping[str, str]) -> Config:
    """Return the settings that hold for a vault (None: none is known). Flags that are None are not given.

    UsageError names a key that is unknown, with the nearest known one, or whose value is none of its kind.
    """
    config, profiles = Config(), dict(BUILT_IN_PROFILES)
    files = [user_config_path(environ)]
    if vault:
        files.append(Path(vault) / ".brain" / "config.toml")
    for path in files:
        table = _read(path)
        profiles |= _profiles(table, f"in {path}")
        config = _with(config, table, f"in {path}")
    given = {key: value for key in READERS if (value := environ.get(f"BRAIN_{key.upper()}"))}
    config = _with(config, given, "in the environment")
    flags = {key: value for key, value in flags.items() if value is not None}
    name = flags.get("profile") or config.profile
    if name:
        config = _with_profile(config, str(name), profiles)
        # What was asked for by name on this call wins over what a profile bundles.
        config = _with(config, given, "in the environment")
    return _with(config, flags, "on the command line")


def _profiles(table: dict[str, Any], where: str) -> Mapping[str, Mapping[str, object]]:
    """Take the profiles out of a file's table; `profile = "name"` is not one but chooses one."""
    if not isinstance(table.get(PROFILE_TABLE), dict):
        return {}
    return _tables(PROFILE_TABLE, table.pop(PROFILE_TABLE), where)


def _tables(key: str, value: object, where: str) -> Mapping[str, Mapping[str, object]]:
    if not isinstance(value, dict) or not all(isinstance(each, dict) for each in value.values()):
        raise UsageError(f"The setting “{key}” holds tables only ({where}).", f"Write [{key}.NAME] and settings below.")
    return value


def _with_profile(config: Config, name: str, profiles: Mapping[str, Mapping[str, object]]) -> Config:
    if name not in profiles:
        raise UsageError(f"There is no profile “{name}”.", nearest(name, profiles))
    settings = {key: value for key, value in profiles[name].items() if key in READERS}
    constants = {key: value for key, value in profiles[name].items() if key not in READERS}
    config = _with(config, settings, f"in profile {name}")
    return config._replace(constants=_laid_over(config.constants, {config.scorer: constants}))


def _laid_over(constants: Mapping[str, Mapping[str, object]], more: Mapping[str, Mapping[str, object]]) -> Any:
    return {**constants, **{name: {**constants.get(name, {}), **table} for name, table in more.items() if table}}


def _with(config: Config, table: Mapping[str, object], where: str) -> Config:
    changes: dict[str, Any] = {}
    for key, value in table.items():
        if key == SCORERS_TABLE:
            changes["constants"] = _laid_over(config.constants, _tables(key, value, where))
        elif key not in READERS:
            raise UsageError(f"There is no setting “{key}” ({where}).", nearest(key, READERS))
        else:
            changes[key] = _value(key, value, where)
    return config._replace(**changes)


def _value(key: str, value: object, where: str) -> object:
    try:
        return READERS[key](value)
    except (ValueError, TypeError):
        raise UsageError(
            f"The setting “{key}” cannot be “{value}” ({where}).",
            f"It takes {EXPECTED[READERS[key]]}.",
        ) from None


def nearest(name: str, known: Collection[str]) -> str:
    """Return the hint for an unknown name."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"Did you mean “{near[0]}”?" if near else f"Known are: {', '.join(sorted(known))}."


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The configuration {path} cannot be read: {error}.", "Check the file.") from None
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The configuration {path} is no TOML: {error}.", "Correct the line it names.") from None


def user_config_path(environ: Mapping[str, str]) -> Path:
    return Path(places.config_home(environ)) / "brain" / "config.toml"


def cache_home(environ: Mapping[str, str]) -> str:
    return str(Path(places.cache_home(environ)))


def state_home(environ: Mapping[str, str]) -> str:
    return str(Path(places.state_home(environ)))


def find_vault(flag: str | None, folder: str, environ: Mapping[str, str], base: str = "") -> str:
    """Return the vault's folder: --vault, else BRAIN_VAULT, else a marked parent, else the user's setting.

    A relative path starts from `base`, or where this process works. NoVaultError when there is none, or no folder.
    """
    named = flag or environ.get("BRAIN_VAULT") or marked_parent(folder) or _configured(environ)
    if not named:
        raise NoVaultError(
            "There is no vault here.",
            "Name one with --vault DIR or BRAIN_VAULT, or run `brain init` in your folder of notes.",
        )
    path = os.path.abspath(os.path.join(base, os.path.expanduser(named)))
    if not os.path.isdir(path):
        what = "is not a folder" if os.path.exists(path) else "does not exist"
        raise NoVaultError(f"The vault {named} {what}.", "Check the path, or name another with --vault DIR.")
    return path


def _configured(environ: Mapping[str, str]) -> str | None:
    named = _read(user_config_path(environ)).get("vault")
    return named if isinstance(named, str) else None
