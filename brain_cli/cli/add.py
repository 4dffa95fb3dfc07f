"""`brain add`: write a new note with its date and project, without ever replacing another one."""

import os
from collections.abc import Collection, Iterator, Sequence
from typing import Annotated

from brain_cli.answer.links import Mentions, named_files
from brain_cli.answer.repeated import repeated, replaceable
from brain_cli.cli import completion as completing
from brain_cli.cli import remember
from brain_cli.cli._editor import NothingWrittenError, new_text
from brain_cli.cli.common import CommonOptions, view
from brain_cli.cli.options import argument, flag
from brain_cli.errors import MISTYPED, OK, BrainError, UsageError, near_names
from brain_cli.history.usage import STRENGTHS
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.edit import file_of_note, folder_named, without_secrets
from brain_cli.library.names import note_named
from brain_cli.library.recalling import SessionOptions
from brain_cli.library.vault import Vault
from brain_cli.printable import one_line
from brain_cli.process import command_context
from brain_cli.record import Record
from brain_cli.search.dates import time_ahead
from brain_cli.search.query import Query
from brain_cli.streams import confirmed, say
from brain_cli.types import NoteMetadata
from brain_cli.vault.clock import day_of, local_iso, today
from brain_cli.vault.decode import as_read
from brain_cli.vault.edit import (
    SALIENCE_BY_KIND,
    UneditableError,
    Value,
    composed,
    file_names,
    folder_for,
    title_of,
)
from brain_cli.vault.git import below_root
from brain_cli.vault.links import NOTE_SUFFIXES
from brain_cli.vault.note import parse_note


class NoteRequest(Record):
    """The requested note, as Typer reads it; None for options that were not given."""

    options: CommonOptions
    title: Annotated[
        list[str] | None, argument("[TITLE]", "Its title; default: what the text begins with.")
    ] = None
    kind: Annotated[
        str | None,
        flag("--type KIND", "What kind of note: decision, learning, …", completing.kinds),
    ] = None
    tags: Annotated[
        list[str] | None, flag("--tag TAG", "A tag; may be repeated.", completing.tags)
    ] = None
    project: Annotated[
        str | None,
        flag(
            "--project NAME",
            "What it belongs to; default: this repository.",
            completing.projects,
        ),
    ] = None
    path: Annotated[
        str | None, flag("--path FILE", "Where in the vault; default: by kind and title.")
    ] = None
    files: Annotated[
        list[str] | None, flag("--file PATH", "A file that the note is about; may be repeated.")
    ] = None
    topics: Annotated[list[str] | None, flag("--topic NAME", "A topic; repeatable.")] = None
    task: Annotated[str | None, flag("--task NAME", "What kind of work it belongs to.")] = None
    salience: Annotated[
        float | None, flag("--salience SHARE", "How much it matters, 0 to 1.", min=0, max=1)
    ] = None
    until: Annotated[
        str | None,
        flag("--until DATE", "Until when it holds: a date, or 2w.", show_default=False),
    ] = None
    supersedes: Annotated[
        list[str] | None,
        flag("--supersedes NOTE", "A note that this replaces; repeatable.", completing.notes),
    ] = None
    append: Annotated[
        str | None,
        flag("--append NOTE", "Add a dated section to this note instead.", completing.notes),
    ] = None
    force: Annotated[bool, flag("--force", "Add it even if a similar note was just added.")] = (
        False
    )

    @property
    def words(self) -> str:
        """The title."""
        return " ".join(_as_utf8(" ".join(self.title or ())).split())


# Typer reads the options of the command from its fields.
Request = NoteRequest


