"""The command line `brain`: its commands, each imported when it is called, and the options for all of them."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from brain_cli.cli import ABOUT, START, _options, verbs
from brain_cli.cli._options import JsonOption, NowOption, VaultOption
from brain_cli.cli._process import command_context

# Typer 0.26 and later bring a click of their own, whose types have no public names.
Context = Any
Command = Any

# The key under which a help of all commands is asked for.
EVERY = "brain.every"
SETTINGS = {"help_option_names": ["-h", "--help"]}


class _HelpScreen(io.StringIO):
    """Collects a help page, which rich colours if it is for a terminal."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


class _PagedHelp:
    """Writes the help as any other answer is written: by the pager, or by a daemon to its client."""

    def get_help(self, ctx: Context) -> str:
        context = command_context()
        with contextlib.redirect_stdout(_HelpScreen(is_terminal=context.is_terminal)) as screen:
            super().get_help(ctx)  # type: ignore[misc]
        text = "\n".join(line.rstrip() for line in screen.getvalue().splitlines())
        context.out(text.strip("\n").encode())
        return ""


class VerbCommand(_PagedHelp, TyperCommand):
    """One command."""


class Verbs(_PagedHelp, TyperGroup):
    """`brain`. Its help and the names of its commands come from the table of verbs, which imports none of them."""

    def format_help(self, ctx: Context, formatter: Any) -> None:
        """Write the help of the first commands, or of all if the option for that was given."""
        for name, command in self.commands.items():
            command.hidden = not (verbs()[name].first or ctx.meta.get(EVERY))
        try:
            super().format_help(ctx, formatter)
        finally:
            for command in self.commands.values():
                command.hidden = False

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        name = args[0]
        if name in verbs():
            return name, command_named(name), args[1:]
        return super().resolve_command(ctx, args)


@cache
def command_named(name: str) -> Command:
    """Return a command with its options, from the signature of the function `command` in its module."""
    module = import_module(verbs()[name].module or f"brain_cli.cli.{name}")
    # Commands that are also run without Typer (see `_quick`) import their options for type checkers alone.
    vars(module).setdefault("option", _options)
    single = _typer(name)
    single.command(name, cls=VerbCommand, context_settings=SETTINGS, help=module.command.__doc__)(
        _with_common_options(module.command, reads=verbs()[name].reads)
    )
    return typer.main.get_command(single)


def _with_common_options(command: Callable[..., int], *, reads: bool) -> Callable[..., int]:
    """Return a command that is called with --vault, --now and --json in place of its parameter `options`."""
    signature = inspect.signature(command, eval_str=True)
    parameters = [each for name, each in signature.parameters.items() if name != "options"]
    if len(parameters) == len(signature.parameters):
        return command

    def called(vault: VaultOption = None, now: NowOption = None, json: JsonOption = False, **others: object) -> int:
        from brain_cli.cli._workspace import CommonOptions

        return command(CommonOptions(vault, now, json, reads), **others)

    parameters += list(inspect.signature(called, eval_str=True).parameters.values())[:3]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return called


def _typer(name: str, **settings: Any) -> typer.Typer:
    return typer.Typer(
        name=name,
        suggest_commands=False,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings=SETTINGS,
        **settings,
    )


app = _typer("brain", cls=Verbs, help=ABOUT, epilog=START, subcommand_metavar="[COMMAND | WORDS]...")


def _version(wanted: bool) -> None:
    if wanted:
        from brain_cli.cli._environment import environment

        print(environment())
        raise typer.Exit


def _help_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.meta[EVERY] = True
        print(context.get_help())
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
    help_all: Annotated[bool, typer.Option("--help-all", callback=_help_all, is_eager=True, hidden=True)] = False,
) -> None:
    """Accept the options of every command before the command too."""
    if context.invoked_subcommand is None:
        from brain_cli.cli._glance import glance

        if not (command_context().is_terminal and glance(vault, now)):
            print(context.get_help())
        raise typer.Exit
    typed = {name: value for name, value in {"vault": vault, "now": now, "json": json}.items() if value}
    context.default_map = dict.fromkeys(verbs(), typed)


@cache
def command_line() -> TyperGroup:
    """Return `brain` as one callable; a daemon creates it once and calls it often."""
    if "_BRAIN_COMPLETE" in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
    brain = typer.main.get_group(app)
    # These stand for the commands in the help and in completions; `resolve_command` imports the real ones.
    brain.commands.update(
        {name: TyperCommand(name, help=verb.about, rich_help_panel=verb.panel) for name, verb in verbs().items()}
    )
    return brain
