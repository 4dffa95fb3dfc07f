"""`brain doctor`: is everything as it should be? One line for each thing that is looked at."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterable
from typing import Any

import typer

from brain_cli.commands.examining import FINE, MARKS, WRONG, Finding, examined
from brain_cli.commands.options import JsonOption, NowOption, VaultOption, shared
from brain_cli.commands.setting import CONTROL_CHARACTERS, setting, write
from brain_cli.errors import FAILED, OK, BrainError


def command(
    context: typer.Context,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Check the vault, its index, its history and its notes; exit 3 when something is wrong.

    A “!” is worth a look and not wrong: a link may lead to a note that is still to be written.
    """
    found = list(_findings(shared(context, "vault", vault), shared(context, "now", now)))
    write(_document(found) if shared(context, "json", json) else "".join(map(_line, found)))
    return FAILED if any(finding.state == WRONG for finding in found) else OK


def _findings(vault: str | None, now: str | None) -> Iterable[Finding]:
    try:
        here = setting(vault, now, {})
    except BrainError as error:
        # Without a vault, or with settings that are wrong, there is nothing more to look at.
        return [Finding("vault", WRONG, f"{error.message} {error.hint}".rstrip())]
    return [Finding("vault", FINE, here.vault), *examined(here)]


def _line(finding: Finding) -> str:
    examples = f" ({', '.join(finding.examples)})" if finding.examples else ""
    return f"{MARKS[finding.state]} {finding.name:<12} {finding.text}{examples}".translate(CONTROL_CHARACTERS) + "\n"


def _document(found: Iterable[Finding]) -> str:
    checks: list[dict[str, Any]] = [finding._asdict() for finding in found]
    fine = all(check["state"] != WRONG for check in checks)
    return json_text.dumps({"version": 1, "fine": fine, "checks": checks}, indent=2) + "\n"
