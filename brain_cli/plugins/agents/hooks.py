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
from collections.abc import Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

from brain_cli.cli.common import CommonOptions
from brain_cli.cli.completion import names_of
from brain_cli.cli.config import set_key
from brain_cli.cli.options import YesOption, argument, flag
from brain_cli.config import config_files, find_vault, load_config
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
from brain_cli.paths import is_inside
from brain_cli.plugins.agents import git_hooks
from brain_cli.plugins.agents.agent_table import AGENTS, ANSWER, KEEP, SHOW, Agent
from brain_cli.plugins.agents.git_hooks import read_file, remove_file, write_file
from brain_cli.plugins.agents.hook_log import week
from brain_cli.plugins.agents.intake import spool_of
from brain_cli.printable import one_line
from brain_cli.process import command_context
from brain_cli.render.formats import Row
from brain_cli.streams import confirmed, say, write, write_json, write_lines
from brain_cli.vault.git import repository_root

# Shell words for the commits that concern a hook.
COMMITTED = "$(git rev-parse HEAD)"
MERGED = "$(git rev-parse ORIG_HEAD)..$(git rev-parse HEAD)"
TIMEOUT_SECONDS = 10
DAEMON = "BRAIN_DAEMON=auto "
DAEMON_ANSWERS = "A daemon answers its prompts and ends after 15 idle minutes."
WEEK = (
    "last 7 days: {prompts} prompts, {silent} of them silent; {brought_up} notes brought up, "
    "{kept} kept; {milliseconds} ms a prompt"
)
SCRIPT = "# Added by `brain hooks agent cline --write`, removed by --undo."
_OURS = re.compile(
    rf"(?:{DAEMON})?'?(?:.*/)?brain'? (?:context --hook(?: --profile speed)?|capture)(?: --vault "
    r".+)?"
)


HookAction = Literal["install", "uninstall", "status", "agent"]


