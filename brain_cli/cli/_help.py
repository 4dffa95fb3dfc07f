"""`brain help WORD`: the options and settings whose name or help has the words."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import NamedTuple

from typer.core import TyperOption

from brain_cli.cli import verbs
from brain_cli.cli._app import command_named
from brain_cli.cli._quick import command_near
from brain_cli.config.schema import all_settings
from brain_cli.errors import OK, UsageError
from brain_cli.extension import read_others
from brain_cli.printable import one_line
from brain_cli.streams import write_lines
from brain_cli.vault.analyzer import terms

ENGLISH = "english"


class _Entry(NamedTuple):
    """A command, an option or a setting: how it is typed, what it does, and its own names."""

    typed: str
    about: str
    names: str

    @property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(f"{self.names} {self.about}", ENGLISH))


def print_options_about(words: str) -> int:
    """Print the commands, options and settings that have all the words, those first that have them
    in their names; UsageError if there are none.
    """
    read_others()
    wanted = frozenset(terms(words, ENGLISH))
    found = [each for each in _entries() if wanted and wanted <= each.terms]
    if not found:
        near = command_near(words)
        did_you_mean = f"Did you mean `brain help {near}`? " if near else ""
        raise UsageError(
            f"There is no command “{one_line(words)}”, and no option or setting is about it.",
            f"{did_you_mean}`brain help all` lists the commands.",
        )
    found.sort(key=lambda each: len(wanted - frozenset(terms(each.names, ENGLISH))))
    write_lines(
        [line for each in found for line in (each.typed, f"    {each.about}")], is_paged=True
    )
    return OK


def _entries() -> Iterator[_Entry]:
    """Yield the commands, then each option of one or several commands, then the settings."""
    commands: dict[tuple[str, str], list[str]] = {}
    for name, verb in verbs().items():
        yield _Entry(f"brain {name}", verb.about, name)
        for option in command_named(name).params:
            if isinstance(option, TyperOption) and option.help and not option.hidden:
                names = " ".join([*option.opts, *option.secondary_opts])
                commands.setdefault((names, inspect.cleandoc(option.help)), []).append(name)
    for (names, about), having in commands.items():
        typed = (
            f"brain {having[0]} {names}" if len(having) == 1 else f"{names}  ({', '.join(having)})"
        )
        yield _Entry(typed, " ".join(about.split()), names)
    for name, setting in all_settings().items():
        yield _Entry(f"brain config set {name}", setting.help, name.replace("_", " "))
