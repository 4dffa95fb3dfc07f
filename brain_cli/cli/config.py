"""`brain config`: show the settings in effect and where each comes from; get, set or unset one of
them.

Setting one key of a file changes no other line of it, and no comment.
"""

from __future__ import annotations

import contextlib
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from brain_cli.cli import completion as completing
from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import ProfileOption, argument
from brain_cli.config import (
    DEFAULT,
    Layer,
    config_files,
    find_vault,
    ignored_settings,
    merged,
    read_layers,
    read_table,
)
from brain_cli.config.schema import (
    USE,
    Key,
    SettingSource,
    all_settings,
    checked_value,
    names_below,
    setting_of,
)
from brain_cli.errors import NOTHING_FOUND, OK, NoVaultError, UsageError, did_you_mean, explained
from brain_cli.history.log import history_of
from brain_cli.index.directory import index_directory_of
from brain_cli.library.vault import check_setting
from brain_cli.paths import cache_home, marked_parent, state_home
from brain_cli.printable import one_line
from brain_cli.process import command_context
from brain_cli.ranking.scorers import load_scorer
from brain_cli.render.rows import Row
from brain_cli.streams import say, write_json, write_lines
from brain_cli.vault.atomic_write import replace_file

# The column at which the comments start; even the longest default ends before it.
ORIGIN_COLUMN = 52
# The value of a key that is to be removed; TOML has no such value.
UNSET = None


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
        argument(
            "[get KEY | set KEY VALUE | unset KEY]",
            "Print one setting, write it to your own file, or remove it.",
            completing.settings,
        ),
    ] = None,
    profile: ProfileOption = None,
) -> int:
    """Show the settings in effect here, as TOML, where each comes from, and the files and folders
    in use.

    Examples:
      brain config
      brain config set limit 5
      brain config limit
      brain config unset limit
    """
    if change and change[0] in ("set", "unset"):
        return _change(options, change)
    report = read_report(options.vault, profile)
    if change:
        return _print_one(report, change, options.json)
    if options.list_format == "jsonl":
        rows = [
            {"key": ".".join(key), "value": each.value, "from": each.origin}
            for key, each in report.settings.items()
        ]
        options.list_rows("settings", [Row("", row) for row in rows])
    else:
        options.answer(_document(report), _toml(report))
    return OK


def _change(options: CommonOptions, words: list[str]) -> int:
    """Write one setting into the user's file, or take one out of it, so that the default applies
    again.
    """
    action, *words = words
    if action == "set" and len(words) != 2:
        raise UsageError("A setting has one key and one value.", "Type `brain config set limit 5`.")
    if action == "unset" and len(words) != 1:
        raise UsageError("One setting is unset at a time.", "Type `brain config unset limit`.")
    vault = _find_vault(options.vault)
    file = config_files(None, command_context().environ)[0]
    key = _named(words[0])
    if action == "set":
        value = _typed(key, words[1])
        _check_name(key, value, vault)
    elif not setting_of(key):
        raise UsageError(
            f"There is no setting “{words[0]}”.", did_you_mean(words[0], names_below(key[:-1]))
        )
    # This reports a file that is not valid TOML, instead of editing it.
    if isinstance(read_table(file).get(key[0]), dict) and setting_of(key[:1]) and len(key) == 1:
        key = (*key, USE)
    document: dict[str, object] = {"key": words[0]}
    with explained(str(file)):
        if action == "set":
            set_key(file, key, value)
            document["value"], did = value, f"= {words[1]}"
        else:
            document["unset"] = was_set = unset_key(file, key)
            did = f"{'is no longer' if was_set else 'was not'} set"
    options.answer({**document, "file": str(file)}, [one_line(f"{words[0]} {did} ({file})")])
    _report_override(key, str(file), vault)
    return OK


def _check_name(key: Key, value: object, vault: str | None) -> None:
    """Raise UsageError if no formula or profile has that name."""
    if key == ("scorer",):
        load_scorer(str(value))
    if key == ("profile",):
        read_layers(vault, {"profile": value}, command_context().environ)


def _named(name: str) -> Key:
    """Return the key of a setting; raise UsageError for a table."""
    key = _split(name)
    if not setting_of(key) and names_below(key):
        raise UsageError(
            f"“{name}” is a table of settings.", f"Name one: brain config set {name}.NAME VALUE."
        )
    return key


def _split(name: str) -> Key:
    """Split a name as TOML does; without its quotation marks, the pattern of a weight may have dots
    and stars.
    """
    with contextlib.suppress(tomllib.TOMLDecodeError):
        table: Any = tomllib.loads(f"{name} = 0")
        key: Key = ()
        while isinstance(table, dict) and len(table) == 1:
            [(part, table)] = table.items()
            key = (*key, part)
        if setting_of(key):
            return key
    return tuple(name.split(".", 2 if name.startswith(("scorers.", "kinds.")) else 1))


def _typed(key: Key, text: str) -> object:
    """Return the value as TOML holds it; raise UsageError if the setting does not take it."""
    typed = _number(text) if len(key) > 1 else text
    if key == ("vault",):
        typed = os.path.abspath(os.path.join(command_context().folder, os.path.expanduser(text)))
    value = checked_value(key, typed, SettingSource("", "on the command line"))
    if key[0] == "scorers":
        load_scorer(key[1], {key[2]: value})
    return list(value) if isinstance(value, tuple) else value


