"""The hook configuration of a coding agent (Claude Code's `settings.json`): add our hooks and remove them."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any

from brain_cli.errors import BrainError
from brain_cli.plugins.agents.repository_files import read_file, remove_file, write_file

SETTINGS_FILE = os.path.join(".claude", "settings.json")
# event → (matcher, command). Events and fields are those that Claude Code documents for its hooks.
AGENT_HOOKS: dict[str, tuple[str | None, str]] = {
    "SessionStart": (None, "brain context --hook"),
    "UserPromptSubmit": (None, "brain context --hook --profile speed"),
    "PostToolUse": ("*", "brain capture"),
    "PostToolUseFailure": ("*", "brain capture"),
    "PreCompact": (None, "brain capture"),
    "Stop": (None, "brain capture"),
    "SessionEnd": (None, "brain capture"),
}
SHELL_EQUIVALENTS = """\
# Session start: what to know here
brain context
# A prompt: the notes that surely match it, within a budget
printf '%s' "$PROMPT" | brain context --prompt - --budget 1600
# After a tool: one observation, as JSON or as plain text
printf '%s' "$PAYLOAD" | brain capture
# End of a session: the handoff note
end='{"hook_event_name": "SessionEnd", "session_id": "%s", "transcript_path": "%s", "cwd": "%s"}'
printf "$end" "$ID" "$TRANSCRIPT" "$PWD" | brain capture
"""


def configuration() -> dict[str, Any]:
    """Return the hooks as Claude Code's settings have them."""
    return {"hooks": {event: [_entry(matcher, command)] for event, (matcher, command) in AGENT_HOOKS.items()}}


def merged(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with our hooks added once, and everything else unchanged."""
    hooks = {**without(settings).get("hooks", {})}
    for event, (matcher, command) in AGENT_HOOKS.items():
        hooks[event] = [*hooks.get(event, []), _entry(matcher, command)]
    return {**settings, "hooks": hooks}


def without(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings without our hooks, and without tables that then are empty."""
    hooks = {
        event: [entry for entry in entries if not _is_ours(entry)]
        for event, entries in settings.get("hooks", {}).items()
    }
    remaining = {event: entries for event, entries in hooks.items() if entries}
    rest = {key: value for key, value in settings.items() if key != "hooks"}
    return {**rest, "hooks": remaining} if remaining else rest


def read_settings(folder: str) -> dict[str, Any]:
    """Return the project's settings, empty if there are none; BrainError if they cannot be read."""
    path = os.path.join(folder, SETTINGS_FILE)
    raw = read_file(path)
    if raw is None:
        return {}
    try:
        settings = json.loads(raw)
    except RecursionError:
        raise BrainError(f"{path} is nested too deeply.", "Correct it, then try again.") from None
    except ValueError as error:
        raise BrainError(f"{path} is not valid JSON: {error}.", "Correct it, then try again.") from None
    if not _has_hooks(settings):
        raise BrainError(f"{path} is not a JSON object with lists of hooks.", "Correct it, then try again.")
    return {**settings}


def write_settings(folder: str, settings: dict[str, Any]) -> str:
    """Write the project's settings; if they are empty, remove the file, and its folder if nothing else is there."""
    path = os.path.join(folder, SETTINGS_FILE)
    if settings:
        write_file(path, (json.dumps(settings, indent=2, ensure_ascii=False) + "\n").encode(), folder)
    else:
        remove_file(path)
        with contextlib.suppress(OSError):  # Other files are in the folder, or it is a link.
            os.rmdir(os.path.dirname(path))
    return path


def _has_hooks(settings: object) -> bool:
    """Return whether settings are a table whose `hooks`, if any, are a table of lists."""
    hooks = settings.get("hooks", {}) if isinstance(settings, dict) else None
    return isinstance(hooks, dict) and all(isinstance(entries, list) for entries in hooks.values())


def _entry(matcher: str | None, command: str) -> dict[str, Any]:
    hooks = {"hooks": [{"type": "command", "command": command}]}
    return {"matcher": matcher, **hooks} if matcher else hooks


def _is_ours(entry: object) -> bool:
    ours = {command for _, command in AGENT_HOOKS.values()}
    hooks = entry.get("hooks") if isinstance(entry, dict) else None
    return (
        bool(hooks)
        and isinstance(hooks, list)
        and all(isinstance(hook, dict) and hook.get("command") in ours for hook in hooks)
    )
