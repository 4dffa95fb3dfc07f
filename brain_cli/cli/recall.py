"""Print a recall: its text, and hints about it on stderr."""

from collections import Counter
from collections.abc import Iterable, Iterator

from brain_cli.answer.results import Recall
from brain_cli.errors import did_you_mean
from brain_cli.index.filter_keys import Compared, Properties, with_parents
from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.vault import Vault
from brain_cli.printable import one_line
from brain_cli.render import Traits, View
from brain_cli.render.formats import list_text, load_format
from brain_cli.render.phrases import (
    RELATED_TOPICS,
    archive_found,
    left_out,
    nothing_found,
    related_topics,
    undated_notes,
)
from brain_cli.search.filters import All, AnyOf, Condition
from brain_cli.search.query import Query, parse
from brain_cli.streams import say
from brain_cli.vault.analyzer import same_name

# The filters by date, and how many names a hint lists.
BY_DATE = ("since", "before")
MAX_NAMES = 10


def recall_text(format_name: str, recall: Recall, screen: View) -> str:
    """Return the answer in a format, within the budget of the view if it has one."""
    form = load_format(format_name)
    if not hasattr(form, "render"):
        # Imported here, because the answer on a terminal needs no rows.
        from brain_cli.render.plain import rows_of

        return list_text(form, rows_of(recall, screen), screen)
    if screen.budget and form.TRAITS.for_people:
        from brain_cli.render.budget import bounded_text

        return bounded_text(form, recall, screen)
    text: str = form.render(recall, screen)
    return text


def say_hints(recall: Recall, traits: Traits) -> None:
    """Write hints to stderr for plain formats: how the query was read, why nothing was found, and
    what to try.
    """
    if recall.problem:
        say(recall.problem)
    for typed, near in recall.corrections:
        say(f"“{typed}” is in no note of this vault. Did you mean “{near}”?")
    if recall.forms:
        say(f"Searched too: {', '.join(f'{typed} → {form}' for typed, form in recall.forms)}.")
    if traits.for_people:
        return
    if recall.snoozed:
        say(left_out(recall)[0])
    if recall.results:
        return
    say(f"{nothing_found(recall)} {archive_found(recall)}")
    if topics := related_topics(recall):
        say(f"{RELATED_TOPICS}{topics}")


def say_of_filters(vault: Vault, query: Query, snapshot: Snapshot, found: Recall) -> None:
    """Print how many notes a filter by date cannot judge, and names that are near the names of a
    filter without a note.
    """
    table = snapshot.note_table
    named = {name for name, _ in query.filters.values}
    if not named.isdisjoint(BY_DATE):
        say_undated(table.undated, table.notes, "No --since or --until lets them through.")
    # A shared memory fetches only the notes that pass.
    if vault.files and table.notes and not found.found:
        _say_of_unknown_names(vault, query, table)


def _say_of_unknown_names(vault: Vault, query: Query, table: NoteTable) -> None:
    """Print the tags, types, projects and keys of the filters that no note has."""
    for what, name in _names_wanted(parse(query, vault.clock, table.languages).condition):
        known = [each for each, _ in Counter(_known_names(table, what)).most_common() if each]
        if known and name not in known:
            say(
                f"No note has the {what} “{one_line(name)}”.",
                did_you_mean(name, known, MAX_NAMES),
            )
        elif not known:
            keys = {key for note in map(table.metadata, table.rows) for key in note.properties}
            near = did_you_mean(what, sorted(keys), MAX_NAMES) if keys and what != "tag" else ""
            say(f"No note has {f'“{one_line(what)}”' if near else f'a {what}'}.", near)


def say_undated(count: int, notes: int, hint: str = "") -> None:
    """Print how many notes have no date of their own, if any, and `hint`."""
    if count:
        say(undated_notes(count, notes), hint)


def _known_names(table: NoteTable, what: str) -> Iterable[str]:
    """Return the tags of all notes, their types, or their values of a key of the frontmatter."""
    if what == "tag":
        return (
            parent for tag in table.tags.elements() for parent in with_parents(same_name(tag))
        )
    notes = map(table.metadata, table.rows)
    return (value for note in notes for value in Properties(note).values_of(what))


def _names_wanted(condition: Condition) -> Iterator[tuple[str, str]]:
    """Yield the tags, types and projects that a condition demands."""
    match condition:
        case All(conditions) | AnyOf(conditions):
            for each in conditions:
                yield from _names_wanted(each)
        case Compared("tags", _, name):
            yield "tag", name
        case Compared("kind", _, name):
            yield "type", name
        case Compared("properties", _, (key, name)):
            yield key, name
