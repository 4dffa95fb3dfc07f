"""One file per verb: read options → call one use case → render → exit code.

To add a command: a file with `command(…) -> int`, whose parameters are its options and whose docstring is its
help; a line here. Only the file of the command that is run is imported.
"""

COMMANDS = {
    "remember": "Recall what your notes know.",
    "context": "Show what to know on starting work in this folder.",
    "index": "Bring the index up to date with the notes.",
    "status": "Show how many memories there are, how old and how strong.",
    "score": "Evaluate a formula: JSON lines of signals in, scores out.",
    "eval": "Evaluate recall on judged questions.",
}
