"""An observation (which tool did what, where and when), how it is read, and which ones are not
captured.

The stdin of `brain capture` is a hook's JSON payload, with the fields that Claude Code documents
for its hooks (session_id, transcript_path, cwd, hook_event_name, tool_name, tool_input,
tool_response), or plain text.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping

from brain_cli.plugins.agents import SKIPPED_TOOLS
from brain_cli.plugins.agents.agent_table import (
    ASKING,
    EDITING,
    FIELDS,
    PLANNING,
    READING,
    SHELL,
    hook_fields,
    parsed,
)
from brain_cli.record import Record

TOOL_EVENTS = ("PostToolUse", "PostToolUseFailure")
ENDS = ("Stop", "SessionEnd", "PreCompact")
START = "SessionStart"
PROMPT = "UserPromptSubmit"
# All other events are ignored.
EVENTS = (*TOOL_EVENTS, *ENDS, PROMPT)
# The uses of a session's tools are noted after this time, if the session did not stop before.
NOTE_SECONDS = 600.0
# Publication "Smarter Memory Retrieval", phase 1a: noise reduction.
MIN_CHARS = 50
_LOW_VALUE_COMMAND = re.compile(
    r"(git\s+(status|branch|fetch|stash\s+list|remote(\s+-v)?|log\b.*|diff\b.*|show\b.*|add\b.*)"
    r"|(cat|head|tail|grep|rg|find|sed -n|wc)\b.*"
    r"|ls(\s+\S+)*|pwd|cd(\s+\S+)?|clear|true|whoami|date|tree(\s+\S+)*|which\s+\S+|echo(\s.*)?"
    r"|sleep\s+\S+)\s*",
)
# The commands of a line, between `&&`, `|`, `;` and line ends outside quotes.
_COMMANDS = re.compile(
    r"""(?:"(?:\\.|[^"\\])*+"|'[^']*+'|\\.|[^;|&\n"'\\]|(?<!&)&(?!&)|["'])+"""
)
# Agents name the tools of a server `mcp__brain__add`, `mcp_brain_add`, `brain_add` or `MCP:add`.
_OWN_TOOL = re.compile(
    r"mcp_.*brain|brain_|mcp:(?:remember|context|recent|show|related|add|append|feedback|archive"
    r"|restore)$",
    re.IGNORECASE,
)
_OWN_COMMAND = re.compile(
    r"(\w+=\S+\s+)*((uv|poetry|pipx)\s+run\s+)?(\S*/)?(brain|python3?\s+-m\s+brain_cli)(\s|$)"
)
# A tool may print megabytes. This much of it is searched for secrets: more than a note keeps, so
# that the kept text never ends within a secret.
MAX_READ_CHARS = 12_000
# What a cut leaves of a key or a word at the beginning of a text: nobody would recognize it as a
# secret.
_CUT_OFF = re.compile(
    r"\A(?:(?:(?!BEGIN ).)*?-----END [A-Z0-9 ]{0,40}KEY[^\n]*|\S*)", re.DOTALL
)
# A title is one line of a note, and names are shorter; both are cut before they are searched for
# secrets.
MAX_NAME_CHARS = 2_000
MAX_PAYLOAD_BYTES = 16 << 20
# Deeper than any tool nests its output.
MAX_DEPTH = 50
_ANSWER = re.compile(r'"([^"]+)"\s*=\s*"([^"]+)"')
# The fields of a patch that name its files.
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
# A note names the files of an edit, and not its text.
_LEFT_OUT = ("description", "edits", "old_string", "new_string", "replace_all")


class Observation(Record):
    """One use of a tool, or a text from a pipe.

    `at` is seconds since the epoch. `event` is the hook's event, one of `EVENTS`. `prompt` is what
    the user said last, and the `response` of the end of a session what the agent said last. `vault`
    is the vault named on the command line or in the environment; empty means the one found from
    `folder`.
    """

    id: str
    at: float
    tool: str = ""
    input: str = ""
    response: str = ""
    title: str = ""
    files: tuple[str, ...] = ()
    folder: str = ""
    session: str = ""
    event: str = "PostToolUse"
    transcript: str = ""
    vault: str = ""
    prompt: str = ""
    failed: bool = False

    @property
    def ends_session(self) -> bool:
        return self.event in ENDS

    @property
    def is_text(self) -> bool:
        """Return whether this is a text from a pipe."""
        return not self.tool and self.event == "PostToolUse"

    @property
    def is_due(self) -> bool:
        """Return whether its note is to be made now; uses of tools and prompts wait for the end of
        their session.
        """
        if self.is_text or self.ends_session:
            return True
        # Most hooks are of tools and do not need this.
        from brain_cli.plugins.agents.typed import orders_to_remember

        return self.event == PROMPT and bool(orders_to_remember(self.prompt))


class PayloadError(ValueError):
    """The payload is not readable; the message is a sentence without its full stop."""


def read_payload(raw: bytes, *, at: float, folder: str, vault: str) -> Observation | None:
    """Return the observation in a payload; None for an unknown event or no text. PayloadError if
    JSON is broken.
    """
    is_too_long = len(raw) > MAX_PAYLOAD_BYTES
    text = raw[:MAX_PAYLOAD_BYTES].decode("utf-8", "replace").strip()
    if not text.startswith("{"):
        if not _is_text(text):
            return None
        text = text[:MAX_READ_CHARS]
        return Observation(_new_id(at), at, response=text, folder=folder, vault=vault)
    if is_too_long:
        raise PayloadError(f"The payload is longer than {MAX_PAYLOAD_BYTES >> 20} MB")
    observation = observed(hook_payload(text), at=at, folder=folder, vault=vault)
    is_named = observation.tool or observation.event not in TOOL_EVENTS
    return observation if observation.event in EVENTS and is_named else None


def observed(
    payload: Mapping[str, object], *, at: float, folder: str, vault: str = ""
) -> Observation:
    """Return the observation in a hook's payload, also of an event that is not captured."""
    event = _text(payload.get("hook_event_name")) or "PostToolUse"
    response = payload.get("tool_response")
    said = response or payload.get("error") or payload.get("last_assistant_message")
    prompt = payload.get("prompt") or payload.get("last_user_message")
    use = observed_use(_text(payload.get("tool_name")), payload.get("tool_input"), said)
    return use._replace(
        id=_new_id(at),
        at=at,
        folder=_path(payload.get("cwd")) or folder,
        session=_text(payload.get("session_id")),
        event=event,
        transcript=_path(payload.get("transcript_path")),
        vault=vault,
        prompt=_prompt(prompt),
        failed=event == "PostToolUseFailure"
        or (isinstance(response, dict) and any(map(response.get, FIELDS["failure"]))),
    )


