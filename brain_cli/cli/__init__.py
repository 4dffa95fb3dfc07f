"""One file per verb: read options → call one use case → render → exit code.

To add a command: a file with `command(options, …) -> int`, whose parameters are its options and
whose docstring is its help; a line in `COMMANDS`. `options` has those of every command, which
`_app` adds. With many options, they are the fields of a class `Request` in the file, and
`command(request)` takes that. Help, completion, the manual page and the reference follow. Only the
file of the called command is imported.
"""

from collections.abc import Callable, Mapping
from importlib import import_module

from brain_cli.extension import (
    ASK,
    CARE,
    OF_NOTES,
    OF_ROWS,
    SET_UP,
    STATE,
    WRITE,
    Verb,
    added_verbs,
)

ABOUT = "Ask your folder of markdown notes in your own words."
START = (
    'In a folder of notes, ask: brain "why kafka". `brain COMMAND --help` has examples, `brain '
    "help all` lists the"
    " other commands, `brain help WORD` finds an option, and `brain -i` asks on the full screen."
)

COMMANDS: dict[str, Verb] = {
    "remember": Verb("Recall what your notes know.", ASK, reads=True, warm=True, first=True),
    "recent": Verb(
        "List the newest notes, those of this project first.",
        ASK,
        reads=True,
        lists=OF_NOTES,
        first=True,
    ),
    "related": Verb(
        "Show the notes related to a note.", ASK, reads=True, lists=OF_NOTES, first=True
    ),
    "show": Verb("Show a note, or one section of it.", ASK, reads=True, first=True),
    "open": Verb(
        "Open a note in your editor.",
        ASK,
        "brain_cli.cli._editor:open_in_editor",
        reads=True,
        first=True,
    ),
    "add": Verb("Write a new note.", WRITE, first=True),
    "feedback": Verb("Rate a note as useful or wrong.", CARE, "brain_cli.cli.notes:feedback"),
    "pin": Verb("Keep a note from fading.", CARE, "brain_cli.cli.notes:pin"),
    "unpin": Verb("Let a note fade again.", CARE, "brain_cli.cli.notes:unpin"),
    "snooze": Verb(
        "Leave a note out of recall for a while.", CARE, "brain_cli.cli.notes:snooze"
    ),
    "archive": Verb("Take a note out of ordinary recall.", CARE, "brain_cli.cli.notes:archive"),
    "restore": Verb("Bring a note back from the archive.", CARE, "brain_cli.cli.notes:restore"),
    "mv": Verb(
        "Move or rename a note; links still lead to it.", CARE, "brain_cli.cli.notes:mv"
    ),
    "forget": Verb("Move a note to the trash.", CARE, "brain_cli.cli.notes:forget"),
    "undo": Verb("Undo the last change of notes.", CARE, lists=OF_NOTES, first=True),
    "review": Verb(
        "Keep, strengthen or archive memories that fade.",
        CARE,
        lists=OF_NOTES,
        first=True,
    ),
    "status": Verb(
        "Show how many memories there are, how old and how strong.",
        STATE,
        reads=True,
        lists=OF_NOTES,
        first=True,
    ),
    "tags": Verb(
        "List all tags, with how many notes have each.",
        STATE,
        "brain_cli.cli.status:tags",
        reads=True,
        lists=OF_ROWS,
    ),
    "history": Verb(
        "Show when a subject was written, changed and corrected.",
        STATE,
        reads=True,
        lists=("rich", *OF_ROWS),
    ),
    "explain": Verb(
        "Explain why a query finds a note, or how good it is.",
        STATE,
        reads=True,
    ),
    "doctor": Verb(
        "Check the vault, its index, its history and its notes.",
        STATE,
        reads=True,
        lists=OF_ROWS,
        first=True,
    ),
    "init": Verb("Make a folder a vault that is found from anywhere inside it.", SET_UP),
    "config": Verb(
        "Show or change the settings, and where each comes from.",
        SET_UP,
        lists=OF_ROWS,
        first=True,
    ),
    "index": Verb(
        "Update the index from the notes.",
        SET_UP,
        reads=True,
        lists=OF_ROWS,
        first=True,
    ),
    "completions": Verb(
        "Print the completion script for bash, zsh or fish.",
        SET_UP,
        "brain_cli.cli.completion:print_script",
    ),
}


def verbs() -> Mapping[str, Verb]:
    """Return every command by name: those of the core, then those of the plugins.

    Those of other packages are among them once `extension.read_others` has run.
    """
    return {**COMMANDS, **{n: each for n, each in added_verbs().items() if n not in COMMANDS}}


def command_of(name: str) -> tuple[Callable[..., int], Callable[..., object] | None]:
    """Return the function of a command, and the class of its options if that takes a request."""
    module, _, function = (verbs()[name].module or f"{__name__}.{name}").partition(":")
    found = import_module(module)
    return getattr(found, function or "command"), getattr(found, "Request", None)
