"""`brain import`: write the memories of another program as notes, each only once.

Each source reads its own files into values of one type, Memory. To add one: a file with
`memories(path)`, and a line in OWN_SOURCES.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from hashlib import blake2b
from typing import Annotated, NamedTuple

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.completion import names_of
from brain_cli.cli.options import argument, flag
from brain_cli.config.schema import FOLDER as FOLDER_NAME
from brain_cli.errors import FAILED, OK, BrainError, UsageError, did_you_mean
from brain_cli.extension import Table, loaded
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.edit import editing, make_change
from brain_cli.library.memories import composed_of
from brain_cli.library.vault import Vault
from brain_cli.printable import counted, one_line
from brain_cli.process import command_context
from brain_cli.render.formats import AUTO, Row
from brain_cli.streams import say, write_lines
from brain_cli.types import Memory
from brain_cli.vault.change_journal import ChangeSet, PlannedChanges
from brain_cli.vault.clock import iso
from brain_cli.vault.edit import file_names
from brain_cli.vault.links import NOTE_SUFFIXES
from brain_cli.vault.secrets import REDACTED, redacted

FOLDER = "imported"
EXPORTED = "jsonl"
MAX_LISTED = 50
MAX_TITLE_CHARS = 1_000
# The sources; each has a module of its name, which is imported on first use.
OWN_SOURCES = {
    "basic-memory": f"{__package__}.basic_memory:memories",
    "claude-mem": f"{__package__}.claude_mem:memories",
    "clawmem": f"{__package__}.clawmem:memories",
    "jsonl": f"{__package__}.jsonl:memories",
}
SOURCES: Table[str] = Table("importers", OWN_SOURCES)
# The frontmatter key that identifies an imported memory.
SOURCE_ID = "source_id"
# File systems accept no longer paths.
MAX_PATH_CHARS = 1_000
# No file system has later times than the year 2242.
MAX_SECONDS = 2.0**33
NEW = "new"
KNOWN = "known"
DIFFERENT = "different"
UNUSABLE = "unusable"


class Imported(NamedTuple):
    """The outcome for one memory: its `state`, and the `path` where its note is or would be.

    `different`: a note with another text has its path and is kept. `unusable`: it cannot become a
    note.
    """

    memory: Memory
    state: str
    path: str
    hidden: bool = False

    @property
    def problem(self) -> str:
        """Why the memory did not become a note, unless it was one already."""
        if self.state == DIFFERENT:
            return f"{self.path} exists with another text, so it was not changed."
        if self.state != UNUSABLE:
            return ""
        memory = self.memory
        if memory.problem:
            return f"{memory.source_id} {memory.problem}."
        return f"No note can be made of {memory.path or memory.source_id}."


def command(
    options: CommonOptions,
    source: Annotated[
        str,
        argument("SOURCE", f"One of {', '.join(SOURCES)}.", names_of(SOURCES)),
    ],
    path: Annotated[
        str,
        argument("PATH", "The database, file or folder of the other program."),
    ],
    folder: Annotated[
        str | None,
        flag(
            "--folder FOLDER",
            "Where in the vault; default: imported/SOURCE, and where they were for exported notes.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, flag("--dry-run", "List what would be imported, and write nothing.")
    ] = False,
) -> int:
    """Import the memories of another program as notes, each once. To rank as before: brain config
    set scorer clawmem.

    What CLAUDE_MEM_SKIP_TOOLS, _RECENCY_HALFLIFE_DAYS, _BATCH_WINDOW_MS and _CROSS_PROJECT were set
    to is set here as BRAIN_SKIP_TOOLS, BRAIN_RECENCY_HALFLIFE_DAYS, BRAIN_BATCH_WINDOW_MS and
    BRAIN_CROSS_PROJECT.

    Examples:
      brain import claude-mem ~/.claude-mem/claude-mem.db --dry-run
      brain import jsonl notes.jsonl
    """
    if not (place := SOURCES.find(source)):
        raise UsageError(f"“{source}” is not a source.", did_you_mean(source, SOURCES))
    vault = options.open_vault()
    file = os.path.join(command_context().folder, os.path.expanduser(path))
    target_folder = "" if source == EXPORTED else f"{FOLDER}/{source}"
    if folder:
        try:
            target_folder = str(FOLDER_NAME.read(folder))
        except ValueError:
            raise UsageError(
                f"{folder} is not a folder of the vault.", "Name one such as imported."
            ) from None
    known = vault.ask(_source_ids)
    # All memories are read first, so that nothing is imported from a broken database.
    memories = list(loaded(place)(file))
    with editing(vault):
        plan = PlannedChanges(vault.folder)
        found = list(import_notes(plan, target_folder, memories, known))
        if plan.changes and not dry_run:
            make_change(vault, ChangeSet("import", plan.changes, vault.now))
    _report(options, vault, found, dry_run=dry_run)
    if plan.changes and not dry_run:
        say(f"To undo: {options.again('undo')}")
    return FAILED if any(each.state == UNUSABLE for each in found) else OK


def _source_ids(snapshot: Snapshot) -> set[str]:
    """Return the ids of all memories that the vault's notes were imported from."""
    ids = set()
    for metadata in map(snapshot.note_table.metadata, snapshot.note_table.rows):
        found = metadata.properties.get(SOURCE_ID)
        if isinstance(found, str):
            ids.add(found)
        elif metadata.kind == "handoff":
            # An agent's hooks have captured this session already.
            ids.add(f"transcript:{metadata.properties.get('session')}")
    return ids


