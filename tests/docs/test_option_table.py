"""The table of options that is read before Typer is imported is that of the commands' signatures."""

from __future__ import annotations

from option_table import PAGE, table

from brain_cli.cli import COMMANDS
from brain_cli.option_table import VERBS


def test_the_table_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == table(), "run tests/docs/regenerate.py"


def test_it_names_every_command_of_the_core_and_none_of_a_plugin() -> None:
    assert {*COMMANDS} == VERBS
