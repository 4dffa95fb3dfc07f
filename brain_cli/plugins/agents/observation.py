"""An observation (which tool did what, where and when), written to the spool as one line of JSON."""

from __future__ import annotations

import json
from typing import NamedTuple


class Observation(NamedTuple):
    """One use of a tool, or a text from a pipe.

    `at` is seconds since the epoch. `event` is the hook's event: `PostToolUse` for an observation, `Stop` or
    `SessionEnd` for the end of a session, of which `transcript` names the transcript file. `vault` is the vault
    named on the command line or in the environment; empty means the one found from `folder`.
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

    @property
    def ends_session(self) -> bool:
        return self.event in ("Stop", "SessionEnd")


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