def command(request: NoteRequest) -> int:
    """Write a new note. Its text comes from stdin or, on a terminal, from your editor.

    Examples:
      brain add 'Deploys go through the queue' --type learning
      echo 'The pump sticks in winter.' | brain add 'Boiler' --tag coffee
      echo 'It sticks in spring too.' | brain add --append grpc
    """
    kind = _as_utf8(request.kind).strip().lower() if request.kind else None
    if kind and ({"/", "\\"} & {*kind} or not kind.isprintable()):
        raise UsageError(
            f"“{request.kind}” cannot be a kind of note.", "A kind is a word, such as decision."
        )
    if request.append is not None:
        return append_section(request.options, request.append, request.words)
    vault = request.options.open_any_vault().holding(request.path or "")
    path = "" if request.path is None else _requested_path(vault, request.path)
    try:
        with new_text(request.words) as text:
            return _added(request._replace(kind=kind), vault, path, without_secrets(text))
    except NothingWrittenError:
        has_options = request._replace(title=None) != NoteRequest(request.options)
        may_be_question = len(request.title or ()) > 1 and not has_options
        question = f"Nothing was written. Was “add {request.words}” a question?"
        if not (may_be_question and confirmed(question, "")):
            raise
    return remember.command(remember.Request(request.options, ["add", *(request.title or ())]))


def _as_utf8(argument: str) -> str:
    return os.fsencode(argument).decode("utf-8", "surrogateescape")


def _added(request: NoteRequest, vault: Vault, requested_path: str, text: str) -> int:
    """Write the note, unless a similar one was added within the last hour; print its path."""
    options = request.options
    with vault.adding():
        title = without_secrets(request.words) or title_of(text)
        if not title:
            raise UsageError(
                "There is nothing to add.", "Name a title, or give the text on stdin."
            )
        if request.kind and vault.files:
            kinds = vault.ask(lambda snapshot: set(snapshot.note_table.column("kind").values()))
            request = request._replace(kind=_meant_kind(request.kind, kinds))
        project, repeated, found = vault.ask(
            lambda snapshot: _known(vault, snapshot, request, title, text)
        )
        if repeated and not request.force:
            say(
                f"Nothing was added: “{repeated.title}”, added within the last hour, says the "
                "same. --force adds it anyway."
            )
            return _report(options, vault, repeated.path, repeated.title)
        replaced, left = _replaced(vault, request, found)
        files = named_files(f"{title}\n{text}", command_context().folder, vault.folder)
        related = vault.ask(
            lambda snapshot: Mentions(snapshot.note_table).related(
                title, text, (*replaced, *files)
            )
        )
        stated = _properties(request, vault)
        own = {"project": project, "supersedes": replaced, "related": related}
        properties = {**stated, **own, "files": stated["files"] or files}
        given = {key: value for key, value in properties.items() if value}
        try:
            raw = composed(title, text, given, heading=bool(request.words))
        except UneditableError as error:
            raise BrainError(
                f"This text cannot become a note: {error}.", "Correct its frontmatter."
            ) from None
        path = vault.add(_candidate_paths(vault, request.kind, requested_path, title), raw)
    undo = options.again("undo") if vault.files else options.again("archive", path)
    return _report(options, vault, path, title, left, undo)


def _properties(request: NoteRequest, vault: Vault) -> dict[str, Value | None]:
    """Return the properties that the command states, in the order in which they are written; files
    are relative to the repository's root.
    """
    folder = command_context().folder
    last_day = day_of(time_ahead(request.until, vault.clock)) if request.until else None
    if last_day and last_day < today(vault.clock):
        raise UsageError(f"“{request.until}” is not in the future.", "Write a date, or 2w.")
    usual_salience = SALIENCE_BY_KIND.get(request.kind or "")
    return {
        "type": request.kind,
        "date": local_iso(vault.now, vault.zone),
        "project": None,
        "tags": [_as_utf8(tag).lstrip("#") for tag in request.tags or ()],
        "supersedes": None,
        "valid_until": last_day.isoformat() if last_day else None,
        "salience": usual_salience if request.salience is None else f"{request.salience:g}",
        "related": None,
        "files": [below_root(_as_utf8(file), folder) for file in request.files or ()],
        "topics": [_as_utf8(topic) for topic in request.topics or ()],
        "task": _as_utf8(request.task or ""),
    }


def _meant_kind(kind: str, kinds: Collection[str]) -> str:
    """Return the kind, or the known one that it nearly is and that somebody at a terminal meant."""
    known = {*kinds, *STRENGTHS}
    near = near_names(kind, sorted(known), likeness=MISTYPED)
    if kind in known or not near:
        return kind
    if command_context().types():
        return near[0] if confirmed(f"No note is a “{kind}”. Write “{near[0]}”?", "") else kind
    say(f"No note is a “{one_line(kind)}” yet.", f"Did you mean --type {near[0]}?")
    return kind


