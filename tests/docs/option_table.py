"""Write `brain_cli/option_table.py` from the signatures of the commands: `python
tests/docs/option_table.py`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from inspect import signature
from typing import Any

from doc_parts import ROOT
from typer.core import TyperArgument

from brain_cli.cli import verbs
from brain_cli.cli._app import command_line, command_named
from brain_cli.cli._quick import QUICK
from brain_cli.plugins import declared, loaded, plugins

PAGE = ROOT / "brain_cli" / "option_table.py"
HEAD = '''"""The names of the commands, and the options of those that run without Typer.

The import of Typer takes long.

Written by tests/docs/regenerate.py from the signatures of the commands. Do not edit.
"""

from __future__ import annotations

# An option → its parameter, and what it takes; a bool is the value of an option that takes none.
Options = dict[str, tuple[str, str | bool]]
'''
MAX_COLUMNS = 100
KINDS = {"text": "text", "str": "text", "integer": "int", "int": "int", "float": "float"}


def former_names() -> dict[str, tuple[str, ...]]:
    """Return the command and the options that each name of version 0.1 stands for."""
    return {
        old: (name, *options)
        for name, verb in verbs().items()
        for old, options in verb.former.items()
    }


def table() -> str:
    """Return the module's text."""
    commands = {name: command_named(name).params for name in QUICK}
    words = {
        name: each.name
        for name, found in commands.items()
        for each in found
        if isinstance(each, TyperArgument)
    }
    lines = [
        HEAD,
        '_VERBS = """',
        *textwrap.wrap(" ".join(sorted({*verbs(), *former_names()})), MAX_COLUMNS),
        '"""',
        "VERBS = frozenset(_VERBS.split())",
    ]
    lines += [
        "# Those that also stand before a command.",
        "COMMON: Options = {",
        *_options(command_line().params),
        "}",
    ]
    lines += ["OPTIONS: dict[str, Options] = {"]
    for name, parameters in commands.items():
        lines += [f"    {name!r}: {{", *(f"    {line}" for line in _options(parameters)), "    },"]
    lines += [
        "}",
        "# A command → the parameter for its words.",
        "WORDS = {",
        *(f"    {name!r}: {word!r}," for name, word in words.items()),
        "}",
    ]
    lines += ["# A former name of a command → its name, and the options it stands for."]
    lines += ["FORMER: dict[str, tuple[str, ...]] = {"]
    lines += [f"    {old!r}: {verb!r}," for old, verb in sorted(former_names().items())] + ["}"]
    lines += ["# The commands that a daemon answers."]
    lines += [f"WARM = {tuple(name for name, verb in verbs().items() if verb.warm)!r}"]
    direct = {words: place for plugin in plugins() for words, place in plugin.direct.items()}
    lines += [
        "# A command alone → the function that it runs before anything else is imported.",
        f"DIRECT = {direct!r}",
    ]
    hooks: dict[str, list[tuple[str, str]]] = {}
    for plugin in plugins():
        for name, place in plugin.hooks.items():
            hooks.setdefault(name, []).append((place, plugin.switch))
    lines += ["# The functions of the plugins, by hook, each with the setting that turns it off."]
    lines += ["HOOKS: dict[str, tuple[tuple[str, str], ...]] = {"]
    for name, places in sorted(hooks.items()):
        lines += _entry(name, tuple(places))
    lines += ["}", "# A setting of a plugin → the table that declares it, and its default."]
    lines += ["SETTINGS: dict[str, tuple[str, object]] = {"]
    lines += [
        line
        for plugin in plugins()
        for name, place in declared(plugin).items()
        for line in _entry(name, place)
    ]
    added = {
        each
        for plugin in plugins()
        for place in plugin.options
        for each in signature(loaded(place)).parameters
    }
    lines += [
        "}",
        "# The parameters of the options that plugins add to commands.",
        f"ADDED = {tuple(sorted(added))!r}",
    ]
    return "\n".join([*lines, ""]).replace("'", '"')


def _entry(name: str, values: tuple[object, ...]) -> list[str]:
    """Return a tuple of a table, on one line if there is space."""
    line = f"    {name!r}: {values!r},"
    if len(line) <= MAX_COLUMNS:
        return [line]
    return [f"    {name!r}: (", *(f"        {value!r}," for value in values), "    ),"]


def _options(parameters: Iterable[Any]) -> Iterator[str]:
    for each in parameters:
        if isinstance(each, TyperArgument) or each.is_eager:
            continue
        if each.is_flag:
            yield from (f"    {name!r}: ({each.name!r}, True)," for name in each.opts)
            yield from (f"    {name!r}: ({each.name!r}, False)," for name in each.secondary_opts)
        elif kind := _kind(each):
            yield from (f"    {name!r}: ({each.name!r}, {kind!r})," for name in each.opts)


def _kind(option: Any) -> str:
    """Return what an option takes; empty if only Typer can read it."""
    if hasattr(option.type, "min"):
        return "positive" if (option.type.min, option.type.max) == (1, None) else ""
    kind = KINDS.get(option.type.name, "")
    return ("list" if kind == "text" else "") if option.multiple else kind


if __name__ == "__main__":
    PAGE.write_text(table(), encoding="utf-8")
