"""The options and arguments that several commands share, grouped by purpose."""

from __future__ import annotations

from typing import Annotated

import typer

from brain_cli.cli import _completion as completing
from brain_cli.render import AUTO, FORMATS
from brain_cli.types import ORDERS

# These three may also come before the command: `brain --vault DIR remember …`.
VaultOption = Annotated[
    str | None,
    typer.Option(
        "--vault", metavar="DIR", help="The folder of notes.", click_type=completing.FOLDER, show_default=False
    ),
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
        metavar="NOTE", click_type=completing.NOTE, help="A path (or path:line), a title, an alias or a file name."
    ),
]
SectionArgument = Annotated[
    str, typer.Argument(metavar="NOTE[#HEADING]", click_type=completing.NOTE, help="A note, or a section of it.")
]

# The query.
QueryArgument = Annotated[
    list[str] | None,
    typer.Argument(click_type=completing.QUERY, help="A question or a few words; - reads them from stdin."),
]
WordsOption = Annotated[bool, typer.Option("--words", help="Take the query literally, without operators.")]
RecentOption = Annotated[
    bool | None, typer.Option("--recent/--no-recent", help="Ask for the newest, whatever the words say.")
]
SortOption = Annotated[
    str,
    typer.Option(
        "--sort", metavar="ORDER", help=f"{', '.join(ORDERS)}.", click_type=completing.ORDER, show_default=False
    ),
]
BatchOption = Annotated[
    str | None,
    typer.Option("--batch", metavar="FILE", help="Answer JSON lines; - reads stdin.", click_type=completing.FILE),
]
InteractiveOption = Annotated[
    bool, typer.Option("-i", "--interactive", help="Choose one of the results, and open it in your editor.")
]

# Settings for this call.
LimitOption = Annotated[int | None, typer.Option("-n", "--limit", metavar="N", help="Show at most this many.")]
ScorerOption = Annotated[
    str | None, typer.Option("--scorer", metavar="NAME", help="The formula that ranks.", click_type=completing.SCORER)
]
ProfileOption = Annotated[
    str | None, typer.Option("--profile", metavar="NAME", help="Named settings.", click_type=completing.PROFILE)
]
MinScoreOption = Annotated[
    float | None, typer.Option("--min-score", metavar="SHARE", help="Leave out what scores less, 0 to 1.")
]
MmrOption = Annotated[bool | None, typer.Option("--mmr/--no-mmr", help="Show near-duplicates behind the others.")]

MemoryOption = Annotated[
    str | None,
    typer.Option("--memory", metavar="URL", help="The shared memory; off: the vault alone.", show_default=False),
]

# The current work.
ProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project", metavar="NAME", help="Where you work; default: this repository.", click_type=completing.PROJECT
    ),
]
TopicsOption = Annotated[
    str | None, typer.Option("--topics", metavar="A,B", help="What you work on.", click_type=completing.TOPICS)
]
TaskOption = Annotated[str | None, typer.Option("--task", metavar="NAME", help="What kind of work it is.")]

# Filters.
KindsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type", metavar="KIND", help="Only notes of this kind; may be repeated.", click_type=completing.KIND
    ),
]
TagsOption = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help="Only with this tag; -TAG leaves it out.", click_type=completing.TAG),
]
PathsOption = Annotated[
    list[str] | None,
    typer.Option("--path", metavar="GLOB", help="Only notes whose path matches.", click_type=completing.PATH),
]
SinceOption = Annotated[str | None, typer.Option("--since", metavar="DATE", help="From then on: a date, or 2w.")]
BeforeOption = Annotated[str | None, typer.Option("--before", metavar="DATE", help="Before: a date, or 3 months.")]
WhereOption = Annotated[
    list[str] | None, typer.Option("--where", metavar="KEY=VALUE", help="Only with this in the frontmatter.")
]
ArchivedOption = Annotated[bool, typer.Option("--archived", help="Search the archive instead.")]

# Output and history.
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        show_default=False,
        help=f"{', '.join((AUTO, *FORMATS))}.",
        click_type=completing.FORMAT,
    ),
]
ExplainOption = Annotated[bool, typer.Option("--explain", help="Show how each score came about.")]
FieldsOption = Annotated[
    str | None,
    typer.Option(
        "--fields", metavar="A,B", help="With json, jsonl or plain: only these.", click_type=completing.FIELDS
    ),
]
BudgetOption = Annotated[
    int | None, typer.Option("--budget", metavar="CHARS", min=1, help="Print at most so much, best first.")
]
NoSynthesisOption = Annotated[bool, typer.Option("--no-synthesis", help="Do not run synthesize.command.")]
NulOption = Annotated[bool, typer.Option("-0", help="With --format paths: end each with NUL.")]
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
