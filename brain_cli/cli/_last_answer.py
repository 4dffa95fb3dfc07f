"""The last answer of each terminal, so that `brain show 1` and `brain open` mean a note of it: its paths alone."""

from __future__ import annotations

import contextlib
import os

from brain_cli.answer.results import Recall
from brain_cli.cli._note import section_named
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import Workspace
from brain_cli.errors import UsageError
from brain_cli.paths import make_private_folder, state_home
from brain_cli.types import Strategy
from brain_cli.vault.note_ref import NoteRef

# A line of the file ends like this, because a path may contain a newline.
END = "\0"


def keep(workspace: Workspace, recall: Recall) -> None:
    """Keep the paths of an answer in the order of their numbers; one strong match is number 1."""
    file = _file()
    if not file or not workspace.files:
        return
    paths = [each.metadata.path for each in recall.results or recall.archive]
    if recall.strategy is Strategy.SINGLE_STRONG:
        paths = [recall.answer.metadata.path, *(each.path for each in recall.related)]
    # Without it, a note has to be named.
    with contextlib.suppress(OSError):
        make_private_folder(os.path.dirname(file))
        with open(file, "w", encoding="utf-8", errors="surrogateescape", newline="") as answer:
            answer.write(END.join((workspace.vault, *paths)))


def note_or_number(workspace: Workspace, argument: str) -> NoteRef:
    """Return the named note, or that with a number in the last answer of this terminal if no note has that name."""
    try:
        return section_named(workspace, argument)
    except UsageError as unknown:
        return NoteRef(numbered(workspace, argument, unknown))


def numbered(workspace: Workspace, argument: str, unknown: UsageError) -> str:
    """Return the path of a note by its number in the last answer of this terminal; raise `unknown` for no number."""
    if not argument.isdecimal() or not _file():
        raise unknown
    vault, *paths = _kept()
    if vault != workspace.vault:
        raise UsageError(
            f"There is no note “{argument}”, and no answer on this terminal from this vault.",
            "Ask first: brain remember “why grpc”.",
        )
    if not 1 <= int(argument) <= len(paths):
        raise UsageError(f"The last answer has no note {argument}.", f"It has 1 to {len(paths)}.")
    return paths[int(argument) - 1]


def _kept() -> list[str]:
    """Return the vault of the last answer and its paths; an empty name for the vault if there is none."""
    try:
        with open(_file(), encoding="utf-8", errors="surrogateescape", newline="") as answer:
            return answer.read().split(END)
    except OSError:
        return [""]


def _file() -> str:
    """Return the file of this terminal's last answer; empty off a terminal."""
    context = command_context()
    name = context.terminal if context.screen().out else ""
    return (
        os.path.join(state_home(context.environ), "brain", "answers", name.strip("/").replace("/", "-")) if name else ""
    )
