"""The coding agents whose hooks brain knows: each is an entry in agents.json. To add one, add its
file to docs/capture.md as well.

All other code uses Claude Code's names: a payload of another agent is renamed to them when it is
read. The names of its tools, in lower case, and of the fields of their arguments and output are in
agents.json, too; a session for the tests goes into SESSIONS of payloads.py.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from brain_cli.record import Record

SHOW = ("context", "--hook")
ANSWER = ("context", "--hook", "--profile", "speed")
KEEP = ("capture",)


class Agent(Record):
    """How an agent runs hooks: `settings` is the file that has them, below the project's folder,
    and `user` the one of all projects, below the user's home. `shared` is a file of the project
    that others get too; it had our hooks in earlier versions. `program` is what is installed.

    Its events are in `show` (what to know here), `answer` (a prompt) and `keep` (what is captured);
    an agent without events runs a plugin. `renamed` maps its names of events and fields to ours if
    they differ by more than their case. `mark` is a field of its payloads. Without a `mark`, it
    reads plain text from a hook, else JSON. That JSON has the text in the field `reply`, if one is
    named. Hooks that are `flat` are commands, not groups with a matcher; `scripts` are a file for
    each event. `second`: how many units of its timeout are one second; `version`: of the settings;
    `next_step`: a sentence for the user.

    Cursor gives its agent nothing of what a prompt's hook prints, and Windsurf nothing at all, but
    a prompt may order to remember something. Gemini's PreCompress fires before every call of a
    model and ends no session, so it is no event here. `vscode` is also Copilot's own program.
    """

    settings: str
    user: str
    program: str
    show: str = ""
    answer: str = ""
    keep: str = ""
    renamed: Mapping[str, str] = {}
    mark: str = ""
    reply: str = ""
    flat: bool = False
    scripts: bool = False
    version: int = 0
    second: int = 1
    shared: str = ""
    next_step: str = ""

    @property
    def events(self) -> dict[str, tuple[str, ...]]:
        """Return the command for each of the agent's events."""
        commands = {self.show: SHOW, self.answer: ANSWER, self.keep: KEEP}
        return {
            event: command for events, command in commands.items() for event in events.split()
        }


with open(os.path.join(os.path.dirname(__file__), "agents.json"), encoding="utf-8") as _file:
    _TABLE = json.load(_file)
AGENTS: Mapping[str, Agent] = {name: Agent(**row) for name, row in _TABLE["agents"].items()}
# The names of fields: of those that hold others, of inputs, of responses.
FIELDS = _TABLE["fields"]
_RENAMED = {theirs: ours for agent in AGENTS.values() for theirs, ours in agent.renamed.items()}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TOOLS = {kind: frozenset(names) for kind, names in _TABLE["tools"].items()}
EDITING = _TOOLS["editing"]
SHELL = _TOOLS["shell"]
# Tools whose answers deserve notes of their own: they took time, and cannot be read again from the
# files.
ANSWERING = _TOOLS["answering"]
# What these return can be read again; the last ones are other agents' own lists.
READING = _TOOLS["reading"]
ASKING = "askuserquestion"
PLANNING = "exitplanmode"


def hook_fields(payload: Mapping[str, object]) -> dict[str, object]:
    """Return a hook's payload with Claude Code's names of fields and events; `agent_event` is the
    event's own name.
    """
    named = _in_lower_case(payload)
    for each in FIELDS["nested"]:
        if isinstance(nested := named.get(each), dict):
            named |= _in_lower_case(nested)
    if "agent_action_name" in named:
        # Windsurf names what was done, and no tool.
        named |= {"tool_name": "Bash" if "command_line" in named else "Edit"}
        named |= {"tool_input": named.get("tool_info")}
    found = {
        **{_RENAMED[key]: value for key, value in named.items() if key in _RENAMED},
        **named,
    }
    event = found.get("hook_event_name")
    if isinstance(event, str) and event:
        capital = event[:1].upper() + event[1:]
        found |= {"agent_event": event, "hook_event_name": _RENAMED.get(capital, capital)}
    if isinstance(folders := found.get("cwd"), list):
        found["cwd"] = next(iter(folders), "")
    if isinstance(output := named.get("tool_output"), str) and output.startswith("{"):
        found["tool_response"] = parsed(output) or output
    return found


def parsed(text: str | bytes) -> Any:
    """Return the value of a JSON text; None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _in_lower_case(fields: Mapping[str, object]) -> dict[str, object]:
    return {_CAMEL.sub("_", key).lower(): value for key, value in fields.items()}


def hook_reply(text: str, fields: Mapping[str, object]) -> str:
    """Return the answer to a hook's payload in the form that its agent reads; `fields` are those of
    `hook_fields`.
    """
    replies = [agent.reply for agent in AGENTS.values() if agent.mark and agent.mark in fields]
    if not (text and replies):
        return text
    if named := next(filter(None, replies), ""):
        return json.dumps({named: text})
    specific = {
        "hookEventName": fields.get("agent_event", "SessionStart"),
        "additionalContext": text,
    }
    # Copilot's program reads the text at the top alone.
    return json.dumps({"additionalContext": text, "hookSpecificOutput": specific})
