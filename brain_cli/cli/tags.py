"""`brain tags`: list the tags of the active notes, most frequent first."""

from __future__ import annotations

from brain_cli.cli.common import CommonOptions
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.printable import one_line
from brain_cli.render.formats import Row
from brain_cli.streams import say


def command(options: CommonOptions) -> int:
    """List all tags, most frequent first, each with the number of its active notes.

    Examples:
      brain tags
      brain tags -n 10 --json
    """
    vault = options.open_vault()
    counts = vault.ask(lambda snapshot: snapshot.note_table.tags)
    found = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    rows = [
        Row(f"{notes}\t{one_line(tag)}", {"tag": tag, "notes": notes}, title=tag)
        for tag, notes in found
    ]
    options.list_rows("tags", rows)
    if not found:
        say("No note has a tag.", "Write one into a note: #recipes, or `tags: [recipes]`.")
    return OK if found else NOTHING_FOUND
