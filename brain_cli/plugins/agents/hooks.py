"""`brain hooks`: git hooks that keep the index fresh and capture commits, and the hooks of a coding agent."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from enum import StrEnum
from typing import Annotated

import typer

from brain_cli.cli._completion import names_of
from brain_cli.cli._options import YesOption
from brain_cli.cli._output import Row, confirmed, say, write, write_json, write_lines
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import CommonOptions, Workspace
from brain_cli.config import find_vault
from brain_cli.errors import FAILED, OK, BrainError, NoVaultError, UnknownNameError, UsageError, did_you_mean
from brain_cli.index.note_table import NoteTable
from brain_cli.plugins.agents import git_hooks
from brain_cli.plugins.agents.agent_hooks import AgentHooks
from brain_cli.plugins.agents.agent_table import AGENTS
from brain_cli.printable import one_line
from brain_cli.vault.git import repository_root

# Shell words for the commits that concern a hook.
COMMITTED = "$(git rev-parse HEAD)"
MERGED = "$(git rev-parse ORIG_HEAD)..$(git rev-parse HEAD)"


class HookAction(StrEnum):
    """The actions of `brain hooks`."""

    INSTALL = "install"
    UNINSTALL = "uninstall"
    STATUS = "status"
    AGENT = "agent"


def command(
    options: CommonOptions,
    action: Annotated[
        HookAction,
        typer.Argument(metavar="ACTION", help="What to do; agent: for a coding agent."),
    ] = HookAction.STATUS,
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT", help=f"With agent: {', '.join(AGENTS)}.", autocompletion=names_of(lambda: AGENTS)
        ),
    ] = "claude",
    capture: Annotated[bool, typer.Option("--capture", help="Make notes of commits worth remembering.")] = False,
    context: Annotated[bool, typer.Option("--context", help="Show what is known here after a checkout.")] = False,
    write_settings: Annotated[
        bool, typer.Option("--write", help="With agent: merge the hooks into its settings of this project.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="With agent: take the hooks out again.")] = False,
    yes: YesOption = False,
) -> int:
    """Install hooks: git's keep the index fresh and capture commits, an agent's recall and capture memories.

    Examples:
      brain hooks status
      brain hooks install --capture
      brain hooks agent codex
    """
    folder = command_context().folder
    if action is HookAction.AGENT:
        return _agent(options, folder, agent, write_settings=write_settings, undo=undo, yes=yes)
    if agent != "claude":
        raise UsageError(f"“{agent}” goes with agent.", f"brain hooks agent {agent}")
    if write_settings or undo:
        raise UsageError("--write and --undo go with agent.", "brain hooks agent --write")
    if action is HookAction.INSTALL:
        git_hooks.status(folder)  # This raises the error outside a repository, before one about the options.
        hooks = git_hooks.install(folder, _plan(options, folder, capture=capture, context=context))
        if git_hooks.is_tracked(folder, os.path.dirname(hooks[0].path)):
            say("These hooks are files of the repository: others get them too if you commit them.")
        return _report(options, hooks)
    if action is HookAction.UNINSTALL:
        removed_hooks = git_hooks.uninstall(folder)
        return _report(options, git_hooks.status(folder), removed=len(removed_hooks))
    return _report(options, git_hooks.status(folder))


def _plan(options: CommonOptions, folder: str, *, capture: bool, context: bool) -> git_hooks.HookPlan:
    """Return the lines for the hooks; UsageError if this is not a vault, and nothing is to be captured."""
    brain = _program()
    is_here = _is_vault_here(options, folder)
    if not (is_here or capture or context):
        raise UsageError(
            "This repository is not a vault.",
            "--capture makes notes of its commits, --context shows what is known after a checkout.",
        )
    vault = ["--vault", find_vault(options.vault, folder, command_context().environ, folder)]
    index = git_hooks.background_line(brain, "index", *vault) if is_here else ""
    background = dict.fromkeys(git_hooks.HOOKS, index)
    if capture:
        capture_commit = ("capture", "git", *vault, "--commit")
        background["post-commit"] += git_hooks.background_line(brain, *capture_commit, revision=COMMITTED)
        background["post-merge"] += git_hooks.background_line(brain, *capture_commit, revision=MERGED)
        # A rebase or an amend changes the hashes of commits, and maybe their messages.
        again = ("capture", "git", "--since", "30d", "--known", *vault)
        background["post-rewrite"] += git_hooks.background_line(brain, *again)
    show = ("context", "--profile", "speed", *vault)
    foreground = {"post-checkout": git_hooks.foreground_line(brain, *show)} if context else {}
    return git_hooks.HookPlan(background, foreground)


def _is_vault_here(options: CommonOptions, folder: str) -> bool:
    """Return True if the vault is inside this repository, or the repository inside the vault."""
    try:
        vault = os.path.realpath(find_vault(options.vault, folder, command_context().environ, folder))
    except NoVaultError:
        return False
    root = os.path.realpath(repository_root(folder) or folder)
    return os.path.commonpath([vault, root]) in (vault, root)


def _report(options: CommonOptions, hooks: list[git_hooks.Hook], removed: int | None = None) -> int:
    rows = [Row(_line(hook), hook._asdict()) for hook in hooks]
    options.list_rows("hooks", rows, {} if removed is None else {"removed": removed})
    if options.list_format != "plain":
        return OK
    for vault in dict.fromkeys(hook.vault for hook in hooks if hook.vault):
        write_lines([one_line(f"vault: {vault}{'' if os.path.isdir(vault) else ' (not there)'}")])
    return OK


def status(workspace: Workspace, _: NoteTable) -> tuple[str, str] | None:
    """Return the git hooks of the folder in which work is done, and the vault that they name, for `brain status`."""
    if not repository_root(workspace.folder):
        return None
    with contextlib.suppress(BrainError):  # git cannot be run here
        found = [hook for hook in git_hooks.status(workspace.folder) if hook.installed]
        names = ", ".join(hook.name for hook in found)
        vaults = ", ".join({hook.vault: None for hook in found if hook.vault})
        return ("hooks", one_line(f"{names} → {vaults or 'the vault that is found there'}")) if found else None
    return None


def _program() -> str:
    """Return the path of brain: a hook may be run with another PATH."""
    if os.path.basename(sys.argv[0]) == "brain":
        return os.path.abspath(sys.argv[0])
    return shutil.which("brain", path=command_context().environ.get("PATH")) or "brain"


def _line(hook: git_hooks.Hook) -> str:
    state = "installed" if hook.installed else "not installed"
    return f"{hook.name}: {state}{', chained with another hook' if hook.chained else ''}  {hook.path}"


def _agent(options: CommonOptions, folder: str, name: str, *, write_settings: bool, undo: bool, yes: bool) -> int:
    """Print the hooks for a coding agent, or write them into the project's settings."""
    if name not in AGENTS:
        raise UnknownNameError(f"“{name}” is not an agent whose hooks are known.", did_you_mean(name, AGENTS))
    agent, root = AGENTS[name], repository_root(folder) or folder
    hooks = AgentHooks(agent, root, _program(), _vault_options(options, folder))
    if not (write_settings or undo):
        if options.json and not agent.events:
            write_json({"path": agent.settings, "text": hooks.added("")})
            return OK
        write(hooks.added(""))
        if not options.json:
            say(f"Put this into {agent.settings}, or let brain hooks agent {name} --write do it.")
        return OK
    before = hooks.read()
    after = hooks.removed(before) if undo else hooks.added(before)
    if before == after:
        options.report(f"{hooks.path} is as it should be.", {"path": hooks.path, "changed": False})
        return OK
    if not yes and not confirmed(
        f"Change {hooks.path}?", f"Changing {hooks.path} needs a confirmation, and there is no terminal to ask."
    ):
        return FAILED
    hooks.write(after)
    back = options.again("hooks", "agent", name, "--write" if undo else "--undo", "--yes")
    options.report(f"changed {hooks.path}", {"path": hooks.path, "changed": True}, back)
    if not undo:
        say(f"{agent.settings} now names paths of this machine: do not commit it. {agent.next_step}".rstrip())
    return OK


def _vault_options(options: CommonOptions, folder: str) -> list[str]:
    """Return the options that name today's vault: an agent may run hooks in another folder or environment."""
    with contextlib.suppress(NoVaultError):
        return ["--vault", os.path.abspath(find_vault(options.vault, folder, command_context().environ, folder))]
    return []
