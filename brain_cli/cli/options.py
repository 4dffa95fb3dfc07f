"""The options and arguments that several commands share, grouped by purpose; `flag` and `argument`
make others.
"""

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any

import typer

from brain_cli.cli import completion as completion
from brain_cli.cli.flags import argument as argument
from brain_cli.cli.flags import flag as flag
from brain_cli.ranking.scorers import SCORERS
from brain_cli.render.formats import AUTO

asked = partial(flag, panel="Query")
filtering = partial(flag, panel="Filters")
ranking = partial(flag, panel="Ranking")
of_work = partial(flag, panel="Your work")
output = partial(flag, panel="Output")


SCORER_NAMES = completion.names_of(SCORERS)

# The note.
NAMES = "Paths (or path:line), titles, aliases or file names."
NoteArgument = Annotated[
    str,
    argument(
        "NOTE", "A path (or path:line), a title, an alias or a file name.", completion.notes
    ),
]
NotesArgument = Annotated[list[str], argument("NOTE…", NAMES, completion.notes)]
ArchivedNotesArgument = Annotated[
    list[str], argument("NOTE…", NAMES, completion.archived_notes)
]
SectionArgument = Annotated[
    str, argument("NOTE[#HEADING]", "A note, or a section of it.", completion.notes)
]

# Settings for this call.
CountOption = Annotated[int | None, flag("-n --limit N", "Show at most this many.", min=1)]
ScorerOption = Annotated[
    str | None, ranking("--scorer NAME", "The formula that ranks.", SCORER_NAMES)
]
ProfileOption = Annotated[
    str | None,
    ranking(
        "--profile NAME",
        "Named settings: speed, balanced, deep, or yours.",
        completion.profiles,
    ),
]

# The current work.
ProjectOption = Annotated[
    str | None,
    of_work("--project NAME", "Where you work; default: this repository.", completion.projects),
]
TopicsOption = Annotated[
    str | None, of_work("--topic --topics A,B", "What you work on.", completion.topics)
]

# Filters.
KindsOption = Annotated[
    list[str] | None,
    filtering("--type KIND", "Only notes of this kind; may be repeated.", completion.kinds),
]
SinceOption = Annotated[str | None, filtering("--since DATE", "From then on: a date, or 2w.")]
AsOfOption = Annotated[
    str | None,
    flag("--as-of DATE|COMMIT", "Answer as the notes were then.", show_default=False),
]
UntilOption = Annotated[
    str | None,
    filtering("--until --before DATE", "Before then: a day, a month, or 3 months ago."),
]


# Output and history.
def format_option(formats: Iterable[str]) -> Any:
    """Return the option of a command that has these formats."""
    names = (AUTO, *formats)
    about = "; or a template: '{path}:{line}'" if "paths" in names else ""
    return output(
        "--format NAME",
        f"{', '.join(names)}{about}.",
        completion.names_of(names),
        show_default=False,
    )


OutOption = partial(typer.Option, "-o", "--out", metavar="FILE", rich_help_panel="Output")
YesOption = Annotated[bool, flag("-y --yes", "Do not ask.")]
