"""`brain pin`: let a note never fade."""

from __future__ import annotations

from brain_cli.cli._moving import editing
from brain_cli.cli._note import edit, note_named, opened
from brain_cli.cli._options import JsonOption, NoteArgument, NowOption, VaultOption
from brain_cli.cli._workspace import CommonOptions
from brain_cli.errors import OK

KEY = "pinned"


def command(note: NoteArgument, vault: VaultOption = None, now: NowOption = None, json: JsonOption = False) -> int:
    """Let a note never fade: `pinned: true` in its frontmatter."""
    return run(CommonOptions(vault, now, json), note, pinned=True)


def run(options: CommonOptions, argument: str, *, pinned: bool) -> int:
    """Set or remove the key; every other byte of the note stays."""
    from brain_cli.vault.edit import with_property, without_property

    workspace = options.open_workspace()
    with editing(workspace) as completed:
        path = note_named(workspace, completed.get(argument, argument))
        changes = opened(workspace, path).metadata.pinned != pinned
        if changes:
            edit(workspace, path, lambda raw: with_property(raw, KEY, True) if pinned else without_property(raw, KEY))
    verb, back = ("pinned", "unpin") if pinned else ("unpinned", "pin")
    did = f"{verb} {path}" if changes else f"{path} is {'pinned already' if pinned else 'not pinned'}"
    options.report(
        did, {"path": path, "pinned": pinned, "changed": changes}, options.again(back, path) if changes else ""
    )
    return OK
