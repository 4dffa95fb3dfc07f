"""Settings, each place that sets some a layer over the one before, and the vault they belong to.

Defaults < user's file < vault's file < profile < environment < flags.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from brain_cli.errors import NoVaultError, UsageError, did_you_mean
from brain_cli.paths import config_home, marked_parent
from brain_cli.settings import SETTINGS

SCORERS_TABLE = "scorers"
# `[profile.NAME]` stands for itself; beside `profile = "NAME"` TOML allows only the other.
PROFILE_TABLES = ("profile", "profiles")

Table = Mapping[str, object]
Tables = Mapping[str, Table]


class Config(NamedTuple):
    """What can be set. `constants` holds each scorer's overridden constants, by scorer and field.

    `limit` counts notes; `minimum_relevance` and `min_score` are 0..1. `record_queries` keeps what was asked in the
    history, beside the notes that were shown.
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
    constants: Tables = MappingProxyType({})


# A profile is a set of these settings under a name; what else it holds are constants of its scorer.
BUILT_IN_PROFILES: Tables = {
    "speed": {"limit": 5},
    "balanced": {"limit": 10},
    "deep": {"limit": 20},
}


class Layer(NamedTuple):
    """What one place sets: `origin` names it to the user, values are of the types that Config has."""

    origin: str
    settings: Mapping[str, Any]
    constants: Tables = MappingProxyType({})


def load_config(vault: str | None, flags: Table, environ: Mapping[str, str]) -> Config:
    """Return the settings that hold for a vault (None: none is known). Flags that are None are not given.

    UsageError names a key that is unknown, with the nearest known one, or whose value is none of its kind.
    """
    return laid_over(read_layers(vault, flags, environ))


def read_layers(vault: str | None, flags: Table, environ: Mapping[str, str]) -> list[Layer]:
    """Return what each place sets, the strongest last; UsageError as from `load_config`."""
    tables = [(path, read_table(path)) for path in config_files(vault, environ)]
    profiles = profiles_in(tables)
    files = [_layer(str(path), _without_profiles(table), f"in {path}") for path, table in tables]
    below, environment = [Layer("default", Config()._asdict()), *files], _environment(environ)
    configured = laid_over([*below, *environment])
    name = flags.get("profile") or configured.profile
    profile = [_profile(str(name), profiles, configured.scorer)] if name else []
    # What was asked for by name on this call wins over what a profile bundles.
    return [*below, *profile, *environment, *_command_line(flags)]


def _environment(environ: Mapping[str, str]) -> list[Layer]:
    variables = {key: f"BRAIN_{key.upper()}" for key in SETTINGS}
    given = {key: name for key, name in variables.items() if environ.get(name)}
    return [_layer(name, {key: environ[name]}, "in the environment") for key, name in given.items()]


def _command_line(flags: Table) -> list[Layer]:
    given = {key: value for key, value in flags.items() if value is not None}
    return [_layer(f"--{key.replace('_', '-')}", {key: value}, "on the command line") for key, value in given.items()]


def laid_over(layers: Iterable[Layer]) -> Config:
    """Return the settings that hold where each layer lies over the one before."""
    config = Config()
    for layer in layers:
        over = {name: {**config.constants.get(name, {}), **table} for name, table in layer.constants.items()}
        config = config._replace(**{**layer.settings, "constants": {**config.constants, **over}})
    return config


def profiles_in(tables: Iterable[tuple[Path, Mapping[str, Any]]]) -> Tables:
    """Return every profile by name, those of later files instead of earlier ones."""
    profiles = dict(BUILT_IN_PROFILES)
    for path, table in tables:
        for key in PROFILE_TABLES:
            if isinstance(table.get(key), dict):
                profiles |= _tables(key, table[key], f"in {path}")
    return profiles


def _without_profiles(table: Mapping[str, Any]) -> Table:
    """Leave out the tables of profiles; `profile = "NAME"` is none but chooses one."""
    return {key: value for key, value in table.items() if not (key in PROFILE_TABLES and isinstance(value, dict))}


def _profile(name: str, profiles: Tables, scorer: str) -> Layer:
    if name not in profiles:
        raise UsageError(f"There is no profile “{name}”.", did_you_mean(name, profiles))
    settings = {key: value for key, value in profiles[name].items() if key in SETTINGS}
    constants = {key: value for key, value in profiles[name].items() if key not in SETTINGS}
    layer = _layer(f"profile {name}", settings, f"in profile {name}")
    return layer._replace(constants={str(layer.settings.get("scorer", scorer)): constants} if constants else {})


def _layer(origin: str, table: Table, where: str) -> Layer:
    """Read a table; UsageError says `where` a key or value stands that is none."""
    constants = _tables(SCORERS_TABLE, table.get(SCORERS_TABLE, {}), where)
    settings = {key: _value(key, value, where) for key, value in table.items() if key != SCORERS_TABLE}
    return Layer(origin, settings, {name: constants[name] for name in constants if constants[name]})


def _tables(key: str, value: object, where: str) -> Tables:
    if not isinstance(value, dict) or not all(isinstance(each, dict) for each in value.values()):
        raise UsageError(f"The setting “{key}” holds tables only ({where}).", f"Write [{key}.NAME] and settings below.")
    return value


def _value(key: str, value: object, where: str) -> object:
    if key not in SETTINGS:
        raise UsageError(f"There is no setting “{key}” ({where}).", did_you_mean(key, SETTINGS))
    setting = SETTINGS[key]
    try:
        return setting.read(value)
    except ValueError:
        raise UsageError(f"The setting “{key}” cannot be “{value}” ({where}).", f"It takes {setting.takes}.") from None


def read_table(path: Path) -> dict[str, Any]:
    """Return what a settings file holds, nothing where there is none; UsageError when it cannot be read."""
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
        raise UsageError(f"The configuration {path} is no TOML: {error}.", _correction(text)) from None


def _correction(text: str) -> str:
    if re.search(r"^\s*profile\s*=", text, re.MULTILINE) and re.search(r"^\s*\[profile\.", text, re.MULTILINE):
        return "Beside `profile = …`, write [profiles.NAME] for [profile.NAME]."
    return "Correct the line it names."


def config_files(vault: str | None, environ: Mapping[str, str]) -> list[Path]:
    """Return the settings files that count, the strongest last, whether they are there or not."""
    user = Path(config_home(environ)) / "brain" / "config.toml"
    return [user, Path(vault) / ".brain" / "config.toml"] if vault else [user]


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
    [user] = config_files(None, environ)
    named = read_table(user).get("vault")
    return named if isinstance(named, str) else None
