"""Shell completion: its script (`brain completions`), and the names that brain or the vault knows.

The vault's values come from the present index: completion does not refresh it, and without a vault
or an index it offers no values. To complete an option or argument, give it `autocompletion=` one of
the public functions below; where none offers a value, the shell offers files.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated

import typer

from brain_cli.cli.flags import Offers
from brain_cli.config import find_vault, profiles_in, read_files
from brain_cli.config.schema import all_settings
from brain_cli.errors import OK, BrainError, UsageError, did_you_mean
from brain_cli.paths import cache_home
from brain_cli.printable import counted
from brain_cli.streams import write
from brain_cli.types import NoteMetadata, stem
from brain_cli.vault.analyzer import same_name

SHELLS = ("bash", "zsh", "fish")


def notes(context: typer.Context, incomplete: str) -> Offers:
    """Offer the paths of notes, from the vault or the working folder, and their titles and file
    names if something is typed, in any case.
    """
    return _paths_and_titles(context, incomplete, _note_metadata(context))


def archived_notes(context: typer.Context, incomplete: str) -> Offers:
    """Offer the notes of the archive alone."""
    archived = (metadata for metadata in _note_metadata(context) if metadata.archived)
    return _paths_and_titles(context, incomplete, archived)


def _values(
    of: Callable[[NoteMetadata], Iterable[str]],
) -> Callable[[typer.Context, str], Offers]:
    """Return the completion of a value that notes have, each once, with the number of notes that
    have it.
    """

    def complete(context: typer.Context, incomplete: str) -> Offers:
        values = (value for note in _note_metadata(context) for value in of(note))
        typed = incomplete.casefold()
        counts = Counter(
            value for value in values if value and value.casefold().startswith(typed)
        )
        return _offers({value: counted(count, "note") for value, count in counts.items()})

    return complete


tags = _values(lambda note: map(str.casefold, note.tags))
kinds = _values(lambda note: [note.kind])
projects = _values(lambda note: [note.project or ""])
# A pattern for each folder of the vault.
folders = _values(lambda note: [f"{os.path.dirname(note.path)}/*"] if "/" in note.path else [])


def topics(context: typer.Context, incomplete: str) -> Offers:
    """Offer the vault's tags for the last of several topics separated by commas."""
    before, comma, last = incomplete.rpartition(",")
    return [(before + comma + tag, about) for tag, about in tags(context, last)]


def properties(context: typer.Context, incomplete: str) -> Offers:
    """Offer `KEY=` for each frontmatter key of the notes, then `KEY=VALUE` for each of
    its values.
    """
    has_key = "=" in incomplete

    def of(note: NoteMetadata) -> Iterator[str]:
        for key, values in note.properties.items():
            for value in [values] if isinstance(values, str) else values:
                yield f"{key}={value}" if has_key else f"{key}="

    return _values(of)(context, incomplete)


def query(context: typer.Context, incomplete: str) -> Offers:
    """Offer values after `tag:`, `type:` and `path:`; other words of a query are not completed."""
    fields = {"tag": tags, "type": kinds, "path": folders}
    field, colon, value = incomplete.partition(":")
    offers = fields[field](context, value) if colon and field in fields else []
    return [(f"{field}:{each}", about) for each, about in offers]


def profiles(context: typer.Context, incomplete: str) -> Offers:
    """Offer the built-in profiles and those of the user's and the vault's configuration."""
    try:
        names = profiles_in(read_files(_vault(context), os.environ))
        return names_of(names)(context, incomplete)
    except UsageError:
        return []


def settings(context: typer.Context, incomplete: str) -> Offers:
    """Offer `get`, `set` and `unset`, then the names of settings; without a wildcard such as KIND
    in the name.
    """
    actions = ("get", "set", "unset")
    words = context.params.get("change")
    if not words:
        return names_of(actions)(context, incomplete)
    named = {
        name: setting.help
        for name, setting in all_settings().items()
        if name.islower() and name.startswith(incomplete)
    }
    return _offers(named) if len(words) == 1 and words[0] in actions else []


def names_of(names: Iterable[str]) -> Callable[[typer.Context, str], Offers]:
    """Return the completion of one of several names."""

    def complete(context: typer.Context, incomplete: str) -> Offers:
        return [(each, "") for each in names if each.startswith(incomplete)]

    return complete


def print_script(
    shell: Annotated[
        str,
        typer.Argument(
            metavar="SHELL", help="bash, zsh or fish.", autocompletion=names_of(SHELLS)
        ),
    ],
) -> int:
    """Print the completion script for a shell.

    Put it into ~/.local/share/bash-completion/completions/brain for bash, into _brain in a folder
    of your $fpath for zsh, and into ~/.config/fish/completions/brain.fish for fish.

    Examples:
      brain completions bash > brain.bash
    """
    if shell not in SHELLS:
        raise UsageError(
            f"There are no completions for “{shell}”.", did_you_mean(shell, SHELLS)
        )
    write(script(shell))
    return OK


def script(shell: str) -> str:
    """Return Typer's script for a shell."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    return (
        get_completion_script(prog_name="brain", complete_var="_BRAIN_COMPLETE", shell=shell)
        + "\n"
    )


def _vault(context: typer.Context) -> str | None:
    flag = context.params.get("vault") or context.find_root().params.get("vault")
    try:
        return find_vault(flag, os.getcwd(), os.environ)
    except (BrainError, OSError):
        return None


def _note_metadata(context: typer.Context) -> Iterator[NoteMetadata]:
    # Imported here, because most commands that may be completed are not, and some need no index.
    from brain_cli.index import directory

    vault = _vault(context)
    table = vault and directory.safe_note_table(
        directory.index_directory_of(vault, cache_home(os.environ))
    )
    return map(table.metadata, table.rows) if table else iter(())


def _paths_and_titles(
    context: typer.Context, typed: str, found: Iterable[NoteMetadata]
) -> Offers:
    # The working folder's path in the vault; a name that no path begins with at the vault's top and
    # outside it.
    root = os.path.realpath(_vault(context) or ".")
    below = os.path.relpath(os.path.realpath("."), root)
    wanted = same_name(typed)
    offered: dict[str, str] = {}
    for metadata in found:
        for path in (metadata.path, metadata.path.removeprefix(f"{below}/")):
            if same_name(path).startswith(wanted):
                offered.setdefault(path, metadata.title)
        for name in (metadata.title, stem(metadata.path)):
            if wanted and same_name(name).startswith(wanted):
                offered.setdefault(name, metadata.path)
    return _offers(offered)


def _offers(found: dict[str, str]) -> Offers:
    # Leave out values that could disturb a terminal or cannot be encoded.
    return [
        (_word(value), about if about.isprintable() else "")
        for value, about in sorted(found.items())
        if value.isprintable()
    ]


def _word(value: str) -> str:
    """Return a value as one word: Typer's script for bash inserts it as it is."""
    if os.environ.get("_BRAIN_COMPLETE") != "complete_bash":
        return value
    return re.sub(r"([^\w@%+=:,./-])", r"\\\1", value)
