"""`brain --help` is printed without click, and reads as click would print it."""

from __future__ import annotations

import click
import pytest

from brain_cli.cli._app import command_line
from brain_cli.cli._help import help_text


@pytest.mark.parametrize("columns", [1, 40, 50, 52, 53, 60, 66, 67, 72, 79, 80, 81, 200])
def test_the_help_reads_as_click_would_print_it(columns: int) -> None:
    context = click.Context(command_line(), info_name="brain", help_option_names=["-h", "--help"])
    context.terminal_width = max(50, min(columns, 80) - 2)
    assert help_text(columns) == f"{command_line().get_help(context)}\n"
