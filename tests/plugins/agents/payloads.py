"""What the hooks of coding agents get on stdin, in the form that each agent documents for its
hooks.

In each session the user asks how to replay a dead letter queue, the agent edits a file, a check
fails, and it stops.
"""

from __future__ import annotations

from typing import Any, NamedTuple

PROMPT = "how do we replay a dead letter queue"
CHANGE = {"old_string": "limit = None", "new_string": "limit = 500"}
FAILED = "1 failed: test_the_limit_is_kept"
OUTPUT = f"collected 12 items\ntests/test_queue.py ....F.......\n{FAILED}"
TIME = "2026-11-21T10:00:00.000Z"
LAST = "Replays now stop at 500. The runbook is not updated yet."


class AgentSession(NamedTuple):
    """The payloads of a session: those that begin it, and those that are captured."""

    start: dict[str, Any]
    prompt: dict[str, Any]
    captured: tuple[dict[str, Any], ...]


def _claude() -> AgentSession:
    here = {
        "session_id": "s-1",
        "transcript_path": "/none.jsonl",
        "cwd": "/shop",
        "permission_mode": "default",
    }
    use = {**here, "hook_event_name": "PostToolUse", "tool_use_id": "toolu_01"}
    edit = {
        **use,
        "tool_name": "Edit",
        "tool_input": {"file_path": "/shop/replay.py", **CHANGE},
    }
    failed = {
        **here,
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "error": OUTPUT,
    }
    return AgentSession(
        {**here, "hook_event_name": "SessionStart", "source": "startup"},
        {**here, "hook_event_name": "UserPromptSubmit", "prompt": PROMPT},
        (
            {**edit, "tool_response": {"filePath": "/shop/replay.py", "success": True}},
            {**failed, "tool_input": {"command": "pytest queue"}, "is_interrupt": False},
            {
                **here,
                "hook_event_name": "Stop",
                "stop_hook_active": False,
                "last_assistant_message": LAST,
            },
        ),
    )


def _codex() -> AgentSession:
    here = {
        "session_id": "s-1",
        "transcript_path": None,
        "cwd": "/shop",
        "model": "gpt-5.3-codex",
    }
    turn = {**here, "turn_id": "t-1", "permission_mode": "default"}
    use = {**turn, "hook_event_name": "PostToolUse", "tool_use_id": "call_1"}
    patch = "*** Begin Patch\n*** Update File: replay.py\n@@\n-limit = None\n+limit = 500\n*** End Patch"
    return AgentSession(
        {
            **here,
            "hook_event_name": "SessionStart",
            "source": "startup",
            "permission_mode": "default",
        },
        {**turn, "hook_event_name": "UserPromptSubmit", "prompt": PROMPT},
        (
            {
                **use,
                "tool_name": "apply_patch",
                "tool_input": {"command": patch},
                "tool_response": "Done!",
            },
            {
                **use,
                "tool_name": "Bash",
                "tool_input": {"command": "pytest queue"},
                "tool_response": OUTPUT,
            },
            {
                **turn,
                "hook_event_name": "Stop",
                "stop_hook_active": False,
                "last_assistant_message": LAST,
            },
        ),
    )


def _gemini() -> AgentSession:
    here = {
        "session_id": "s-1",
        "transcript_path": "/none.json",
        "cwd": "/shop",
        "timestamp": "2026-11-21T10:00:00.000Z",
    }
    use = {**here, "hook_event_name": "AfterTool"}
    edit = {
        **use,
        "tool_name": "replace",
        "tool_input": {"file_path": "/shop/replay.py", **CHANGE},
    }
    run = {**use, "tool_name": "run_shell_command", "tool_input": {"command": "pytest queue"}}
    return AgentSession(
        {**here, "hook_event_name": "SessionStart", "source": "startup"},
        {**here, "hook_event_name": "BeforeAgent", "prompt": PROMPT},
        (
            {
                **edit,
                "tool_response": {
                    "llmContent": "Successfully modified file",
                    "returnDisplay": "diff",
                },
            },
            {
                **run,
                "tool_response": {
                    "llmContent": OUTPUT,
                    "returnDisplay": OUTPUT,
                    "error": "exit 1",
                },
            },
            {
                **here,
                "hook_event_name": "AfterAgent",
                "prompt": PROMPT,
                "prompt_response": LAST,
                "stop_hook_active": False,
            },
        ),
    )