def _report(
    options: CommonOptions, vault: Vault, found: list[Imported], *, dry_run: bool
) -> None:
    counts = Counter(each.state for each in found)
    if dry_run or options.format != AUTO:
        listed = [
            each
            for each in found
            if each.state == NEW or (options.json and each.state != KNOWN)
        ]
        numbers = {state: counts[state] for state in (NEW, KNOWN, DIFFERENT, UNUSABLE)}
        options.list_rows(
            "notes", list(map(_row, listed)), {"dry_run": dry_run, **numbers}, vault
        )
    if options.format != AUTO:
        return
    did = "would be made" if dry_run else "made"
    known = f"; {counts[KNOWN]} known already" if counts[KNOWN] else ""
    write_lines([f"{counted(counts[NEW], 'note')} {did}{known}."])
    if hidden := sum(each.hidden for each in found):
        say(f"Secrets in {counted(hidden, 'note')} were replaced by {REDACTED}.")
    problems = [each.problem for each in found if each.problem]
    for problem in problems[:MAX_LISTED]:
        say(problem)
    if len(problems) > MAX_LISTED:
        say(f"and {len(problems) - MAX_LISTED} more like this.")


def _row(each: Imported) -> Row:
    memory = each.memory
    problem = {"problem": memory.problem} if memory.problem else {}
    document = {
        "path": each.path,
        "title": memory.title,
        "source_id": memory.source_id,
        "state": each.state,
        **problem,
    }
    return Row(one_line(f"{each.path}  {memory.title}"), document, each.path, memory.title)


def import_notes(
    plan: PlannedChanges, folder: str, memories: Iterable[Memory], known: Collection[str]
) -> Iterator[Imported]:
    """Plan a note for every memory that is not `known` by its id."""
    seen = set(known)
    for memory in memories:
        note_id = note_id_of(memory)
        if note_id in seen:
            yield Imported(memory, KNOWN, "")
        else:
            seen.add(note_id)
            yield _imported(plan, folder, memory)


def note_id_of(memory: Memory) -> str:
    """Return the id by which the note of a memory is known, whatever its path and text become.

    It has a hash of the memory's time or text: two databases may both count from 1.
    """
    if memory.is_unique:
        return memory.source_id
    mark = memory.text if memory.at is None else iso(memory.at)
    told_apart = blake2b(mark.encode("utf-8", "backslashreplace"), digest_size=4)
    return f"{memory.source_id}:{told_apart.hexdigest()}"


def _imported(plan: PlannedChanges, folder: str, memory: Memory) -> Imported:
    """Plan the note of a memory, and return the outcome."""
    if memory.problem:
        return Imported(memory, UNUSABLE, "")
    path = ""
    is_exported = memory.raw is not None
    # The file time of an exported note is its date if nothing else dates it.
    seconds = memory.at if is_exported and memory.at else 0.0
    changed = int(seconds * 1e9) if abs(seconds) < MAX_SECONDS else 0
    try:
        raw = _bytes(memory)
        for path in _paths(folder, memory):
            try:
                plan.create(path, raw, changed)
            except FileExistsError:
                if plan.read(path) == raw:
                    return Imported(memory, KNOWN, path)
                if is_exported:
                    return Imported(memory, DIFFERENT, path)
                continue
            return Imported(memory, NEW, path, not is_exported and REDACTED.encode() in raw)
    except (BrainError, UnicodeEncodeError, OSError):
        pass  # It is no UTF-8, or no file can be at its path, which may not lead out of the vault.
    return Imported(memory, UNUSABLE, path)


def _bytes(memory: Memory) -> bytes:
    """Return the note of a memory: as it was exported, else composed from its fields."""
    if memory.raw is not None:
        return memory.raw
    told = memory._replace(
        title=redacted(memory.title)[:MAX_TITLE_CHARS],
        text=redacted(memory.text),
        tags=tuple(tag.lstrip("#").replace(" ", "-") for tag in memory.tags),
    )
    date = None if memory.at is None else iso(memory.at)
    return composed_of(told, date, **{SOURCE_ID: note_id_of(memory)})


def _paths(folder: str, memory: Memory) -> Iterator[str]:
    """Yield the possible paths of a memory's note: an exported note's own, else paths by project,
    date and title.
    """
    if memory.raw is not None:
        path = memory.path
        # It comes from another vault, and has to lie in this one.
        is_safe = len(path) <= MAX_PATH_CHARS and "\0" not in path
        is_shown = all(part and part[0] != "." for part in path.split("/"))
        if is_safe and is_shown and path.lower().endswith(NOTE_SUFFIXES):
            yield os.path.normpath(os.path.join(folder, path))
        return
    project = next(file_names(memory.project)) if memory.project else ""
    date = "" if memory.at is None else iso(memory.at)[:10]
    for name in file_names(f"{date} {memory.title}".strip()):
        yield os.path.join(folder, project, f"{name}{NOTE_SUFFIXES[0]}")
