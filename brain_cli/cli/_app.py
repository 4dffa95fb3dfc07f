"""The command line `brain`: its commands, each imported when it is called, and the options for all
of them.
"""

import contextlib
import inspect
import io
import os
import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from brain_cli.cli import ABOUT, START, command_of, verbs
from brain_cli.cli.flags import EverywhereOption, JsonOption, NowOption, VaultOption, flag
from brain_cli.extension import AddedOption, Verb, added_options, verb_named
from brain_cli.process import command_context
from brain_cli.render.formats import AUTO
from brain_cli.streams import write
from brain_cli.version import INDEX_VERSION, VERSION

# Typer 0.26 and later bring a click of their own, whose types have no public names.
Context = Any
Command = Any

# The packages whose versions affect answers; the last ones are extras.
PACKAGES = (
    "whoosh-reloaded",
    "markdown-it-py",
    "PyYAML",
    "PyStemmer",
    "typer",
    "rich",
    "onnxruntime",
    "mcp",
)
# The key under which a help of all commands is asked for.
EVERY = "brain.every"
# The panels of what names none.
PANELS = {"argument": "Arguments", "option": "Options"}
SETTINGS = {"help_option_names": ["-h", "--help"]}


class _HelpScreen(io.StringIO):
    """Collects a help page, which rich colours if it is for a terminal."""

    is_terminal = False

    def isatty(self) -> bool:
        return self.is_terminal


class _Help:
    """Writes the help as a long answer is written: through the pager, or by a daemon to its client;
    on a terminal in coloured panels, elsewhere as plain lines.
    """

    rich_markup_mode: Any

    def get_help(self, ctx: Context) -> str:
        context = command_context()
        screen = _HelpScreen()
        screen.is_terminal = context.is_terminal
        with contextlib.redirect_stdout(screen):
            text = super().get_help(ctx)  # type: ignore[misc]
        lines = f"{screen.getvalue()}{text}".strip("\n").splitlines()
        (context.page or context.out)("\n".join(line.rstrip() for line in lines).encode())
        return ""

    def format_help(self, ctx: Context, formatter: Any) -> None:
        # Typer imports rich and a reader of Markdown for the panels.
        self.rich_markup_mode = "rich" if command_context().is_terminal else None
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def format_help_text(self, ctx: Context, formatter: Any) -> None:  # noqa: ARG002
        formatter.write_paragraph()
        with formatter.indentation():
            # The lines of the examples stay apart.
            text = self.help or ""  # type: ignore[attr-defined]
            formatter.write_text(text.replace("Examples:\n", "\b\nExamples:\n"))

    def format_options(self, ctx: Context, formatter: Any) -> None:
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        rows = (
            (each.rich_help_panel or PANELS[each.param_type_name], each.get_help_record(ctx))
            for each in parameters
        )
        _write_panels(rows, formatter)


def _write_panels(rows: Iterable[tuple[str, Any]], formatter: Any) -> None:
    """Write the rows of a help in the order of their panels, without the hidden ones."""
    panels: dict[str, list[Any]] = {}
    for panel, row in rows:
        # A hidden option has no row, but its panel keeps its place.
        shown = panels.setdefault(panel, [])
        if row:
            shown.append(row)
    for panel, shown in panels.items():
        if shown:
            with formatter.section(panel):
                formatter.write_dl(shown)


class VerbCommand(_Help, TyperCommand):
    """One command."""

    rich_markup_mode: Any


class Verbs(_Help, TyperGroup):
    """`brain`. Its help and the names of its commands come from the table of verbs, which imports
    none of them.
    """

    def format_help(self, ctx: Context, formatter: Any) -> None:
        """Write the help of the first commands, or of all if the option for that was given."""
        for name, command in self.commands.items():
            command.hidden = not (verbs()[name].first or ctx.meta.get(EVERY))
        try:
            super().format_help(ctx, formatter)
        finally:
            for command in self.commands.values():
                command.hidden = False

    def format_options(self, ctx: Context, formatter: Any) -> None:
        super().format_options(ctx, formatter)
        rows = (
            (verb.panel, (name, verb.about))
            for name, verb in verbs().items()
            if not self.commands[name].hidden
        )
        _write_panels(rows, formatter)

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, Command | None, list[str]]:
        name = args[0]
        if name in verbs() or verb_named(name):
            return name, command_named(name), args[1:]
        return super().resolve_command(ctx, args)


