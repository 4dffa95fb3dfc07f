"""`brain open`: a note in the editor, at the right line."""

from __future__ import annotations

import os

from brain_cli.cli._common import Given
from brain_cli.cli._note import opened, section_named
from brain_cli.cli._options import JsonOption, NowOption, SectionArgument, VaultOption
from brain_cli.errors import OK


def command(note: SectionArgument, vault: VaultOption = None, now: NowOption = None, json: JsonOption = False) -> int:
    """Open a note in $VISUAL or $EDITOR, at a heading or a line if one is named."""
    return run(Given(vault, now, json), note)


def run(given: Given, argument: str) -> int:
    """Wait until the editor is closed; what it does to the note is the user's own doing."""
    from brain_cli.cli._editor import edit
    from brain_cli.cli.show import section_of
    from brain_cli.vault.round_trip import as_read

    here = given.workspace()
    path, heading, line = section_named(here, argument)
    if heading:
        line = section_of(as_read(opened(here, path).raw), path, heading).line
    arguments = edit(os.path.join(here.vault, path), line, os.environ)
    if given.json:
        given.report("", {"path": path, "line": line or 1, "editor": arguments})
    return OK
