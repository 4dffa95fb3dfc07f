"""`brain index`: update the index and report what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brain_cli.cli._output import write_json, write_lines
from brain_cli.cli._workspace import Workspace, index_session, open_workspace, refreshed
from brain_cli.errors import OK
from brain_cli.index.sync import Refreshed
from brain_cli.plugins import hooks
from brain_cli.printable import one_line
from brain_cli.render.phrases import counted

if TYPE_CHECKING:
    from brain_cli.cli import _options as option
    from brain_cli.index.shared_sync import Sent


def command(
    full: option.FullOption = False,
    watch: option.WatchOption = False,
    poll: option.PollOption = 0.0,
    detach: option.DetachOption = False,
    idle: option.IdleOption = 0.0,
    memory: option.MemoryOption = None,
    as_name: option.AsOption = None,
    yes: option.YesOption = False,
    stop: option.StopOption = False,
    status: option.StatusOption = False,
    vault: option.VaultOption = None,
    now: option.NowOption = None,
    json: option.JsonOption = False,
) -> int:
    """Update the index from the notes.

    Examples:
      brain index
      brain index --watch --detach
      brain index --stop
    """
    if stop or status:
        from brain_cli.cli._daemons import report_daemons

        return report_daemons(vault, stops=stop, as_json=json)
    workspace = open_workspace(vault, now, {"memory": memory})
    if detach:
        return _detach(workspace, max(0.0, idle))
    if watch or poll:
        from brain_cli.cli._run_daemon import watch as watch_vault

        return watch_vault(workspace, max(0.0, poll), max(0.0, idle) * 60, as_name)
    return run(workspace, full=full, as_json=json, as_name=as_name, yes=yes)


def _detach(workspace: Workspace, idle_minutes: float) -> int:
    """Start a daemon in the background unless the vault has one; meant for a shell's start-up file."""
    from brain_cli.cli._daemons import daemon_in, start_daemon

    found = daemon_in(workspace.index_directory.folder)
    pid = found.pid if found else start_daemon(workspace, idle_minutes)
    write_lines([f"Watching {one_line(workspace.vault)} (pid {pid})."])
    return OK


def run(workspace: Workspace, *, full: bool, as_json: bool, as_name: str | None = None, yes: bool = False) -> int:
    """Refresh the index of a vault and send its notes to the shared memory, if there is one; print the counts."""
    session = index_session(workspace)
    done = refreshed(session, full=full)
    if as_json:
        _report_json(done, workspace, as_name, yes=yes)
    else:
        write_lines([_sentence(done)])
        if _shares(workspace):
            write_lines([_sent_sentence(*_sent(workspace, as_name, yes=yes))])
    # Words are searchable by now. This takes longer, and resumes where it was interrupted.
    for hook in hooks("after_index"):
        hook(workspace, session)
    return OK


def _shares(workspace: Workspace) -> bool:
    return workspace.config.memory != "off"


def _report_json(done: Refreshed, workspace: Workspace, as_name: str | None, *, yes: bool) -> None:
    """Print one document, without the shared memory if that fails."""
    document = dict(done._asdict())
    try:
        if _shares(workspace):
            name, sent = _sent(workspace, as_name, yes=yes)
            document["shared"] = {"vault": name, **sent._asdict()}
    finally:
        write_json(document)


def _sent(workspace: Workspace, as_name: str | None, *, yes: bool) -> tuple[str, Sent]:
    from brain_cli.cli._shared import send_notes

    return send_notes(workspace, workspace.config.memory, as_name, yes=yes)


def _sent_sentence(name: str, sent: Sent) -> str:
    counts = ((sent.added, "added"), (sent.changed, "changed"), (sent.removed, "removed"), (sent.renamed, "renamed"))
    changes = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing to send"
    return f"Shared memory, as “{one_line(name)}”: {changes}."


def _sentence(done: Refreshed) -> str:
    counts = ((done.added, "added"), (done.changed, "changed"), (done.removed, "removed"), (done.renamed, "renamed"))
    changes = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing changed"
    return f"{counted(done.notes, 'note')}, {counted(done.fragments, 'fragment')}: {changes}."
