"""The configuration: layers of settings, each overriding the one before, and the vault that they belong to.

Defaults < user's file < vault's file < profile < environment < options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from brain_cli.config.files import config_files, read_table, vault_file
from brain_cli.config.schema import SETTINGS, IgnorableError, Key, Source, names_below, not_a_table, values_of
from brain_cli.errors import UnknownNameError, UsageError, did_you_mean
from brain_cli.types import DATE_SOURCES

Table = Mapping[str, Any]
# Raises UnknownNameError for a setting whose names only the ranking knows, and UsageError for a wrong value.
Check = Callable[[Key, Any], None]
Tables = Mapping[str, Table]

# The settings whose names only the ranking knows.
CHECKED = ("scorer", "scorers")
# TOML does not allow both [profile.NAME] and `profile = "NAME"`, so [profiles.NAME] means the same.
PROFILE_TABLES = ("profile", "profiles")
BUILT_IN_PROFILES: Tables = {"speed": {"limit": 5}, "balanced": {"limit": 10}, "deep": {"limit": 20}}


class Config(NamedTuple):
    """The settings in effect (`SETTINGS` describes each); `scorers` and `certainty` have the changed constants."""

    vault: str | None = None
    memory: str = "off"
    scorer: str = "blend"
    limit: int = 10
    minimum_relevance: float = 0.01
    min_score: float = 0.0
    mmr: bool = True
    archive_folders: tuple[str, ...] = ("archive", "_archived")
    dates: tuple[str, ...] = DATE_SOURCES
    record_queries: bool = False
    daemon: str = "off"
    profile: str | None = None
    inbox: str = "inbox"
    skip_tools: tuple[str, ...] = (
        *("TodoRead", "TodoWrite", "LS", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "ToolSearch"),
        "update_plan",
    )
    batch_window_ms: int = 3_000
    context_tokens: int | None = None
    context_ratio: float | None = None
    context_floor: float | None = None
    cross_project: bool = True
    recency_halflife_days: float | None = None
    editor_uri: str = "file://{path}"
    record_context: bool = False
    meaning: str = "auto"
    synthesize: Table = MappingProxyType({})
    weights: Mapping[str, float] = MappingProxyType({})
    kinds: Tables = MappingProxyType({})
    scorers: Tables = MappingProxyType({})
    certainty: Table = MappingProxyType({})


# The origin of settings that no layer sets.
DEFAULT = "default"


class Layer(NamedTuple):
    """The settings of one origin (a file, a variable, an option), with values of the types that Config has."""

    origin: str
    values: Mapping[Key, Any]
    # The errors in a vault's file that are only reported.
    ignored: tuple[IgnorableError, ...] = ()


class Profile(NamedTuple):
    """A named set of settings; unknown names in it are constants of its scorer."""

    table: Table
    source: Source


def load_config(
    vault: str | None,
    flags: Table,
    environ: Mapping[str, str],
    warn: Callable[[str], None] = lambda _: None,
    check: Check = lambda *_: None,
) -> Config:
    """Return the settings for a vault (None: no vault is known). Flags that are None are not set.

    Raise UsageError for an unknown setting, naming the nearest known one, and for a value of the wrong type. In the
    vault's own file, unknown settings and folders outside the vault are ignored instead, and `warn` gets one line; so
    are those that `check` does not know.
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
    more = {1: "", 2: ", and so is another"}.get(len(errors), f", and so are {len(errors) - 1} others")
    # A list of all known settings would be too long here.
    hint = f" {errors[0].hint}" if errors[0].hint.startswith(("Did", "It takes")) else ""
    return f"{errors[0].message.removesuffix('.')}, so it is ignored{more}.{hint}"


def merged(layers: Iterable[Layer]) -> Config:
    """Return the settings in effect; later layers override earlier ones."""
    values = {key: value for layer in layers for key, value in layer.values.items()}
    tables: dict[str, Any] = {}
    for (*names, last), value in values.items():
        table = tables
        for name in names:
            table = table.setdefault(name, {})
        table[last] = value
    return _with_half_life(Config()._replace(**tables))


def _with_half_life(config: Config) -> Config:
    """Return the configuration with `recency_halflife_days` as the constant of claude-mem, unless that is set."""
    if config.recency_halflife_days is None:
        return config
    constants = {"half_life_days": config.recency_halflife_days, **config.scorers.get("claude-mem", {})}
    return config._replace(scorers={**config.scorers, "claude-mem": constants})


