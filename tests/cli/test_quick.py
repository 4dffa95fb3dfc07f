"""The usual command lines are read without Typer, and mean what Typer makes of them."""

from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.cli._app import command_line
from brain_cli.cli._quick import QUICK, quick_arguments
from brain_cli.option_table import OPTIONS

VALUES = (
    "",
    "5",
    "-5",
    "0.5",
    "tea",
    "-draft",
    "a,b",
    "-",
    "--",
    "2w",
    "x=y",
    "--json",
    "1_0",
    " 7",
)
WORDS = ("tea", "why gRPC?", "-", "--", "-n5", "-x", "--lim", "--help", "=", "")
NAMES = sorted({name for options in OPTIONS.values() for name in options})
TYPED = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(NAMES),
    st.sampled_from(VALUES),
    st.builds("{}={}".format, st.sampled_from(NAMES), st.sampled_from(VALUES)),
)
BEFORE = ("--json", "--vault", "--vault=x", "--now=2026-01-01", "--vault=", "--version", "x")


def as_typer_reads(arguments: list[str]) -> tuple[str, dict[str, Any]]:
    """Return the command and all its parameters."""
    group = command_line()
    with group.make_context("brain", list(arguments)) as context:
        context.invoked_subcommand = "yes"
        group.callback and context.invoke(group.callback, **context.params)
        name, command, rest = group.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        assert command
        with command.make_context(name, rest, parent=context) as made:
            return str(name), made.params


@examples(400)
@given(
    st.lists(st.sampled_from(BEFORE), max_size=2),
    st.sampled_from(QUICK),
    st.lists(TYPED, max_size=6),
)
def test_an_accepted_command_line_is_read_as_typer_reads_it(
    before: list[str], command: str, typed: list[str]
) -> None:
    read = quick_arguments([*before, command, *typed])
    if read is None:
        return
    if any(word.startswith("-") and word != "-" for word in read[1].get("query", ())):
        # The options of another program are words of the question, which Typer does not know.
        return
    name, parameters = as_typer_reads([*before, command, *typed])
    defaults = as_typer_reads([command])[1]
    assert (read[0], parameters_of({**defaults, **read[1]})) == (
        name,
        parameters_of(parameters),
    )


def parameters_of(parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in parameters.items()
    }


@pytest.mark.parametrize(
    "typed", ["", "--help", "remember --help", "remember -n", "remember --lim 3", "index words"]
)
def test_unusual_arguments_are_left_to_typer(typed: str) -> None:
    assert quick_arguments(typed.split()) is None


def test_the_usual_is_read_here() -> None:
    assert quick_arguments(
        ["remember", "why", "grpc", "-n", "3", "--tag=a", "--tag", "-b", "--json"]
    ) == (
        "remember",
        {"limit": 3, "tags": ["a", "-b"], "json": True, "query": ["why", "grpc"]},
    )
