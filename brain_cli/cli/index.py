"""`brain index`: bring the index up to date and report what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brain_cli.cli._meaning import embed_notes, is_possible
from brain_cli.cli._output import write_json, write_lines
from brain_cli.cli._workspace import Workspace, index_session, open_workspace, refreshed
from brain_cli.errors import OK
from brain_cli.index.sync import Refreshed
from brain_cli.printable import one_line
from brain_cli.render.phrases import counted

if TYPE_CHECKING:
    from brain_cli.cli._options import (
        DetachOption,
        FullOption,
        IdleOption,
        JsonOption,
        NowOption,
        PollOption,
        VaultOption,
        WatchOption,
    )


def command(
    full: FullOption = False,
    watch: WatchOption = False,
    poll: PollOption = 0.0,
    detach: DetachOption = False,
    idle: IdleOption = 0.0,
    vault: VaultOption = None,
    now: NowOption = None,
    json: JsonOption = False,
) -> int:
    """Bring the index up to date with the notes."""
    workspace = open_workspace(vault, now)
    if detach:
        return _detach(workspace, max(0.0, idle))
    if watch or poll:
        from brain_cli.cli._watch import watch as watch_vault

        return watch_vault(workspace, max(0.0, poll), max(0.0, idle) * 60)
    return run(workspace, full=full, as_json=json)


def _detach(workspace: Workspace, idle_minutes: float) -> int:
    """Start a daemon in the background unless the vault has one: for a shell's start-up file."""
    from brain_cli.cli._daemons import daemon_in, start_daemon

    found = daemon_in(workspace.index_directory.folder)
    pid = found.pid if found else start_daemon(workspace, idle_minutes)
    write_lines([f"Watching {one_line(workspace.vault)} (pid {pid})."])
    return OK


def run(workspace: Workspace, *, full: bool, as_json: bool) -> int:
    """Refresh the index of a vault; print the counts."""
    session = index_session(workspace)
    done = refreshed(session, full=full)
    if as_json:
        write_json(done._asdict())
    else:
        write_lines([_sentence(done)])
    # Words are searchable by now: embedding takes longer, and goes on where it was interrupted.
    if is_possible(workspace):
        session.ask(lambda snapshot: embed_notes(workspace, snapshot))
    return OK


def _sentence(done: Refreshed) -> str:
    counts = ((done.added, "added"), (done.changed, "changed"), (done.removed, "removed"), (done.renamed, "renamed"))
    changes = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing changed"
    return f"{counted(done.notes, 'note')}, {counted(done.fragments, 'fragment')}: {changes}."
