"""The links of a vault that lead to no note."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from typing import NamedTuple

from brain_cli.index.note_table import NoteTable

# A link to a file of these media types leads to an attachment; “Node.js” may well be the name of a note.
ATTACHMENTS = ("image/", "audio/", "video/", "application/pdf", "application/zip")

# Obsidian's canvases and bases are JSON and YAML files, not notes.
OBSIDIAN_FILES = (".canvas", ".base")


class BrokenLink(NamedTuple):
    """A link that leads to no note: the note that contains it, and its target as written."""

    path: str
    target: str


def broken_links(note_table: NoteTable) -> Iterator[BrokenLink]:
    """Yield the links that lead to no note, by path; links to pictures and other attachments are left out."""
    names = note_table.names()
    for path, note_id in sorted(note_table.ids.items()):
        for link in note_table.read_record(note_id).links:
            if not is_attachment(link.target) and not names.best_link(link, path):
                yield BrokenLink(path, link.target)


def is_attachment(target: str) -> bool:
    """Return whether a link's target is a picture or another file that is not a note."""
    if target.lower().endswith(OBSIDIAN_FILES):
        return True
    media_type, _ = mimetypes.guess_type(target.replace(" ", "_"), strict=False)
    return (media_type or "").startswith(ATTACHMENTS)
