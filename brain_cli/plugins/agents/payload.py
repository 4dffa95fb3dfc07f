"""Read the stdin of `brain capture` as an observation: a hook's JSON payload, or plain text.

The fields are those that Claude Code documents for its hooks (session_id, transcript_path, cwd, hook_event_name,
tool_name, tool_input, tool_response); those of other agents are renamed to them.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping

from brain_cli.plugins.agents.agent_table import RENAMED
from brain_cli.plugins.agents.observation import EVENTS, TOOL_EVENTS, Observation

# A tool may print megabytes. This much of it is searched for secrets: more than a note keeps, so that the kept text
# never ends within a secret.
MAX_READ_CHARS = 40_000
# A title is one line of a note, and names are shorter; both are cut before they are searched for secrets.
MAX_NAME_CHARS = 2_000
MAX_PAYLOAD_BYTES = 16 << 20
# Deeper than any tool nests its output.
MAX_DEPTH = 50
FILE_KEYS = ("file_path", "notebook_path", "path")
# The path of these tools is the folder that they search.
SEARCHING_TOOLS = ("grep", "glob", "ls")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ANSWER = re.compile(r'"([^"]+)"\s*=\s*"([^"]+)"')
# The fields of a patch that name its files.
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
# The fields of a response that hold the tool's output.
_TEXT_KEYS = (
    *("stdout", "stderr", "text", "content", "output", "result", "file"),
    *("llmContent", "textResultForLlm", "text_result_for_llm", "error"),
)
# The fields of a response that say that the tool failed.
_FAILURE_KEYS = ("error", "exitCode", "exit_code")
# The fields of an input by their names in other agents.
_INPUT_NAMES = {
    "filePath": "file_path",
    "notebookPath": "notebook_path",
    "oldString": "old_string",
    "newString": "new_string",
    "oldText": "old_string",
    "newText": "new_string",
    "cmd": "command",
}
_EDIT_KEYS = ("old_string", "new_string", "replace_all")
# The fields of an input that make a good title, best first.
_TITLE_KEYS = ("description", "query", "prompt", "pattern", "url")


class PayloadError(ValueError):
    """The payload is not readable; the message is a sentence without its full stop."""


def read_payload(raw: bytes, *, at: float, folder: str, vault: str) -> Observation | None:
    """Return the observation in a payload; None for an unknown event or no text. PayloadError if JSON is broken."""
    is_too_long = len(raw) > MAX_PAYLOAD_BYTES
    text = raw[:MAX_PAYLOAD_BYTES].decode("utf-8", "replace").strip()
    # Each payload gets a new id.
    observation_id = f"{int(at * 1000):x}-{os.urandom(5).hex()}"
    if not text.startswith("{"):
        if not _is_text(text):
            return None
        return Observation(observation_id, at, response=text[:MAX_READ_CHARS], folder=folder, vault=vault)
    if is_too_long:
        raise PayloadError(f"The payload is longer than {MAX_PAYLOAD_BYTES >> 20} MB")
    payload = hook_fields(_parsed(text))
    event = _text(payload.get("hook_event_name")) or "PostToolUse"
    tool = _text(payload.get("tool_name"))
    if event not in EVENTS or (event in TOOL_EVENTS and not tool):
        return None
    response = payload.get("tool_response")
    said = response or payload.get("error") or payload.get("last_assistant_message")
    prompt = payload.get("prompt") or payload.get("last_user_message")
    return observed_use(tool, payload.get("tool_input"), said)._replace(
        id=observation_id,
        at=at,
        folder=_path(payload.get("cwd")) or folder,
        session=_text(payload.get("session_id")),
        event=event,
        transcript=_path(payload.get("transcript_path")),
        vault=vault,
        prompt=prompt[:MAX_READ_CHARS] if isinstance(prompt, str) else "",
        failed=event == "PostToolUseFailure" or (isinstance(response, dict) and any(map(response.get, _FAILURE_KEYS))),
    )


def hook_fields(payload: Mapping[str, object]) -> dict[str, object]:
    """Return a hook's payload with Claude Code's names of fields and events; `agent_event` is the event's own name."""
    named = {_CAMEL.sub("_", key).lower(): value for key, value in payload.items()}
    found = {**{RENAMED[key]: value for key, value in named.items() if key in RENAMED}, **named}
    event = _text(found.get("hook_event_name"))
    capital = event[:1].upper() + event[1:]
    if event:
        found |= {"agent_event": event, "hook_event_name": RENAMED.get(capital, capital)}
    if isinstance(folders := found.get("cwd"), list):
        found["cwd"] = next(iter(folders), "")
    if isinstance(output := named.get("tool_output"), str) and output.startswith("{"):
        with contextlib.suppress(ValueError, RecursionError):
            found["tool_response"] = json.loads(output)
    return found


