"""`brain config`: show the settings in effect and where each comes from; get, set or unset one of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from brain_cli.cli import _completion as completing
from brain_cli.cli._output import say, write_json, write_lines
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import CommonOptions, check_setting
from brain_cli.config import Layer, ignored_settings, merged, read_layers
from brain_cli.config.files import config_files, find_vault
from brain_cli.config.schema import SETTINGS, Key, names_below, setting_of
from brain_cli.errors import NOTHING_FOUND, OK, NoVaultError, UsageError, did_you_mean
from brain_cli.index.directory import index_directory_of
from brain_cli.memory.history import history_of
from brain_cli.paths import cache_home, marked_parent, state_home
from brain_cli.printable import one_line
from brain_cli.ranking.scorers import load_scorer

# The column at which the comments start; even the longest default ends before it.
ORIGIN_COLUMN = 52


class Resolved(NamedTuple):
    """The value of a setting, and the origin that set it."""

    value: object
    origin: str


class Report(NamedTuple):
    """The settings in effect, and the paths of the files and folders in use, by their role."""

    settings: Mapping[Key, Resolved]
    paths: Mapping[str, str]


def command(
    options: CommonOptions,
    change: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[get KEY | set KEY VALUE | unset KEY]",
            help="Print one setting, write it to your own file, or remove it.",
            autocompletion=completing.settings,
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", metavar="NAME", help="Show the settings with this profile.", autocompletion=completing.profiles
        ),
    ] = None,
) -> int:
    """Show the settings in effect here, as TOML, where each comes from, and the files and folders in use.

    Examples:
      brain config
      brain config set limit 5
      brain config limit
      brain config unset limit
    """
    if change and change[0] in ("set", "unset"):
        return _change(change, options.vault, options.json)
    report = read_report(options.vault, profile)
    if change:
        return _print_one(report, change, options.json)
    if options.json:
        write_json(_document(report))
    else:
        write_lines(_toml(report))
    return OK


def _change(words: list[str], flag: str | None, as_json: bool) -> int:
    from brain_cli.cli._config_set import set_setting, unset_setting

    change = set_setting if words[0] == "set" else unset_setting
    return change(words[1:], _find_vault(flag), as_json=as_json)


def _print_one(report: Report, words: list[str], as_json: bool) -> int:
    """Print the value of one setting, or the settings of one table: `brain config get limit`, `brain config limit`."""
    names = words[1:] if words[0] == "get" else words
    key: Key = tuple(names[0].split(".")) if names else ()
    if len(names) != 1 or not (setting_of(key) or names_below(key)):
        name = " ".join(names)
        raise UsageError(f"There is no setting “{name}”.", did_you_mean(name, SETTINGS) if names else "Name one.")
    found = Report({each: value for each, value in report.settings.items() if each[: len(key)] == key}, {})
    if as_json:
        write_json(_document(found))
    elif key in found.settings:
        value = found.settings[key].value
        write_lines([value if isinstance(value, str) else _value(value)])
    else:
        write_lines(_toml(found))
    return OK if found.settings else NOTHING_FOUND


def read_report(flag: str | None, profile: str | None) -> Report:
    """Read the settings from every origin; raise UsageError if one of them is wrong. `flag` is --vault."""
    vault = _find_vault(flag)
    layers = read_layers(vault, {"profile": profile}, os.environ, check_setting)
    if warning := ignored_settings(layers):
        say(warning)
    if vault:
        layers.append(Layer(_vault_origin(flag, layers), {("vault",): vault}))
    for name, constants in merged(layers).scorers.items():
        load_scorer(name, constants)
    return Report(_resolved(layers), _paths(vault))


def _find_vault(flag: str | None) -> str | None:
    """Return the vault; None if there is none and the user named none."""
    try:
        return find_vault(flag, command_context().folder, os.environ)
    except NoVaultError:
        if flag or os.environ.get("BRAIN_VAULT"):
            raise
        return None


def _vault_origin(flag: str | None, layers: Iterable[Layer]) -> str:
    """Return how the vault was found, in words."""
    if flag or os.environ.get("BRAIN_VAULT"):
        return "--vault" if flag else "BRAIN_VAULT"
    if marked_parent(command_context().folder):
        return "found from here"
    return _resolved(layers)[("vault",)].origin


def _resolved(layers: Iterable[Layer]) -> dict[Key, Resolved]:
    """Return the settings in the order of the table, each from the last layer that sets it."""
    found = {
        key: Resolved(value, layer.origin)
        for layer in layers
        for key, value in layer.values.items()
        if value is not None
    }
    order = {name.split(".")[0]: index for index, name in enumerate(SETTINGS)}
    return dict(sorted(found.items(), key=lambda item: (len(item[0]) > 1, order[item[0][0]])))


def _paths(vault: str | None) -> dict[str, str]:
    """Return the paths of all files and folders in use, whether they exist or not."""
    paths = dict(zip(("user settings", "vault settings"), map(str, config_files(vault, os.environ)), strict=False))
    state = Path(state_home(os.environ)) / "brain"
    if vault:
        index = index_directory_of(vault, cache_home(os.environ)).folder
        paths["index"] = str(index)
        paths["history"] = str(history_of(vault, state, index.name).folder)
    return {**paths, "errors": str(state / "errors.log")}


def _toml(report: Report) -> Iterator[str]:
    """Yield lines of TOML that can be copied into a settings file."""
    table: Key = ()
    for (*parents, name), (value, origin) in report.settings.items():
        if tuple(parents) != table:
            table = tuple(parents)
            yield f"\n[{'.'.join(map(_key, table))}]"
        yield f"{f'{_key(name)} = {_value(value)}':<{ORIGIN_COLUMN}} # {origin}"
    if report.paths:
        yield ""
    for role, path in report.paths.items():
        yield f"# {role + ':':<16}{path}{'' if os.path.exists(path) else ' (not there)'}"


def _value(value: object) -> str:
    """Write a value as TOML, whose texts, numbers and lists are those of JSON."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return one_line(json.dumps(value, ensure_ascii=False))


def _key(key: str) -> str:
    bare = key.replace("-", "").replace("_", "")
    return key if bare.isascii() and bare.isalnum() else json.dumps(key)


def _document(report: Report) -> dict[str, object]:
    settings: dict[str, Any] = {}
    for (*parents, name), (value, origin) in report.settings.items():
        table = settings
        for parent in parents:
            table = table.setdefault(parent, {})
        table[name] = {"value": value, "from": origin}
    return {"settings": settings, "places": report.paths}
