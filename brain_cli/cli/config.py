"""`brain config`: show the settings in effect and where each comes from; get, set or unset one of
them.

Setting one key of a file changes no other line of it, and no comment.
"""

import contextlib
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from math import isinf
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
    named_vault,
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
from brain_cli.errors import (
    NOTHING_FOUND,
    OK,
    NoVaultError,
    UsageError,
    did_you_mean,
    explained,
)
from brain_cli.history.log import history_of
from brain_cli.index.directory import index_directory_of
from brain_cli.library.vault import check_setting
from brain_cli.paths import cache_home, state_home
from brain_cli.printable import one_line
from brain_cli.process import command_context
from brain_cli.ranking.scorers import load_scorer
from brain_cli.render.formats import Row
from brain_cli.streams import say
from brain_cli.vault.atomic_write import replace_file

# The column at which the comments start; even the longest default ends before it.
ORIGIN_COLUMN = 52
# A list that makes a longer line has a line for each of its items.
USUAL_COLUMNS = 80
# A hint names at most so many settings.
MAX_NAMED = 10
# The value of a key that is to be removed; TOML has no such value.
UNSET = None


class Resolved(NamedTuple):
    """The value of a setting, and the origin that set it."""

    value: object
    origin: str


Settings = Mapping[Key, Resolved]


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
    vault = _find_vault(options.vault)
    found = _settings_in(options.vault, vault, profile)
    if change:
        return _print_one(options, found, change)
    if options.list_format == "jsonl":
        rows = [
            {"key": ".".join(key), "value": each.value, "from": each.origin}
            for key, each in found.items()
        ]
        options.list_rows("settings", [Row("", row) for row in rows])
        return OK
    paths = _paths(vault)
    places = (
        f"# {f'{role}:':<16}{path}{'' if os.path.exists(path) else ' (not there)'}"
        for role, path in paths.items()
    )
    options.answer({**_document(found), "places": paths}, (*_toml(found), "", *places))
    return OK


def _change(options: CommonOptions, words: list[str]) -> int:
    """Write one setting into the user's file, or take one out of it, so that the default applies
    again.
    """
    action, *words = words
    unsets = action == "unset"
    if not unsets and len(words) != 2:
        raise UsageError(
            "A setting has one key and one value.", "Type `brain config set limit 5`."
        )
    if unsets and len(words) != 1:
        raise UsageError("One setting is unset at a time.", "Type `brain config unset limit`.")
    vault = _find_vault(options.vault)
    environ = command_context().environ
    [file] = config_files(None, environ)
    name = words[0]
    key = _named(name)
    value = UNSET if unsets else _typed(key, words[1], vault)
    # This reports a file that is not valid TOML, instead of editing it.
    if isinstance(read_table(file).get(key[0]), dict) and setting_of(key[:1]) and len(key) == 1:
        key = (*key, USE)
    with explained(str(file)):
        was_set = set_key(file, key, value)
    done = {"unset": was_set} if unsets else {"value": value}
    undone = f"{'is no longer' if was_set else 'was not'} set"
    did = one_line(f"{name} {undone if unsets else f'= {words[1]}'} ({file})")
    options.answer({"key": name, **done, "file": str(file)}, [did])
    layers = read_layers(vault, {}, environ)
    setting = [layer.origin for layer in layers if layer.values.get(key) is not None]
    if setting and setting[-1] not in (str(file), DEFAULT):
        say(f"{'.'.join(key)} is also set by {setting[-1]}, which overrides this.")
    return OK


def _named(name: str) -> Key:
    """Return the key of a setting; raise UsageError for a table, and where there is none."""
    key = _split(name)
    if setting_of(key):
        return key
    if names_below(key):
        raise UsageError(
            f"“{name}” is a table of settings.",
            f"Name one: brain config set {name}.NAME VALUE.",
        )
    raise UsageError(
        f"There is no setting “{name}”.",
        did_you_mean(name, names_below(key[:-1]) or all_settings(), MAX_NAMED),
    )


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


def _typed(key: Key, text: str, vault: str | None) -> object:
    """Return the value as TOML holds it; raise UsageError if the setting does not take it."""
    typed = _number(text) if len(key) > 1 else text
    if key == ("vault",):
        typed = os.path.abspath(
            os.path.join(command_context().folder, os.path.expanduser(text))
        )
    value = checked_value(key, typed, SettingSource("", "on the command line"))
    if key == ("scorer",):
        load_scorer(text)
    if key == ("profile",):
        read_layers(vault, {"profile": text}, command_context().environ)
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


def _print_one(options: CommonOptions, settings: Settings, words: list[str]) -> int:
    """Print the value of one setting, or the settings of one table: `brain config get limit`,
    `brain config limit`.
    """
    name = " ".join(words[1:] if words[0] == "get" else words)
    key = _split(name) if names_below(_split(name)) else _named(name)
    found = {each: value for each, value in settings.items() if each[: len(key)] == key}
    value = found[key].value if key in found else None
    text = value if isinstance(value, str) else _value(value)
    lines = [text] if key in found else _toml(found)
    options.answer({**_document(found), "places": {}}, lines)
    return OK if found else NOTHING_FOUND


def _settings_in(flag: str | None, vault: str | None, profile: str | None) -> Settings:
    """Read the settings from every origin; raise UsageError if one of them is wrong. `flag` is
    --vault.
    """
    layers = read_layers(vault, {"profile": profile}, os.environ, check_setting)
    if warning := ignored_settings(layers):
        say(warning)
    if vault:
        origin, _ = named_vault(flag, command_context().folder, os.environ)
        layers.append(Layer(origin, {("vault",): vault}))
    for name, constants in merged(layers).scorers.items():
        load_scorer(name, constants)
    return _resolved(layers)


