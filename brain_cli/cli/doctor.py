"""`brain doctor`: check that everything is in order; `brain doctor why FILE`: report why a file is excluded."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from brain_cli.cli._checks import FINE, MARKS, WRONG, Finding, run_checks
from brain_cli.cli._note import opened
from brain_cli.cli._output import Row, folded
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import CommonOptions, Workspace, open_workspace
from brain_cli.errors import FAILED, NOTHING_FOUND, OK, BrainError, UsageError
from brain_cli.index.sync_plan import MAX_BYTES
from brain_cli.printable import one_line
from brain_cli.render.phrases import counted
from brain_cli.vault.walk import FOLDER, NOT_THERE, exclusion_of, walk

MAX_EXAMPLES = 3


def command(
    options: CommonOptions,
    why: Annotated[
        list[str] | None,
        typer.Argument(metavar="[why FILE]", help="Say which rule leaves a file out; exit 1 if one does."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List every problem, not only three of each kind.")] = False,
) -> int:
    """Check the vault, its index, its history and its notes; exit 3 when something is wrong.

    “!” marks a warning: a broken link, for example, may name a note that is still to be written.

    Examples:
      brain doctor
      brain doctor why decisions/grpc.md
    """
    if why and (why[0] != "why" or len(why) != 2):
        raise UsageError(f"`brain doctor {' '.join(why)}` is not a command.", "Type `brain doctor why FILE`.")
    if why:
        return explain_file(options, options.open_workspace(), why[1])
    most = None if every else MAX_EXAMPLES
    checked = _findings(options.vault, options.now)
    found = [finding._replace(examples=finding.examples[:most]) for finding in checked]
    is_fine = all(finding.state != WRONG for finding in found)
    rows = [Row("\n".join(_lines(finding)), finding._asdict()) for finding in found]
    options.list_rows("checks", rows, {"fine": is_fine})
    return OK if is_fine else FAILED


def _findings(vault: str | None, now: str | None) -> Iterable[Finding]:
    try:
        workspace = open_workspace(vault, now)
    except BrainError as error:
        # Without a vault, or with wrong settings, nothing else can be checked.
        return [Finding("vault", WRONG, f"{error.message} {error.hint}".rstrip())]
    return [Finding("vault", FINE, workspace.vault), *run_checks(workspace)]


def _lines(finding: Finding) -> Iterator[str]:
    """Yield the result of one check, and below it a few of the problems found."""
    context = command_context()
    columns = context.width if context.is_terminal else 0
    yield folded(one_line(f"{MARKS[finding.state]} {finding.name:<12} {finding.text}"), columns)
    yield from (folded(one_line(f"    {example}"), columns) for example in finding.examples)
    more = finding.found - len(finding.examples)
    if finding.examples and more > 0:
        yield f"    and {more} more; --all lists them"


def explain_file(options: CommonOptions, workspace: Workspace, name: str) -> int:
    """Print the reason; return 1 if the file is excluded."""
    path = _path_in_vault(workspace, name)
    if path == ".":
        return _explain_folder(options, workspace, path)
    found = exclusion_of(workspace.vault, path)
    if found and found.rule == NOT_THERE:
        raise UsageError(f"There is no file {name}.", "Name it relative to this folder, or to the vault.")
    if found and found.rule == FOLDER:
        return _explain_folder(options, workspace, path)
    text = f"{path} is left out: {found.text}." if found else f"{path} is a note{_limits(workspace, path)}."
    rule = found._asdict() if found else {}
    options.answer({"path": path, "is_note": found is None, "rule": None, **rule, "text": text}, [one_line(text)])
    return NOTHING_FOUND if found else OK


def _explain_folder(options: CommonOptions, workspace: Workspace, path: str) -> int:
    notes = sum(file.path.startswith(f"{path}/") or path == "." for file in walk(workspace.vault, lambda *_: None))
    text = f"{'The vault' if path == '.' else path} is a folder with {counted(notes, 'note')}."
    options.answer({"path": path, "is_note": False, "rule": FOLDER, "notes": notes, "text": text}, [one_line(text)])
    return OK if notes else NOTHING_FOUND


def _path_in_vault(workspace: Workspace, name: str) -> str:
    """Return a file's path relative to the vault; `name` is relative to the working folder or to the vault."""
    for base in (workspace.folder, workspace.vault):
        path = os.path.join(os.path.realpath(base), name)
        if os.path.lexists(path):
            break
    below = os.path.relpath(os.path.normpath(path), os.path.realpath(workspace.vault))
    if below == ".." or below.startswith("../"):
        raise UsageError(f"{name} is outside the vault {workspace.vault}.", "Name the vault it is in with --vault DIR.")
    return below


def _limits(workspace: Workspace, path: str) -> str:
    """Return why a note may not be found completely, in words."""
    size = os.stat(os.path.join(workspace.vault, path)).st_size
    limits = []
    if size > MAX_BYTES:
        limits.append(f"it is longer than {MAX_BYTES >> 20} MB, so only its beginning is read")
    elif opened(workspace, path).metadata.archived:
        limits.append("it is archived, so `brain remember` shows it with --archived only")
    return "".join(f"; {limit}" for limit in limits)
