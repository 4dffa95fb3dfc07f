"""`brain hooks`: git hooks that keep the index fresh and capture commits, and the hooks of a coding
agent.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from enum import StrEnum
from importlib.resources import files
from typing import Annotated, Any

import typer

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.completion import names_of
from brain_cli.cli.options import YesOption
from brain_cli.config import find_vault
from brain_cli.errors import (
    FAILED,
    OK,
    BrainError,
    NoVaultError,
    UnknownNameError,
    UsageError,
    did_you_mean,
)
from brain_cli.index.note_table import NoteTable
from brain_cli.library.vault import Vault
from brain_cli.plugins.agents import git_hooks
from brain_cli.plugins.agents.agent_table import AGENTS, ANSWER, KEEP, SHOW, Agent
from brain_cli.plugins.agents.git_hooks import read_file, remove_file, write_file
from brain_cli.plugins.agents.hook_log import HookWeek, week
from brain_cli.plugins.agents.intake import spool_of
from brain_cli.printable import one_line
from brain_cli.process import command_context
from brain_cli.render.rows import Row
from brain_cli.streams import confirmed, say, write, write_json, write_lines
from brain_cli.vault.git import repository_root

# Shell words for the commits that concern a hook.
COMMITTED = "$(git rev-parse HEAD)"
MERGED = "$(git rev-parse ORIG_HEAD)..$(git rev-parse HEAD)"
TIMEOUT_SECONDS = 10
DAEMON = "BRAIN_DAEMON=auto "
SCRIPT = "# Added by `brain hooks agent cline --write`, removed by --undo."
_OURS = re.compile(
    rf"(?:{DAEMON})?'?(?:.*/)?brain'? (?:context --hook(?: --profile speed)?|capture)(?: --vault "
    r".+)?"
)


class HookAction(StrEnum):
    """The actions of `brain hooks`."""

    INSTALL = "install"
    UNINSTALL = "uninstall"
    STATUS = "status"
    AGENT = "agent"


def command(
    options: CommonOptions,
    action: Annotated[
        HookAction, typer.Argument(metavar="ACTION", help="What to do; agent: for a coding agent.")
    ] = HookAction.STATUS,
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help=f"With agent: {', '.join(AGENTS)}.",
            autocompletion=names_of(lambda: AGENTS),
        ),
    ] = "claude",
    capture: Annotated[
        bool, typer.Option("--capture", help="Make notes of commits worth remembering.")
    ] = False,
    context: Annotated[
        bool, typer.Option("--context", help="Show what is known here after a checkout.")
    ] = False,
    write_settings: Annotated[
        bool,
        typer.Option(
            "--write", help="With agent: merge the hooks into its settings of this project."
        ),
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="With agent: take the hooks out again.")
    ] = False,
    user: Annotated[
        bool, typer.Option("--user", help="With agent: in your own settings, for all projects.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="With agent: for every agent found on this machine.")
    ] = False,
    yes: YesOption = False,
) -> int:
    """Install hooks: git's keep the index fresh and capture commits, an agent's recall and capture
    memories.

    Examples:
      brain hooks status
      brain hooks install --capture
      brain hooks agent codex
    """
    folder = command_context().folder
    if action is HookAction.AGENT:
        names = _installed() if every else [_known(agent)]
        if not names:
            raise BrainError(
                "No agent was found on this machine.", "Name one: " + ", ".join(AGENTS)
            )
        codes = [
            _agent(options, folder, name, writes=write_settings, undo=undo, user=user, yes=yes)
            for name in names
        ]
        return max(codes)
    if agent != "claude":
        raise UsageError(f"“{agent}” goes with agent.", f"brain hooks agent {agent}")
    if write_settings or undo or user or every:
        raise UsageError(
            "--write, --undo, --user and --all go with agent.", "brain hooks agent --write"
        )
    if action is HookAction.INSTALL:
        git_hooks.status(
            folder
        )  # This raises the error outside a repository, before one about the options.
        hooks = git_hooks.install(folder, _plan(options, folder, capture=capture, context=context))
        if git_hooks.is_tracked(folder, os.path.dirname(hooks[0].path)):
            say("These hooks are files of the repository: others get them too if you commit them.")
        return _report(options, hooks)
    if action is HookAction.UNINSTALL:
        removed_hooks = git_hooks.uninstall(folder)
        return _report(options, git_hooks.status(folder), removed=len(removed_hooks))
    seen = week(spool_of(command_context().environ).folder, time.time())
    try:
        hooks = git_hooks.status(folder)
    except BrainError:
        # The folder is in no repository, but agents may have worked elsewhere.
        if not any(seen):
            raise
        hooks = []
    return _report(options, hooks, seen=seen)


def _plan(options: CommonOptions, folder: str, *, capture: bool, context: bool) -> dict[str, str]:
    """Return the lines for the hooks; UsageError if this is not a vault, and nothing is to be
    captured.
    """
    brain = _program()
    is_here = False
    with contextlib.suppress(NoVaultError):
        # The vault may be inside this repository, or the repository inside the vault.
        ours, root = map(
            os.path.realpath, (_vault(options, folder), repository_root(folder) or folder)
        )
        is_here = os.path.commonpath([ours, root]) in (ours, root)
    if not (is_here or capture or context):
        raise UsageError(
            "This repository is not a vault.",
            "--capture makes notes of its commits, --context shows what is known after a checkout.",
        )
    vault = ["--vault", _vault(options, folder)]
    lines = dict.fromkeys(
        git_hooks.HOOKS, git_hooks.background_line(brain, "index", *vault) if is_here else ""
    )
    if capture:
        capture_commit = ("capture", "git", *vault, "--commit")
        lines["post-commit"] += git_hooks.background_line(
            brain, *capture_commit, revision=COMMITTED
        )
        lines["post-merge"] += git_hooks.background_line(brain, *capture_commit, revision=MERGED)
        # A rebase or an amend changes the hashes of commits, and maybe their messages.
        again = ("capture", "git", "--since", "30d", "--known", *vault)
        lines["post-rewrite"] += git_hooks.background_line(brain, *again)
    if context:
        # A hook waits for this line, which may print.
        lines["post-checkout"] += git_hooks.foreground_line(
            brain, "context", "--profile", "speed", *vault
        )
    return lines


def _vault(options: CommonOptions, folder: str) -> str:
    """Return today's vault, which hooks name, for they may run in another folder or environment."""
    return find_vault(options.vault, folder, command_context().environ, folder)