def _find_vault(flag: str | None) -> str | None:
    """Return the vault; None if the user named none and none is found."""
    try:
        return find_vault(flag, command_context().folder, os.environ)
    except NoVaultError:
        if flag or os.environ.get("BRAIN_VAULT"):
            raise
        return None


def _resolved(layers: Iterable[Layer]) -> dict[Key, Resolved]:
    """Return the settings in the order of the table, each from the last layer that sets it."""
    found = {
        key: Resolved(value, layer.origin)
        for layer in layers
        for key, value in layer.values.items()
        if value is not None
    }
    tables = {key[:1] for key in found if len(key) > 1}
    found = {(*key, USE) if key in tables else key: each for key, each in found.items()}
    order = {name.split(".")[0]: index for index, name in enumerate(all_settings())}
    return dict(sorted(found.items(), key=lambda item: (len(item[0]) > 1, order[item[0][0]])))


def _paths(vault: str | None) -> dict[str, str]:
    user, *own = map(str, config_files(vault, os.environ))
    state = Path(state_home(os.environ)) / "brain"
    paths = {"user settings": user}
    if vault:
        index = index_directory_of(vault, cache_home(os.environ)).folder
        history = history_of(vault, state, index.name).folder
        paths |= {"vault settings": own[0], "index": str(index), "history": str(history)}
    return {**paths, "errors": str(state / "errors.log")}


def _toml(settings: Settings) -> Iterator[str]:
    """Yield lines of TOML that can be copied into a settings file."""
    table: Key = ()
    for key, (value, origin) in settings.items():
        if key[:-1] != table:
            table = key[:-1]
            yield f"\n[{'.'.join(map(_key, table))}]"
        start = f"{_key(key[-1])} = "
        line = f"{start + _value(value):<{ORIGIN_COLUMN}} # {origin}"
        if isinstance(value, list | tuple) and len(line) > USUAL_COLUMNS:
            items = (f"    {_value(each)}," for each in value)
            yield from (f"{f'{start}[':<{ORIGIN_COLUMN}} # {origin}", *items, "]")
        else:
            yield line


def _value(value: object) -> str:
    """Write a value as TOML; texts, numbers and lists are written as in JSON."""
    if isinstance(value, float) and isinf(value):
        return str(value)
    return one_line(json.dumps(value, ensure_ascii=False))


def _key(key: str) -> str:
    bare = key.replace("-", "").replace("_", "")
    return key if bare.isascii() and bare.isalnum() else json.dumps(key)


def _document(settings: Settings) -> dict[str, object]:
    found: dict[str, Any] = {}
    for (*parents, name), (value, origin) in settings.items():
        table = found
        for parent in parents:
            table = table.setdefault(parent, {})
        table[name] = {"value": value, "from": origin}
    return {"settings": found}


def set_key(path: Path, key: Key, value: object) -> bool:
    """Write a settings file with another value for one key, or without it if it is UNSET; return
    whether that changes it. Raise UsageError if it cannot be edited safely.
    """
    before = path.read_text(encoding="utf-8") if os.path.exists(path) else ""
    text = with_key(before, key, value)
    if text is None:
        raise UsageError(
            f"{path} sets “{'.'.join(key)}” in a way that cannot be edited.",
            "Change the file by hand.",
        )
    if text != before:
        # Write to the target of a link: settings often live in a repository of dotfiles.
        file = Path(os.path.realpath(path))
        file.parent.mkdir(parents=True, exist_ok=True)
        mode = file.stat().st_mode & 0o777 if os.path.exists(file) else 0o666
        replace_file(file, text.encode("utf-8"), mode=mode)
    return text != before


def with_key(text: str, key: Key, value: object) -> str | None:
    """Return a settings text with one key set, or removed if it is UNSET; None if no edit has
    exactly that effect.
    """
    import tomlkit

    document = tomlkit.parse(text)
    wanted = tomllib.loads(text)
    table: Any = document
    plain: Any = wanted
    *parents, last = key
    for depth, name in enumerate(parents, start=1):
        if name not in plain and value is UNSET:
            return text
        if name not in plain:
            table[name] = tomlkit.table(is_super_table=depth < len(parents))
        table = table[name]
        plain = plain.setdefault(name, {})
        if not isinstance(plain, dict):
            return None
    if value is not UNSET:
        plain[last] = value
        if last in table or not _insert(table, last, value):
            table[last] = value
    elif plain.pop(last, UNSET) is UNSET:
        return text
    else:
        del table[last]
    edited = tomlkit.dumps(document)
    try:
        return edited if tomllib.loads(edited) == wanted else None
    except tomllib.TOMLDecodeError:
        return None


def _insert(table: Any, name: str, value: object) -> bool:
    """Add a key below the last one of a table; return whether it has one.

    tomlkit would add it at the end of the table, below a comment that belongs to the next table.
    """
    import tomlkit
    from tomlkit.items import AbstractTable, AoT, Table

    body = table.value.body if isinstance(table, Table) else getattr(table, "body", [])
    for index, (key, item) in reversed([*enumerate(body)]):
        if key and not isinstance(item, AbstractTable | AoT):
            if "\n" not in item.trivia.trail:
                return False
            body.insert(index + 1, (tomlkit.key(name), tomlkit.item(value)))
            return True
    return False