def _number(text: str) -> object:
    """Read a number or a truth value, else keep the text: constants of formulas have no type in the
    table.
    """
    with contextlib.suppress(tomllib.TOMLDecodeError):
        value = tomllib.loads(f"value = {text}")["value"]
        return value if isinstance(value, bool | int | float) else text
    return text


def _report_override(key: Key, file: str, vault: str | None) -> None:
    layers = read_layers(vault, {}, command_context().environ)
    merged(layers)
    setting = [layer.origin for layer in layers if layer.values.get(key) is not None]
    if setting and setting[-1] not in (file, DEFAULT):
        say(f"{'.'.join(key)} is also set by {setting[-1]}, which overrides this.")


def _print_one(report: Report, words: list[str], as_json: bool) -> int:
    """Print the value of one setting, or the settings of one table: `brain config get limit`,
    `brain config limit`.
    """
    names = words[1:] if words[0] == "get" else words
    key: Key = _split(names[0]) if names else ()
    if len(names) != 1 or not (setting_of(key) or names_below(key)):
        name = " ".join(names)
        raise UsageError(
            f"There is no setting “{name}”.",
            did_you_mean(name, all_settings()) if names else "Name one.",
        )
    found = Report(
        {each: value for each, value in report.settings.items() if each[: len(key)] == key}, {}
    )
    if as_json:
        write_json(_document(found))
    elif key in found.settings:
        value = found.settings[key].value
        write_lines([value if isinstance(value, str) else _value(value)])
    else:
        write_lines(_toml(found))
    return OK if found.settings else NOTHING_FOUND


def read_report(flag: str | None, profile: str | None) -> Report:
    """Read the settings from every origin; raise UsageError if one of them is wrong. `flag` is
    --vault.
    """
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
    tables = {key[0] for key in found if len(key) > 1}
    found = {
        (*key, USE) if len(key) == 1 and key[0] in tables else key: each
        for key, each in found.items()
    }
    order = {name.split(".")[0]: index for index, name in enumerate(all_settings())}
    return dict(sorted(found.items(), key=lambda item: (len(item[0]) > 1, order[item[0][0]])))


def _paths(vault: str | None) -> dict[str, str]:
    paths = dict(
        zip(
            ("user settings", "vault settings"),
            map(str, config_files(vault, os.environ)),
            strict=False,
        )
    )
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
        return (
            "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
        )
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


def set_key(path: Path, key: Key, value: object) -> None:
    """Write a settings file with another value for one key; raise UsageError if it cannot be edited
    safely.
    """
    text = with_key(path.read_text(encoding="utf-8") if os.path.exists(path) else "", key, value)
    if text is None:
        raise UsageError(
            f"{path} sets “{'.'.join(key)}” in a way that cannot be edited.",
            "Change the file by hand.",
        )
    # Write to the target of a link: settings often live in a repository of dotfiles.
    file = Path(os.path.realpath(path))
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = file.stat().st_mode & 0o777 if os.path.exists(file) else 0o666
    replace_file(file, text.encode("utf-8"), mode=mode)


def unset_key(path: Path, key: Key) -> bool:
    """Remove one key from a settings file; return whether it was set. Raise UsageError like
    `set_key`.
    """
    table: Any = tomllib.loads(path.read_text(encoding="utf-8")) if os.path.exists(path) else {}
    for name in key[:-1]:
        table = table.get(name, {})
    if key[-1] in table:
        set_key(path, key, UNSET)
    return key[-1] in table


def with_key(text: str, key: Key, value: object) -> str | None:
    """Return a settings text with one key set, or removed if it is UNSET; None if no edit has
    exactly that effect.
    """
    import tomlkit

    document = tomlkit.parse(text)
    table: Any = document
    for depth, name in enumerate(key[:-1], start=1):
        if name not in table:
            table[name] = tomlkit.table(is_super_table=depth < len(key) - 1)
        table = table[name]
        if not isinstance(table, MutableMapping):
            return None
    if value is UNSET:
        del table[key[-1]]
    elif key[-1] in table or not _insert(table, key[-1], value):
        table[key[-1]] = value
    edited = tomlkit.dumps(document)
    try:
        return edited if tomllib.loads(edited) == _with(tomllib.loads(text), key, value) else None
    except tomllib.TOMLDecodeError:
        return None


def _insert(table: Any, name: str, value: object) -> bool:
    """Add a key below the last one of a table; return whether it has one.

    tomlkit would add it at the end of the table, below a comment that belongs to the next table.
    """
    import tomlkit
    from tomlkit.items import AbstractTable, AoT, Table

    body = table.value.body if isinstance(table, Table) else getattr(table, "body", [])
    keys = [
        index
        for index, (key, item) in enumerate(body)
        if key and not isinstance(item, AbstractTable | AoT)
    ]
    last = max(keys, default=-1)
    if last < 0 or "\n" not in body[last][1].trivia.trail:
        return False
    body.insert(last + 1, (tomlkit.key(name), tomlkit.item(value)))
    return True


def _with(table: Mapping[str, Any], key: Key, value: object) -> dict[str, Any]:
    first, *rest = key
    child = table.get(first)
    after = _with(child if isinstance(child, dict) else {}, tuple(rest), value) if rest else value
    return {name: each for name, each in {**table, first: after}.items() if each is not UNSET}
