"""Recognize observations not worth a note (publication "Smarter Memory Retrieval", phase 1a: noise reduction)."""

from __future__ import annotations

import re
from collections.abc import Collection

from brain_cli.plugins.agents.observation import Observation

EDITING_TOOLS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
SKIPPED_TOOLS = ("TodoRead", "TodoWrite", "LS")
MIN_CHARS = 50
_LISTING_TOOLS = ("Glob",)
_LOW_VALUE_COMMAND = re.compile(
    r"(git\s+(status|branch|fetch|stash\s+list|remote(\s+-v)?|log\s+--oneline(\s+-\d+)?|diff\s+--stat)(\s+-\S+)*"
    r"|ls(\s+\S+)*|pwd|cd(\s+\S+)?|clear|true|whoami|date|tree(\s+\S+)*|which\s+\S+|echo(\s.*)?|sleep\s+\S+)\s*",
)
_EMPTY_RESULT = re.compile(
    r"(no (matches|files|results)( were)? found\.?|found 0 .*|\(no (output|content)\)|\[\]|\{\}|null|ok\.?)?", re.I
)
_SEPARATOR = re.compile(r"&&|\|\||;|\n")


def noise(observation: Observation, skipped_tools: Collection[str] = SKIPPED_TOOLS) -> str | None:
    """Return why an observation is not worth a note; None if it is worth one, as a piped text always is."""
    if observation.ends_session or not observation.tool:
        return None
    if observation.tool in skipped_tools:
        return f"{observation.tool} is a skipped tool"
    if len(observation.input) + len(observation.response) < MIN_CHARS:
        return f"it has fewer than {MIN_CHARS} characters"
    if _EMPTY_RESULT.fullmatch(observation.response.strip()) and not _changes_files(observation):
        return "its result is empty"
    if observation.tool in _LISTING_TOOLS or (observation.tool == "Bash" and _is_low_value(observation.input)):
        return "it only lists or shows a state"
    return None


def _changes_files(observation: Observation) -> bool:
    return observation.tool in EDITING_TOOLS


def _is_low_value(command: str) -> bool:
    return ">" not in command and all(
        _LOW_VALUE_COMMAND.fullmatch(part.strip()) for part in _SEPARATOR.split(command) if part.strip()
    )
