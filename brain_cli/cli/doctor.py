"""`brain doctor`: check that everything is in order, and print one line for each check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from brain_cli.cli._checks import FINE, MARKS, WRONG, Finding, run_checks
from brain_cli.cli._options import JsonOption, NowOption, VaultOption
from brain_cli.cli._output import write_json, write_lines
from brain_cli.cli._workspace import open_workspace
from brain_cli.errors import FAILED, OK, BrainError
from brain_cli.printable import one_line


def command(vault: VaultOption = None, now: NowOption = None, json: JsonOption = False) -> int:
    """Check the vault, its index, its history and its notes; exit 3 when something is wrong.

    “!” marks what is worth a look but not wrong: a link may lead to a note that is still to be written.
    """
    found = list(_findings(vault, now))
    if json:
        write_json(_document(found))
    else:
        write_lines(map(_line, found))
    return FAILED if any(finding.state == WRONG for finding in found) else OK


def _findings(vault: str | None, now: str | None) -> Iterable[Finding]:
    try:
        workspace = open_workspace(vault, now)
    except BrainError as error:
        # Without a vault, or with wrong settings, nothing else can be checked.
        return [Finding("vault", WRONG, f"{error.message} {error.hint}".rstrip())]
    return [Finding("vault", FINE, workspace.vault), *run_checks(workspace)]


def _line(finding: Finding) -> str:
    examples = f" ({', '.join(finding.examples)})" if finding.examples else ""
    return one_line(f"{MARKS[finding.state]} {finding.name:<12} {finding.text}{examples}")


def _document(found: Iterable[Finding]) -> dict[str, object]:
    checks: list[dict[str, Any]] = [finding._asdict() for finding in found]
    fine = all(check["state"] != WRONG for check in checks)
    return {"fine": fine, "checks": checks}
