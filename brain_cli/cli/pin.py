"""`brain pin` and `brain unpin`: keep notes from fading, and let them fade again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brain_cli.cli._edit import Outcome, change_notes, editing, notes_named, report
from brain_cli.cli._note import by_place, opened
from brain_cli.cli._options import NotesArgument
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK

KEY = "pinned"


def command(options: CommonOptions, notes: NotesArgument) -> int:
    """Keep notes from fading: `pinned: true` in their frontmatter.

    Examples:
      brain pin grpc
    """
    return _run(options, notes, pinned=True)


def unpin(options: CommonOptions, notes: NotesArgument) -> int:
    """Let notes fade again: take `pinned` out of their frontmatter.

    Examples:
      brain unpin grpc
    """
    return _run(options, notes, pinned=False)


def _run(options: CommonOptions, arguments: Sequence[str], *, pinned: bool) -> int:
    """Pin or unpin notes where they are, and report what that has changed."""
    elsewhere, mine = by_place(options, arguments)
    changed = dict(each.pin(pinned=pinned) for each in elsewhere)
    if mine:
        changed |= _edited(options.open_workspace(), mine, pinned=pinned)
    verb, back = ("pinned", "unpin") if pinned else ("unpinned", "pin")
    outcomes = []
    for path, changes in changed.items():
        did = f"{verb} {path}" if changes else f"{path} is {'pinned already' if pinned else 'not pinned'}"
        undo = options.again(back, path) if changes else ""
        outcomes.append(Outcome(did, {"path": path, "pinned": pinned, "changed": changes}, undo))
    report(options, outcomes)
    return OK


def _edited(workspace: Workspace, arguments: Sequence[str], *, pinned: bool) -> Mapping[str, bool]:
    """Set or remove the key, and change no other byte of the notes; return which notes that changed."""
    from brain_cli.vault.edit import with_property, without_property

    def edit(raw: bytes) -> bytes:
        return with_property(raw, KEY, True) if pinned else without_property(raw, KEY)

    with editing(workspace) as completed:
        paths = notes_named(workspace, arguments, completed)
        changed = {path: opened(workspace, path).metadata.pinned != pinned for path in paths}
        change_notes(workspace, "pin" if pinned else "unpin", {path: edit for path in paths if changed[path]})
    return changed