def _new_id(at: float) -> str:
    return f"{int(at * 1000):x}-{os.urandom(5).hex()}"


def _prompt(prompt: object) -> str:
    if not isinstance(prompt, str):
        return ""
    # Most hooks are of tools and do not need this.
    from brain_cli.plugins.agents.typed import unwrapped

    return unwrapped(prompt[:MAX_READ_CHARS].encode("utf-8", "replace").decode())


def observed_use(tool: str, given: object, response: object) -> Observation:
    """Return the use of a tool, without its time and place."""
    inputs = _renamed(given) if isinstance(given, dict) else {"input": given} if given else {}
    if isinstance(response, dict) and isinstance(answers := response.get("answers"), dict):
        # A hook gets them in a table, and a transcript has them in a text.
        response = [f'"{question}"="{_flat(answer)}"' for question, answer in answers.items()]
    described = _described(inputs)
    return Observation(
        "",
        0.0,
        tool=tool,
        input=described,
        response=clipped(_flat(response), MAX_READ_CHARS),
        title=next(filter(None, (_text(inputs.get(key)) for key in FIELDS["title"])), ""),
        files=tuple(dict.fromkeys((*_files(inputs), *_PATCHED.findall(described)))),
    )


def answers_of(response: str) -> list[str]:
    """Return the user's answers to an agent's questions, each as `question answer`."""
    return [f"{question} {answer}" for question, answer in _ANSWER.findall(response)]


