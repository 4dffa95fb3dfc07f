"""`brain export` writes all notes as JSON lines; `brain import jsonl` reads these, and lines of
other programs.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Annotated

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import OutOption, flag
from brain_cli.errors import OK, BrainError, explained
from brain_cli.files import open_regular
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.vault import Vault
from brain_cli.plugins.exchange.database import items, moment, text
from brain_cli.printable import counted
from brain_cli.streams import STANDARD_OUTPUT, say, write_lines
from brain_cli.types import Memory, NoteMetadata
from brain_cli.vault.atomic_write import named, read_note, write_new
from brain_cli.vault.clock import iso
from brain_cli.vault.dates import moment_of
from brain_cli.vault.edit import first_sentence

VERSION = 1
_TEXT_KEYS = ("text", "content", "body", "narrative")
_TIME_KEYS = ("date", "created_at", "created_at_epoch", "timestamp", "time")


def command(
    options: CommonOptions,
    out: Annotated[
        str, OutOption(help="The file to write; default: stdout.", show_default=False)
    ] = STANDARD_OUTPUT,
    jsonl: Annotated[
        bool, flag("--jsonl", "Write one JSON object a line, the only format.")
    ] = False,
    archived: Annotated[bool, flag("--archived", "Include the notes of the archive.")] = False,
) -> int:
    """Write all notes to stdout as JSON lines; `brain import jsonl` makes the same notes of them.

    Examples:
      brain export --out notes.jsonl
    """
    vault = options.open_vault()
    lines, left_out = vault.ask(lambda snapshot: _exported(vault, snapshot, archived=archived))
    lines = lines[: options.limit]
    if out == STANDARD_OUTPUT:
        write_lines(lines)
    else:
        path = os.path.join(vault.working_folder, os.path.expanduser(out))
        with explained(path), named(path):
            write_new(path, "".join(f"{line}\n" for line in lines).encode())
        say(f"{counted(len(lines), 'note')} written to {path}.")
    if left_out and not archived:
        say(
            f"{counted(left_out, 'archived note')} {'was' if left_out == 1 else 'were'} left "
            "out; add --archived."
        )
    return OK


def _exported(vault: Vault, snapshot: Snapshot, *, archived: bool) -> tuple[list[str], int]:
    """Return a line for each note, and how many notes are in the archive."""
    lines = []
    table = snapshot.note_table
    left_out = () if archived else table.archived
    for path, note_id in sorted(table.ids.items(), key=lambda pair: os.fsencode(pair[0])):
        if note_id in left_out:
            continue
        try:
            lines.append(line_of(table.metadata(note_id), read_note(vault.folder, path)))
        except OSError as error:
            say(f"{path} cannot be read: {error.strerror}.")
    return lines, len(table.archived)


def line_of(metadata: NoteMetadata, raw: bytes) -> str:
    """Return a note as one line of JSON: the whole file as `raw`, and its metadata for other
    programs.
    """
    document = {
        "version": VERSION,
        "path": metadata.path,
        "title": metadata.title,
        "kind": metadata.kind,
        "date": iso(metadata.timestamp),
        "project": metadata.project,
        "session": metadata.properties.get("session"),
        "files": list(metadata.files),
        "tags": list(metadata.tags),
        "confidence": metadata.confidence,
        "pinned": metadata.pinned,
        "archived": metadata.archived,
        "raw": raw.decode("utf-8", "surrogateescape"),
    }
    return json.dumps(document)


def memories(path: str) -> Iterator[Memory]:
    """Yield the memories of a file, and for each line that cannot be read its number and the
    problem.
    """
    try:
        with open(open_regular(path), "rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    if line.strip():
                        yield _memory(_parsed(line))
                except ValueError as error:
                    yield Memory(f"{path}:{number}", "", "", problem=str(error))
    except OSError as error:
        raise BrainError(
            f"{path}: {error.strerror or error}.", "Name a file of JSON lines."
        ) from None


def _parsed(line: bytes) -> Mapping[str, object]:
    """Return a line as a document; ValueError says why it cannot be read."""
    try:
        document = json.loads(line.decode())
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not valid JSON: {error}") from None
    if not isinstance(document, dict) or not text(document, "raw", "title", *_TEXT_KEYS):
        raise ValueError("has neither a text nor a title")
    return document


def _memory(document: Mapping[str, object]) -> Memory:
    words = text(document, *_TEXT_KEYS)
    raw = document.get("raw")
    try:
        whole = raw.encode("utf-8", "surrogateescape") if isinstance(raw, str) else None
    except UnicodeEncodeError:
        raise ValueError("has half of a character (a lone surrogate)") from None
    # The same line always gets the same id.
    hashed = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]
    return Memory(
        source_id=f"jsonl:{text(document, 'source_id', 'id') or hashed}",
        title=text(document, "title") or first_sentence(words),
        text=words,
        kind=text(document, "kind", "type"),
        at=moment(document, *_TIME_KEYS) or moment_of(document.get("at")),
        project=text(document, "project"),
        session=text(document, "session", "session_id"),
        files=items(document, "files"),
        tags=items(document, "tags", "concepts"),
        path=path if isinstance(path := document.get("path"), str) else "",
        more={
            key: text(document, key)
            for key in ("confidence", "salience")
            if document.get(key) is not None
        },
        raw=whole,
    )
