"""The coding agents whose hooks brain knows: each is an entry in agents.json. To add one, add its
file to docs/capture.md as well.

All other code uses Claude Code's names: a payload of another agent is renamed to them when it is
read. The names of its tools go, in lower case, into EDITING, SHELL, ANSWERING or READING; those of
their arguments and of their output into `_INPUT_NAMES` and `_TEXT_KEYS` of observation.py; a
session for the tests into SESSIONS of payloads.py.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

SHOW = ("context", "--hook")
ANSWER = ("context", "--hook", "--profile", "speed")
KEEP = ("capture",)


class Agent(NamedTuple):
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


def _read_agents() -> Mapping[str, Agent]:
    file = os.path.join(os.path.dirname(__file__), "agents.json")
    with open(file, encoding="utf-8") as opened:
        return {name: Agent(**row) for name, row in json.load(opened).items()}


AGENTS = _read_agents()
# The fields of payloads that hold others, by their names in lower case.
_NESTED = ("task_start", "user_prompt_submit", "post_tool_use", "pre_compact", "tool_info")
_RENAMED = {theirs: ours for agent in AGENTS.values() for theirs, ours in agent.renamed.items()}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_EDITING = """
edit multiedit replace_in_file write_to_file write notebookedit apply_patch replace write_file
create_file edit_file str_replace
insert_edit_into_file replace_string_in_file multi_replace_string_in_file patch editfiles
createfile strreplace delete
"""
EDITING = frozenset(_EDITING.split())
_SHELL = """
bash shell local_shell exec_command exec execute_command run_shell_command run_in_terminal
runterminalcommand execute_command terminal
"""
SHELL = frozenset(_SHELL.split())
# Tools whose answers deserve notes of their own: they took time, and cannot be read again from the
# files.
_ANSWERING = (
    "webfetch websearch web_fetch web_search google_web_search fetch fetch_webpage task "
    "agent runsubagent"
)
ANSWERING = frozenset(_ANSWERING.split())
ASKING = "askuserquestion"
PLANNING = "exitplanmode"
# What these return can be read again; the last ones are other agents' own lists.
_READING = """
read notebookread grep glob lsp list ls bashoutput taskoutput skill enterplanmode view_image
read_file
read_many_files list_directory search_file_content list_dir grep_search file_search semantic_search
write_todos manage_todo_list
"""
READING = frozenset(_READING.split())


def hook_fields(payload: Mapping[str, object]) -> dict[str, object]:
    """Return a hook's payload with Claude Code's names of fields and events; `agent_event` is the
    event's own name.
    """
    named = _in_lower_case(payload)
    for each in _NESTED:
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
