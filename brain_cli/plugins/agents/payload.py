"""Read the stdin of `brain capture` as an observation: a hook's JSON payload, or plain text.

The fields are those that coding agents document for their hooks: session_id, transcript_path, cwd,
hook_event_name, tool_name, tool_input, tool_response.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping

from brain_cli.plugins.agents.observation import EVENTS, PROMPT, TOOL_EVENTS, Observation

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
_ANSWER = re.compile(r'"([^"]+)"\s*=\s*"([^"]+)"')
# The fields of a patch that name its files.
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
# The fields of a response that hold the tool's output.
_TEXT_KEYS = ("stdout", "stderr", "text", "content", "output", "result", "file")
_EDIT_KEYS = ("old_string", "new_string", "replace_all")
# The fields of an input that make a good title, best first.
_TITLE_KEYS = ("description", "query", "prompt", "pattern", "url")


class PayloadError(ValueError):
    """The payload is not readable; the message is a sentence without its full stop."""


def read_payload(raw: bytes, *, at: float, folder: str, vault: str) -> Observation | None:
    """Return the observation in a payload; None for an unknown event or no text. PayloadError if JSON is broken."""
    is_too_long = len(raw) > MAX_PAYLOAD_BYTES
    text = raw[:MAX_PAYLOAD_BYTES].decode("utf-8", "replace").strip()
    # Each payload gets a new id, so the same text captured twice counts twice.
    observation_id = f"{int(at * 1000):x}-{os.urandom(5).hex()}"
    if not text.startswith("{"):
        if not _is_text(text):
            return None
        return Observation(observation_id, at, response=text[:MAX_READ_CHARS], folder=folder, vault=vault)
    if is_too_long:
        raise PayloadError(f"The payload is longer than {MAX_PAYLOAD_BYTES >> 20} MB")
    payload = _parsed(text)
    event = _text(payload.get("hook_event_name")) or "PostToolUse"
    tool = _text(payload.get("tool_name"))
    if event not in EVENTS or (event in TOOL_EVENTS and not tool):
        return None
    said = payload.get("tool_response") or payload.get("error") or payload.get("last_assistant_message")
    prompt = payload.get("prompt") if event == PROMPT else payload.get("last_user_message")
    return observed_use(tool, payload.get("tool_input"), said)._replace(
        id=observation_id,
        at=at,
        folder=_path(payload.get("cwd")) or folder,
        session=_text(payload.get("session_id")),
        event=event,
        transcript=_path(payload.get("transcript_path")),
        vault=vault,
        prompt=prompt[:MAX_READ_CHARS] if isinstance(prompt, str) else "",
        failed=event == "PostToolUseFailure",
    )


def observed_use(tool: str, given: object, response: object) -> Observation:
    """Return the use of a tool, without its time and place."""
    inputs: Mapping[str, object] = given if isinstance(given, dict) else {"input": given} if given else {}
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
    if "command" in inputs:
        return _flat(inputs["command"])[:MAX_READ_CHARS]
    edits = inputs.get("edits") if isinstance(inputs.get("edits"), list) else [inputs]
    left_out = ("description", *(("edits",) if edits != [inputs] else _EDIT_KEYS))
    lines = [f"{key}: {_flat(value)}" for key, value in inputs.items() if key not in left_out and value]
    return "\n".join([*lines, *_changed_lines(edits)])[:MAX_READ_CHARS]


def _changed_lines(edits: object) -> Iterator[str]:
    """Yield the lines that edits remove, with a minus sign, and those that they add, with a plus sign."""
    for edit in edits if isinstance(edits, list) else ():
        if isinstance(edit, dict):
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


def _files(inputs: Mapping[str, object]) -> Iterator[str]:
    for key in FILE_KEYS:
        if path := _path(inputs.get(key)):
            yield path
    for value in inputs.values():
        if isinstance(value, str) and "*** " in value:
            yield from _PATCHED.findall(value[:MAX_READ_CHARS])


def _text(value: object) -> str:
    """Return a text on one line, cut; empty if the value is not a text."""
    return " ".join(value[:MAX_NAME_CHARS].split()) if isinstance(value, str) else ""


def _path(value: object) -> str:
    """Return a path without null characters, which no path has; empty if the value is not a text."""
    return value.replace("\0", "") if isinstance(value, str) else ""
