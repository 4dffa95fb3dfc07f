"""The configuration: layers of settings, each overriding the one before, and the vault that they
belong to.

Defaults < user's file < vault's file < profile < environment < options.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from brain_cli.config.schema import (
    SETTINGS,
    IgnorableError,
    Key,
    SettingSource,
    names_below,
    not_a_table,
    values_of,
)
from brain_cli.errors import (
    NoVaultError,
    NoVaultHereError,
    UnknownNameError,
    UsageError,
    did_you_mean,
)
from brain_cli.extension import OFF, added_settings, switches_besides
from brain_cli.files import read_regular
from brain_cli.paths import config_home, marked_parent
from brain_cli.record import Record
from brain_cli.types import ARCHIVE_FOLDERS, DATE_SOURCES, DEFAULT_SCORER, MINIMUM_RELEVANCE

Table = Mapping[str, Any]
# Raises UnknownNameError for a setting whose names only the ranking knows, and UsageError for a
# wrong value.
Check = Callable[[Key, Any], None]
Tables = Mapping[str, Table]
# The settings of a file or a profile, and where they are from.
Source = tuple[SettingSource, Table]

MAX_FILE_BYTES = 1 << 20
MAX_DOTS = 1_000
# The settings whose names only the ranking knows.
CHECKED = ("scorer", "scorers")
# TOML does not allow both [profile.NAME] and `profile = "NAME"`, so [profiles.NAME] means the same.
PROFILE_TABLES = ("profile", "profiles")
BUILT_IN_PROFILES: Source = (
    SettingSource("", ""),
    {"profile": {"speed": {"limit": 5}, "balanced": {"limit": 10}, "deep": {"limit": 20}}},
)


class Config(Record):
    """The settings in effect; `scorers` and `certainty` have the changed constants, `of_plugins`
    what plugins declare.

    `SETTINGS` in config/schema.py describes each of the core's.
    """

    vault: str | None = None
    vaults: tuple[str, ...] = ()
    scorer: str = DEFAULT_SCORER
    limit: int = 10
    minimum_relevance: float = MINIMUM_RELEVANCE
    min_score: float = 0.0
    mmr: bool = True
    archive_folders: tuple[str, ...] = ARCHIVE_FOLDERS
    dates: tuple[str, ...] = DATE_SOURCES
    record_queries: bool = False
    daemon: str = "off"
    profile: str | None = None
    recency_halflife_days: float | None = None
    editor_uri: str = "file://{path}"
    synthesize: Table = MappingProxyType({})
    weights: Mapping[str, float] = MappingProxyType({})
    synonyms: Mapping[str, Sequence[str]] = MappingProxyType({})
    kinds: Tables = MappingProxyType({})
    scorers: Tables = MappingProxyType({})
    certainty: Table = MappingProxyType({})
    of_plugins: Mapping[str, Any] = MappingProxyType({})

    @property
    def synonym_pairs(self) -> tuple[tuple[str, str], ...]:
        """Each name of `synonyms` with each of its values."""
        return tuple((name, each) for name, values in self.synonyms.items() for each in values)


# The origins of settings that no layer sets, and of a vault that nothing names.
DEFAULT = "default"
FOUND_HERE = "found from here"


class Layer(Record):
    """The settings of one origin (a file, a variable, an option), with values of the types that
    Config has.
    """

    origin: str
    values: Mapping[Key, Any]
    # The errors in a vault's file that are only reported.
    ignored: tuple[IgnorableError, ...] = ()


def load_config(
    vault: str | None,
    flags: Table,
    environ: Mapping[str, str],
    warn: Callable[[str], None] = lambda _: None,
    check: Check = lambda *_: None,
) -> Config:
    """Return the settings for a vault (None: no vault is known). Flags that are None are not set.

    Raise UsageError for an unknown setting, naming the nearest known one, and for a value of the
    wrong type. In the vault's own file, unknown settings and folders outside the vault are ignored
    instead, and `warn` gets one line; so are those that `check` does not know.
    """
    layers = read_layers(vault, flags, environ, check)
    if warning := ignored_settings(layers):
        warn(warning)
    return merged(layers)


def ignored_settings(layers: Iterable[Layer]) -> str:
    """Return one line about the vault's settings that are ignored; empty if there are none."""
    errors = [error for layer in layers for error in layer.ignored]
    if not errors:
        return ""
    more = {1: "", 2: ", and so is another"}.get(
        len(errors), f", and so are {len(errors) - 1} others"
    )
    # A list of all known settings would be too long here.
    hint = f" {errors[0].hint}" if errors[0].hint.startswith(("Did", "It takes")) else ""
    return f"{errors[0].message.removesuffix('.')}, so it is ignored{more}.{hint}"


