"""One file per verb: read options → call one use case → render → exit code.

To add a command: a file with `command(options, …) -> int`, whose parameters are its options and whose docstring is
its help; a line here. `options` has those of every command, which `_app` adds. Only the file of the called command is
imported.
"""

ABOUT = "A memory over a folder of markdown notes: it recalls the way memory works."
USAGE = "[OPTIONS] [COMMAND] [ARGS]..."
COMMANDS = {
    "remember": "Recall what your notes know.",
    "recent": "List the newest notes, those of this project first.",
    "context": "Show what to know on starting work in this folder.",
    "add": "Write a new note.",
    "capture": "Keep an observation from a hook, a pipe or git.",
    "hooks": "Install git and agent hooks.",
    "import": "Import the memories of another program as notes.",
    "export": "Write all notes as JSON lines.",
    "digest": "Summarize a period: new, recalled and fading notes, open tasks.",
    "show": "Show a note, or one section of it.",
    "open": "Open a note in your editor.",
    "why": "Explain why a query does or does not find a note.",
    "quality": "Show the quality of a note, and how to improve it.",
    "related": "Show the notes related to a note.",
    "pin": "Keep a note from fading.",
    "unpin": "Let a note fade again.",
    "snooze": "Leave a note out of recall for a while.",
    "archive": "Take a note out of ordinary recall.",
    "restore": "Bring a note back from the archive.",
    "forget": "Move a note to the trash.",
    "index": "Update the index from the notes.",
    "daemon": "Show or stop the daemons that answer recalls from memory.",
    "feedback": "Rate a note as useful or wrong.",
    "sleep": "Report how memories fade, and propose what to archive.",
    "review": "Review the memories that are about to fade.",
    "init": "Make a folder a vault that is found from anywhere inside it.",
    "status": "Show how many memories there are, how old and how strong.",
    "report": "Draw the vault as one HTML page: time, strength, recalls, links.",
    "doctor": "Check the vault, its index, its history and its notes.",
    "model": "Install a model that finds notes by meaning.",
    "config": "Show or change the settings, and where each comes from.",
    "score": "Evaluate a formula: JSON lines of signals in, scores out.",
    "eval": "Evaluate recall on judged questions.",
    "tune": "Fit the ranking to your own judged questions or feedback.",
    "mcp": "Serve the vault to an agent over the Model Context Protocol.",
    "completions": "Print the completion script for bash, zsh or fish.",
}
# The headings of `brain --help`; a command that is in no group is listed above them.
GROUPS = {
    "Ask": ("remember", "recent", "context", "related", "show", "open"),
    "Write": ("add", "capture", "import", "export"),
    "Look after your notes": (
        "feedback",
        "pin",
        "unpin",
        "snooze",
        "archive",
        "restore",
        "forget",
        "sleep",
        "review",
    ),
    "See how they are": ("status", "digest", "report", "why", "quality", "doctor"),
    "Set up": ("init", "config", "index", "daemon", "hooks", "model", "mcp", "completions"),
    "Judge the ranking": ("eval", "tune", "score"),
}
START = 'Start with: brain init in your folder of notes, then brain remember "…". `brain COMMAND --help` has examples.'


def grouped() -> list[tuple[str, dict[str, str]]]:
    """Return the commands with their texts, by group."""
    left = {name: about for name, about in COMMANDS.items() if not any(name in names for names in GROUPS.values())}
    groups = [(title, {name: COMMANDS[name] for name in names}) for title, names in GROUPS.items()]
    return [("Commands", left), *groups] if left else groups