def _report(
    options: CommonOptions,
    hooks: list[git_hooks.Hook],
    removed: int | None = None,
    seen: HookWeek | None = None,
) -> int:
    rows = []
    for hook in hooks:
        state = "installed" if hook.installed else "not installed"
        chained = ", chained with another hook" if hook.chained else ""
        rows.append(Row(f"{hook.name}: {state}{chained}  {hook.path}", hook._asdict()))
    more = {"removed": removed, "week": seen._asdict() if seen else None}
    options.list_rows(
        "hooks", rows, {name: each for name, each in more.items() if each is not None}
    )
    if options.list_format != "plain":
        return OK
    for vault in dict.fromkeys(hook.vault for hook in hooks if hook.vault):
        write_lines([one_line(f"vault: {vault}{'' if os.path.isdir(vault) else ' (not there)'}")])
    if seen:
        write_lines([seen.told()])
    return OK


def status(vault: Vault, _: NoteTable) -> tuple[str, str] | None:
    """Return the git hooks of the folder in which work is done, and the vault that they name, for
    `brain status`.
    """
    if not repository_root(vault.working_folder):
        return None
    with contextlib.suppress(BrainError):  # git cannot be run here
        found = [hook for hook in git_hooks.status(vault.working_folder) if hook.installed]
        names = ", ".join(hook.name for hook in found)
        vaults = ", ".join({hook.vault: None for hook in found if hook.vault})
        return (
            ("hooks", one_line(f"{names} → {vaults or 'the vault that is found there'}"))
            if found
            else None
        )
    return None


