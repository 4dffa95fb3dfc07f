"""The hooks in the settings of a coding agent: add ours and remove them, keeping everything else."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from brain_cli.errors import BrainError
from brain_cli.plugins.agents.agent_table import ANSWER, KEEP, SHOW, Agent
from brain_cli.plugins.agents.repository_files import read_file, remove_file, write_file

TIMEOUT_SECONDS = 10
DAEMON = "BRAIN_DAEMON=auto "
_OURS = re.compile(rf"(?:{DAEMON})?'?(?:.*/)?brain'? (?:context --hook(?: --profile speed)?|capture)(?: --vault .+)?")


class AgentHooks:
    """The hooks of one agent in the project in `folder`; `brain` is the program, and `vault` the options that name it.

    Settings are the text of the agent's file; an empty text is a file that does not exist.
    """

    def __init__(self, agent: Agent, folder: str, brain: str = "brain", vault: Sequence[str] = ()) -> None:
        self._agent = agent
        self._folder = folder
        self._brain = brain
        self._vault = vault
        self._base = {"version": agent.version} if agent.version else {}
        self.path = os.path.join(folder, agent.settings)

    def read(self) -> str:
        """Return the settings; BrainError if they cannot be read."""
        return (read_file(self.path) or b"").decode("utf-8", "surrogateescape")

    def added(self, settings: str) -> str:
        """Return the settings with our hooks added once; BrainError if their form is unknown."""
        if not self._agent.events:
            self._refuse_others(settings)
            return self._module()
        before = self._parsed(settings)
        rest = self._without(before)
        hooks = {**rest.get("hooks", {})}
        for event, command in self._agent.events.items():
            hooks[event] = [*hooks.get(event, []), self._entry(event, command)]
        return _text({**self._base, **rest, "hooks": hooks}, before, settings)

    def removed(self, settings: str) -> str:
        """Return the settings without our hooks; empty if nothing else is in them."""
        if not self._agent.events:
            self._refuse_others(settings)
            return ""
        before = self._parsed(settings)
        rest = self._without(before)
        return "" if rest == self._base else _text(rest, before, settings)

    def write(self, settings: str) -> None:
        """Write the settings; if they are empty, remove the file, and its folders if nothing else is there."""
        if settings:
            write_file(self.path, settings.encode("utf-8", "surrogateescape"), self._folder)
            return
        remove_file(self.path)
        parent = os.path.dirname(self.path)
        with contextlib.suppress(OSError):  # Other files are in the folder, or it is a link.
            while parent != self._folder:
                os.rmdir(parent)
                parent = os.path.dirname(parent)

    def _without(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return settings without our hooks, and without tables that then are empty."""
        hooks = {
            event: [entry for entry in entries if not _is_ours(entry)] if isinstance(entries, list) else entries
            for event, entries in settings.get("hooks", {}).items()
        }
        remaining = {event: entries for event, entries in hooks.items() if entries != []}
        rest = {key: value for key, value in settings.items() if key != "hooks"}
        return {**rest, "hooks": remaining} if remaining else rest

    def _parsed(self, settings: str) -> dict[str, Any]:
        try:
            found = json.loads(settings) if settings.strip() else {}
        except RecursionError:
            raise BrainError(f"{self.path} is nested too deeply.", "Correct it, then try again.") from None
        except ValueError as error:
            raise BrainError(f"{self.path} is not valid JSON: {error}.", "Correct it, then try again.") from None
        hooks = found.get("hooks", {}) if isinstance(found, dict) else None
        if not isinstance(hooks, dict) or not all(isinstance(hooks.get(name, []), list) for name in self._agent.events):
            raise BrainError(f"{self.path} is not a JSON object with lists of hooks.", "Correct it, then try again.")
        return {**found}

    def _entry(self, event: str, command: Sequence[str]) -> dict[str, Any]:
        agent = self._agent
        # A prompt waits for its hook, which a daemon answers from memory.
        line = ("" if command == KEEP else DAEMON) + shlex.join([self._brain, *command, *self._vault])
        hook = {"type": "command", "command": line, "timeout": TIMEOUT_SECONDS * agent.second}
        if agent.flat:
            return hook
        return {**({"matcher": "*"} if "Tool" in event else {}), "hooks": [hook]}

    def _module(self) -> str:
        """Return the plugin that runs brain for an agent that runs no commands."""
        commands = {"show": SHOW, "answer": ANSWER, "keep": KEEP}
        named = {name: [self._brain, *command, *self._vault] for name, command in commands.items()}
        module = files(__package__).joinpath("opencode.js").read_text(encoding="utf-8")
        return module.replace("__COMMANDS__", json.dumps(named)).replace("__SECONDS__", str(TIMEOUT_SECONDS))

    def _refuse_others(self, settings: str) -> None:
        if settings and "brain hooks agent" not in settings.partition("\n")[0]:
            raise BrainError(f"{self.path} is a file of your own, so it is not changed.", "Rename it, then try again.")


def _text(settings: dict[str, Any], before: dict[str, Any], text: str) -> str:
    """Return settings as text; if nothing is changed, the text as it was."""
    return text if settings == before else json.dumps(settings, indent=2, ensure_ascii=False) + "\n"


def _is_ours(entry: object) -> bool:
    hooks = entry.get("hooks", [entry]) if isinstance(entry, dict) else None
    return (
        bool(hooks)
        and isinstance(hooks, list)
        and all(isinstance(hook, dict) and _OURS.fullmatch(str(hook.get("command"))) for hook in hooks)
    )
