"""A process that stays, such as `brain mcp`, lets the daemon answer for it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import Vault
from watching import watching

PROGRAM = """
import os, sys
from brain_cli.daemon.client import answer_of
print(answer_of(sys.argv[2:], sys.argv[1], os.environ))
"""


def answered(vault: Vault, env: dict[str, str], *argv: str) -> str:
    command = [sys.executable, "-c", PROGRAM, str(vault.folder), *argv]
    environ = vault.brain.environ(**env)
    return subprocess.run(
        command, env=environ, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.exhaustive
def test_the_daemon_answers_what_it_can_and_declines_the_rest(vault: Vault) -> None:
    vault.note("cart.md", "# Cart expiry\n\nCarts expire after seven days.\n")
    question = (
        "remember",
        "--json",
        "--vault",
        str(vault.folder),
        "--no-touch",
        "--",
        "carts expire",
    )
    assert answered(vault, {"XDG_RUNTIME_DIR": str(vault.folder.parent)}, *question) == "None\n"
    with watching(vault) as watched:
        assert "cart.md" in answered(vault, watched.env, *question)
        assert answered(vault, watched.env, "show", "--", "cart.md") == "None\n"
