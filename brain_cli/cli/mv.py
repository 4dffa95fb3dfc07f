"""`brain mv`: move or rename a note, and repair the links to it and in it."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from brain_cli.cli._edit import change_notes, editing, folder_named, followed, notes_named
from brain_cli.cli._options import NoteArgument
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK
from brain_cli.vault.links import NOTE_SUFFIXES


def command(
    options: CommonOptions,
    note: NoteArgument,
    new: Annotated[
        str,
        typer.Argument(metavar="NEW", help="A new name in its folder, a path in the vault, or a folder to move it to."),
    ],
) -> int:
    """Move or rename a note; all links still lead to it.

    Examples:
      brain mv grpc switch-to-grpc
      brain mv soap-gateway learnings/
    """
    workspace = options.open_workspace()
    with editing(workspace) as completed:
        [path] = notes_named(workspace, [note], completed)
        target = new_path(workspace, path, new)
        if target == path:
            options.report(f"{path} is there already", {"path": path, "changed": False})
            return OK
        [moved] = change_notes(workspace, "mv", moves={path: target})
    document = {"path": target, "from": path, "changed": True, "relinked": moved.relinked}
    options.report(f"moved {path} to {target}{followed(moved.relinked)}", document, options.again("undo"))
    return OK


def new_path(workspace: Workspace, path: str, new: str) -> str:
    """Return the new path: in a folder that exists or ends in a slash, at a path in the vault, or beside the note."""
    name = os.path.basename(path)
    named = folder_named(workspace, new)
    if not named or new.endswith("/") or os.path.isdir(os.path.join(workspace.vault, named)):
        return os.path.join(named, name)
    if not named.lower().endswith(NOTE_SUFFIXES):
        named += os.path.splitext(name)[1]
    return named if "/" in new else os.path.join(os.path.dirname(path), named)
