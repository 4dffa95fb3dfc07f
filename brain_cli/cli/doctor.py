"""`brain doctor`: check that everything is in order; `brain doctor why FILE`: report why a file is excluded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer

from brain_cli.cli._checks import FINE, MARKS, WRONG, Finding, run_checks
from brain_cli.cli._output import write_json, write_lines
from brain_cli.cli._workspace import CommonOptions, Workspace, open_workspace
from brain_cli.errors import FAILED, OK, BrainError, UsageError
from brain_cli.printable import one_line


def command(
    options: CommonOptions,
    why: Annotated[
        list[str] | None,
        typer.Argument(metavar="[why FILE]", help="Say which rule leaves a file out; exit 1 if one does."),
    ] = None,
) -> int:
    """Check the vault, its index, its history and its notes; exit 3 when something is wrong.

    “!” marks a warning: a broken link, for example, may name a note that is still to be written.

    Examples:
      brain doctor
      brain doctor why decisions/grpc.md
    """
    if why:
        return _why(why, options.open_workspace(), options.json)
    found = list(_findings(options.vault, options.now))
    if options.json:
        write_json(_document(found))
    else:
        write_lines(line for finding in found for line in _lines(finding))
    return FAILED if any(finding.state == WRONG for finding in found) else OK


def _why(words: list[str], workspace: Workspace, as_json: bool) -> int:
    from brain_cli.cli._why_left_out import explain_file

    if words[0] != "why" or len(words) != 2:
        raise UsageError(f"`brain doctor {' '.join(words)}` is not a command.", "Type `brain doctor why FILE`.")
    return explain_file(workspace, words[1], as_json=as_json)


def _findings(vault: str | None, now: str | None) -> Iterable[Finding]:
    try:
        workspace = open_workspace(vault, now)
    except BrainError as error:
        # Without a vault, or with wrong settings, nothing else can be checked.
        return [Finding("vault", WRONG, f"{error.message} {error.hint}".rstrip())]
    return [Finding("vault", FINE, workspace.vault), *run_checks(workspace)]


def _lines(finding: Finding) -> Iterator[str]:
    """Yield the result of one check, and below it a few of the problems found."""
    yield one_line(f"{MARKS[finding.state]} {finding.name:<12} {finding.text}")
    yield from (one_line(f"    {example}") for example in finding.examples)
    more = finding.found - len(finding.examples)
    if finding.examples and more > 0:
        yield f"    and {more} more"


def _document(found: Iterable[Finding]) -> dict[str, object]:
    checks: list[dict[str, Any]] = [finding._asdict() for finding in found]
    fine = all(check["state"] != WRONG for check in checks)
    return {"fine": fine, "checks": checks}
