"""The names of the commands, and the options of those that run without Typer, whose import takes long.

Written by tests/docs/regenerate.py from the signatures of the commands. Do not edit.
"""

from __future__ import annotations

# An option → its parameter, and what it takes; a bool is the value of an option that takes none.
Options = dict[str, tuple[str, str | bool]]

VERBS = frozenset(
    {
        "add",
        "archive",
        "capture",
        "completions",
        "config",
        "context",
        "daemon",
        "digest",
        "doctor",
        "eval",
        "explain",
        "export",
        "feedback",
        "forget",
        "hooks",
        "import",
        "index",
        "init",
        "lsp",
        "mcp",
        "model",
        "mv",
        "open",
        "pin",
        "quality",
        "recent",
        "related",
        "remember",
        "report",
        "restore",
        "review",
        "score",
        "show",
        "sleep",
        "snooze",
        "status",
        "tune",
        "undo",
        "unpin",
        "why",
    }
)
# Those that also stand before a command.
COMMON: Options = {
    "--vault": ("vault", "text"),
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
        "--fields": ("fields", "text"),
        "--budget": ("budget", "positive"),
        "--no-synthesis": ("no_synthesis", True),
        "--sure": ("sure", True),
        "-0": ("nul", True),
        "--memory": ("memory", "text"),
        "--vault": ("vault", "text"),
        "--now": ("now", "text"),
        "--json": ("json", True),
    },
    "index": {
        "--full": ("full", True),
        "--watch": ("watch", True),
        "--poll": ("poll", "float"),
        "--detach": ("detach", True),
        "--idle": ("idle", "float"),
        "--memory": ("memory", "text"),
        "--as": ("as_name", "text"),
        "-y": ("yes", True),
        "--yes": ("yes", True),
        "--stop": ("stop", True),
        "--status": ("status", True),
        "--vault": ("vault", "text"),
        "--now": ("now", "text"),
        "--json": ("json", True),
    },
}
# A command → the parameter for its words.
WORDS = {"remember": "query"}
# A former name of a command → its name, and the options it stands for.
FORMER: dict[str, tuple[str, ...]] = {
    "daemon": ("index", "--status"),
    "digest": ("report", "--week"),
    "quality": ("explain",),
    "sleep": ("review", "--report"),
    "why": ("explain",),
}
# The commands that a daemon answers.
WARM = ("remember", "context")
# A command alone → the function that it runs before anything else is imported.
DIRECT = {"capture": "brain_cli.plugins.agents.intake:hook"}
# The functions of the plugins, by hook.
HOOKS: dict[str, tuple[str, ...]] = {
    "after_index": ("brain_cli.plugins.meaning.search:after_index",),
    "background": ("brain_cli.plugins.team.index:background",),
    "checks": (
        "brain_cli.plugins.agents.checks:checks",
        "brain_cli.plugins.meaning.checks:checks",
        "brain_cli.plugins.team.connections:checks",
    ),
    "elsewhere": ("brain_cli.plugins.team.workspace:elsewhere",),
    "note": ("brain_cli.plugins.team.notes:TeamNote",),
    "refreshed": ("brain_cli.plugins.team.index:refreshed",),
    "retriever": ("brain_cli.plugins.meaning.search:retriever",),
    "stamp": ("brain_cli.plugins.meaning.search:models_stamp",),
    "status": ("brain_cli.plugins.meaning.search:status", "brain_cli.plugins.team.connections:status"),
}