def values_in(layers: Iterable[Layer]) -> dict[Key, Any]:
    """Return the values in effect by setting; later layers override earlier ones."""
    return {key: value for layer in layers for key, value in layer.values.items()}


def merged(layers: Iterable[Layer]) -> Config:
    """Return the settings in effect."""
    tables: dict[str, Any] = {}
    of_plugins: dict[str, object] = {}
    for (*names, last), value in values_in(layers).items():
        if (name := ".".join([*names, last])) in added_settings():
            of_plugins[name] = value
            continue
        table = tables
        for name in names:
            table = table.setdefault(name, {})
        table[last] = value
    if half_life := tables.get("recency_halflife_days"):
        # Another name of one constant, unless that is set itself.
        constants = tables.setdefault("scorers", {}).setdefault("claude-mem", {})
        constants.setdefault("half_life_days", half_life)
    return Config(**tables, of_plugins=of_plugins)


def read_layers(
    vault: str | None, flags: Table, environ: Mapping[str, str], check: Check = lambda *_: None
) -> list[Layer]:
    """Return the layers of settings, the strongest last; raise UsageError like `load_config`."""
    files = read_files(vault, environ)
    lower_layers = [_defaults()]
    for source, table in files:
        settings = {
            key: value
            for key, value in table.items()
            if not (key in PROFILE_TABLES and isinstance(value, dict))
        }
        lower_layers.append(_layer(settings, source, check))
    environment = [
        _layer({key: environ[name]}, SettingSource(name, "in the environment"))
        for key in (*SETTINGS, *added_settings())
        if "." not in key and environ.get(name := variable_of(key))
    ]
    configured = values_in([*lower_layers, *environment])
    name = flags.get("profile") or configured["profile",]
    profiles = profiles_in(files)
    profile = _profile(str(name), profiles, configured["scorer",], check) if name else []
    options = [
        _layer({key: value}, SettingSource(f"--{key.replace('_', '-')}", "on the command line"))
        for key, value in flags.items()
        if value is not None
    ]
    # An option or variable of this call overrides what the profile bundles.
    return [*lower_layers, *profile, *environment, *options]


def _defaults() -> Layer:
    own = {key: value for key, value in Config()._asdict().items() if key in SETTINGS}
    of_plugins = {name: setting.default for name, setting in added_settings().items()}
    defaults = {**own, **of_plugins}
    return Layer(DEFAULT, {tuple(name.split(".")): value for name, value in defaults.items()})


def variable_of(setting: str) -> str:
    """Return the variable from which a setting of one word is read."""
    return f"BRAIN_{setting.upper()}"


def switched_off(*kept: str) -> dict[str, str]:
    """Return the variables that turn off all hooks of plugins besides those named here."""
    return {variable_of(switch): OFF for switch in switches_besides(*kept)}


def profiles_in(files: Iterable[Source]) -> dict[str, Source]:
    """Return all profiles by name, with unknown names in them, which are constants of their scorer;
    one in a later file replaces one of the same name.
    """
    profiles: dict[str, Source] = {}
    for source, table in (BUILT_IN_PROFILES, *files):
        for key in PROFILE_TABLES:
            found = table.get(key)
            for name, settings in found.items() if isinstance(found, dict) else ():
                if not isinstance(settings, dict):
                    raise not_a_table((key,), source.where)
                profile = f"profile {name}"
                profiles[name] = (
                    SettingSource(profile, f"in {profile}", source.is_vault),
                    settings,
                )
    return profiles


def _profile(
    name: str, profiles: Mapping[str, Source], scorer: str, check: Check
) -> list[Layer]:
    """Return the settings of a profile, and the constants of its scorer."""
    if name not in profiles:
        raise UsageError(f"There is no profile “{name}”.", did_you_mean(name, profiles))
    source, table = profiles[name]
    known = names_below(())
    own = {key: value for key, value in table.items() if key in known}
    constants = {key: value for key, value in table.items() if key not in known}
    settings = _layer(own, source, check)
    scorer = settings.values.get(("scorer",), scorer)
    return [settings, _layer({"scorers": {scorer: constants}}, source, check)]