def _known(
    vault: Vault, snapshot: Snapshot, request: NoteRequest, title: str, text: str
) -> tuple[str | None, NoteMetadata | None, Sequence[NoteMetadata]]:
    """Return the project of the new note, any similar note of the last hour, and the notes that it
    may replace.
    """
    named = None if request.project is None else _as_utf8(request.project)
    project = SessionOptions(named).session(vault, snapshot).project
    note = parse_note("", as_read(text.encode("utf-8", "surrogateescape")), 0.0)
    body = "\n".join(section.text for section in note.fragments)
    alike = snapshot.about(Query(title, literal=True), vault.clock)
    return (
        project,
        repeated(alike, title, body, project, vault.now),
        replaceable(snapshot, title, request.kind, project),
    )


def _replaced(
    vault: Vault, request: NoteRequest, found: Sequence[NoteMetadata]
) -> tuple[list[str], list[str]]:
    """Return the notes that the new one replaces, as named or as answered on a terminal, and those
    it may replace.
    """
    if named := request.supersedes:
        if not vault.files:
            return [note.rpartition(":")[2] for note in named], []
        return [note_named(vault, note) for note in named], []
    paths = [each.path for each in found]
    if found and command_context().types():
        replaces = confirmed(f"Does it replace “{found[0].title}” ({paths[0]})?", "")
        return paths[:1] if replaces else [], []
    for path in paths[:1]:
        say(
            f"{path} decides on the same subject. If this note replaces it, add to this note: "
            f"supersedes: {path}"
        )
    return [], paths


def _requested_path(vault: Vault, named: str) -> str:
    """Return the requested path of a note in the vault: a file, or a folder with a final slash."""
    if not vault.files:
        return named if named.endswith(("/", ":")) else file_of_note(named)
    full = os.path.join(vault.folder, os.path.expanduser(named))
    is_folder = named.endswith("/") or os.path.isdir(full)
    full = os.path.join(full, "") if is_folder else file_of_note(full)
    folder, name = os.path.split(full)
    root = os.path.realpath(vault.folder)
    path = os.path.relpath(os.path.join(os.path.realpath(folder), name), root)
    folder_named(vault, path)
    if os.path.lexists(full) and not is_folder:
        raise BrainError(f"There is already a note at {path}.", "Name another --path.")
    return f"{path}/" if is_folder else path


def _candidate_paths(
    vault: Vault, kind: str | None, requested_path: str, title: str
) -> Iterator[str]:
    """Yield the possible paths of the note, best first: the requested file, or names for its title
    in the folder.
    """
    if requested_path and not requested_path.endswith(("/", ":")):
        yield requested_path
        return
    folders = (
        [entry.name for entry in os.scandir(vault.files) if entry.is_dir()]
        if vault.files
        else []
    )
    folder = requested_path or folder_for(kind, folders)
    for name in file_names(title):
        # File names are UTF-8 too, in any locale.
        file_name = os.fsdecode(f"{name}{NOTE_SUFFIXES[0]}".encode("utf-8", "surrogateescape"))
        yield os.path.normpath(os.path.join(folder, file_name))


def _report(
    options: CommonOptions,
    vault: Vault,
    path: str,
    title: str,
    left: list[str] | None = None,
    undo: str = "",
) -> int:
    """Print the path; `left` are the notes that it may replace, None if it was not stored."""
    document = {
        "path": path,
        "title": title,
        "stored": left is not None,
        "may_replace": left or [],
    }
    options.report(view(vault).path_from_here(path) if vault.files else path, document, undo)
    return OK


def append_section(options: CommonOptions, note: str, title: str) -> int:
    """Append the text on stdin below a heading with today's date and the title, with links to the
    notes it names.
    """
    text = "" if command_context().types() else without_secrets(command_context().text())
    title = without_secrets(title)
    if not (text.strip() or title):
        raise UsageError(
            "There is nothing to append.", "Give the text on stdin, or name a title."
        )
    vault = options.open_any_vault().holding(note)
    path = vault.append(note, title, text)
    undo = options.again("undo") if vault.files else ""
    options.report(f"added to {path}", {"path": path, "stored": True}, undo)
    return OK
