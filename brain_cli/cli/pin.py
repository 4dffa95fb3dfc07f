"""`brain pin`: keep a note from fading."""

from __future__ import annotations

from brain_cli.cli._moving import editing
from brain_cli.cli._note import edit, memory_with, note_named, opened
from brain_cli.cli._options import MemoryOption, NoteArgument
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.errors import OK

KEY = "pinned"


def command(options: CommonOptions, note: NoteArgument, memory: MemoryOption = None) -> int:
    """Keep a note from fading: `pinned: true` in its frontmatter; in a shared memory, for you alone.

    Examples:
      brain pin grpc
    """
    return run(options, note, memory, pinned=True)


def run(options: CommonOptions, argument: str, memory: str | None, *, pinned: bool) -> int:
    """Pin or unpin a note where it is, and report what that has changed."""
    if shared := memory_with(options, argument, memory):
        from brain_cli.cli._shared_notes import pin_note

        path, changes = pin_note(shared, argument, pinned=pinned)
    else:
        path, changes = _edited(options.open_workspace(), argument, pinned=pinned)
    verb, back = ("pinned", "unpin") if pinned else ("unpinned", "pin")
    did = f"{verb} {path}" if changes else f"{path} is {'pinned already' if pinned else 'not pinned'}"
    undo = options.again(back, path, memory=memory) if changes else ""
    options.report(did, {"path": path, "pinned": pinned, "changed": changes}, undo)
    return OK


def _edited(workspace: Workspace, argument: str, *, pinned: bool) -> tuple[str, bool]:
    """Set or remove the key, and change no other byte of the note."""
    from brain_cli.vault.edit import with_property, without_property

    with editing(workspace) as completed:
        path = note_named(workspace, completed.get(argument, argument))
        changes = opened(workspace, path).metadata.pinned != pinned
        if changes:
            edit(workspace, path, lambda raw: with_property(raw, KEY, True) if pinned else without_property(raw, KEY))
    return path, changes