def read_layers(
    vault: str | None, flags: Table, environ: Mapping[str, str], check: Check = lambda *_: None
) -> list[Layer]:
    """Return the layers of settings, the strongest last; raise UsageError like `load_config`."""
    files = [(path, read_table(path)) for path in config_files(vault, environ)]
    profiles = profiles_in(files, vault)
    sources = [(_file_source(path, vault), table) for path, table in files]
    lower_layers = [
        _defaults(),
        *(_checked(_layer(_without_profiles(table), source), source, check) for source, table in sources),
    ]
    environment = _environment(environ)
    configured = merged([*lower_layers, *environment])
    name = flags.get("profile") or configured.profile
    profile = [_profile(str(name), profiles, configured.scorer, check)] if name else []
    # An option or variable of this call overrides what the profile bundles.
    return [*lower_layers, *profile, *environment, *_options(flags)]


def _defaults() -> Layer:
    return Layer(DEFAULT, {(key,): value for key, value in Config()._asdict().items() if key in SETTINGS})


def _environment(environ: Mapping[str, str]) -> list[Layer]:
    variables = {key: f"BRAIN_{key.upper()}" for key in SETTINGS if "." not in key}
    present = {key: name for key, name in variables.items() if environ.get(name)}
    return [_layer({key: environ[name]}, Source(name, "in the environment")) for key, name in present.items()]


def _options(flags: Table) -> list[Layer]:
    present = {key: value for key, value in flags.items() if value is not None}
    return [
        _layer({key: value}, Source(f"--{key.replace('_', '-')}", "on the command line"))
        for key, value in present.items()
    ]


def _file_source(path: Path, vault: str | None) -> Source:
    return Source(str(path), f"in {path}", is_vault=vault is not None and path == vault_file(vault))


def profiles_in(files: Iterable[tuple[Path, Table]], vault: str | None = None) -> dict[str, Profile]:
    """Return all profiles by name; one in a later file replaces one of the same name."""
    profiles = {name: Profile(table, Source(f"profile {name}", "")) for name, table in BUILT_IN_PROFILES.items()}
    for path, table in files:
        for key in PROFILE_TABLES:
            if isinstance(table.get(key), dict):
                for name, settings in _tables(key, table[key], f"in {path}").items():
                    is_vault = _file_source(path, vault).is_vault
                    profiles[name] = Profile(settings, Source(f"profile {name}", f"in profile {name}", is_vault))
    return profiles


def _tables(key: str, table: Table, where: str) -> Tables:
    if not all(isinstance(value, dict) for value in table.values()):
        raise not_a_table((key,), where)
    return table


def _without_profiles(table: Table) -> Table:
    return {key: value for key, value in table.items() if not (key in PROFILE_TABLES and isinstance(value, dict))}


def _profile(name: str, profiles: Mapping[str, Profile], scorer: str, check: Check) -> Layer:
    if name not in profiles:
        raise UsageError(f"There is no profile “{name}”.", did_you_mean(name, profiles))
    table, source = profiles[name]
    known = set(names_below(()))
    settings = _checked(_layer({key: value for key, value in table.items() if key in known}, source), source, check)
    scorer = settings.values.get(("scorer",), scorer)
    constants: dict[Key, Any] = {("scorers", scorer, key): value for key, value in table.items() if key not in known}
    layer = Layer(source.origin, {**settings.values, **constants}, settings.ignored)
    return _checked(layer, source, check)


def _layer(table: Table, source: Source) -> Layer:
    ignored: list[IgnorableError] = []
    return Layer(source.origin, dict(values_of((), table, source, ignored)), tuple(ignored))


def _checked(layer: Layer, source: Source, check: Check) -> Layer:
    """Return a vault's layer without the settings that this version does not know."""
    values, ignored = {}, list(layer.ignored)
    for key, value in layer.values.items():
        try:
            if source.is_vault and key[0] in CHECKED:
                check(key, value)
        except UnknownNameError as error:
            ignored.append(IgnorableError(f"{error.message.removesuffix('.')} ({source.where}).", error.hint))
        except UsageError:
            values[key] = value  # a wrong value is reported where it is used
        else:
            values[key] = value
    return layer._replace(values=values, ignored=tuple(ignored))