def _program() -> str:
    """Return the path of brain: a hook may be run with another PATH."""
    if os.path.basename(sys.argv[0]) == "brain":
        return os.path.abspath(sys.argv[0])
    return shutil.which("brain", path=command_context().environ.get("PATH")) or "brain"


def _known(name: str) -> str:
    if name not in AGENTS:
        raise UnknownNameError(
            f"“{name}” is not an agent whose hooks are known.", did_you_mean(name, AGENTS)
        )
    return name


def _installed() -> list[str]:
    """Return the agents whose program or folder is on this machine."""
    path = command_context().environ.get("PATH")
    home = os.path.expanduser("~")
    return [
        name
        for name, agent in AGENTS.items()
        if shutil.which(agent.program, path=path)
        or os.path.isdir(os.path.join(home, os.path.dirname(agent.user)))
    ]


def _agent(
    options: CommonOptions,
    folder: str,
    name: str,
    *,
    writes: bool,
    undo: bool,
    user: bool,
    yes: bool,
) -> int:
    """Print the hooks for a coding agent, or write them into its settings of the project or the
    user.
    """
    agent = AGENTS[name]
    vault = []
    with contextlib.suppress(NoVaultError):
        vault = ["--vault", _vault(options, folder)]
    root = os.path.expanduser("~") if user else repository_root(folder) or folder
    settings = agent.user if user else agent.settings
    hooks = [
        AgentHooks(agent, root, os.path.join(settings, event), _program(), vault, event)
        for event in (agent.events if agent.scripts else [""])
    ]
    # In a file that others get too, earlier versions wrote them.
    former = [AgentHooks(agent, root, agent.shared, _program(), vault)] if agent.shared else []
    former = [each for each in former if each.path != hooks[0].path]
    again = " ".join(["brain hooks agent", name, *(["--user"] if user else [])])
    if not (writes or undo):
        if options.json and (agent.scripts or not agent.events):
            texts = [{"path": each.path, "text": each.added("")} for each in hooks]
            write_json(texts[0] if len(texts) == 1 else {"files": texts})
            return OK
        for each in hooks:
            write(each.added(""))
        if not options.json:
            say(f"Put this into {settings}, or let `{again} --write` do it.")
        return OK
    changed = []
    for each in (*hooks, *former):
        before = each.read()
        after = each.removed(before) if undo or each in former else each.added(before)
        if after != before:
            changed.append((each, after))
    path = hooks[0].path if not agent.scripts else os.path.dirname(hooks[0].path)
    if not changed:
        options.report(f"{path} is as it should be.", {"path": path, "changed": False})
        return OK
    if not yes and not confirmed(
        f"Change {path}?", f"Changing {path} needs a confirmation, and there is no terminal to ask."
    ):
        return FAILED
    for each, after in changed:
        each.write(after)
    options.report(
        f"changed {path}",
        {"path": path, "changed": True},
        f"{again} {'--write' if undo else '--undo'} --yes",
    )
    if writes and not undo:
        _say_what_follows(agent, settings, user=user)
    return OK


def _say_what_follows(agent: Agent, settings: str, *, user: bool) -> None:
    is_private = user or bool(agent.shared)
    where = "" if is_private else f"{settings} now names paths of this machine: do not commit it."
    daemon = (
        "A daemon answers its prompts and ends after 15 idle minutes; `brain config set "
        "daemon auto` has it answer you too."
    )
    say(" ".join(filter(None, (where, agent.next_step, daemon))))


