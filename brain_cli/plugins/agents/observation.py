"""An observation (which tool did what, where and when), kept in the spool as JSON."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

TOOL_EVENTS = ("PostToolUse", "PostToolUseFailure")
ENDS = ("Stop", "SessionEnd", "PreCompact")
PROMPT = "UserPromptSubmit"
# All other events are ignored.
EVENTS = (*TOOL_EVENTS, *ENDS, PROMPT)
# The uses of a session's tools are noted after this time, if the session did not stop before.
NOTE_SECONDS = 600.0

_ORDER = re.compile(
    r"\s*(?:please\s+)?(?:remember(?::|\s+that\b)|from now on\b|(?=(?:decision|preference):))[:,]?\s*(?P<rest>\S.+)",
    re.IGNORECASE | re.DOTALL,
)


class Observation(NamedTuple):
    """One use of a tool, or a text from a pipe.

    `at` is seconds since the epoch. `event` is the hook's event, one of `EVENTS`. `prompt` is what the user said last,
    and the `response` of the end of a session what the agent said last. `vault` is the vault named on the command line
    or in the environment; empty means the one found from `folder`.
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


def orders_to_remember(prompt: str) -> str:
    """Return what a prompt orders to remember (“remember: …”, “from now on …”); empty for other prompts."""
    found = _ORDER.match(prompt)
    return found["rest"].strip() if found and not prompt.rstrip().endswith("?") else ""


def wants_note(observation: Observation) -> bool:
    """Return whether a note is to be made now; uses of tools wait for the end of their session."""
    return observation.event not in TOOL_EVENTS or not observation.tool


def to_line(observation: Observation) -> bytes:
    """Return the observation as one line of ASCII JSON, leaving out default values."""
    defaults = Observation._field_defaults
    fields = {key: value for key, value in observation._asdict().items() if value != defaults.get(key)}
    return json.dumps(fields).encode("ascii") + b"\n"


def from_line(line: bytes) -> Observation | None:
    """Read one line of the spool; None if it is incomplete or not an observation."""
    try:
        fields = json.loads(line)
        fields["files"] = tuple(fields.get("files", ()))
        observation = Observation(**fields)
    except (ValueError, TypeError, AttributeError):
        return None
    return observation if isinstance(observation.at, int | float) and isinstance(observation.id, str) else None
