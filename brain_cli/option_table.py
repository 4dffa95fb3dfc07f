"""The names of the commands, and the options of those that run without Typer.

The import of Typer takes long.

Written by tests/docs/regenerate.py from the signatures of the commands. Do not edit.
"""

from __future__ import annotations

# An option → its parameter, and what it takes; a bool is the value of an option that takes none.
Options = dict[str, tuple[str, str | bool]]

_VERBS = """
add archive bench capture completions config context daemon digest doctor eval explain export
feedback forget hooks import index init lsp mcp model mv open pin quality recent related remember
report restore review score show sleep snooze status team tune undo unpin why
"""
VERBS = frozenset(_VERBS.split())
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
        "--lines": ("lines", "int"),
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
        "--stop": ("stop", True),
        "--status": ("status", True),
        "--no-embed": ("no_embed", True),
        "--memory": ("memory", "text"),
        "--as": ("as_name", "text"),
        "-y": ("yes", True),
        "--yes": ("yes", True),
        "-n": ("limit", "positive"),
        "--limit": ("limit", "positive"),
        "--format": ("format", "text"),
        "--vault": ("vault", "text"),
        "--now": ("now", "text"),
        "--json": ("json", True),
    },
}
# A command → the parameter for its words.
WORDS = {
    "remember": "query",
}
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
# The functions of the plugins, by hook, each with the setting that turns it off.
HOOKS: dict[str, tuple[tuple[str, str], ...]] = {
    "after_index": (("brain_cli.plugins.meaning.search:after_index", "meaning"),),
    "asked": (("brain_cli.plugins.meaning.kept:asked", "meaning"),),
    "background": (("brain_cli.plugins.team.index:background", "memory"),),
    "checks": (
        ("brain_cli.plugins.agents.capture:checks", ""),
        ("brain_cli.plugins.meaning:checks", "meaning"),
        ("brain_cli.plugins.team.workspace:checks", "memory"),
    ),
    "elsewhere": (("brain_cli.plugins.team.workspace:elsewhere", "memory"),),
    "found_little": (("brain_cli.plugins.meaning:found_little", "meaning"),),
    "near": (("brain_cli.plugins.meaning.search:near_notes", "meaning"),),
    "note": (("brain_cli.plugins.team.notes:TeamNote", "memory"),),
    "refreshed": (("brain_cli.plugins.team.index:refreshed", "memory"),),
    "retriever": (("brain_cli.plugins.meaning:retriever", "meaning"),),
    "stamp": (("brain_cli.plugins.meaning.search:models_stamp", "meaning"),),
    "status": (
        ("brain_cli.plugins.agents.hooks:status", ""),
        ("brain_cli.plugins.meaning.search:status", "meaning"),
        ("brain_cli.plugins.team.workspace:status", "memory"),
    ),
    "vectors": (("brain_cli.plugins.meaning.kept:vectors", "meaning"),),
}
# A setting of a plugin → the table that declares it, and its default.
SETTINGS: dict[str, tuple[str, object]] = {
    "inbox": ("brain_cli.plugins.agents.settings:SETTINGS", "inbox"),
    "skip_tools": (
        "brain_cli.plugins.agents.settings:SETTINGS",
        ("TodoRead", "TodoWrite", "LS", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "ToolSearch", "update_plan"),
    ),
    "batch_window_ms": ("brain_cli.plugins.agents.settings:SETTINGS", 3000),
    "context_tokens": ("brain_cli.plugins.agents.settings:SETTINGS", None),
    "context_ratio": ("brain_cli.plugins.agents.settings:SETTINGS", None),
    "context_floor": ("brain_cli.plugins.agents.settings:SETTINGS", None),
    "cross_project": ("brain_cli.plugins.agents.settings:SETTINGS", True),
    "record_context": ("brain_cli.plugins.agents.settings:SETTINGS", True),
    "meaning": ("brain_cli.plugins.meaning.models:SETTINGS", "auto"),
    "memory": ("brain_cli.plugins.team.address:SETTINGS", "off"),
}
# The parameters of the options that plugins add to commands.
ADDED = ("as_name", "memory", "no_embed", "yes")
