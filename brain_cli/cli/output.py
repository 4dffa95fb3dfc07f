"""Output of a command: its answer on stdout, messages and progress on stderr."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from brain_cli.process import command_context
from brain_cli.render import View
from brain_cli.render.formats import AUTO
from brain_cli.streams import say

if TYPE_CHECKING:
    from brain_cli.library.vault import Vault


def say_undated(count: int, notes: int, hint: str = "") -> None:
    """Write how many notes have no date of their own, if any, and what becomes of them."""
    from brain_cli.render.phrases import undated_notes

    if count:
        say(undated_notes(count, notes), hint)


def format_name(name: str) -> str:
    """Resolve the format `auto`: rich on a terminal, else plain."""
    if name != AUTO:
        return name
    return "rich" if command_context().is_terminal else "plain"


def view(vault: "Vault") -> View:
    """Return everything besides the answer that a format may use."""
    context = command_context()
    return View(
        vault=vault.files,
        folder=context.folder,
        body_of=vault.body,
        width=context.width,
        height=context.height,
        color=context.is_terminal and not context.environ.get("NO_COLOR"),
        editor_uri=vault.config.editor_uri,
        zone=vault.zone,
        roots=vault.roots,
    )


class Outcome(NamedTuple):
    """The outcome for one note: what was done, as a line and as JSON, and the command that undoes
    it, if any.
    """

    did: str
    document: Mapping[str, object]
    undo: str = ""


def followed(relinked: tuple[str, ...]) -> str:
    """Return how many other notes had their links changed, in words."""
    # Imported here, because few commands move notes.
    from brain_cli.render.phrases import counted

    return f" (its links in {counted(len(relinked), 'note')} follow)" if relinked else ""
