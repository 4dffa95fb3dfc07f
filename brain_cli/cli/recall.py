"""Turn the command line of a recall into a query, a session and ranking options."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from brain_cli.answer.results import Recall
from brain_cli.cli.common import CommonOptions, view
from brain_cli.errors import UsageError, did_you_mean
from brain_cli.extension import hooks, read_others
from brain_cli.index.filter_keys import Compared, Properties, with_parents
from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.recalling import SessionOptions
from brain_cli.library.vault import Vault
from brain_cli.option_table import OPTIONS
from brain_cli.printable import one_line
from brain_cli.process import command_context
from brain_cli.record import Record
from brain_cli.render import MIN_ROWS, View
from brain_cli.render.formats import AUTO, list_text, load_format, traits_of
from brain_cli.render.phrases import (
    RELATED_TOPICS,
    archive_found,
    left_out,
    nothing_found,
    related_topics,
    undated_notes,
)
from brain_cli.search.filters import All, AnyOf, Condition, Filters
from brain_cli.search.query import Query, parse
from brain_cli.streams import say
from brain_cli.types import BY_SCORE, ORDERS, Screen
from brain_cli.vault.analyzer import same_name

if TYPE_CHECKING:
    from brain_cli.cli import options as option

Answer = TypeVar("Answer")
# Higher than any answer that somebody reads: choosing passages for it takes long in a huge note.
ALL_ROWS = 2_000
# The parameters that hold for every question on the full screen.
_OF_QUESTIONS = (
    *("kinds", "tags", "paths", "where", "in_project", "since", "until"),
    *("project", "scorer", "profile", "sort", "archived", "words", "as_of"),
)
# The filters by date, and how many names a hint lists.
BY_DATE = ("since", "before")
MAX_NAMES = 10


class RecallRequest(Record):
    """The options of one `brain remember`: these fields are the signature that Typer reads."""

    options: CommonOptions
    query: option.QueryArgument = None
    limit: option.LimitOption = None
    scorer: option.ScorerOption = None
    profile: option.ProfileOption = None
    project: option.ProjectOption = None
    topics: option.TopicsOption = None
    task: option.TaskOption = None
    kinds: option.KindsOption = None
    tags: option.TagsOption = None
    paths: option.PathsOption = None
    since: option.SinceOption = None
    until: option.UntilOption = None
    as_of: option.AsOfOption = None
    in_project: option.InProjectOption = None
    where: option.WhereOption = None
    archived: option.ArchivedOption = False
    words: option.WordsOption = False
    recent: option.RecentOption = None
    sort: option.SortOption = BY_SCORE
    min_score: option.MinScoreOption = None
    mmr: option.MmrOption = None
    explain: option.ExplainOption = False
    no_touch: option.NoTouchOption = False
    batch: option.BatchOption = None
    interactive: option.InteractiveOption = False
    format: option.FormatOption = AUTO
    budget: option.BudgetOption = None
    lines: option.LinesOption = None
    no_synthesis: option.NoSynthesisOption = False
    sure: option.SureOption = False
    nul: option.NulOption = False

    @property
    def flags(self) -> dict[str, object]:
        """The settings that override the configuration where they are not None."""
        return {
            name: getattr(self, name)
            for name in ("limit", "scorer", "profile", "min_score", "mmr")
        }

    @property
    def work(self) -> SessionOptions:
        return SessionOptions(self.project, self.topics, self.task)

    @property
    def filters(self) -> Filters:
        where = [
            *(self.where or ()),
            *([f"project={self.in_project}"] if self.in_project else ()),
        ]
        dates = {"since": self.since, "before": self.until}
        return Filters.of(
            type=self.kinds,
            tag=self.tags,
            path=self.paths,
            where=where,
            archived=self.archived,
            **dates,
        )

    @property
    def touches(self) -> bool:
        """Return whether this recall is recorded in the history."""
        return not self.no_touch and command_context().environ.get("BRAIN_NO_TOUCH", "") in (
            "",
            "0",
        )

    def again(self) -> list[str]:
        """Return the options that hold for every question on the full screen, as on a
        command line.
        """
        found: dict[str, list[str]] = {}
        for name, (parameter, kind) in OPTIONS["remember"].items():
            if parameter in _OF_QUESTIONS and (value := getattr(self, parameter)):
                values = value if kind == "list" else [value]
                found.setdefault(
                    parameter, [name] if kind is True else [f"{name}={each}" for each in values]
                )
        return [word for words in found.values() for word in words]

    def asked(self) -> Query:
        """Return the query; raise UsageError if it has neither words nor filters."""
        text = _text(self.query or ())
        filters = self.filters
        if ":" in text:
            # It may name a filter of another package.
            read_others()
        if not text and not filters:
            raise UsageError(
                "There is nothing to recall.",
                "Say what you are looking for: brain remember WORDS.",
            )
        if self.sort not in ORDERS:
            raise UsageError(
                f"There is no order “{self.sort}”.", did_you_mean(self.sort, ORDERS)
            )
        return Query(text, filters, self.recent, self.words, self.sort)

    def screen(self, usual: Screen) -> Screen:
        """Return the screen that the answer has to fit; UsageError for fewer than no lines."""
        if self.lines is None:
            return usual
        if self.lines < 0:
            raise UsageError(
                f"An answer cannot have {self.lines} lines.", "--lines 0 shows all of it."
            )
        return usual._replace(rows=max(MIN_ROWS, self.lines) if self.lines else ALL_ROWS)


def _text(words: Sequence[str]) -> str:
    # Read words as UTF-8 in every locale: they are compared with notes, which are UTF-8.
    raw = command_context().stdin() if list(words) == ["-"] else os.fsencode(" ".join(words))
    return raw.decode("utf-8", "replace").strip()


def asks_again(vault: Vault, found: Recall) -> bool:
    """Return whether a plugin can find more now, after an answer on a terminal."""
    return any(hook(vault, found) for hook in hooks("found_little", vault.config))


def recall_view(request: RecallRequest, vault: Vault, format_name: str) -> View:
    """Return the view for a format; raise UsageError for one that does not exist."""
    load_format(format_name)
    return view(vault)._replace(
        explain=request.explain,
        separator="\0" if request.nul else "\n",
        budget=request.budget or 0,
        same_vault=request.options.same_vault(),
        numbered=format_name == "rich"
        and request.touches
        and command_context().is_terminal
        and bool(vault.files),
        # A number that was asked for overrules how many results a terminal usually lists.
        listed=request.limit or (vault.config.limit if request.lines == 0 else 0),
    )


def recall_text(format_name: str, recall: Recall, screen: View) -> str:
    """Return the answer in a format, within the budget of the view if it has one."""
    form = load_format(format_name)
    if not hasattr(form, "render"):
        # Imported here, because the answer on a terminal needs no rows.
        from brain_cli.render.plain import rows_of

        return list_text(form, rows_of(recall, screen), screen)
    if screen.budget and traits_of(format_name).for_people:
        from brain_cli.render.budget import bounded_text

        return bounded_text(format_name, recall, screen)
    text: str = form.render(recall, screen)
    return text


def say_hints(recall: Recall, format_name: str) -> None:
    """Write hints to stderr for plain formats: how the query was read, why nothing was found, and
    what to try.
    """
    if recall.problem:
        say(recall.problem)
    for typed, near in recall.corrections:
        say(f"“{typed}” is in no note of this vault. Did you mean “{near}”?")
    if recall.forms:
        say(f"Searched too: {', '.join(f'{typed} → {form}' for typed, form in recall.forms)}.")
    if traits_of(format_name).for_people:
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