def _is_text(text: str) -> bool:
    """Return whether a text may be a person's: it has two words, few odd characters, and is no JSON
    value.
    """
    odd = sum(
        not (letter.isprintable() or letter.isspace()) or letter == "\ufffd"
        for letter in text[:MAX_READ_CHARS]
    )
    return len(text.split(None, 2)) >= 2 and odd * 10 <= len(text) and parsed(text) is None


def hook_payload(text: str) -> dict[str, object]:
    """Return the fields of a hook's payload; PayloadError if it is not a JSON object."""
    try:
        return hook_fields({**json.loads(text)})
    except json.JSONDecodeError as error:
        raise PayloadError(f"The payload is not valid JSON: {error}") from None
    except RecursionError:
        raise PayloadError("The payload is nested too deeply") from None
    except TypeError:
        raise PayloadError("The payload is not a JSON object") from None
    except ValueError:  # Python refuses to read an integer of thousands of digits
        raise PayloadError("The payload has a number that is too long") from None


def _described(inputs: Mapping[str, object]) -> str:
    """Return a tool's input as readable text: a command alone, else one `key: value` a line."""
    if command := inputs.get("command"):
        # Codex calls a shell with its arguments: ["bash", "-lc", "make test"].
        if isinstance(command, list) and len(command) == 3 and command[1] in ("-c", "-lc"):
            command = command[2]
        return _flat(command)[:MAX_READ_CHARS]
    return "\n".join(
        f"{key}: {_flat(value) or json.dumps(value, ensure_ascii=False)}"
        for key, value in inputs.items()
        if key not in _LEFT_OUT and value
    )[:MAX_READ_CHARS]


def _flat(value: object, depth: int = 0) -> str:
    """Return a JSON value as text: a string unchanged, an object by the text of its usual output
    fields alone.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if depth > MAX_DEPTH:
        raise PayloadError("The payload is nested too deeply")
    if isinstance(value, list):
        return "\n".join(filter(None, (_flat(each, depth + 1) for each in value)))
    if isinstance(value, dict):
        return _flat([value[key] for key in FIELDS["text"] if value.get(key)], depth + 1)
    return str(value)


def clipped(text: str, most: int) -> str:
    """Return a quarter of a long text from its head and the rest from its tail, where a program
    says how it ended.
    """
    head = most // 4
    more = len(text) - most
    if more <= 0:
        return text
    return (
        f"{text[:head]}\n[… {more} more characters …]\n{_CUT_OFF.sub('', text[head - most :])}"
    )


def _renamed(inputs: Mapping[str, object]) -> dict[str, object]:
    return {FIELDS["renamed"].get(key, key): value for key, value in inputs.items()}


def _files(inputs: Mapping[str, object]) -> Iterator[str]:
    listed = inputs.get("files")
    named = (inputs.get(key) for key in FIELDS["file"])
    yield from filter(None, map(_path, (*named, *(listed if isinstance(listed, list) else ()))))


def _text(value: object) -> str:
    """Return a text on one line, cut; empty if the value is not a text."""
    return " ".join(value[:MAX_NAME_CHARS].split()) if isinstance(value, str) else ""


def _path(value: object) -> str:
    """Return a path without null characters, which no path has; empty if the value is not
    a text.
    """
    return value.replace("\0", "") if isinstance(value, str) else ""


def ignored(observation: Observation, skipped_tools: Collection[str] = SKIPPED_TOOLS) -> bool:
    """Return whether a tool's use is not captured: that of a skipped tool or of this memory, and
    one that only reads or shows something, or says little.
    """
    tool = observation.tool.casefold()
    commands = []
    if tool in SHELL:
        commands = [part.strip() for part in _COMMANDS.findall(observation.input)]
    asks_memory = _OWN_TOOL.match(tool) or any(map(_OWN_COMMAND.match, commands))
    if asks_memory or tool in READING or tool in map(str.casefold, skipped_tools):
        return True
    if observation.failed:
        return False
    if commands:
        # A short command may be the one that succeeds after a failure.
        shows = all(map(_LOW_VALUE_COMMAND.fullmatch, filter(None, commands)))
        return shows and ">" not in observation.input
    is_short = len(observation.input) + len(observation.response) < MIN_CHARS
    return is_short and tool not in ("", *EDITING, *SHELL, ASKING, PLANNING)
