"""A recall that the daemon answers imports almost nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from watching import watching

if TYPE_CHECKING:
    from conftest import Vault

UNNEEDED = (
    "typer click rich whoosh dataclasses pathlib typing re enum json socket selectors numpy yaml collections "
    "contextlib functools inspect importlib.metadata brain_cli.config brain_cli.errors brain_cli.types "
    "brain_cli.cli"
)


@pytest.mark.exhaustive
def test_a_warm_recall_imports_neither_the_command_line_nor_the_index(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        for arguments in (["remember", "leek", "--json"], ["remember", "leek"], ["context"]):
            shown = watched.ask(*arguments)
            assert shown.warm, shown.err
            assert not shown.modules.intersection(UNNEEDED.split())