def command(
    options: CommonOptions,
    action: Annotated[
        HookAction,
        argument("ACTION", "What to do; agent: for a coding agent."),
    ] = "status",
    agent: Annotated[
        str,
        argument("AGENT", f"With agent: {', '.join(AGENTS)}.", names_of(AGENTS)),
    ] = "claude",
    capture: Annotated[
        bool, flag("--capture", "Make notes of commits worth remembering.")
    ] = False,
    context: Annotated[
        bool, flag("--context", "Show what is known here after a checkout.")
    ] = False,
    write_settings: Annotated[
        bool,
        flag("--write", "With agent: merge the hooks into its settings of this project."),
    ] = False,
    undo: Annotated[bool, flag("--undo", "With agent: take the hooks out again.")] = False,
    user: Annotated[
        bool, flag("--user", "With agent: in your own settings, for all projects.")
    ] = False,
    every: Annotated[
        bool, flag("--all", "With agent: for every agent found on this machine.")
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
    if action == "agent":
        if agent not in AGENTS:
            raise UnknownNameError(
                f"“{agent}” is not an agent whose hooks are known.", did_you_mean(agent, AGENTS)
            )
        names = _installed() if every else [agent]
        if not names:
            raise BrainError(
                "No agent was found on this machine.", f"Name one: {', '.join(AGENTS)}"
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
    if action == "status":
        return _status(options, folder)
    hooks = git_hooks.status(folder)
    if action == "uninstall":
        removed = len(git_hooks.uninstall(folder))
        _report(options, git_hooks.status(folder), {"removed": removed})
        return OK
    hooks = git_hooks.install(folder, _plan(options, folder, capture=capture, context=context))
    if git_hooks.is_tracked(folder, os.path.dirname(hooks[0].path)):
        say("These hooks are files of the repository: others get them too if you commit them.")
    _report(options, hooks)
    return OK


def _status(options: CommonOptions, folder: str) -> int:
    seen = week(spool_of(command_context().environ).folder, time.time())
    hooks = []
    try:
        hooks = git_hooks.status(folder)
    except BrainError:
        # The folder is in no repository, but agents may have worked elsewhere.
        if not any(seen.values()):
            raise
    _report(options, hooks, {"week": seen})
    if options.list_format == "plain":
        write_lines([WEEK.format(**seen)])
    return OK


def _plan(
    options: CommonOptions, folder: str, *, capture: bool, context: bool
) -> dict[str, str]:
    """Return the lines for the hooks; UsageError if this is not a vault, and nothing is to be
    captured.
    """
    brain = _program()
    is_here = False
    with contextlib.suppress(NoVaultError):
        # The vault may be inside this repository, or the repository inside the vault.
        root = repository_root(folder) or folder
        ours = _vault(options, folder)
        is_here = is_inside(ours, root) or is_inside(root, ours)
    if not (is_here or capture or context):
        raise UsageError(
            "This repository is not a vault.",
            "--capture makes notes of its commits, --context shows what is known after a checkout.",
        )
    vault = ["--vault", _vault(options, folder)]
    line = git_hooks.background_line
    lines = dict.fromkeys(git_hooks.HOOKS, line(brain, "index", *vault) if is_here else "")
    if capture:
        commits = ("capture", "git", *vault)
        lines["post-commit"] += line(brain, *commits, "--commit", revision=COMMITTED)
        lines["post-merge"] += line(brain, *commits, "--commit", revision=MERGED)
        # A rebase or an amend changes the hashes of commits, and maybe their messages.
        lines["post-rewrite"] += line(brain, *commits, "--since", "30d", "--known")
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
    hooks: Sequence[git_hooks.Hook],
    more: Mapping[str, object] = MappingProxyType({}),
) -> None:
    rows = []
    for hook in hooks:
        state = "installed" if hook.installed else "not installed"
        chained = ", chained with another hook" if hook.chained else ""
        rows.append(Row(f"{hook.name}: {state}{chained}  {hook.path}", hook._asdict()))
    options.list_rows("hooks", rows, more)
    if options.list_format == "plain":
        for vault in dict.fromkeys(hook.vault for hook in hooks if hook.vault):
            missing = "" if os.path.isdir(vault) else " (not there)"
            write_lines([one_line(f"vault: {vault}{missing}")])


def status(vault: Vault, _: NoteTable) -> tuple[str, str] | None:
    """Return the git hooks of the folder in which work is done, and the vault that they name, for
    `brain status`.
    """
    if not repository_root(vault.working_folder):
        return None
    found = []
    with contextlib.suppress(BrainError):  # git cannot be run here
        found = [hook for hook in git_hooks.status(vault.working_folder) if hook.installed]
    if not found:
        return None
    names = ", ".join(hook.name for hook in found)
    vaults = ", ".join({hook.vault: None for hook in found if hook.vault})
    return "hooks", one_line(f"{names} → {vaults or 'the vault that is found there'}")


def _program() -> str:
    """Return the path of brain: a hook may be run with another PATH."""
    if os.path.basename(sys.argv[0]) == "brain":
        return os.path.abspath(sys.argv[0])
    return shutil.which("brain", path=command_context().environ.get("PATH")) or "brain"


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
    path = os.path.normpath(os.path.join(root, settings))
    files = _files(agent, path, _program(), vault)
    again = f"brain hooks agent {name}{' --user' * user}"
    if not (writes or undo):
        _print_files(
            options, files, f"Put this into {settings}, or let `{again} --write` do it."
        )
        return OK
    if agent.shared not in ("", settings):
        # Earlier versions wrote into a file that others get too.
        files.append(HookFile(os.path.join(root, agent.shared)))
    changed = []
    for file in files:
        before = (read_file(file.path) or b"").decode("utf-8", "surrogateescape")
        after = file.changed(before, adds=not undo)
        if after != before:
            changed.append((file, after))
    if not changed:
        options.report(f"{path} is as it should be.", {"path": path, "changed": False})
        return OK
    without_terminal = f"Changing {path} needs a confirmation, and there is no terminal to ask."
    if not (yes or confirmed(f"Change {path}?", without_terminal)):
        return FAILED
    for file, after in changed:
        file.write(after, root)
    reverse = "--write" if undo else "--undo"
    document = {"path": path, "changed": True}
    options.report(f"changed {path}", document, f"{again} {reverse} --yes")
    if not undo:
        where = f"{settings} now names paths of this machine: do not commit it."
        is_private = user or bool(agent.shared)
        notices = ("" if is_private else where, agent.next_step, DAEMON_ANSWERS)
        say(" ".join(filter(None, notices)))
        if not yes:
            _offer_daemon(command_context().environ)
    return OK


def _print_files(options: CommonOptions, files: Sequence[HookFile], where: str) -> None:
    texts = [{"path": each.path, "text": each.changed("", adds=True)} for each in files]
    if options.json and files[0].text:
        write_json(texts[0] if len(texts) == 1 else {"files": texts})
        return
    write("".join(each["text"] for each in texts))
    if not options.json:
        say(where)


def _offer_daemon(environ: Mapping[str, str]) -> None:
    is_off = load_config(None, {}, environ).daemon == "off"
    if is_off and confirmed("Let it answer you too (daemon = auto)?", ""):
        set_key(config_files(None, environ)[0], ("daemon",), "auto")


class HookFile(NamedTuple):
    """A file of an agent that has our hooks: settings with their `entries` by event, beside the
    user's own ones, or a script or a plugin with a `text` that is ours alone.
    """

    path: str
    entries: Mapping[str, dict[str, Any]] = {}
    # What settings have to have beside hooks.
    base: Mapping[str, Any] = {}
    text: str = ""
    mode: int | None = None

    def changed(self, before: str, *, adds: bool) -> str:
        """Return a file's text with our hooks added once, or without them; empty if nothing else is
        in it. BrainError if it is the user's own, or its form is unknown.
        """
        if self.text:
            if before and "brain hooks agent" not in "".join(before.splitlines()[:2]):
                raise BrainError(
                    f"{self.path} is a file of your own, so it is not changed.",
                    "Rename it, then try again.",
                )
            return self.text if adds else ""
        settings = self._parsed(before)
        hooks = {
            event: [entry for entry in entries if not _is_ours(entry)]
            if isinstance(entries, list)
            else entries
            for event, entries in settings.get("hooks", {}).items()
        }
        for event, entry in self.entries.items() if adds else ():
            hooks[event] = [*hooks.get(event, []), entry]
        kept = {event: entries for event, entries in hooks.items() if entries != []}
        rest = {key: value for key, value in settings.items() if key != "hooks"}
        after = {**(self.base if adds else {}), **rest, **({"hooks": kept} if kept else {})}
        if after == settings:
            return before
        is_empty = after == self.base
        return "" if is_empty else json.dumps(after, indent=2, ensure_ascii=False) + "\n"

    def write(self, text: str, root: str) -> None:
        """Write the file; without a text, remove it, and its folders if nothing else is there."""
        if text:
            write_file(self.path, text.encode("utf-8", "surrogateescape"), root, self.mode)
            return
        remove_file(self.path)
        parent = os.path.dirname(self.path)
        with contextlib.suppress(OSError):  # Other files are in the folder, or it is a link.
            while parent != root:
                os.rmdir(parent)
                parent = os.path.dirname(parent)

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            found = json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError) as error:
            why = "nested too deeply" if isinstance(error, RecursionError) else error
            raise BrainError(
                f"{self.path} is not valid JSON: {why}.", "Correct it, then try again."
            ) from None
        hooks = found.get("hooks", {}) if isinstance(found, dict) else None
        if not isinstance(hooks, dict) or not all(
            isinstance(hooks.get(event, []), list) for event in self.entries
        ):
            raise BrainError(
                f"{self.path} is not a JSON object with lists of hooks.",
                "Correct it, then try again.",
            )
        return {**found}


def _files(agent: Agent, path: str, brain: str, vault: Sequence[str]) -> list[HookFile]:
    """Return the files with an agent's hooks, which run brain on a vault; `path` leads to its
    settings.
    """

    def line(command: Sequence[str], daemon: str = DAEMON) -> str:
        # A prompt waits for its hook, which a daemon answers from memory.
        return ("" if command == KEEP else daemon) + shlex.join([brain, *command, *vault])

    def entry(event: str, command: Sequence[str]) -> dict[str, Any]:
        timeout = TIMEOUT_SECONDS * agent.second
        hook = {"type": "command", "command": line(command), "timeout": timeout}
        if agent.flat:
            return hook
        return {**({"matcher": "*"} if "Tool" in event else {}), "hooks": [hook]}

    if agent.scripts:
        return [
            HookFile(
                os.path.join(path, event),
                text=f"#!/bin/sh\n{SCRIPT}\nexec {line(command, f'env {DAEMON}')}\n",
                mode=0o755,
            )
            for event, command in agent.events.items()
        ]
    if not agent.events:
        commands = {"show": SHOW, "answer": ANSWER, "keep": KEEP}
        named = {name: [brain, *command, *vault] for name, command in commands.items()}
        module = files(__package__).joinpath("opencode.js").read_text(encoding="utf-8")
        module = module.replace("__COMMANDS__", json.dumps(named))
        return [HookFile(path, text=module.replace("__SECONDS__", str(TIMEOUT_SECONDS)))]
    entries = {event: entry(event, command) for event, command in agent.events.items()}
    return [HookFile(path, entries, {"version": agent.version} if agent.version else {})]


def _is_ours(entry: object) -> bool:
    hooks = entry.get("hooks", [entry]) if isinstance(entry, dict) else None
    return (
        bool(hooks)
        and isinstance(hooks, list)
        and all(
            isinstance(hook, dict) and _OURS.fullmatch(str(hook.get("command")))
            for hook in hooks
        )
    )
