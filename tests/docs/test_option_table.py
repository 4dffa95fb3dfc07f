"""The table of options that is read before Typer is imported is that of the commands' signatures."""

from __future__ import annotations

from option_table import PAGE, former_names, table

from brain_cli.cli import verbs
from brain_cli.option_table import VERBS


def test_the_table_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == table(), "run tests/docs/regenerate.py"


def test_it_names_every_command() -> None:
    assert {*verbs(), *former_names()} == VERBS
