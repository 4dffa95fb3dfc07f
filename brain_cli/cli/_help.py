"""`brain help WORD`: the options and settings whose name or help has the words."""

import inspect
from collections.abc import Iterator
from typing import NamedTuple

from typer.core import TyperArgument, TyperOption

from brain_cli.cli import verbs
from brain_cli.cli._app import command_named
from brain_cli.cli._quick import command_near
from brain_cli.config.schema import all_settings
from brain_cli.errors import OK, UsageError
from brain_cli.extension import read_others
from brain_cli.printable import one_line
from brain_cli.process import command_context
from brain_cli.streams import folded, write_lines
from brain_cli.vault.analyzer import terms

ENGLISH = "english"


class _Entry(NamedTuple):
    """A command, an option or a setting: how it is typed, what it does, and its own names."""

    typed: str
    about: str
    names: str

    @property
    def terms(self) -> frozenset[str]:
        return _terms(f"{self.names} {self.typed} {self.about}")


def _terms(text: str) -> frozenset[str]:
    """Return the terms and the words of a text, without “not” and “why”."""
    return frozenset((*terms(text, ENGLISH), *text.lower().split()))


# What no option or setting says by these words; the docs have more of it.
TOPICS = (
    _Entry(
        "brain 'kafka -draft'",
        "Leave out notes with a word; +word must be there. See Reference, “Asking”.",
        "exclude not without minus operator query syntax",
    ),
    _Entry(
        "brain explain NOTE QUESTION",
        "Why a question finds a note or not; brain doctor why FILE: why a file is no note.",
        "why reason",
    ),
    _Entry(
        "--since june --until 2w",
        "Dates: 2026-06-01, june, monday, yesterday, 2w, 3 months.",
        "date month day january february march april may july august september october november "
        "december",
    ),
    _Entry(
        "Privacy",
        "Nothing leaves this machine but to what you name: a model's download, an endpoint, a "
        "team's server, an agent. See Security.",
        "network internet offline telemetry cloud send",
    ),
    _Entry(
        "Size",
        "The index is in ~/.cache/brain, models are in ~/.local/share/brain: du -sh has both.",
        "disk space large",
    ),
    _Entry(
        "Exit codes",
        "0 found or done, 1 nothing found, 2 wrong usage, 3 failed, 70 a bug, 130 interrupted.",
        "exit status error return",
    ),
)


def print_options_about(words: str) -> int:
    """Print the commands, options and settings that have all the words, those first that have them
    in their names, or only the option that is named; UsageError if there are none.
    """
    read_others()
    wanted = frozenset(terms(words, ENGLISH)) or _terms(words)
    is_option = words.startswith("-")
    found = [
        each
        for each in _entries()
        if (words in each.names.split() if is_option else wanted and wanted <= each.terms)
    ]
    if not found:
        near = command_near(words)
        did_you_mean = f"Did you mean `brain help {near}`? " if near else ""
        raise UsageError(
            f"There is no command “{one_line(words)}”, and no option or setting is about it.",
            f"{did_you_mean}`brain help all` lists the commands.",
        )
    found.sort(key=lambda each: len(wanted - _terms(each.names)))
    context = command_context()
    columns = context.width if context.screen().out else 0
    lines = (line for each in found for line in (each.typed, f"    {each.about}"))
    write_lines([folded(line, columns) for line in lines], is_paged=True)
    return OK


def _entries() -> Iterator[_Entry]:
    """Yield the commands, then each option or argument of one or several commands, the settings,
    and other subjects.
    """
    commands: dict[tuple[str, str], list[str]] = {}
    for name, verb in verbs().items():
        yield _Entry(f"brain {name}", verb.about, name)
        for option in command_named(name).params:
            if (
                isinstance(option, TyperOption | TyperArgument)
                and option.help
                and not option.hidden
            ):
                is_argument = isinstance(option, TyperArgument)
                flags = [*option.opts, *option.secondary_opts]
                names = str(option.metavar) if is_argument else " ".join(flags)
                commands.setdefault((names, inspect.cleandoc(option.help)), []).append(name)
    for (names, about), having in commands.items():
        typed = (
            f"brain {having[0]} {names}"
            if len(having) == 1
            else f"{names}  ({', '.join(having)})"
        )
        yield _Entry(typed, " ".join(about.split()), names)
    for name, setting in all_settings().items():
        yield _Entry(f"brain config set {name}", setting.help, name.replace("_", " "))
    yield from TOPICS
