"""What a shell offers for a half-typed value: names of ours, and tags, projects and notes of the vault.

What the vault holds is read from the catalogue as it stands: nothing is refreshed, and where there is no vault
or no index, nothing is offered and nothing said. To have a value completed: `click_type=completing.NOTE` in its
option or argument.
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

Completion = list[Item]


class Offered(StringParamType):
    """Text as any other, and what a shell offers for it."""

    def __init__(self, offer: Callable[[click.Context, str], Completion]) -> None:
        self._offer = offer

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Completion:  # noqa: ARG002
        return self._offer(ctx, incomplete)


def _notes(context: click.Context, typed: str) -> Completion:
    """Offer notes by path, in the vault or from here, and once something is typed by title."""
    workspace = _below(_vault(context))
    found: dict[str, str] = {}
    for metadata in _facts(context):
        for path in (metadata.path, metadata.path.removeprefix(workspace)):
            if path.startswith(typed):
                found.setdefault(path, metadata.title)
        if typed and metadata.title.casefold().startswith(typed.casefold()):
            found.setdefault(metadata.title, metadata.path)
    return _items(found)


def _tags(context: click.Context, typed: str) -> Completion:
    return _counted((tag.casefold() for metadata in _facts(context) for tag in metadata.tags), typed)


def _topics(context: click.Context, typed: str) -> Completion:
    """Offer the vault's tags for the last of several names with commas between."""
    before, comma, last = typed.rpartition(",")
    return [Item(before + comma + item.value, help=item.help) for item in _tags(context, last)]


def _kinds(context: click.Context, typed: str) -> Completion:
    return _counted((metadata.kind for metadata in _facts(context)), typed)


def _projects(context: click.Context, typed: str) -> Completion:
    return _counted((metadata.project for metadata in _facts(context) if metadata.project), typed)


def _folders(context: click.Context, typed: str) -> Completion:
    """Offer a pattern for each folder of the vault."""
    return _counted(
        (f"{os.path.dirname(metadata.path)}/*" for metadata in _facts(context) if "/" in metadata.path), typed
    )


def _query(context: click.Context, typed: str) -> Completion:
    """Offer what may follow `tag:`, `type:` and `path:`; words of a question are nobody's business."""
    fields = {"tag": _tags, "type": _kinds, "path": _folders}
    name, _, value = typed.partition(":")
    if name not in fields or ":" not in typed:
        return []
    return [Item(f"{name}:{item.value}", help=item.help) for item in fields[name](context, value)]


def _scorers(context: click.Context, typed: str) -> Completion:
    from brain_cli.ranking.scorers import SCORERS

    return _named(SCORERS, typed)


def _formats(context: click.Context, typed: str) -> Completion:
    from brain_cli.render import AUTO, FORMATS

    return _named((AUTO, *FORMATS), typed)


def _profiles(context: click.Context, typed: str) -> Completion:
    """Offer the profiles that are built in, and those of the user's and the vault's settings."""
    from brain_cli.config import config_files, profiles_in, read_table
    from brain_cli.errors import UsageError

    try:
        files = config_files(_vault(context), os.environ)
        return _named(profiles_in((path, read_table(path)) for path in files), typed)
    except UsageError:
        return []


def _directories(context: click.Context, typed: str) -> Completion:
    return [Item(typed, type="dir")]


def _files(context: click.Context, typed: str) -> Completion:
    return [Item(typed, type="file")]


def _vault(context: click.Context) -> str | None:
    """Return the vault of a command line that is still being typed."""
    from brain_cli.config import find_vault
    from brain_cli.errors import BrainError

    options = context.params.get("vault") or context.find_root().params.get("vault")
    try:
        return find_vault(options, os.getcwd(), os.environ)
    except (BrainError, OSError):
        return None


def _below(vault: str | None) -> str:
    """Return the working folder's path in the vault, with a slash; empty at its top or outside."""
    below = os.path.relpath(os.path.realpath(os.getcwd()), os.path.realpath(vault)) if vault else "."
    return "" if below == "." or below.startswith("..") else f"{below}/"


def _facts(context: click.Context) -> Iterator[NoteMetadata]:
    note_table = _catalogue(_vault(context))
    return map(note_table.metadata, note_table.rows) if note_table else iter(())


def _catalogue(vault: str | None) -> NoteTable | None:
    from brain_cli.errors import IndexUnusableError
    from brain_cli.index.directory import index_directory_of, read_catalogue
    from brain_cli.paths import cache_home

    if vault is None:
        return None
    index_directory = index_directory_of(vault, cache_home(os.environ))
    try:
        index_directory.check_owner()
        return read_catalogue(index_directory)[0]
    except (IndexUnusableError, OSError):
        return None


def _counted(values: Iterable[str], typed: str) -> Completion:
    """Offer each value once, with how many notes have it."""
    from brain_cli.render.phrases import counted

    counts = Counter(value for value in values if value.startswith(typed))
    return _items({value: counted(count, "note") for value, count in counts.items()})


def _items(found: dict[str, str]) -> Completion:
    # What would upset a terminal, or cannot be written to one, is not offered.
    return [
        Item(value, help=about if about.isprintable() else None)
        for value, about in sorted(found.items())
        if value.isprintable()
    ]


def _named(names: Iterable[str], typed: str) -> Completion:
    return [Item(name) for name in names if name.startswith(typed)]


NOTE = Offered(_notes)
TAG = Offered(_tags)
TOPICS = Offered(_topics)
KIND = Offered(_kinds)
PROJECT = Offered(_projects)
PATH = Offered(_folders)
QUERY = Offered(_query)
SCORER = Offered(_scorers)
FORMAT = Offered(_formats)
PROFILE = Offered(_profiles)
FOLDER = Offered(_directories)
FILE = Offered(_files)
