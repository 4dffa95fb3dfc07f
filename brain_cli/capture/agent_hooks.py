"""The hook configuration of a coding agent (Claude Code's `settings.json`), merged in and taken out again."""

from __future__ import annotations

import json
import os
from typing import Any

from brain_cli.errors import BrainError

SETTINGS_FILE = os.path.join(".claude", "settings.json")
# event → (matcher, command). Events and fields are those that Claude Code documents for its hooks.
AGENT_HOOKS: dict[str, tuple[str | None, str]] = {
    "SessionStart": (None, "brain context --hook"),
    "UserPromptSubmit": (None, "brain context --hook --profile speed"),
    "PostToolUse": ("*", "brain capture"),
    "Stop": (None, "brain capture"),
    "SessionEnd": (None, "brain capture"),
}
SHELL_EQUIVALENTS = """\
# Session start: what to know here
brain context
# A prompt: what surely matches it, within a budget
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
    """Return settings with our hooks in them, once, and everything else as it was."""
    hooks = {**without(settings).get("hooks", {})}
    for event, (matcher, command) in AGENT_HOOKS.items():
        hooks[event] = [*hooks.get(event, []), _entry(matcher, command)]
    return {**settings, "hooks": hooks}


def without(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings without our hooks; tables that they leave empty go with them."""
    hooks = {
        event: [entry for entry in entries if not _is_ours(entry)]
        for event, entries in settings.get("hooks", {}).items()
    }
    left = {event: entries for event, entries in hooks.items() if entries}
    rest = {key: value for key, value in settings.items() if key != "hooks"}
    return {**rest, "hooks": left} if left else rest


def read_settings(folder: str) -> dict[str, Any]:
    """Return the project's settings, empty where there are none; BrainError if they cannot be read."""
    path = os.path.join(folder, SETTINGS_FILE)
    try:
        with open(path, encoding="utf-8") as file:
            settings = json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BrainError(f"{path} cannot be read: {error}.", "Correct it, then try again.") from None
    if not isinstance(settings, dict) or not isinstance(settings.get("hooks", {}), dict):
        raise BrainError(f"{path} is not a JSON object with hooks.", "Correct it, then try again.")
    return settings


def write_settings(folder: str, settings: dict[str, Any]) -> str:
    """Write the project's settings, or remove the file when nothing is left in them; return its path."""
    path = os.path.join(folder, SETTINGS_FILE)
    if not settings:
        if os.path.exists(path):
            os.unlink(path)
        return path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = f"{path}.brain-tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(json.dumps(settings, indent=2, ensure_ascii=False) + "\n")
    os.replace(temporary, path)
    return path


def _entry(matcher: str | None, command: str) -> dict[str, Any]:
    hooks = {"hooks": [{"type": "command", "command": command}]}
    return {"matcher": matcher, **hooks} if matcher else hooks


def _is_ours(entry: object) -> bool:
    ours = {command for _, command in AGENT_HOOKS.values()}
    hooks = entry.get("hooks", []) if isinstance(entry, dict) else []
    return bool(hooks) and all(isinstance(hook, dict) and hook.get("command") in ours for hook in hooks)