@cache
def command_named(name: str) -> Command:
    """Return a command with its options: those of its own function, or of its request, those of
    plugins, and those of every command.
    """
    # Imported here, because the help of `brain` itself needs the options of no command.
    from brain_cli.cli import options as option_types

    command, request = command_of(name)
    # Commands that are also run without Typer (see `_quick`) import their options for type checkers
    # alone.
    vars(import_module(command.__module__)).setdefault("option", option_types)
    hints = get_type_hints(request or command, include_extras=True)
    signature = inspect.signature(command).parameters
    defaults = vars(request) if request else {n: each.default for n, each in signature.items()}
    fields = hints if request else signature
    # A command of a plugin may leave its parameters without types.
    own = [
        _parameter(each, hints.get(each, str), defaults.get(each, inspect.Parameter.empty))
        for each in fields
        if each != "options"
    ]
    common = _common(verbs()[name], option_types)
    parameters = [*own, *map(_of_plugin, added_options(name)), *common]

    def called(**given: Any) -> int:
        if "options" not in fields:
            return command(**{each: given[each] for each in signature})
        from brain_cli.cli.common import run_verb

        return run_verb(name, given)

    called.__annotations__ = {each.name: each.annotation for each in parameters}
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    single = _typer(name)
    single.command(
        name, cls=VerbCommand, context_settings=SETTINGS, help=_unwrapped(command.__doc__)
    )(called)
    return typer.main.get_command(single)


def _unwrapped(help_text: str | None) -> str:
    """Return a help text with its paragraphs on one line each, as Typer would break them twice;
    indented lines stay.
    """
    return re.sub(r"(?<=\S)\n(?=\S)", " ", inspect.cleandoc(help_text or ""))


def _parameter(name: str, annotation: object, default: object) -> inspect.Parameter:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def _of_plugin(option: AddedOption) -> inspect.Parameter:
    """Return the parameter of an option that a plugin adds."""
    typed = flag(option.names, option.about, show_default=False)
    if option.takes_text:
        return _parameter(option.parameter, Annotated[str | None, typed], None)
    return _parameter(option.parameter, Annotated[bool, typed], False)


def _common(verb: Verb, option_types: Any) -> list[inspect.Parameter]:
    """Return the options of every command, and before them those of a command that lists
    something.
    """
    options = [
        _parameter("vault", VaultOption, None),
        _parameter("everywhere", EverywhereOption, False),
        _parameter("now", NowOption, None),
        _parameter("json", JsonOption, False),
    ]
    if not verb.lists:
        return options
    form = Annotated[str, option_types.format_option(verb.lists)]
    limit = _parameter("limit", option_types.CountOption, None)
    return [limit, _parameter("format", form, AUTO), *options]


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


app = _typer(
    "brain", cls=Verbs, help=ABOUT, epilog=START, subcommand_metavar="[COMMAND | WORDS]..."
)


def environment() -> str:
    """Return the lines of `brain --version`; the first has only `brain` and its version: a bug
    report needs them.
    """
    import platform

    machine = f"{platform.system()} {platform.release()} {platform.machine()}"
    lines = [
        f"brain {VERSION}",
        f"Python {platform.python_version()}, {machine}, index version {INDEX_VERSION}",
        ", ".join(f"{name} {_version_of(name)}" for name in PACKAGES),
        str(Path(__file__).parents[1]),
    ]
    return "\n".join(lines)


def _version_of(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "is not installed"


def _version(wanted: bool) -> None:
    if wanted:
        write(f"{environment()}\n")
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
    everywhere: EverywhereOption = False,
    now: NowOption = None,
    json: JsonOption = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the version and what it runs on.",
        ),
    ] = False,
    no_pager: Annotated[  # __main__.py takes it out
        bool,
        typer.Option(
            "--no-pager", is_eager=True, expose_value=False, help="Print long answers at once."
        ),
    ] = False,
    help_all: Annotated[
        bool, typer.Option("--help-all", callback=_help_all, is_eager=True, hidden=True)
    ] = False,
) -> None:
    """Accept the options of every command before the command too."""
    if context.invoked_subcommand is None:
        from brain_cli.cli.status import glance

        if not (command_context().is_terminal and glance(vault or (), now)):
            print(context.get_help())
        raise typer.Exit
    typed = {"vault": vault, "everywhere": everywhere, "now": now, "json": json}
    typed = {name: value for name, value in typed.items() if value}
    context.default_map = dict.fromkeys(verbs(), typed)


@cache
def command_line() -> TyperGroup:
    """Return `brain` as one callable; a daemon creates it once and calls it often."""
    if "_BRAIN_COMPLETE" in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
    brain = typer.main.get_group(app)
    # These stand for the commands in the help and in completions; `resolve_command` imports the
    # real ones.
    brain.commands.update(
        {
            name: TyperCommand(name, help=verb.about, rich_help_panel=verb.panel)
            for name, verb in verbs().items()
        }
    )
    return brain
