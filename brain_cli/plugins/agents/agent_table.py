"""The coding agents whose hooks brain knows: one row each, with its settings file, its events and its names of fields.

Claude Code's names are used everywhere else: a payload of another agent is renamed to them when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

SHOW, ANSWER, KEEP = ("context", "--hook"), ("context", "--hook", "--profile", "speed"), ("capture",)


class Agent(NamedTuple):
    """How an agent runs hooks: `settings` is the file that has them, below the project's folder.

    Its events stand in `show` (what to know here), `answer` (a prompt) and `keep` (what is captured); an agent without
    any runs a plugin. `renamed` has our names of events and fields that differ by more than their case. Payloads have
    the field `mark`; an agent without one reads plain text. Hooks that are `flat` are commands, not groups with a
    matcher. `version` is that of the settings, `second` the unit of timeouts, `next_step` a sentence for the user.
    """

    settings: str
    show: str = ""
    answer: str = ""
    keep: str = ""
    renamed: Mapping[str, str] = {}
    mark: str = ""
    flat: bool = False
    version: int = 0
    second: int = 1
    next_step: str = ""

    @property
    def events(self) -> dict[str, tuple[str, ...]]:
        """Return the command for each of the agent's events."""
        commands = {self.show: SHOW, self.answer: ANSWER, self.keep: KEEP}
        return {event: command for events, command in commands.items() for event in events.split()}


_START, _PROMPT, _TOOLS = "SessionStart", "UserPromptSubmit", "PostToolUse PreCompact Stop"
_GEMINI = {"BeforeAgent": _PROMPT, "AfterTool": "PostToolUse", "PreCompress": "PreCompact", "AfterAgent": "Stop"}
_CURSOR = {"conversation_id": "session_id", "workspace_roots": "cwd", "error_message": "error"}
AGENTS: Mapping[str, Agent] = {
    "claude": Agent(".claude/settings.json", _START, _PROMPT, f"{_TOOLS} PostToolUseFailure SessionEnd"),
    "codex": Agent(
        *(".codex/hooks.json", _START, _PROMPT, _TOOLS),
        next_step="Codex runs them once you trust them (/hooks); older versions need features.codex_hooks = true.",
    ),
    "gemini": Agent(
        *(".gemini/settings.json", _START, "BeforeAgent", "AfterTool PreCompress AfterAgent SessionEnd"),
        renamed={**_GEMINI, "prompt_response": "last_assistant_message"},
        mark="timestamp",
        second=1_000,
    ),
    "cursor": Agent(
        ".cursor/hooks.json",
        "sessionStart",
        # Cursor gives its agent nothing of what a prompt's hook prints, but a prompt may order to remember something.
        keep="beforeSubmitPrompt postToolUse postToolUseFailure preCompact afterAgentResponse stop sessionEnd",
        renamed={
            **_CURSOR,
            "BeforeSubmitPrompt": _PROMPT,
            "AfterAgentResponse": "Stop",
            "tool_output": "tool_response",
            "text": "last_assistant_message",
        },
        mark="cursor_version",
        flat=True,
        version=1,
    ),
    "opencode": Agent(".opencode/plugins/brain.js"),
    "vscode": Agent(
        *(".github/hooks/brain.json", _START, _PROMPT, _TOOLS),
        renamed={"tool_args": "tool_input", "tool_result": "tool_response"},
        mark="timestamp",
        flat=True,
        next_step="VS Code also runs the hooks in .claude/settings.json: keep one of the two.",
    ),
}
RENAMED = {theirs: ours for agent in AGENTS.values() for theirs, ours in agent.renamed.items()}
