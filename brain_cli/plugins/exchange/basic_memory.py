"""basic-memory's folder of notes: markdown files, which keep their observations and relations.

A relation (`- requires [[Grinding]]`) is a link here, and an observation's `#tag` a tag. A
permalink becomes an alias, by which other notes may link to it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from brain_cli.errors import BrainError
from brain_cli.files import open_regular
from brain_cli.types import NOTE_SUFFIXES, Memory
from brain_cli.vault.decode import as_read
from brain_cli.vault.edit import UneditableError, with_property
from brain_cli.vault.frontmatter import split_head, text_of, texts_of


def memories(path: str) -> Iterator[Memory]:
    """Yield the notes of a project's folder."""
    if not os.path.isdir(path):
        raise BrainError(
            f"{path} is not a folder.", "Name the folder of a project, such as ~/basic-memory."
        )
    for folder, below, names in os.walk(path):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(NOTE_SUFFIXES) and not name.startswith("."):
                yield _memory(path, os.path.relpath(os.path.join(folder, name), path))


def _memory(root: str, path: str) -> Memory:
    source_id = f"basic-memory:{path}"
    try:
        with open(open_regular(os.path.join(root, path)), "rb") as file:
            raw = file.read()
            changed = os.stat(file.fileno()).st_mtime
    except OSError as error:
        return Memory(source_id, "", "", problem=f"cannot be read: {error.strerror}")
    properties = split_head(as_read(raw)).properties
    permalink = text_of(properties, "permalink") or ""
    source_id = f"basic-memory:{permalink or path}"
    # Links of other notes may lack the project, which newer versions put before a permalink.
    aliases = [*texts_of(properties, "aliases"), permalink, permalink.partition("/")[2]]
    named = list(dict.fromkeys(filter(None, aliases)))
    noted = raw
    with contextlib.suppress(UneditableError):
        if named:
            noted = with_property(noted, "aliases", named)
        # By it the note is known when it is imported again.
        noted = with_property(noted, "source_id", source_id)
    return Memory(
        source_id=source_id,
        title=text_of(properties, "title") or os.path.splitext(os.path.basename(path))[0],
        text="",
        at=changed,
        path=path,
        raw=noted,
        is_unique=True,
    )