def _cursor() -> AgentSession:
    here = {
        "conversation_id": "s-1",
        "generation_id": "g-1",
        "model": "composer",
        "cursor_version": "2.4.1",
    }
    here |= {"workspace_roots": ["/shop"], "user_email": None, "transcript_path": None}  # type: ignore[dict-item]
    edit = {
        "tool_name": "Write",
        "tool_input": {"file_path": "/shop/replay.py", "content": "limit = 500"},
    }
    run = {
        "tool_name": "Shell",
        "tool_input": {"command": "pytest queue", "working_directory": "/shop"},
    }
    return AgentSession(
        {
            **here,
            "hook_event_name": "sessionStart",
            "session_id": "s-1",
            "is_background_agent": False,
        },
        {**here, "hook_event_name": "beforeSubmitPrompt", "prompt": PROMPT, "attachments": []},
        (
            {
                **here,
                **edit,
                "hook_event_name": "postToolUse",
                "tool_output": '{"success":true}',
                "cwd": "/shop",
            },
            {
                **here,
                **run,
                "hook_event_name": "postToolUseFailure",
                "error_message": OUTPUT,
                "failure_type": "error",
            },
            {**here, "hook_event_name": "afterAgentResponse", "text": LAST},
            {**here, "hook_event_name": "stop", "status": "completed", "loop_count": 0},
        ),
    )


def _vscode() -> AgentSession:
    here = {
        "timestamp": "2026-11-21T10:00:00.000Z",
        "cwd": "/shop",
        "sessionId": "s-1",
        "transcript_path": "/none.json",
    }
    use = {**here, "hookEventName": "PostToolUse", "tool_use_id": "tool-1"}
    edit = {
        "filePath": "/shop/replay.py",
        "oldString": "limit = None",
        "newString": "limit = 500",
    }
    return AgentSession(
        {**here, "hookEventName": "SessionStart", "source": "new"},
        {**here, "hookEventName": "UserPromptSubmit", "prompt": PROMPT},
        (
            {
                **use,
                "tool_name": "replace_string_in_file",
                "tool_input": edit,
                "tool_response": "File edited",
            },
            {
                **use,
                "tool_name": "run_in_terminal",
                "tool_input": {"command": "pytest queue"},
                "tool_response": OUTPUT,
            },
            {**here, "hookEventName": "Stop", "stop_hook_active": False},
        ),
    )


def _cline() -> AgentSession:
    here = {
        "clineVersion": "3.40.0",
        "timestamp": "1795255200000",
        "taskId": "s-1",
        "workspaceRoots": ["/shop"],
    }
    edit = {
        "toolName": "replace_in_file",
        "parameters": {"path": "/shop/replay.py", "diff": "x"},
    }
    run = {"toolName": "execute_command", "parameters": {"command": "pytest queue"}}
    return AgentSession(
        {
            **here,
            "hookName": "TaskStart",
            "taskStart": {"taskMetadata": {"initialTask": PROMPT}},
        },
        {**here, "hookName": "UserPromptSubmit", "userPromptSubmit": {"prompt": PROMPT}},
        (
            {**here, "hookName": "PostToolUse", "postToolUse": {**edit, "result": "saved"}},
            {**here, "hookName": "PostToolUse", "postToolUse": {**run, "result": OUTPUT}},
            {**here, "hookName": "TaskComplete", "taskComplete": {"result": LAST}},
        ),
    )


def _windsurf() -> AgentSession:
    here = {"trajectory_id": "s-1", "execution_id": "e", "timestamp": TIME, "model_name": "m"}
    edits = [CHANGE]

    def done(name: str, **info: Any) -> dict[str, Any]:
        return {**here, "agent_action_name": name, "tool_info": info}

    return AgentSession(
        {},
        done("pre_user_prompt", user_prompt=PROMPT),
        (
            done("post_write_code", file_path="/shop/replay.py", edits=edits),
            done("post_run_command", command_line="pytest queue", cwd="/shop"),
            done("post_cascade_response", response=f"{LAST} {FAILED}"),
        ),
    )


SESSIONS = {
    "claude": _claude(),
    "codex": _codex(),
    "gemini": _gemini(),
    "cursor": _cursor(),
    "vscode": _vscode(),
    "cline": _cline(),
    "windsurf": _windsurf(),
}
