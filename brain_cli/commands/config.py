"""`brain config`: the settings that hold here, where each comes from, and where things live."""

from __future__ import annotations

import json as json_text
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from brain_cli.commands.completing import PROFILE
from brain_cli.commands.options import JsonOption, NowOption, VaultOption, shared
from brain_cli.commands.setting import working_folder, write
from brain_cli.config import (
    BUILT_IN_PROFILES,
    PROFILE_TABLE,
    READERS,
    SCORERS_TABLE,
    Config,
    cache_home,
    find_vault,
    load_config,
    state_home,
    user_config_path,
)
from brain_cli.errors import OK, NoVaultError
from brain_cli.index.place import place_of
from brain_cli.memory.history import history_of
from brain_cli.scoring import load_scorer


class Layer(NamedTuple):
    """Settings that come from one place; of several layers the last one that names a setting wins."""

    where: str
    table: Mapping[str, Any]


class Line(NamedTuple):
    """One setting that holds, and where it comes from; `scorer` is empty but for a formula's constant."""

    scorer: str
    key: str
    value: object
    where: str


class Shown(NamedTuple):
    """The settings that hold, and the files and folders behind them."""

    lines: list[Line]
    places: dict[str, str]


def command(
    context: typer.Context,
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", help="Show what holds with this profile.", click_type=PROFILE),
    ] = None,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Show the settings that hold here, as TOML, where each comes from, and where things live."""
    shown = settings(shared(context, "vault", vault), profile)
    write(_document(shown) if shared(context, "json", json) else "".join(f"{line}\n" for line in _toml(shown)))
    return OK


def settings(vault: str | None, profile: str | None) -> Shown:
    """Read all layers; UsageError where one of them is wrong."""
    found = _found(vault)
    config = load_config(found, {"profile": profile}, os.environ)
    for name, constants in config.constants.items():
        load_scorer(name, constants)
    layers = list(_layers(found, config, profile))
    whence = "found from here" if found and not vault and not os.environ.get("BRAIN_VAULT") else ""
    lines = [] if found is None else [Line("", "vault", found, "--vault" if vault else whence or "BRAIN_VAULT")]
    if found and whence and found == os.path.expanduser(str(config.vault)):
        lines = [Line("", "vault", found, _where("vault", layers))]
    return Shown([*lines, *_lines(config, layers)], _places(found))


def _found(vault: str | None) -> str | None:
    """Return the vault; None where there is none and none was asked for."""
    try:
        return find_vault(vault, working_folder(), os.environ)
    except NoVaultError:
        if vault or os.environ.get("BRAIN_VAULT"):
            raise
        return None


def _layers(vault: str | None, config: Config, profile: str | None) -> Iterator[Layer]:
    yield Layer("default", Config._field_defaults)
    files = [user_config_path(os.environ), *([Path(vault) / ".brain" / "config.toml"] if vault else [])]
    tables = {str(path): _read(path) for path in files}
    for path, table in tables.items():
        # Tables of profiles set nothing; `profile = "name"` does.
        bundled = isinstance(table.get(PROFILE_TABLE), dict)
        yield Layer(path, {key: value for key, value in table.items() if key != PROFILE_TABLE or not bundled})
    if config.profile:
        bundles = [BUILT_IN_PROFILES, *(table.get(PROFILE_TABLE) for table in tables.values())]
        chosen = [
            bundle[config.profile] for bundle in bundles if isinstance(bundle, Mapping) and config.profile in bundle
        ]
        yield Layer(f"profile {config.profile}", _unbundled(chosen[-1], config.scorer))
    for key in READERS:
        if value := os.environ.get(f"BRAIN_{key.upper()}"):
            yield Layer(f"BRAIN_{key.upper()}", {key: value})
    if profile:
        yield Layer("--profile", {"profile": profile})


def _unbundled(bundle: Mapping[str, Any], scorer: str) -> Mapping[str, Any]:
    """What is no setting in a profile is a constant of its scorer."""
    constants = {key: value for key, value in bundle.items() if key not in READERS}
    return {**bundle, SCORERS_TABLE: {scorer: constants}}


def _read(path: Path) -> dict[str, Any]:
    """Read a file that has just been found to be right, or not to be there."""
    import tomllib

    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _lines(config: Config, layers: list[Layer]) -> Iterator[Line]:
    for key in READERS:
        value = getattr(config, key)
        if key != "vault" and value is not None:
            yield Line("", key, list(value) if isinstance(value, tuple) else value, _where(key, layers))
    for scorer, constants in config.constants.items():
        inner = [Layer(layer.where, layer.table.get(SCORERS_TABLE, {}).get(scorer, {})) for layer in layers]
        yield from (Line(scorer, key, value, _where(key, inner)) for key, value in constants.items())


def _where(key: str, layers: list[Layer]) -> str:
    wheres = [layer.where for layer in layers if layer.table.get(key) is not None]
    return wheres[-1]


def _places(vault: str | None) -> dict[str, str]:
    """Return the files and folders behind it all, whether they are there or not."""
    places = {"user settings": str(user_config_path(os.environ))}
    state = Path(state_home(os.environ)) / "brain"
    if vault:
        index = place_of(vault, cache_home(os.environ)).folder
        places["vault settings"] = str(Path(vault) / ".brain" / "config.toml")
        places["index"] = str(index)
        places["history"] = str(history_of(vault, state, index.name).folder)
    return {**places, "errors": str(state / "errors.log")}


def _toml(shown: Shown) -> Iterator[str]:
    """Yield lines that may stand in a settings file as they are."""
    table = ""
    for line in shown.lines:
        if line.scorer != table:
            table = line.scorer
            yield f"\n[{SCORERS_TABLE}.{table}]"
        yield f"{f'{line.key} = {_value(line.value)}':<40} # {line.where}"
    yield ""
    for name, place in shown.places.items():
        yield f"# {name + ':':<16}{place}{'' if os.path.exists(place) else ' (not there)'}"


def _value(value: object) -> str:
    """Write a value as TOML, whose texts, numbers and lists are those of JSON."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return json_text.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    bare = key.replace("-", "").replace("_", "")
    return key if bare.isascii() and bare.isalnum() else json_text.dumps(key)


def _document(shown: Shown) -> str:
    settings: dict[str, Any] = {}
    for line in shown.lines:
        table = settings.setdefault(SCORERS_TABLE, {}).setdefault(line.scorer, {}) if line.scorer else settings
        table[line.key] = {"value": line.value, "from": line.where}
    return json_text.dumps({"version": 1, "settings": settings, "places": shown.places}, indent=2) + "\n"
