"""Write `brain_cli/option_table.py` from the signatures of the commands: `python
tests/docs/option_table.py`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from doc_parts import ROOT
from typer.core import TyperArgument

from brain_cli.cli import COMMANDS
from brain_cli.cli._app import command_line, command_named
from brain_cli.cli._quick import QUICK
from brain_cli.extension import added_options

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


def table() -> str:
    """Return the module's text."""
    added = {option.parameter for option in added_options()}
    commands = {
        name: [each for each in command_named(name).params if each.name not in added]
        for name in QUICK
    }
    words = {
        name: each.name
        for name, found in commands.items()
        for each in found
        if isinstance(each, TyperArgument)
    }
    lines = [
        HEAD,
        '_VERBS = """',
        *textwrap.wrap(" ".join(sorted(COMMANDS)), MAX_COLUMNS),
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
    common = {*_options(command_line().params)}
    for name, parameters in commands.items():
        options = (f"    {line}" for line in _options(parameters) if line not in common)
        lines += [f"    {name!r}: {{", *options, "        **COMMON,", "    },"]
    lines += [
        "}",
        "# A command → the parameter for its words.",
        "WORDS = {",
        *(f"    {name!r}: {word!r}," for name, word in words.items()),
        "}",
    ]
    lines += ["# The commands that a daemon answers."]
    lines += [f"WARM = {tuple(name for name, verb in COMMANDS.items() if verb.warm)!r}"]
    return "\n".join([*lines, ""]).replace("'", '"')


def _options(parameters: Iterable[Any]) -> Iterator[str]:
    for each in parameters:
        if isinstance(each, TyperArgument) or each.is_eager:
            continue
        if each.is_flag:
            yield from (f"    {name!r}: ({each.name!r}, True)," for name in each.opts)
            yield from (
                f"    {name!r}: ({each.name!r}, False)," for name in each.secondary_opts
            )
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
