"""The options and arguments that several commands share, grouped by purpose; `flag` and `argument`
make others.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any

import typer

from brain_cli.cli import completion as completing
from brain_cli.cli.flags import argument as argument
from brain_cli.cli.flags import flag as flag
from brain_cli.ranking.scorers import SCORERS
from brain_cli.render.formats import AUTO, FORMATS
from brain_cli.types import ORDERS

_of_query = partial(flag, panel="Query")
_filter = partial(flag, panel="Filters")
_ranking = partial(flag, panel="Ranking")
_work = partial(flag, panel="Your work")
_output = partial(flag, panel="Output")


SCORER_NAMES = completing.names_of(lambda: SCORERS)

# The note.
NAMES = "Paths (or path:line), titles, aliases or file names."
NoteArgument = Annotated[
    str,
    argument(
        "NOTE", "A path (or path:line), a title, an alias or a file name.", completing.notes
    ),
]
NotesArgument = Annotated[list[str], argument("NOTE…", NAMES, completing.notes)]
ArchivedNotesArgument = Annotated[
    list[str], argument("NOTE…", NAMES, completing.archived_notes)
]
SectionArgument = Annotated[
    str, argument("NOTE[#HEADING]", "A note, or a section of it.", completing.notes)
]

# The query.
QueryArgument = Annotated[
    list[str] | None,
    typer.Argument(
        autocompletion=completing.query,
        help="A question or a few words; - reads them from stdin.",
    ),
]
WordsOption = Annotated[
    bool, _of_query("--words", "Take the query literally, without operators.")
]
RecentOption = Annotated[
    bool | None,
    _of_query("--recent/--no-recent", "Ask for the newest, whatever the words say."),
]
SORTS = completing.names_of(lambda: ORDERS)
SortOption = Annotated[
    str, _of_query("--sort ORDER", f"{', '.join(ORDERS)}.", SORTS, show_default=False)
]
BatchOption = Annotated[
    str | None, _of_query("--batch FILE", "Answer JSON lines; - reads stdin.")
]
InteractiveOption = Annotated[
    bool,
    flag(
        "-i --interactive", "Ask, read and follow links on the full screen; ? shows its keys."
    ),
]

# Settings for this call.
CountOption = Annotated[int | None, flag("-n --limit N", "Show at most this many.", min=1)]
LimitOption = Annotated[int | None, flag("-n --limit N", "Show at most this many.")]
ScorerOption = Annotated[
    str | None, _ranking("--scorer NAME", "The formula that ranks.", SCORER_NAMES)
]
ProfileOption = Annotated[
    str | None,
    _ranking(
        "--profile NAME",
        "Named settings: speed, balanced, deep, or yours.",
        completing.profiles,
    ),
]
MinScoreOption = Annotated[
    float | None, _ranking("--min-score SHARE", "Leave out what scores less, 0 to 1.")
]
MmrOption = Annotated[
    bool | None, _ranking("--mmr/--no-mmr", "Show near-duplicates behind the others.")
]

# The current work.
ProjectOption = Annotated[
    str | None,
    _work("--project NAME", "Where you work; default: this repository.", completing.projects),
]
TopicsOption = Annotated[
    str | None, _work("--topic --topics A,B", "What you work on.", completing.topics)
]
TaskOption = Annotated[str | None, _work("--task NAME", "What kind of work it is.")]

# Filters.
KindsOption = Annotated[
    list[str] | None,
    _filter("--type KIND", "Only notes of this kind; may be repeated.", completing.kinds),
]
TagsOption = Annotated[
    list[str] | None,
    _filter("--tag TAG", "Only with this tag; -TAG leaves it out.", completing.tags),
]
PathsOption = Annotated[
    list[str] | None,
    _filter("--path GLOB", "Only notes whose path matches.", completing.folders),
]
SinceOption = Annotated[str | None, _filter("--since DATE", "From then on: a date, or 2w.")]
AsOfOption = Annotated[
    str | None,
    flag("--as-of DATE|COMMIT", "Answer as the notes were then.", show_default=False),
]
UntilOption = Annotated[
    str | None,
    _filter("--until --before DATE", "Before then: a day, a month, or 3 months ago."),
]
InProjectOption = Annotated[
    str | None, _filter("--in PROJECT", "Only notes of this project.", completing.projects)
]
WhereOption = Annotated[
    list[str] | None,
    _filter("--where KEY=VALUE", "Only with this in the frontmatter.", completing.properties),
]
ArchivedOption = Annotated[bool, _filter("--archived", "Search the archive instead.")]


# Output and history.
def format_option(formats: Iterable[str]) -> Any:
    """Return the option of a command that has these formats."""
    names = (AUTO, *formats)
    about = "; or a template: '{path}:{line}'" if "paths" in names else ""
    return _output(
        "--format NAME",
        f"{', '.join(names)}{about}.",
        completing.names_of(lambda: names),
        show_default=False,
    )


FormatOption = Annotated[str, format_option(FORMATS)]
ExplainOption = Annotated[bool, _output("--explain", "Show how each score came about.")]
BudgetOption = Annotated[
    int | None, _output("--budget CHARS", "Print at most so much, best first.", min=1)
]
LinesOption = Annotated[
    int | None,
    _output("--lines N", "Fit the answer to so many lines; 0: all of it, in the pager."),
]
SureOption = Annotated[
    bool, _output("--sure", "Print nothing (but JSON) and exit 1 unless one match is strong.")
]
NoSynthesisOption = Annotated[bool, _output("--no-synthesis", "Do not run synthesize.command.")]
NulOption = Annotated[bool, _output("-0", "With --format paths: end each with NUL.")]
OutOption = partial(typer.Option, "-o", "--out", metavar="FILE", rich_help_panel="Output")
YesOption = Annotated[bool, flag("-y --yes", "Do not ask.")]
NoTouchOption = Annotated[bool, flag("--no-touch", "Record nothing of this recall.")]

# How an index is kept.
FullOption = Annotated[bool, flag("--full", "Rebuild the whole index.")]
WatchOption = Annotated[
    bool, flag("--watch", "Keep it up to date until stopped, and answer recalls from memory.")
]
PollOption = Annotated[
    float,
    flag(
        "--poll SECONDS",
        "With --watch: scan this often, instead of on file events.",
        show_default=False,
    ),
]
DetachOption = Annotated[bool, flag("--detach", "With --watch: do so in the background.")]
StopOption = Annotated[
    bool, flag("--stop", "Stop the daemons that keep an index; of one vault with --vault.")
]
StatusOption = Annotated[bool, flag("--status", "List the running daemons.")]
IdleOption = Annotated[
    float,
    flag(
        "--idle MINUTES",
        "With --watch: end after so long without a recall.",
        show_default=False,
    ),
]
