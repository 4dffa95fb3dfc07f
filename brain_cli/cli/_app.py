"""`brain` itself: its commands, imported when they are called, and the options that may stand before them."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import Annotated

import click
import typer
import typer.core
from click.shell_completion import CompletionItem
from typer.core import TyperGroup

from brain_cli.cli import COMMANDS
from brain_cli.cli._options import JsonOption, NowOption, VaultOption
from brain_cli.errors import WRONG_USAGE, UsageError, did_you_mean

# Help in plain text: rich would double the time of `brain --help`. Typer escapes for rich wherever it is installed.
typer.core.HAS_RICH = False

HELP_NAMES = {"help_option_names": ["-h", "--help"]}


class LazyCommands(TyperGroup):
    """The table of commands as a click group: `brain --help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            raise UsageError(f"There is no command “{cmd_name}”.", did_you_mean(cmd_name, COMMANDS))
        return _command(cmd_name)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Offer the commands from the table; click would import every one of them to ask whether it is hidden."""
        return [CompletionItem(name, help=told) for name, told in COMMANDS.items() if name.startswith(incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@cache
def _command(name: str) -> click.Command:
    module = import_module(f"brain_cli.cli.{name}")
    single = _typer(name)
    single.command(name, context_settings=HELP_NAMES, help=module.command.__doc__)(module.command)
    return typer.main.get_command(single)


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


app = _typer(
    "brain", cls=LazyCommands, help="A memory over a folder of markdown notes: it recalls the way memory works."
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"brain {version('brain-cli')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options that every command takes may stand before it or after it."""
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(WRONG_USAGE)
    typed = {name: value for name, value in {"vault": vault, "now": now, "json": json}.items() if value}
    context.default_map = dict.fromkeys(COMMANDS, typed)


@cache
def command_line() -> click.Command:
    """Return `brain` as one callable; a watcher makes it once and calls it often."""
    return typer.main.get_command(app)