def _layer(table: Table, source: SettingSource, check: Check = lambda *_: None) -> Layer:
    """Return the settings of a table; of a vault's, only those that this version knows."""
    ignored: list[IgnorableError] = []
    values = dict(values_of((), table, source, ignored))
    for key in [key for key in values if source.is_vault and key[0] in CHECKED]:
        try:
            check(key, values[key])
        except UnknownNameError as error:
            message = f"{error.message.removesuffix('.')} ({source.where})."
            ignored.append(IgnorableError(message, error.hint))
            del values[key]
        except UsageError:
            pass  # a wrong value is reported where it is used
    return Layer(source.origin, values, tuple(ignored))


def config_files(vault: str | None, environ: Mapping[str, str]) -> list[Path]:
    """Return the paths of the settings files, the strongest last, whether the files exist
    or not.
    """
    user = Path(config_home(environ)) / "brain" / "config.toml"
    return [user, vault_file(vault)] if vault else [user]


def vault_file(vault: str) -> Path:
    """Return the path of a vault's settings file."""
    return Path(vault) / ".brain" / "config.toml"


def read_files(vault: str | None, environ: Mapping[str, str]) -> list[Source]:
    """Return the content of the settings files, the strongest last."""
    return [
        (SettingSource(str(path), f"in {path}", is_vault=number > 0), read_table(path))
        for number, path in enumerate(config_files(vault, environ))
    ]


def read_table(path: Path) -> dict[str, Any]:
    """Return the content of a settings file, empty if it does not exist; raise UsageError if it
    cannot be read. A device, a pipe or a huge file must neither block nor fill the memory.
    """
    try:
        text = read_regular(path, MAX_FILE_BYTES).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"{path} cannot be read: {why}.", "Check the file.") from None
    # Imported here, because most commands find no settings file.
    import tomllib

    try:
        # tomllib takes quadratic time for a key of many parts.
        if any(line.count(".") > MAX_DOTS for line in text.split("\n")):
            raise RecursionError
        return tomllib.loads(text)
    except RecursionError:
        raise UsageError(f"{path} is nested too deeply.", "Check the file.") from None
    except tomllib.TOMLDecodeError as error:
        # “Invalid value (at line 3, column 9)” becomes “line 3, invalid value”.
        what, _, place = str(error).rpartition(" (at ")
        line = place.rstrip(")").partition(",")[0]
        hint = "Correct that line."
        if re.search(r"(?m)^\s*\[profile\.", text) and re.search(r"(?m)^\s*profile\s*=", text):
            hint = "Together with `profile = …`, write [profiles.NAME] for [profile.NAME]."
        raise UsageError(
            f"{path} is not valid TOML: {line}, {what[:1].lower()}{what[1:]}.", hint
        ) from None
    except ValueError:  # Python refuses to read an integer of thousands of digits.
        raise UsageError(f"{path} has a number that is too long.", "Check the file.") from None


def find_vault(
    flag: str | None, folder: str, environ: Mapping[str, str], base: str = ""
) -> str:
    """Return the vault's folder: --vault, else BRAIN_VAULT, else a marked parent, else the user's
    setting.

    A relative path starts from `base`, or from the working folder of this process. Raise
    NoVaultError if there is no vault or if it is not a folder.
    """
    origin, name = named_vault(flag, folder, environ)
    if not name:
        raise NoVaultHereError
    path = os.path.abspath(os.path.join(base, os.path.expanduser(name)))
    if not os.path.isdir(path):
        what = "is not a folder" if os.path.exists(path) else "does not exist"
        named = "" if flag or origin == FOUND_HERE else f" (named by {origin})"
        raise NoVaultError(
            f"The vault {name} {what}{named}.",
            "Check the path, or name another with --vault DIR.",
        )
    return path


def named_vault(
    flag: str | None, folder: str, environ: Mapping[str, str]
) -> tuple[str, str | None]:
    """Return what names the vault, and the name."""
    if flag == "":
        raise UsageError("--vault names no folder.", "Name one, or leave it out.")
    if flag:
        return "--vault", flag
    if name := environ.get("BRAIN_VAULT"):
        return "BRAIN_VAULT", name
    if parent := marked_parent(folder):
        return FOUND_HERE, parent
    [user] = config_files(None, environ)
    configured = read_table(user).get("vault")
    return str(user), configured if isinstance(configured, str) else None
