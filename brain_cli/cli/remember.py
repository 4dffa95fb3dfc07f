"""`brain remember`: read the options, recall, print the answer in the requested format, return the
exit code.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

from brain_cli.answer.results import NONE, RELATED, STRONG, Ranked, Recall, Related
from brain_cli.cli._quick import command_near
from brain_cli.cli.common import CommonOptions, format_name, keep_numbered, view
from brain_cli.cli.recall import recall_text, say_hints, say_of_filters
from brain_cli.errors import NOTHING_FOUND, OK, UsageError, did_you_mean
from brain_cli.extension import hooks, read_others
from brain_cli.library.recalling import SessionOptions, shown
from brain_cli.library.vault import Vault, ensure_wanted_daemon
from brain_cli.option_table import OPTIONS
from brain_cli.process import command_context
from brain_cli.record import Record
from brain_cli.render import MIN_ROWS, Traits, View
from brain_cli.render.formats import AUTO, FORMATS, traits_of
from brain_cli.render.phrases import notes_with_a_word
from brain_cli.search.filters import Filters
from brain_cli.search.query import Query
from brain_cli.streams import say, write
from brain_cli.types import BY_SCORE, ORDERS, USUAL_SCREEN, Quotes, Screen, Strategy

if TYPE_CHECKING:
    from brain_cli.cli import options as option
    from brain_cli.index.snapshot import Snapshot

# Commands of other programs, and what brain has instead.
ELSEWHERE = {"edit": "open", "view": "show", "delete": "forget", "rename": "mv"}
# Words that are no command, and what is.
MEANT = {"version": "--version"}
# The formats of programs, which list what is not about the question, too.
LISTING = ("json", "jsonl")
# Higher than any answer that somebody reads: choosing passages for it takes long in a huge note.
ALL_ROWS = 2_000
# The parameters that hold for every question on the full screen.
_OF_QUESTIONS = (
    "kinds",
    "tags",
    "paths",
    "where",
    "in_project",
    "since",
    "until",
    "project",
    "scorer",
    "profile",
    "sort",
    "archived",
    "words",
    "as_of",
)


class RecallRequest(Record):
    """The options of one `brain remember`: these fields are the signature that Typer reads."""

    options: CommonOptions
    query: Annotated[
        list[str] | None,
        option.argument(
            "[QUERY]...",
            "A question or a few words; - reads them from stdin.",
            option.completion.query,
        ),
    ] = None
    limit: Annotated[int | None, option.flag("-n --limit N", "Show at most this many.")] = None
    scorer: option.ScorerOption = None
    profile: option.ProfileOption = None
    project: option.ProjectOption = None
    topics: option.TopicsOption = None
    task: Annotated[str | None, option.of_work("--task NAME", "What kind of work it is.")] = (
        None
    )
    kinds: option.KindsOption = None
    tags: Annotated[
        list[str] | None,
        option.filtering(
            "--tag TAG", "Only with this tag; -TAG leaves it out.", option.completion.tags
        ),
    ] = None
    paths: Annotated[
        list[str] | None,
        option.filtering(
            "--path GLOB", "Only notes whose path matches.", option.completion.folders
        ),
    ] = None
    since: option.SinceOption = None
    until: option.UntilOption = None
    as_of: option.AsOfOption = None
    in_project: Annotated[
        str | None,
        option.filtering(
            "--in PROJECT", "Only notes of this project.", option.completion.projects
        ),
    ] = None
    where: Annotated[
        list[str] | None,
        option.filtering(
            "--where KEY=VALUE",
            "Only with this in the frontmatter.",
            option.completion.properties,
        ),
    ] = None
    archived: Annotated[bool, option.filtering("--archived", "Search the archive instead.")] = (
        False
    )
    words: Annotated[
        bool, option.asked("--words", "Take the query literally, without operators.")
    ] = False
    recent: Annotated[
        bool | None,
        option.asked("--recent/--no-recent", "Ask for the newest, whatever the words say."),
    ] = None
    sort: Annotated[
        str,
        option.asked(
            "--sort ORDER",
            f"{', '.join(ORDERS)}.",
            option.completion.names_of(ORDERS),
            show_default=False,
        ),
    ] = BY_SCORE
    min_score: Annotated[
        float | None, option.ranking("--min-score SHARE", "Leave out what scores less, 0 to 1.")
    ] = None
    mmr: Annotated[
        bool | None, option.ranking("--mmr/--no-mmr", "Show near-duplicates behind the others.")
    ] = None
    explain: Annotated[bool, option.output("--explain", "Show how each score came about.")] = (
        False
    )
    no_touch: Annotated[bool, option.flag("--no-touch", "Record nothing of this recall.")] = (
        False
    )
    batch: Annotated[
        str | None, option.asked("--batch FILE", "Answer JSON lines; - reads stdin.")
    ] = None
    interactive: Annotated[
        bool,
        option.flag(
            "-i --interactive",
            "Ask, read and follow links on the full screen; ? shows its keys.",
        ),
    ] = False
    format: Annotated[str, option.format_option(FORMATS)] = AUTO
    budget: Annotated[
        int | None, option.output("--budget CHARS", "Print at most so much, best first.", min=1)
    ] = None
    lines: Annotated[
        int | None,
        option.output(
            "--lines N", "Fit the answer to so many lines; 0: all of it, in the pager."
        ),
    ] = None
    no_synthesis: Annotated[
        bool, option.output("--no-synthesis", "Do not run synthesize.command.")
    ] = False
    sure: Annotated[
        bool,
        option.output(
            "--sure", "Print nothing (but JSON) and exit 1 unless one match is strong."
        ),
    ] = False
    nul: Annotated[bool, option.output("-0", "With --format paths: end each with NUL.")] = False

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
        own = [f"project={self.in_project}"] if self.in_project else []
        return Filters.of(
            type=self.kinds,
            tag=self.tags,
            path=self.paths,
            where=[*(self.where or ()), *own],
            archived=self.archived,
            since=self.since,
            before=self.until,
        )

    @property
    def touches(self) -> bool:
        """Return whether this recall is recorded in the history."""
        return not self.no_touch and command_context().environ.get("BRAIN_NO_TOUCH") in (
            None,
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
                words = [name] if kind is True else [f"{name}={each}" for each in values]
                found.setdefault(parameter, words)
        return [word for words in found.values() for word in words]

    def asked(self) -> Query:
        """Return the query; raise UsageError if it has neither words nor filters."""
        words = self.query or []
        # Read words as UTF-8 in every locale: they are compared with notes, which are UTF-8.
        raw = command_context().stdin() if words == ["-"] else os.fsencode(" ".join(words))
        text = raw.decode("utf-8", "replace").strip()
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


# Typer reads the options of the command from its fields.
Request = RecallRequest


def command(request: RecallRequest) -> int:
    """Recall what your notes know.

    Examples:
      brain remember why did we leave rest
      brain remember 'kafka +retry -draft conf*' --type learning
      brain remember outbox --since 6months --format paths
      brain -i outbox
      brain remember --sure --format paths why grpc
    """
    vault = request.options.open_any_vault(request.flags).at(request.as_of)
    if request.batch is None:
        return _answer(request, vault)
    if request.query:
        raise UsageError(
            "A batch has its queries in its lines.", "Leave out the words, or --batch."
        )
    # Imported here, because most recalls have one question.
    from brain_cli.cli._batch import answer_lines

    return answer_lines(request, vault, request.batch, recall_view(request, vault, "json"))


def _answer(request: RecallRequest, vault: Vault) -> int:
    context = command_context()
    words = request.query or []
    if request.interactive and not vault.files:
        raise UsageError(
            "The notes of a shared memory cannot be opened from here.", "Leave out -i."
        )
    if request.interactive and context.types() and context.screen().out:
        from brain_cli.cli._screen import browse

        text = " ".join(words)
        return browse(
            vault, text, request.again(), request.options.now, touches=request.touches
        )
    _check_command(words, vault)
    name = format_name("json" if request.options.json else request.format)
    traits = traits_of(name)
    view = recall_view(request, vault, name)
    started = time.perf_counter()
    recall = _recall(request, vault, traits, view)
    if request.sure and recall.claim != STRONG:
        # A script gets a strong match or nothing; what is not shown is not recorded.
        write(recall_text(name, recall, view) if name == "json" else "")
        return NOTHING_FOUND
    if vault.config.synthesize and not request.no_synthesis and traits.tells_all:
        from brain_cli.cli.synthesis import with_synthesis

        recall = with_synthesis(recall, vault)
    elapsed_ms = (time.perf_counter() - started) * 1_000
    # Programs get all candidates, with the claim; a number that was asked for overrules it, too.
    lists_all = name in LISTING or bool(view.listed)
    about = recall if lists_all else recall.about_question()
    shown = recall if name == "rich" else about
    text = recall_text(name, shown, view._replace(elapsed_ms=elapsed_ms))
    write(text, is_paged=request.lines == 0)
    say_hints(shown, traits)
    if len(shown.results) < len(recall.results):
        say(notes_with_a_word(recall))
    _say_mistyped(words, recall)
    if about.found and not text:
        say(
            f"A budget of {view.budget} characters has no space for one line. Try a larger one."
        )
    if request.touches:
        _record(recall, vault, view, name)
    ensure_wanted_daemon(vault)
    # A plugin may find more now.
    hints = hooks("found_little", vault.config) if name == "rich" else ()
    if any(hook(vault, recall) for hook in hints):
        return _answer(request, vault)
    return OK if about.found else NOTHING_FOUND


def _check_command(words: Sequence[str], vault: Vault) -> None:
    """Raise UsageError for `brain edit tea/green.md`: the user means a command that brain does not
    have.
    """
    meant = ELSEWHERE.get(words[0]) if len(words) == 2 else None
    if meant and ("/" in words[1] or words[1].endswith(".md")):
        path = os.path.join(vault.folder, f"{words[1].removesuffix('.md')}.md")
        if os.path.isfile(path):
            raise UsageError(
                f"There is no command “{words[0]}”.",
                f"Did you mean `brain {meant} {words[1]}`?",
            )


def _say_mistyped(words: Sequence[str], recall: Recall) -> None:
    """Print the command that is nearly the first word, if no note has that word and none clearly
    answers.
    """
    if not words or recall.claim not in (RELATED, NONE):
        return
    first, *others = words
    on_terminal = command_context().screen().out
    near = "" if others else MEANT.get(first, "")
    if not others and first.isdecimal() and on_terminal:
        near = f"show {first}"
    if first in (*recall.unknown, *(typed for typed, _ in recall.corrections)):
        # In a pipe, a question of several words is one.
        near = near or (command_near(first) if on_terminal or not others else "")
    if near:
        say(f"Did you mean `brain {' '.join([near, *others])}`?")


def _recall(request: RecallRequest, vault: Vault, traits: Traits, view: View) -> Recall:
    """Return the answer, quoted as a format needs it."""
    query = request.asked()

    def say_what_is_left_out(found: Snapshot, recall: Recall) -> None:
        say_of_filters(vault, query, found, recall)
        if not found.note_table.notes:
            say("There are no notes in this vault yet.")

    return vault.answer(
        query,
        request.work,
        traits.quotes,
        request.screen(view.screen if traits.for_people else USUAL_SCREEN),
        touch=request.touches,
        tells_staleness=traits.tells_all,
        on_answer=say_what_is_left_out,
    )


def _record(recall: Recall, vault: Vault, view: View, name: str) -> None:
    """Keep the notes of an answer for `brain show 1`, and in the history."""
    if name == "rich":
        notes: Iterable[Ranked | Related] = recall.listed(view.listed)
        if recall.strategy is Strategy.SINGLE_STRONG:
            notes = (recall.answer, *recall.related)
        keep_numbered(vault, [each.path for each in notes])
    # Of what found nothing only the words can be kept, if they may be.
    failed = vault.config.record_queries and vault.files and not recall.found
    # A list of paths shows no note.
    if failed or (recall.presented and traits_of(name).quotes is not Quotes.NOTHING):
        vault.record([shown(recall, vault.config)])


def recall_view(request: RecallRequest, vault: Vault, format_name: str) -> View:
    """Return the view for a format."""
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
