"""Notes from and for coding agents: what their hooks and git say becomes notes, and they get the
notes that matter.

Agents and pipes: payload → observation → noise filter and removal of secrets → spool → notes. The
agent waits for its hook, so the hook only writes one file into the spool. A background process
makes the notes. Git: a hook starts `brain capture git`, which makes notes of commits at once
(commit_notes.py).
"""

from __future__ import annotations

from brain_cli.extension import ASK, OF_ROWS, SET_UP, WRITE, Plugin, Verb

# The agents' own lists; the setting `skip_tools` names others.
SKIPPED_TOOLS = (
    "TodoRead",
    "TodoWrite",
    "LS",
    "TaskCreate",
    "TaskUpdate",
    "TaskGet",
    "TaskList",
    "ToolSearch",
    "update_plan",
)
PLUGIN = Plugin(
    verbs={
        "context": Verb(
            "Show what to know on starting work in this folder.",
            ASK,
            f"{__name__}.context",
            warm=True,
            lists=("rich", "markdown", "json", "jsonl", "paths"),
            first=True,
            quick={"--hook": ("hook", True), "--profile": ("profile", "text")},
        ),
        "capture": Verb(
            "Keep an observation from a hook, a pipe or git.", WRITE, f"{__name__}.capture"
        ),
        "hooks": Verb(
            "Install git and agent hooks.", SET_UP, f"{__name__}.hooks", lists=OF_ROWS
        ),
        "mcp": Verb(
            "Serve the vault to an agent over the Model Context Protocol.",
            SET_UP,
            f"{__name__}.mcp_server",
            quick={},
        ),
    },
    hooks={
        "checks": f"{__name__}.capture:checks",
        "status": f"{__name__}.hooks:status",
        "purge": f"{__name__}.purge:purge",
    },
    settings=f"{__name__}.settings:SETTINGS",
    importers={"transcripts": f"{__name__}.transcript:memories"},
)