def observed_use(tool: str, given: object, response: object) -> Observation:
    """Return the use of a tool, without its time and place."""
    inputs = _renamed(given) if isinstance(given, dict) else {"input": given} if given else {}
    is_search = tool.casefold() in SEARCHING_TOOLS
    return Observation(
        "",
        0.0,
        tool=tool,
        input=_described(inputs),
        response=_flat(response)[:MAX_READ_CHARS],
        title=_title(tool, inputs),
        files=() if is_search else tuple(dict.fromkeys(_files(inputs))),
    )


def answers_of(response: object) -> list[str]:
    """Return the user's answers to an agent's questions, each as `question answer`."""
    answers = response.get("answers") if isinstance(response, dict) else None
    if isinstance(answers, dict):
        return [f"{question} {_flat(answer)}" for question, answer in answers.items() if _flat(answer)]
    return [f"{question} {answer}" for question, answer in _ANSWER.findall(_flat(response))]


def _is_text(text: str) -> bool:
    """Return whether a text may be a person's: it has two words, few odd characters, and is no JSON value."""
    odd = sum(not (letter.isprintable() or letter.isspace()) or letter == "\ufffd" for letter in text[:MAX_READ_CHARS])
    if len(text.split(None, 2)) < 2 or odd * 10 > len(text):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return True
    return False


def _parsed(text: str) -> dict[str, object]:
    try:
        payload = json.loads(text)
    except json.JSONDecodeError as error:
        raise PayloadError(f"The payload is not valid JSON: {error}") from None
    except RecursionError:
        raise PayloadError("The payload is nested too deeply") from None
    except ValueError:  # Python refuses to read an integer of thousands of digits
        raise PayloadError("The payload has a number that is too long") from None
    if not isinstance(payload, dict):
        raise PayloadError("The payload is not a JSON object")
    return payload


def _title(tool: str, inputs: Mapping[str, object]) -> str:
    """Return a title from a tool's input; empty for a tool that works on a file, or a command without a description."""
    key = next((key for key in _TITLE_KEYS if _text(inputs.get(key))), "")
    words = _text(inputs.get(key)) if key else ""
    return words if key == "description" or not words else f"{tool}: {words}"[:MAX_NAME_CHARS]


def _described(inputs: Mapping[str, object]) -> str:
    """Return a tool's input as readable text: a command alone, else one `key: value` a line."""
    if command := inputs.get("command"):
        # Codex calls a shell with its arguments: ["bash", "-lc", "make test"].
        is_shell = isinstance(command, list) and len(command) == 3 and str(command[1]) in ("-c", "-lc")
        return _flat(command[2] if isinstance(command, list) and is_shell else command)[:MAX_READ_CHARS]
    edits = inputs.get("edits") if isinstance(inputs.get("edits"), list) else [inputs]
    left_out = ("description", *(("edits",) if edits != [inputs] else _EDIT_KEYS))
    lines = [f"{key}: {_flat(value)}" for key, value in inputs.items() if key not in left_out and value]
    return "\n".join([*lines, *_changed_lines(edits)])[:MAX_READ_CHARS]


def _changed_lines(edits: object) -> Iterator[str]:
    """Yield the lines that edits remove, with a minus sign, and those that they add, with a plus sign."""
    for edit in edits if isinstance(edits, list) else ():
        if isinstance(edit, dict):
            edit = _renamed(edit)
            for key, sign in (("old_string", "-"), ("new_string", "+")):
                yield from (f"{sign} {line}" for line in _flat(edit.get(key)).splitlines())


def _flat(value: object, depth: int = 0) -> str:
    """Return a JSON value as text: a string unchanged, an object by the text of its usual output fields."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if depth > MAX_DEPTH:
        raise PayloadError("The payload is nested too deeply")
    if isinstance(value, list):
        return "\n".join(filter(None, (_flat(each, depth + 1) for each in value)))
    if isinstance(value, dict):
        texts = [_flat(value[key], depth + 1) for key in _TEXT_KEYS if value.get(key)]
        return "\n".join(filter(None, texts)) or json.dumps(value, ensure_ascii=False)
    return str(value)


def _renamed(inputs: Mapping[str, object]) -> dict[str, object]:
    return {_INPUT_NAMES.get(key, key): value for key, value in inputs.items()}


def _files(inputs: Mapping[str, object]) -> Iterator[str]:
    for key in FILE_KEYS:
        if path := _path(inputs.get(key)):
            yield path
    listed = inputs.get("files")
    yield from filter(None, map(_path, listed if isinstance(listed, list) else ()))
    for value in inputs.values():
        if isinstance(value, str) and "*** " in value:
            yield from _PATCHED.findall(value[:MAX_READ_CHARS])


def _text(value: object) -> str:
    """Return a text on one line, cut; empty if the value is not a text."""
    return " ".join(value[:MAX_NAME_CHARS].split()) if isinstance(value, str) else ""


def _path(value: object) -> str:
    """Return a path without null characters, which no path has; empty if the value is not a text."""
    return value.replace("\0", "") if isinstance(value, str) else ""
