"""The options and arguments that several commands share, grouped by purpose."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any

import typer

from brain_cli.cli import _completion as completing
from brain_cli.render import AUTO, FORMATS
from brain_cli.types import ORDERS

# The panels of `--help`; an option without one is among the first.
_of_query = partial(typer.Option, rich_help_panel="Query")
_filter = partial(typer.Option, rich_help_panel="Filters")
_ranking = partial(typer.Option, rich_help_panel="Ranking")
_work = partial(typer.Option, rich_help_panel="Your work")
_output = partial(typer.Option, rich_help_panel="Output")


def _fields() -> tuple[str, ...]:
    from brain_cli.render.fields import DOCUMENT_KEYS, RESULT_KEYS

    return (*RESULT_KEYS, *DOCUMENT_KEYS)


def _scorers() -> Iterable[str]:
    from brain_cli.ranking.scorers import SCORERS

    return SCORERS


SCORER_NAMES = completing.names_of(_scorers)

# These three may also come before the command: `brain --vault DIR remember …`.
VaultOption = Annotated[
    str | None, typer.Option("--vault", metavar="DIR", help="The folder of notes.", show_default=False)
]
NowOption = Annotated[str | None, typer.Option("--now", metavar="ISO", help="Set the clock.", show_default=False)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.", show_default=False)]

# The note.
NoteArgument = Annotated[
    str,
    typer.Argument(
        metavar="NOTE", autocompletion=completing.notes, help="A path (or path:line), a title, an alias or a file name."
    ),
]
NotesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="NOTE…", autocompletion=completing.notes, help="Paths (or path:line), titles, aliases or file names."
    ),
]
SectionArgument = Annotated[
    str, typer.Argument(metavar="NOTE[#HEADING]", autocompletion=completing.notes, help="A note, or a section of it.")
]

# The query.
QueryArgument = Annotated[
    list[str] | None,
    typer.Argument(autocompletion=completing.query, help="A question or a few words; - reads them from stdin."),
]
WordsOption = Annotated[bool, _of_query("--words", help="Take the query literally, without operators.")]
RecentOption = Annotated[
    bool | None, _of_query("--recent/--no-recent", help="Ask for the newest, whatever the words say.")
]
SortOption = Annotated[
    str,
    _of_query(
        "--sort",
        metavar="ORDER",
        help=f"{', '.join(ORDERS)}.",
        autocompletion=completing.names_of(lambda: ORDERS),
        show_default=False,
    ),
]
BatchOption = Annotated[str | None, _of_query("--batch", metavar="FILE", help="Answer JSON lines; - reads stdin.")]
InteractiveOption = Annotated[
    bool, typer.Option("-i", "--interactive", help="Ask, read and follow links on the full screen; ? shows its keys.")
]

# Settings for this call.
CountOption = Annotated[int | None, typer.Option("-n", "--limit", metavar="N", min=1, help="Show at most this many.")]
LimitOption = Annotated[int | None, typer.Option("-n", "--limit", metavar="N", help="Show at most this many.")]
ScorerOption = Annotated[
    str | None, _ranking("--scorer", metavar="NAME", help="The formula that ranks.", autocompletion=SCORER_NAMES)
]
ProfileOption = Annotated[
    str | None,
    _ranking(
        "--profile",
        metavar="NAME",
        help="Named settings: speed, balanced, deep, or yours.",
        autocompletion=completing.profiles,
    ),
]
MinScoreOption = Annotated[
    float | None, _ranking("--min-score", metavar="SHARE", help="Leave out what scores less, 0 to 1.")
]
MmrOption = Annotated[bool | None, _ranking("--mmr/--no-mmr", help="Show near-duplicates behind the others.")]

# The current work.
ProjectOption = Annotated[
    str | None,
    _work(
        "--project",
        metavar="NAME",
        help="Where you work; default: this repository.",
        autocompletion=completing.projects,
    ),
]
TopicsOption = Annotated[
    str | None, _work("--topic", "--topics", metavar="A,B", help="What you work on.", autocompletion=completing.topics)
]
TaskOption = Annotated[str | None, _work("--task", metavar="NAME", help="What kind of work it is.")]

# Filters.
KindsOption = Annotated[
    list[str] | None,
    _filter(
        "--type", metavar="KIND", help="Only notes of this kind; may be repeated.", autocompletion=completing.kinds
    ),
]
TagsOption = Annotated[
    list[str] | None,
    _filter("--tag", metavar="TAG", help="Only with this tag; -TAG leaves it out.", autocompletion=completing.tags),
]
PathsOption = Annotated[
    list[str] | None,
    _filter("--path", metavar="GLOB", help="Only notes whose path matches.", autocompletion=completing.folders),
]
SinceOption = Annotated[str | None, _filter("--since", metavar="DATE", help="From then on: a date, or 2w.")]
UntilOption = Annotated[
    str | None, _filter("--until", "--before", metavar="DATE", help="Up to then: a date, or 3 months.")
]
InProjectOption = Annotated[
    str | None,
    _filter("--in", metavar="PROJECT", help="Only notes of this project.", autocompletion=completing.projects),
]
WhereOption = Annotated[
    list[str] | None,
    _filter(
        "--where", metavar="KEY=VALUE", help="Only with this in the frontmatter.", autocompletion=completing.properties
    ),
]
ArchivedOption = Annotated[bool, _filter("--archived", help="Search the archive instead.")]


# Output and history.
def format_option(formats: Iterable[str]) -> Any:
    """Return the option of a command that has these formats."""
    names = (AUTO, *formats)
    return _output(
        "--format",
        metavar="NAME",
        show_default=False,
        help=f"{', '.join(names)}.",
        autocompletion=completing.names_of(lambda: names),
    )


FormatOption = Annotated[str, format_option(FORMATS)]
ExplainOption = Annotated[bool, _output("--explain", help="Show how each score came about.")]
FieldsOption = Annotated[
    str | None,
    _output(
        "--fields",
        metavar="A,B",
        help="With json, jsonl or plain: only these.",
        autocompletion=completing.names_of(_fields, after=","),
    ),
]
BudgetOption = Annotated[
    int | None, _output("--budget", metavar="CHARS", min=1, help="Print at most so much, best first.")
]
LinesOption = Annotated[
    int | None, _output("--lines", metavar="N", help="Fit the answer to so many lines; 0: all of it, in the pager.")
]
SureOption = Annotated[bool, _output("--sure", help="Print nothing (but JSON) and exit 1 unless one match is strong.")]
NoSynthesisOption = Annotated[bool, _output("--no-synthesis", help="Do not run synthesize.command.")]
NulOption = Annotated[bool, _output("-0", help="With --format paths: end each with NUL.")]
OutOption = partial(_output, "-o", "--out", metavar="FILE")
YesOption = Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")]
NoTouchOption = Annotated[bool, typer.Option("--no-touch", help="Record nothing of this recall.")]

# How an index is kept.
FullOption = Annotated[bool, typer.Option("--full", help="Rebuild the whole index.")]
WatchOption = Annotated[
    bool, typer.Option("--watch", help="Keep it up to date until stopped, and answer recalls from memory.")
]
PollOption = Annotated[
    float,
    typer.Option(
        "--poll",
        metavar="SECONDS",
        show_default=False,
        help="With --watch: scan this often, instead of on file events.",
    ),
]
DetachOption = Annotated[bool, typer.Option("--detach", help="With --watch: do so in the background.")]
StopOption = Annotated[
    bool, typer.Option("--stop", help="Stop the daemons that keep an index; of one vault with --vault.")
]
StatusOption = Annotated[bool, typer.Option("--status", help="List the running daemons.")]
IdleOption = Annotated[
    float,
    typer.Option(
        "--idle", metavar="MINUTES", show_default=False, help="With --watch: end after so long without a recall."
    ),
]
