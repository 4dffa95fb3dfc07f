"""One file per verb: read options → call one use case → render → exit code.

To add a command: a file with `command(options, …) -> int`, whose parameters are its options and whose docstring is
its help; a line in `COMMANDS`. `options` has those of every command, which `_app` adds. Help, completion, the manual
page and the reference follow. Only the file of the called command is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

ABOUT = "A memory over a folder of markdown notes: it recalls the way memory works."
START = 'In a folder of notes, ask: brain "why kafka". `brain COMMAND --help` has examples.'
ASK, WRITE, CARE = "Ask", "Write", "Look after your notes"
STATE, SET_UP, JUDGE = "See how they are", "Set up", "Judge the ranking"


class Verb(NamedTuple):
    """A command in the help: what it does, and the panel that lists it.

    `module` has its function `command`; by default the module of this package with the command's name. A command that
    only reads answers in any folder of notes.
    """

    about: str
    panel: str = "Commands"
    module: str = ""
    reads: bool = False


COMMANDS: dict[str, Verb] = {
    "remember": Verb("Recall what your notes know.", ASK, reads=True),
    "recent": Verb("List the newest notes, those of this project first.", ASK, reads=True),
    "context": Verb("Show what to know on starting work in this folder.", ASK),
    "related": Verb("Show the notes related to a note.", ASK, reads=True),
    "show": Verb("Show a note, or one section of it.", ASK, reads=True),
    "open": Verb("Open a note in your editor.", ASK, reads=True),
    "add": Verb("Write a new note.", WRITE),
    "capture": Verb("Keep an observation from a hook, a pipe or git.", WRITE),
    "import": Verb("Import the memories of another program as notes.", WRITE),
    "export": Verb("Write all notes as JSON lines.", WRITE),
    "feedback": Verb("Rate a note as useful or wrong.", CARE),
    "pin": Verb("Keep a note from fading.", CARE),
    "unpin": Verb("Let a note fade again.", CARE),
    "snooze": Verb("Leave a note out of recall for a while.", CARE),
    "archive": Verb("Take a note out of ordinary recall.", CARE),
    "restore": Verb("Bring a note back from the archive.", CARE),
    "forget": Verb("Move a note to the trash.", CARE),
    "sleep": Verb("Report how memories fade, and propose what to archive.", CARE),
    "review": Verb("Review the memories that are about to fade.", CARE),
    "status": Verb("Show how many memories there are, how old and how strong.", STATE),
    "digest": Verb("Summarize a period: new, recalled and fading notes, open tasks.", STATE),
    "report": Verb("Draw the vault as one HTML page: time, strength, recalls, links.", STATE),
    "why": Verb("Explain why a query does or does not find a note.", STATE),
    "quality": Verb("Show the quality of a note, and how to improve it.", STATE),
    "doctor": Verb("Check the vault, its index, its history and its notes.", STATE),
    "init": Verb("Make a folder a vault that is found from anywhere inside it.", SET_UP),
    "config": Verb("Show or change the settings, and where each comes from.", SET_UP),
    "index": Verb("Update the index from the notes.", SET_UP),
    "daemon": Verb("Show or stop the daemons that answer recalls from memory.", SET_UP),
    "hooks": Verb("Install git and agent hooks.", SET_UP),
    "model": Verb("Install a model that finds notes by meaning.", SET_UP),
    "mcp": Verb("Serve the vault to an agent over the Model Context Protocol.", SET_UP),
    "completions": Verb("Print the completion script for bash, zsh or fish.", SET_UP),
    "eval": Verb("Evaluate recall on judged questions.", JUDGE),
    "tune": Verb("Fit the ranking to your own judged questions or feedback.", JUDGE),
    "score": Verb("Evaluate a formula: JSON lines of signals in, scores out.", JUDGE),
}


def verbs() -> Mapping[str, Verb]:
    """Return every command by name. A plugin's table of verbs is merged here, and everything else follows."""
    return COMMANDS
