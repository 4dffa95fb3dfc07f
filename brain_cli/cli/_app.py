"""The command line `brain`: its commands, each imported when it is called, and the options for all of them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Annotated

import click
import typer
import typer.core
from click.shell_completion import CompletionItem
from typer.core import TyperGroup

from brain_cli.cli import ABOUT, COMMANDS, START, _options, grouped
from brain_cli.cli._command_help import CommandWithExamples
from brain_cli.cli._options import JsonOption, NowOption, VaultOption
from brain_cli.errors import WRONG_USAGE, UsageError

# Print help without rich, which would double the time of `brain --help`.
typer.core.HAS_RICH = False

HELP_NAMES = {"help_option_names": ["-h", "--help"]}


class LazyCommands(TyperGroup):
    """A click group made from the table of commands: `brain --help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            from brain_cli.cli._wrong_usage import unknown_command_hint

            raise UsageError(f"There is no command “{cmd_name}”.", unknown_command_hint(cmd_name))
        return _command(cmd_name)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Complete the names of commands from the table; click would import every command to see if it is hidden."""
        return [CompletionItem(name, help=about) for name, about in COMMANDS.items() if name.startswith(incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        longest = max(map(len, COMMANDS))
        for title, commands in grouped():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(longest), about) for name, about in commands.items()])


@cache
def _command(name: str) -> click.Command:
    module = import_module(f"brain_cli.cli.{name}")
    # Commands that are also run without click (see `_quick`) import their options for type checkers alone.
    vars(module).update({each: value for each, value in vars(_options).items() if each not in vars(module)})
    single = _typer(name)
    single.command(name, cls=CommandWithExamples, context_settings=HELP_NAMES, help=module.command.__doc__)(
        _with_common_options(module.command)
    )
    return typer.main.get_command(single)


def _with_common_options(command: Callable[..., int]) -> Callable[..., int]:
    """Return a command that is called with --vault, --now and --json in place of its parameter `options`."""
    signature = inspect.signature(command, eval_str=True)
    parameters = [each for name, each in signature.parameters.items() if name != "options"]
    if len(parameters) == len(signature.parameters):
        return command

    def called(vault: VaultOption = None, now: NowOption = None, json: JsonOption = False, **others: object) -> int:
        from brain_cli.cli._workspace import CommonOptions

        return command(CommonOptions(vault, now, json), **others)

    parameters += list(inspect.signature(called, eval_str=True).parameters.values())[:3]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return called


def _typer(name: str, **settings: object) -> typer.Typer:
    return typer.Typer(
        name=name,
        suggest_commands=False,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings=HELP_NAMES,
        **settings,  # type: ignore[arg-type]
    )


app = _typer("brain", cls=LazyCommands, help=ABOUT, epilog=START)


def _version(wanted: bool) -> None:
    if wanted:
        from brain_cli.cli._environment import environment

        print(environment())
        raise typer.Exit


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and what it runs on.")
    ] = False,
) -> None:
    """Accept the options of every command before the command too."""
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(WRONG_USAGE)
    typed = {name: value for name, value in {"vault": vault, "now": now, "json": json}.items() if value}
    context.default_map = dict.fromkeys(COMMANDS, typed)


@cache
def command_line() -> click.Command:
    """Return `brain` as one callable; a daemon creates it once and calls it often."""
    return typer.main.get_command(app)
