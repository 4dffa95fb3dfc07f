"""The settings of captured notes and of `brain context`."""

from __future__ import annotations

from brain_cli.config.schema import (
    FLAG,
    FOLDER,
    LIMIT,
    MILLISECONDS,
    NAMES,
    SHARE,
    TEXT,
    Setting,
)
from brain_cli.plugins.agents import SKIPPED_TOOLS

SETTINGS = {
    "inbox": Setting(FOLDER, "The folder of the vault for captured notes.", default="inbox"),
    "skip_tools": Setting(
        NAMES, "Tools whose use is never captured.", user_only=True, default=SKIPPED_TOOLS
    ),
    "batch_window_ms": Setting(
        MILLISECONDS,
        "Observations within this time are taken together.",
        user_only=True,
        default=3_000,
    ),
    "capture.command": Setting(
        TEXT,
        "A program that reads an agent's session and prints its handoff note in Markdown.",
        user_only=True,
    ),
    "context_tokens": Setting(
        LIMIT, "How much `brain context` may print, in tokens of four characters."
    ),
    "context_ratio": Setting(
        SHARE, "Context shows notes with at least this share of the best score."
    ),
    "context_floor": Setting(SHARE, "Context shows nothing if the best score is below this."),
    "cross_project": Setting(
        FLAG, "Let `brain context` show notes of other projects.", default=True
    ),
}