class AgentHooks:
    """The hooks of one agent in the project in `folder`; `brain` is the program, and `vault` the
    options that name it.

    Settings are the text of the agent's file; an empty text is a file that does not exist. A file
    of an `event` is a script.
    """

    def __init__(
        self,
        agent: Agent,
        folder: str,
        file: str,
        brain: str,
        vault: Sequence[str],
        event: str = "",
    ) -> None:
        self._agent = agent
        self._folder = folder
        self._brain = brain
        self._vault = vault
        self._base = {"version": agent.version} if agent.version else {}
        self._event = event
        self.path = os.path.normpath(os.path.join(folder, file))

    def read(self) -> str:
        """Return the settings; BrainError if they cannot be read."""
        return (read_file(self.path) or b"").decode("utf-8", "surrogateescape")

    def added(self, settings: str) -> str:
        """Return the settings with our hooks added once; BrainError if their form is unknown."""
        if self._event:
            self._refuse_others(settings)
            return f"#!/bin/sh\n{SCRIPT}\nexec {self._line(self._agent.events[self._event])}\n"
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
        if self._event or not self._agent.events:
            self._refuse_others(settings)
            return ""
        before = self._parsed(settings)
        rest = self._without(before)
        return "" if rest == self._base else _text(rest, before, settings)

    def write(self, settings: str) -> None:
        """Write the settings; if they are empty, remove the file, and its folders if nothing else
        is there.
        """
        if settings:
            raw = settings.encode("utf-8", "surrogateescape")
            write_file(self.path, raw, self._folder, 0o755 if self._event else None)
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
            event: [entry for entry in entries if not _is_ours(entry)]
            if isinstance(entries, list)
            else entries
            for event, entries in settings.get("hooks", {}).items()
        }
        remaining = {event: entries for event, entries in hooks.items() if entries != []}
        rest = {key: value for key, value in settings.items() if key != "hooks"}
        return {**rest, "hooks": remaining} if remaining else rest

    def _parsed(self, settings: str) -> dict[str, Any]:
        try:
            found = json.loads(settings) if settings.strip() else {}
        except RecursionError:
            raise BrainError(
                f"{self.path} is nested too deeply.", "Correct it, then try again."
            ) from None
        except ValueError as error:
            raise BrainError(
                f"{self.path} is not valid JSON: {error}.", "Correct it, then try again."
            ) from None
        hooks = found.get("hooks", {}) if isinstance(found, dict) else None
        if not isinstance(hooks, dict) or not all(
            isinstance(hooks.get(name, []), list) for name in self._agent.events
        ):
            raise BrainError(
                f"{self.path} is not a JSON object with lists of hooks.",
                "Correct it, then try again.",
            )
        return {**found}

    def _entry(self, event: str, command: Sequence[str]) -> dict[str, Any]:
        hook = {
            "type": "command",
            "command": self._line(command),
            "timeout": TIMEOUT_SECONDS * self._agent.second,
        }
        if self._agent.flat:
            return hook
        return {**({"matcher": "*"} if "Tool" in event else {}), "hooks": [hook]}

    def _line(self, command: Sequence[str]) -> str:
        # A prompt waits for its hook, which a daemon answers from memory.
        daemon = "" if command == KEEP else f"env {DAEMON}" if self._event else DAEMON
        return daemon + shlex.join([self._brain, *command, *self._vault])

    def _module(self) -> str:
        """Return the plugin that runs brain for an agent that runs no commands."""
        commands = {"show": SHOW, "answer": ANSWER, "keep": KEEP}
        named = {name: [self._brain, *command, *self._vault] for name, command in commands.items()}
        module = files(__package__).joinpath("opencode.js").read_text(encoding="utf-8")
        return module.replace("__COMMANDS__", json.dumps(named)).replace(
            "__SECONDS__", str(TIMEOUT_SECONDS)
        )

    def _refuse_others(self, settings: str) -> None:
        if settings and "brain hooks agent" not in "".join(settings.splitlines()[:2]):
            raise BrainError(
                f"{self.path} is a file of your own, so it is not changed.",
                "Rename it, then try again.",
            )


def _text(settings: dict[str, Any], before: dict[str, Any], text: str) -> str:
    """Return settings as text; if nothing is changed, the text as it was."""
    return text if settings == before else json.dumps(settings, indent=2, ensure_ascii=False) + "\n"


def _is_ours(entry: object) -> bool:
    hooks = entry.get("hooks", [entry]) if isinstance(entry, dict) else None
    return (
        bool(hooks)
        and isinstance(hooks, list)
        and all(
            isinstance(hook, dict) and _OURS.fullmatch(str(hook.get("command"))) for hook in hooks
        )
    )
