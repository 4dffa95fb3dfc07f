"""One session of an agent: what was said and done in it.

The uses of tools are folded as they are read, so the size of a session is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from brain_cli.plugins.agents.agent_table import EDITING, SHELL
from brain_cli.plugins.agents.observation import Observation, ignored

USER = "user"
AGENT = "agent"
REPLY = "answer"
PLAN = "plan"
MAX_CHANGED_FILES = 200
MAX_FAILURES = 20
MAX_COMMAND_CHARS = 100
MAX_FAILURE_CHARS = 160
_PATCH = "*** Begin Patch"
# How programs and their tests say that something failed: “FAIL: close”, “1 failing”, “not ok 3”.
_FAILURE = re.compile(
    r"^Traceback|\b[A-Z]\w*(?:Error|Exception)\b|^(?:error|fatal|not ok|npm ERR!)\b|panic:"
    r"|(?<!\b0 )\bFAIL(?:ED|URES?)?\b(?!:\s*0)|: error(?: \w+\d)?:|\*\*\* ?(?:\[|Failed)"
    r"|\b[1-9]\d* (?:\w+ )?(?:failed|failing|failures?|errors?)\b"
    r"|\b(?:Failures|Errors|Failed):\s*[1-9]|command not found"
)
_EXIT = re.compile(r"exit(?:ed with)? (?:code|status):? [1-9]", re.IGNORECASE)
_CHECK = re.compile(
    r"\b(?:(?:unit|c)?tests?|pytest|vitest|jest|lint|check|mypy|ruff|tsc|build|install|make)\b"
    r"|^(?:npm|pnpm|yarn|pip|uv|cargo|go) "
)
_OPTION = re.compile(r" -\S*")


class Turn(NamedTuple):
    """A text of a session, by the user or the agent: `REPLY` is the user's to a question, `PLAN`
    one he approved.
    """

    speaker: str
    text: str


class Transcript:
    """The record of a session: the `files` that it changed, its checks that failed when they ran
    last, the agent's open tasks, and `secrets` that its note must not have.
    """

    def __init__(
        self,
        turns: Iterable[Turn] = (),
        files: Iterable[str] = (),
        failures: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.turns = [*turns]
        self.files = dict.fromkeys(map(str, files))
        self.failures = {**failures}
        self.unfinished: list[str] = []
        self.secrets: set[str] = set()

    def said(self, speaker: str, text: str) -> None:
        """Add what somebody said, once if an event repeats it."""
        turn = Turn(speaker, text)
        if text and self.turns[-1:] != [turn]:
            self.turns.append(turn)

    def used(self, use: Observation) -> None:
        """Fold one use of a tool."""
        tool = use.tool.casefold()
        if ignored(use):
            return
        if tool in EDITING or _PATCH in use.input:
            for file in use.files:
                self.files.pop(file, None)
                self.files[file] = None
            self.files = dict.fromkeys([*self.files][-MAX_CHANGED_FILES:])
        elif tool in SHELL and _CHECK.search(use.input):
            self._checked(short(use.input, MAX_COMMAND_CHARS).replace("`", ""), use)

    def failing(self) -> list[str]:
        """Return the checks that failed when they ran last."""
        return [f"`{name}` fails: {outcome}" for name, outcome in self.failures.items()]

    def _checked(self, name: str, use: Observation) -> None:
        plain = _OPTION.sub("", name)
        # A run of all tests also decides about each of them.
        self.failures = {
            each: outcome
            for each, outcome in self.failures.items()
            if not f"{_OPTION.sub('', each)} ".startswith(f"{plain} ")
        }
        lines = use.response.splitlines()
        wrong = [line.strip() for line in lines if _FAILURE.search(line)]
        if use.failed or wrong or _EXIT.search(use.response):
            # A bare “FAIL” says nothing.
            ends = [line for line in wrong if " " in line] or wrong or lines or [""]
            self.failures[name] = short(ends[-1], MAX_FAILURE_CHARS).replace("`", "'")
            self.failures = dict([*self.failures.items()][-MAX_FAILURES:])


def short(text: str, limit: int) -> str:
    """Return a text on one line, cut at a word."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rsplit(' ', 1)[0]}…"
