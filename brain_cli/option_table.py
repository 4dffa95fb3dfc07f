"""The names of the commands, and the options of those that run without Typer.

The import of Typer takes long.

Written by tests/docs/regenerate.py from the signatures of the commands. Do not edit.
"""

from __future__ import annotations

# An option → its parameter, and what it takes; a bool is the value of an option that takes none.
Options = dict[str, tuple[str, str | bool]]

_VERBS = """
add archive completions config doctor explain feedback forget history index init mv open pin recent
related remember restore review show snooze status tags undo unpin
"""
VERBS = frozenset(_VERBS.split())
# Those that also stand before a command.
COMMON: Options = {
    "--vault": ("vault", "list"),
    "-a": ("everywhere", True),
    "--all-vaults": ("everywhere", True),
    "--now": ("now", "text"),
    "--json": ("json", True),
}
OPTIONS: dict[str, Options] = {
    "remember": {
        "-n": ("limit", "int"),
        "--limit": ("limit", "int"),
        "--scorer": ("scorer", "text"),
        "--profile": ("profile", "text"),
        "--project": ("project", "text"),
        "--topic": ("topics", "text"),
        "--topics": ("topics", "text"),
        "--task": ("task", "text"),
        "--type": ("kinds", "list"),
        "--tag": ("tags", "list"),
        "--path": ("paths", "list"),
        "--since": ("since", "text"),
        "--until": ("until", "text"),
        "--before": ("until", "text"),
        "--as-of": ("as_of", "text"),
        "--in": ("in_project", "text"),
        "--where": ("where", "list"),
        "--archived": ("archived", True),
        "--words": ("words", True),
        "--recent": ("recent", True),
        "--no-recent": ("recent", False),
        "--sort": ("sort", "text"),
        "--min-score": ("min_score", "float"),
        "--mmr": ("mmr", True),
        "--no-mmr": ("mmr", False),
        "--explain": ("explain", True),
        "--no-touch": ("no_touch", True),
        "--batch": ("batch", "text"),
        "-i": ("interactive", True),
        "--interactive": ("interactive", True),
        "--format": ("format", "text"),
        "--budget": ("budget", "positive"),
        "--lines": ("lines", "int"),
        "--no-synthesis": ("no_synthesis", True),
        "--sure": ("sure", True),
        "-0": ("nul", True),
        **COMMON,
    },
    "index": {
        "--full": ("full", True),
        "--watch": ("watch", True),
        "--poll": ("poll", "float"),
        "--detach": ("detach", True),
        "--idle": ("idle", "float"),
        "--stop": ("stop", True),
        "--status": ("status", True),
        "-n": ("limit", "positive"),
        "--limit": ("limit", "positive"),
        "--format": ("format", "text"),
        **COMMON,
    },
}
# A command → the parameter for its words.
WORDS = {
    "remember": "query",
}
# The commands that a daemon answers.
WARM = ("remember",)
