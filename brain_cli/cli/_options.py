"""The options and arguments that several commands share, grouped by purpose."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from brain_cli.cli import _completion as completing
from brain_cli.render import AUTO, FORMATS
from brain_cli.types import ORDERS

# The panels of `--help`; an option without one is among the first.
QUERY, FILTERS, RANKING, WORK, OUTPUT = "Query", "Filters", "Ranking", "Your work", "Output"


def _fields() -> tuple[str, ...]:
    from brain_cli.render.fields import DOCUMENT_KEYS, RESULT_KEYS

    return (*RESULT_KEYS, *DOCUMENT_KEYS)


def _scorers() -> Iterable[str]:
    from brain_cli.ranking.scorers import SCORERS

    return SCORERS


SCORER_NAMES = completing.names_of(_scorers)

# These three may also come before the command: `brain --vault DIR remember …`.
VaultOption = Annotated[
    str | None,
    typer.Option("--vault", metavar="DIR", help="The folder of notes.", show_default=False),
]
NowOption = Annotated[str | None, typer.Option("--now", metavar="ISO", help="Set the clock.", show_default=False)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.", show_default=False)]
# Commands that need no vault accept the same three and ignore them.
UnusedVaultOption = Annotated[str | None, typer.Option("--vault", hidden=True)]
UnusedNowOption = Annotated[str | None, typer.Option("--now", hidden=True)]
UnusedJsonOption = Annotated[bool, typer.Option("--json", hidden=True)]

# The note.
NoteArgument = Annotated[
    str,
    typer.Argument(
        metavar="NOTE", autocompletion=completing.notes, help="A path (or path:line), a title, an alias or a file name."
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
WordsOption = Annotated[
    bool, typer.Option("--words", help="Take the query literally, without operators.", rich_help_panel=QUERY)
]
RecentOption = Annotated[
    bool | None,
    typer.Option("--recent/--no-recent", help="Ask for the newest, whatever the words say.", rich_help_panel=QUERY),
]
SortOption = Annotated[
    str,
    typer.Option(
        "--sort",
        metavar="ORDER",
        help=f"{', '.join(ORDERS)}.",
        autocompletion=completing.names_of(lambda: ORDERS),
        show_default=False,
        rich_help_panel=QUERY,
    ),
]
BatchOption = Annotated[
    str | None,
    typer.Option("--batch", metavar="FILE", help="Answer JSON lines; - reads stdin.", rich_help_panel=QUERY),
]
InteractiveOption = Annotated[
    bool, typer.Option("-i", "--interactive", help="Choose one of the results, and open it in your editor.")
]

# Settings for this call.
LimitOption = Annotated[int | None, typer.Option("-n", "--limit", metavar="N", help="Show at most this many.")]
ScorerOption = Annotated[
    str | None,
    typer.Option(
        "--scorer", metavar="NAME", help="The formula that ranks.", autocompletion=SCORER_NAMES, rich_help_panel=RANKING
    ),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile", metavar="NAME", help="Named settings.", autocompletion=completing.profiles, rich_help_panel=RANKING
    ),
]
MinScoreOption = Annotated[
    float | None,
    typer.Option("--min-score", metavar="SHARE", help="Leave out what scores less, 0 to 1.", rich_help_panel=RANKING),
]
MmrOption = Annotated[
    bool | None, typer.Option("--mmr/--no-mmr", help="Show near-duplicates behind the others.", rich_help_panel=RANKING)
]

MemoryOption = Annotated[
    str | None,
    typer.Option("--memory", metavar="URL", help="The shared memory; off: the vault alone.", show_default=False),
]

# The current work.
ProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project",
        metavar="NAME",
        help="Where you work; default: this repository.",
        autocompletion=completing.projects,
        rich_help_panel=WORK,
    ),
]
TopicsOption = Annotated[
    str | None,
    typer.Option(
        "--topics", metavar="A,B", help="What you work on.", autocompletion=completing.topics, rich_help_panel=WORK
    ),
]
TaskOption = Annotated[
    str | None, typer.Option("--task", metavar="NAME", help="What kind of work it is.", rich_help_panel=WORK)
]

# Filters.
KindsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="KIND",
        help="Only notes of this kind; may be repeated.",
        autocompletion=completing.kinds,
        rich_help_panel=FILTERS,
    ),
]
TagsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tag",
        metavar="TAG",
        help="Only with this tag; -TAG leaves it out.",
        autocompletion=completing.tags,
        rich_help_panel=FILTERS,
    ),
]
PathsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--path",
        metavar="GLOB",
        help="Only notes whose path matches.",
        autocompletion=completing.folders,
        rich_help_panel=FILTERS,
    ),
]
SinceOption = Annotated[
    str | None, typer.Option("--since", metavar="DATE", help="From then on: a date, or 2w.", rich_help_panel=FILTERS)
]
BeforeOption = Annotated[
    str | None, typer.Option("--before", metavar="DATE", help="Before: a date, or 3 months.", rich_help_panel=FILTERS)
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="KEY=VALUE",
        help="Only with this in the frontmatter.",
        autocompletion=completing.properties,
        rich_help_panel=FILTERS,
    ),
]
ArchivedOption = Annotated[
    bool, typer.Option("--archived", help="Search the archive instead.", rich_help_panel=FILTERS)
]

# Output and history.
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        show_default=False,
        help=f"{', '.join((AUTO, *FORMATS))}.",
        autocompletion=completing.names_of(lambda: (AUTO, *FORMATS)),
        rich_help_panel=OUTPUT,
    ),
]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="Show how each score came about.", rich_help_panel=OUTPUT)
]
FieldsOption = Annotated[
    str | None,
    typer.Option(
        "--fields",
        metavar="A,B",
        help="With json, jsonl or plain: only these.",
        autocompletion=completing.names_of(_fields, after=","),
        rich_help_panel=OUTPUT,
    ),
]
BudgetOption = Annotated[
    int | None,
    typer.Option("--budget", metavar="CHARS", min=1, help="Print at most so much, best first.", rich_help_panel=OUTPUT),
]
NoSynthesisOption = Annotated[
    bool, typer.Option("--no-synthesis", help="Do not run synthesize.command.", rich_help_panel=OUTPUT)
]
NulOption = Annotated[bool, typer.Option("-0", help="With --format paths: end each with NUL.", rich_help_panel=OUTPUT)]
NoTouchOption = Annotated[bool, typer.Option("--no-touch", help="Record nothing of this recall.")]

# How an index is kept.
FullOption = Annotated[bool, typer.Option("--full", help="Rebuild the whole index.")]
AsOption = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="The vault's name in the shared memory.", show_default=False),
]
YesOption = Annotated[
    bool, typer.Option("-y", "--yes", help="Do not ask before notes are removed from the shared memory.")
]
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
IdleOption = Annotated[
    float,
    typer.Option(
        "--idle", metavar="MINUTES", show_default=False, help="With --watch: end after so long without a recall."
    ),
]
