"""`brain doctor why FILE`: report which rule excludes a file from the vault, or that it is a note."""

from __future__ import annotations

import os

from brain_cli.cli._note import opened
from brain_cli.cli._output import write_json, write_lines
from brain_cli.cli._workspace import Workspace
from brain_cli.errors import NOTHING_FOUND, OK, UsageError
from brain_cli.index.sync_plan import MAX_BYTES
from brain_cli.printable import one_line
from brain_cli.render.phrases import counted
from brain_cli.vault.walk import FOLDER, NOT_THERE, exclusion_of, walk


def explain_file(workspace: Workspace, name: str, *, as_json: bool) -> int:
    """Print the reason; return 1 if the file is excluded."""
    path = _path_in_vault(workspace, name)
    if path == ".":
        return _explain_folder(workspace, path, as_json=as_json)
    found = exclusion_of(workspace.vault, path)
    if found and found.rule == NOT_THERE:
        raise UsageError(f"There is no file {name}.", "Name it relative to this folder, or to the vault.")
    if found and found.rule == FOLDER:
        return _explain_folder(workspace, path, as_json=as_json)
    text = f"{path} is left out: {found.text}." if found else f"{path} is a note{_limits(workspace, path)}."
    if as_json:
        rule = found._asdict() if found else {}
        write_json({"path": path, "is_note": found is None, "rule": None, **rule, "text": text})
    else:
        write_lines([one_line(text)])
    return NOTHING_FOUND if found else OK


def _explain_folder(workspace: Workspace, path: str, *, as_json: bool) -> int:
    """Report how many notes a folder has that no rule excludes."""
    notes = sum(file.path.startswith(f"{path}/") or path == "." for file in walk(workspace.vault, lambda *_: None))
    text = f"{'The vault' if path == '.' else path} is a folder with {counted(notes, 'note')}."
    if as_json:
        write_json({"path": path, "is_note": False, "rule": FOLDER, "notes": notes, "text": text})
    else:
        write_lines([one_line(text)])
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
