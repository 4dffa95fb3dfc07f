"""Shell completion of values: names that brain knows, and the tags, projects and notes of the vault.

The vault's values come from the present index: completion does not refresh it, and without a vault or an index it
offers no values. To complete an option or argument, give it `click_type=completing.NOTE` or another of the types at
the end of this file.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem as Item
from click.types import StringParamType

if TYPE_CHECKING:
    from brain_cli.index.note_table import NoteTable
    from brain_cli.types import NoteMetadata

Items = list[Item]


class CompletedText(StringParamType):
    """A text parameter whose values a shell can complete."""

    def __init__(self, complete: Callable[[click.Context, str], Items]) -> None:
        self._complete = complete

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:  # noqa: ARG002
        return self._complete(ctx, incomplete)


def _notes(context: click.Context, typed: str) -> Items:
    """Complete the paths of notes, from the vault or the working folder, and their titles if something is typed."""
    working_folder = _working_folder_in(_vault(context))
    found: dict[str, str] = {}
    for metadata in _note_metadata(context):
        for path in (metadata.path, metadata.path.removeprefix(working_folder)):
            if path.startswith(typed):
                found.setdefault(path, metadata.title)
        if typed and metadata.title.casefold().startswith(typed.casefold()):
            found.setdefault(metadata.title, metadata.path)
    return _items(found)


def _tags(context: click.Context, typed: str) -> Items:
    return _counted((tag.casefold() for metadata in _note_metadata(context) for tag in metadata.tags), typed)


def _fields(_: click.Context, typed: str) -> Items:
    """Complete the last of several fields separated by commas."""
    from brain_cli.render.fields import DOCUMENT_KEYS, RESULT_KEYS

    before, comma, last = typed.rpartition(",")
    return [Item(before + comma + name) for name in (*RESULT_KEYS, *DOCUMENT_KEYS) if name.startswith(last)]


def _topics(context: click.Context, typed: str) -> Items:
    """Complete the last of several topics separated by commas, with the vault's tags."""
    before, comma, last = typed.rpartition(",")
    return [Item(before + comma + item.value, help=item.help) for item in _tags(context, last)]


def _kinds(context: click.Context, typed: str) -> Items:
    return _counted((metadata.kind for metadata in _note_metadata(context)), typed)


def _projects(context: click.Context, typed: str) -> Items:
    return _counted((metadata.project for metadata in _note_metadata(context) if metadata.project), typed)


def _folders(context: click.Context, typed: str) -> Items:
    """Complete a pattern for each folder of the vault."""
    folders = (os.path.dirname(metadata.path) for metadata in _note_metadata(context))
    return _counted((f"{folder}/*" for folder in folders if folder), typed)


def _query(context: click.Context, typed: str) -> Items:
    """Complete the value after `tag:`, `type:` and `path:`; other words of a query are not completed."""
    fields = {"tag": _tags, "type": _kinds, "path": _folders}
    field, colon, value = typed.partition(":")
    if field not in fields or not colon:
        return []
    return [Item(f"{field}:{item.value}", help=item.help) for item in fields[field](context, value)]


def _scorers(context: click.Context, typed: str) -> Items:
    from brain_cli.ranking.scorers import SCORERS

    return _starting_with(typed, SCORERS)


def _formats(context: click.Context, typed: str) -> Items:
    from brain_cli.render import AUTO, FORMATS

    return _starting_with(typed, (AUTO, *FORMATS))


def _orders(context: click.Context, typed: str) -> Items:
    from brain_cli.types import ORDERS

    return _starting_with(typed, ORDERS)


def _profiles(context: click.Context, typed: str) -> Items:
    """Complete the built-in profiles and those of the user's and the vault's configuration."""
    from brain_cli.config import profiles_in
    from brain_cli.config.files import config_files, read_table
    from brain_cli.errors import UsageError

    try:
        files = config_files(_vault(context), os.environ)
        return _starting_with(typed, profiles_in((path, read_table(path)) for path in files))
    except UsageError:
        return []


def _directories(context: click.Context, typed: str) -> Items:
    return [Item(typed, type="dir")]


def _files(context: click.Context, typed: str) -> Items:
    return [Item(typed, type="file")]


def _vault(context: click.Context) -> str | None:
    """Return the vault of an unfinished command line."""
    from brain_cli.config.files import find_vault
    from brain_cli.errors import BrainError

    flag = context.params.get("vault") or context.find_root().params.get("vault")
    try:
        return find_vault(flag, os.getcwd(), os.environ)
    except (BrainError, OSError):
        return None


def _working_folder_in(vault: str | None) -> str:
    """Return the working folder's path in the vault with a final slash; empty at the vault's top and outside it."""
    below = os.path.relpath(os.path.realpath(os.getcwd()), os.path.realpath(vault)) if vault else "."
    return "" if below == "." or below.startswith("..") else f"{below}/"


def _note_metadata(context: click.Context) -> Iterator[NoteMetadata]:
    note_table = _note_table(_vault(context))
    return map(note_table.metadata, note_table.rows) if note_table else iter(())


def _note_table(vault: str | None) -> NoteTable | None:
    """Read the note table of a vault's index; None if there is none that is safe to read."""
    from brain_cli.errors import IndexUnusableError
    from brain_cli.index.damage import BrokenIndexError
    from brain_cli.index.directory import index_directory_of, read_note_table
    from brain_cli.paths import cache_home

    if vault is None:
        return None
    index_directory = index_directory_of(vault, cache_home(os.environ))
    try:
        index_directory.check_owner()
        return read_note_table(index_directory)
    except (IndexUnusableError, BrokenIndexError, OSError):
        return None


def _counted(values: Iterable[str], typed: str) -> Items:
    """Offer each value once, with the number of notes that have it."""
    from brain_cli.render.phrases import counted

    counts = Counter(value for value in values if value.startswith(typed))
    return _items({value: counted(count, "note") for value, count in counts.items()})


def _items(found: dict[str, str]) -> Items:
    # Leave out values that could disturb a terminal or cannot be encoded.
    return [
        Item(value, help=about if about.isprintable() else None)
        for value, about in sorted(found.items())
        if value.isprintable()
    ]


def _starting_with(typed: str, names: Iterable[str]) -> Items:
    return [Item(name) for name in names if name.startswith(typed)]


NOTE = CompletedText(_notes)
TAG = CompletedText(_tags)
TOPICS = CompletedText(_topics)
FIELDS = CompletedText(_fields)
KIND = CompletedText(_kinds)
PROJECT = CompletedText(_projects)
PATH = CompletedText(_folders)
QUERY = CompletedText(_query)
SCORER = CompletedText(_scorers)
FORMAT = CompletedText(_formats)
ORDER = CompletedText(_orders)
PROFILE = CompletedText(_profiles)
FOLDER = CompletedText(_directories)
FILE = CompletedText(_files)
