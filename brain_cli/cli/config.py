"""`brain config`: the settings that hold here, where each comes from, and where things live."""

from __future__ import annotations

import json as json_text
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from brain_cli.cli._completion import PROFILE
from brain_cli.cli._context import command_context
from brain_cli.cli._options import JsonOption, NowOption, VaultOption
from brain_cli.cli._output import write_json, write_lines
from brain_cli.config import SCORERS_TABLE, Config, Layer, config_files, find_vault, laid_over, read_layers
from brain_cli.errors import OK, NoVaultError
from brain_cli.index.directory import index_directory_of
from brain_cli.memory.history import history_of
from brain_cli.paths import cache_home, marked_parent, state_home
from brain_cli.ranking.scorers import load_scorer
from brain_cli.settings import SETTINGS


class Line(NamedTuple):
    """One setting that holds, and where it comes from; `scorer` is empty but for a formula's constant."""

    scorer: str
    key: str
    value: object
    origin: str


class Shown(NamedTuple):
    """The settings that hold, and the files and folders behind them, by what they are."""

    lines: list[Line]
    places: dict[str, str]


def command(
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", help="Show what holds with this profile.", click_type=PROFILE),
    ] = None,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Show the settings that hold here, as TOML, where each comes from, and where things live."""
    shown = settings(vault, profile)
    if json:
        write_json(_document(shown))
    else:
        write_lines(_toml(shown))
    return OK


def settings(flag: str | None, profile: str | None) -> Shown:
    """Read what every place sets; UsageError where one of them is wrong. `flag` is --vault."""
    vault = _found(flag)
    stack = read_layers(vault, {"profile": profile}, os.environ)
    if vault:
        stack.append(Layer(_vault_origin(flag, stack), {"vault": vault}))
    config = laid_over(stack)
    for name, constants in config.constants.items():
        load_scorer(name, constants)
    return Shown(list(_lines(config, stack)), _places(vault))


def _found(flag: str | None) -> str | None:
    """Return the vault; None where there is none and none was asked for."""
    try:
        return find_vault(flag, command_context().folder, os.environ)
    except NoVaultError:
        if flag or os.environ.get("BRAIN_VAULT"):
            raise
        return None


def _vault_origin(flag: str | None, stack: Iterable[Layer]) -> str:
    """Say which of its ways led to the vault."""
    if flag or os.environ.get("BRAIN_VAULT"):
        return "--vault" if flag else "BRAIN_VAULT"
    return "found from here" if marked_parent(command_context().folder) else _origin("vault", stack)


def _lines(config: Config, stack: list[Layer]) -> Iterator[Line]:
    for key in SETTINGS:
        value = getattr(config, key)
        if value is not None:
            yield Line("", key, value, _origin(key, stack))
    for scorer, constants in config.constants.items():
        inner = [Layer(layer.origin, layer.constants.get(scorer, {})) for layer in stack]
        yield from (Line(scorer, key, value, _origin(key, inner)) for key, value in constants.items())


def _origin(key: str, stack: Iterable[Layer]) -> str:
    """Return the last place that sets a key."""
    return [layer.origin for layer in stack if layer.settings.get(key) is not None][-1]


def _places(vault: str | None) -> dict[str, str]:
    """Return the files and folders behind it all, whether they are there or not."""
    places = dict(zip(("user settings", "vault settings"), map(str, config_files(vault, os.environ)), strict=False))
    state = Path(state_home(os.environ)) / "brain"
    if vault:
        index = index_directory_of(vault, cache_home(os.environ)).folder
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
        yield f"{f'{line.key} = {_value(line.value)}':<40} # {line.origin}"
    yield ""
    for name, index_directory in shown.places.items():
        yield f"# {name + ':':<16}{index_directory}{'' if os.path.exists(index_directory) else ' (not there)'}"


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


def _document(shown: Shown) -> dict[str, object]:
    settings: dict[str, Any] = {}
    for line in shown.lines:
        table = settings.setdefault(SCORERS_TABLE, {}).setdefault(line.scorer, {}) if line.scorer else settings
        table[line.key] = {"value": line.value, "from": line.origin}
    return {"settings": settings, "places": shown.places}
