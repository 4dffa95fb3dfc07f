"""Offer a model to someone who has the extra and has not chosen one, and start the embedding in the background."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from brain_cli.cli._daemons import index_command, start_detached
from brain_cli.cli._output import say
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import Workspace
from brain_cli.index.note_table import NoteTable
from brain_cli.paths import make_private_folder
from brain_cli.plugins.meaning.embedders import PACKAGES, Model, model_of, recommended
from brain_cli.render.phrases import counted

LOWEST_PRIORITY = 19
# In a vault's folder of the user's state, so that the offer is made once.
MARK = "meaning-offered"


def offer(workspace: Workspace, note_table: NoteTable) -> None:
    """Say once per vault, in one line, which model would find its notes by meaning and what that costs."""
    mark = Path(workspace.state_home, "brain", workspace.index_directory.folder.name, MARK)
    if mark.exists() or not all(map(find_spec, PACKAGES)):
        return
    try:
        make_private_folder(mark.parent)
        mark.touch()
    except OSError:
        return  # Without the mark, every recall would say it again.
    model = model_of(recommended(note_table.languages))
    seconds = sum(note_table.column("length").values()) / model.words_per_second
    say(
        f"`brain model install {model.name}` finds notes by meaning too: {description(model)}, and about"
        f" {minutes(seconds)} to embed this vault. `brain config set meaning off` silences this."
    )


def description(model: Model) -> str:
    """Describe what an installation brings."""
    return f"{model.about}, {model.megabytes} MB, licence {model.licence}"


def minutes(seconds: float) -> str:
    """Return a duration as a number of minutes."""
    return counted(max(1, round(seconds / 60)), "minute")


def embeds_in_background() -> bool:
    """Return whether someone watches who would wait for the embedding; a script waits, and so does a CI job."""
    context = command_context()
    return context.screen().err and not context.environ.get("CI")


def embed_in_background(workspace: Workspace) -> None:
    """Start a process of the lowest priority that embeds; its store's lock prevents a second one."""
    pid = start_detached(index_command(workspace.vault), {**command_context().environ, "BRAIN_MEMORY": "off"})
    os.setpriority(os.PRIO_PROCESS, pid, LOWEST_PRIORITY)
