"""`brain import`: write the memories of another program as notes, each only once."""

from __future__ import annotations

import os
from collections import Counter
from typing import Annotated

import typer

from brain_cli.cli._completion import names_of
from brain_cli.cli._edit import editing, recording
from brain_cli.cli._output import Row, say, write_lines
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import CommonOptions, Workspace, index_session
from brain_cli.errors import FAILED, OK, UnknownNameError, UsageError, did_you_mean
from brain_cli.index.snapshot import Snapshot
from brain_cli.plugins import importers
from brain_cli.plugins.exchange.import_notes import (
    DIFFERENT,
    KNOWN,
    NEW,
    SOURCE_ID,
    SOURCES,
    UNUSABLE,
    Imported,
    distinct_id,
    import_notes,
    reader_of,
)
from brain_cli.render import AUTO
from brain_cli.render.phrases import counted, one_line
from brain_cli.types import Memory
from brain_cli.vault.dates import iso

FOLDER = "imported"
EXPORTED = "jsonl"
MAX_LISTED = 50


def all_sources() -> tuple[str, ...]:
    """Return the names of all sources."""
    return (*SOURCES, *importers())


def command(
    options: CommonOptions,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help=f"One of {', '.join(all_sources())}.",
            autocompletion=names_of(all_sources),
        ),
    ],
    path: Annotated[str, typer.Argument(metavar="PATH", help="The database, file or folder of the other program.")],
    folder: Annotated[
        str | None,
        typer.Option(
            "--folder",
            metavar="FOLDER",
            help="Where in the vault; default: imported/SOURCE, and where they were for exported notes.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would be imported, and write nothing.")] = False,
) -> int:
    """Import the memories of another program as notes, each once. To rank as before: brain config set scorer clawmem.

    What CLAUDE_MEM_SKIP_TOOLS, _RECENCY_HALFLIFE_DAYS, _BATCH_WINDOW_MS and _CROSS_PROJECT were set to is set here as
    BRAIN_SKIP_TOOLS, BRAIN_RECENCY_HALFLIFE_DAYS, BRAIN_BATCH_WINDOW_MS and BRAIN_CROSS_PROJECT.

    Examples:
      brain import claude-mem ~/.claude-mem/claude-mem.db --dry-run
      brain import jsonl notes.jsonl
    """
    if source not in all_sources():
        raise UnknownNameError(f"“{source}” is not a source.", did_you_mean(source, all_sources()))
    workspace = options.open_workspace()
    file = os.path.join(command_context().folder, os.path.expanduser(path))
    target_folder = _folder(folder) if folder else "" if source == EXPORTED else f"{FOLDER}/{source}"
    known = index_session(workspace).ask(_source_ids)
    # All memories are read first, so that nothing is imported from a broken database.
    memories = list(reader_of(source)(file))
    with editing(workspace), recording(workspace, "import"):
        found = list(import_notes(workspace.vault, target_folder, memories, known, dry_run=dry_run))
    _report(options, workspace, found, dry_run=dry_run)
    return FAILED if any(each.state == UNUSABLE for each in found) else OK


def _folder(named: str) -> str:
    folder = os.path.normpath(named)
    if os.path.isabs(folder) or any(part.startswith(".") for part in folder.split("/")):
        raise UsageError(f"{named} is not a folder of the vault.", "Name one such as imported.")
    return folder


def _source_ids(snapshot: Snapshot) -> set[str]:
    """Return the ids of all memories that the vault's notes were imported from.

    An earlier version wrote ids without the time of the memory, which is the note's date.
    """
    ids = set()
    for metadata in map(snapshot.note_table.metadata, snapshot.note_table.rows):
        found = metadata.properties.get(SOURCE_ID)
        if isinstance(found, str):
            ids |= {found, distinct_id(found, iso(metadata.timestamp))}
        elif metadata.kind == "handoff":
            # An agent's hooks have captured this session already.
            ids.add(f"transcript:{metadata.properties.get('session')}")
    return ids


def _report(options: CommonOptions, workspace: Workspace, found: list[Imported], *, dry_run: bool) -> None:
    counts = Counter(each.state for each in found)
    if dry_run or options.format != AUTO:
        listed = [each for each in found if each.state == NEW or (options.json and each.state != KNOWN)]
        numbers = {state: counts[state] for state in (NEW, KNOWN, DIFFERENT, UNUSABLE)}
        options.list_rows("notes", list(map(_row, listed)), {"dry_run": dry_run, **numbers}, workspace)
    if options.format != AUTO:
        return
    did = "would be made" if dry_run else "made"
    known = f"; {counts[KNOWN]} known already" if counts[KNOWN] else ""
    write_lines([f"{counted(counts[NEW], 'note')} {did}{known}."])
    _say_some(
        [f"{each.path} exists with another text, so it was not changed." for each in found if each.state == DIFFERENT]
    )
    _say_some([_why_unusable(each.memory) for each in found if each.state == UNUSABLE])


def _say_some(lines: list[str]) -> None:
    for line in lines[:MAX_LISTED]:
        say(line)
    if len(lines) > MAX_LISTED:
        say(f"and {len(lines) - MAX_LISTED} more like this.")


def _why_unusable(memory: Memory) -> str:
    if memory.problem:
        return f"{memory.source_id} {memory.problem}."
    return f"No note can be made of {memory.path or memory.source_id}."


def _row(each: Imported) -> Row:
    memory = each.memory
    problem = {"problem": memory.problem} if memory.problem else {}
    document = {"path": each.path, "title": memory.title, "source_id": memory.source_id, "state": each.state, **problem}
    return Row(one_line(f"{each.path}  {memory.title}"), document, each.path, memory.title)
