"""`brain open`: open a note in the editor, at the right line."""

from __future__ import annotations

import os

from brain_cli.cli._note import note_elsewhere, note_or_number, opened, section_of
from brain_cli.cli._options import SectionArgument
from brain_cli.cli._workspace import CommonOptions
from brain_cli.errors import OK


def command(options: CommonOptions, note: SectionArgument = "1") -> int:
    """Open a note in $VISUAL or $EDITOR, at a heading or a line if one is named.

    On a terminal, `brain open` alone opens the first note of its last answer, and `brain open 2` the second.

    Examples:
      brain open grpc
      brain open 'grpc#Consequences'
    """
    from brain_cli.cli._editor import edit
    from brain_cli.vault.decode import as_read

    if elsewhere := note_elsewhere(options, note):
        (heading, line), found, file = elsewhere.place, elsewhere.opened(), elsewhere.file()
    else:
        workspace = options.open_workspace()
        path, heading, line = note_or_number(workspace, note)
        found, file = opened(workspace, path), os.path.join(workspace.vault, path)
    path = found.metadata.path
    if heading:
        line = section_of(as_read(found.raw), path, heading).line
    arguments = edit(file, line, os.environ)
    if options.json:
        options.report("", {"path": path, "line": line or 1, "editor": arguments})
    return OK
