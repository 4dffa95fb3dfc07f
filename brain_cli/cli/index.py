"""`brain index`: update the index and report what changed."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from brain_cli.cli.common import CommonOptions
from brain_cli.errors import NOTHING_FOUND, OK, UsageError
from brain_cli.extension import hooks
from brain_cli.index.directory import read_note_table
from brain_cli.index.sync import Refreshed
from brain_cli.library.vault import Vault, open_vault
from brain_cli.paths import cache_home
from brain_cli.printable import one_line
from brain_cli.process import command_context
from brain_cli.render.phrases import counted
from brain_cli.render.rows import Row
from brain_cli.streams import write_json, write_lines

if TYPE_CHECKING:
    from brain_cli.cli import options as option
    from brain_cli.daemon.processes import RunningDaemon

STOP_SECONDS = 10.0


def command(
    options: CommonOptions,
    full: option.FullOption = False,
    watch: option.WatchOption = False,
    poll: option.PollOption = 0.0,
    detach: option.DetachOption = False,
    idle: option.IdleOption = 0.0,
    stop: option.StopOption = False,
    status: option.StatusOption = False,
) -> int:
    """Update the index from the notes.

    Examples:
      brain index
      brain index --watch --detach
      brain index --stop
    """
    if stop or status:
        return report_daemons(options, stops=stop)
    if (poll or idle) and not (watch or detach):
        raise UsageError(
            "--poll and --idle go with --watch.", "Type `brain index --watch --poll 5`."
        )
    vault = options.open_vault()
    if detach:
        return _detach(vault, max(0.0, idle))
    if watch:
        from brain_cli.cli.run_daemon import watch as watch_vault

        return watch_vault(vault, max(0.0, poll), max(0.0, idle) * 60, options.added)
    return run(vault, full=full, as_json=options.json, added=options.added)


def _detach(vault: Vault, idle_minutes: float) -> int:
    from brain_cli.daemon.processes import daemon_in, start_daemon

    found = daemon_in(vault.index_directory.folder)
    pid = (
        found.pid
        if found
        else start_daemon(vault.folder, vault.config.of_plugins, idle_minutes)
    )
    write_lines([f"Watching {one_line(vault.folder)} (pid {pid})."])
    return OK


def run(
    vault: Vault,
    *,
    full: bool,
    as_json: bool,
    added: Mapping[str, object] = MappingProxyType({}),
) -> int:
    """Refresh the index of a vault, let plugins do the same for what they keep of it, and print the
    counts.
    """
    done = vault.index(full=full)
    # The table as it was just written: to ask the session would look for changes once more.
    table = read_note_table(vault.index_directory)
    archived = len(table.archived) if table else 0
    document: dict[str, object] = {**done._asdict(), "archived": archived}
    if not as_json:
        write_lines([_sentence(done, archived)])
    try:
        for hook in hooks("refreshed", vault.config):
            if found := hook(vault, added):
                name, sentence, document[name] = found
                write_lines([] if as_json else [sentence])
    finally:
        if as_json:
            write_json(document)
    # Words are searchable by now. This takes longer, and resumes where it was interrupted.
    for hook in hooks("after_index", vault.config):
        hook(vault, added)
    return OK


def _sentence(done: Refreshed, archived: int) -> str:
    """Return the counts as `brain status` has them: archived notes are counted apart."""
    counts = (
        (done.added, "added"),
        (done.changed, "changed"),
        (done.removed, "removed"),
        (done.renamed, "renamed"),
    )
    changes = (
        ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing changed"
    )
    notes = counted(done.notes - archived, "note")
    apart = f", {archived} archived" if archived else ""
    return f"{notes}{apart}, {counted(done.fragments, 'fragment')}: {changes}."


def report_daemons(options: CommonOptions, *, stops: bool) -> int:
    """Print the running daemons, all of them unless a vault is named, after stopping them if that
    is wanted.
    """
    # Imported here, because they start and stop processes, and a refresh does not.
    from brain_cli.daemon.processes import daemon_in, running_daemons

    if options.vault is None:
        daemons = running_daemons(cache_home(command_context().environ))
    else:
        found = daemon_in(open_vault(options.vault, None).index_directory.folder)
        daemons = [found] if found else []
    for daemon in daemons if stops else ():
        _stop(daemon)
    did = "Stopped" if stops else "Running"
    rows = []
    for each in daemons:
        line = one_line(f"{did}: {each.vault} (pid {each.pid})")
        rows.append(Row(line, {"pid": each.pid, "vault": each.vault}))
    if rows or options.list_format != "plain":
        options.list_rows("daemons", rows)
    else:
        write_lines(["No daemon is running."])
    return OK if daemons else NOTHING_FOUND


def _stop(daemon: RunningDaemon) -> None:
    import signal  # as above

    from brain_cli.daemon.processes import daemon_in

    deadline = time.monotonic() + STOP_SECONDS
    with contextlib.suppress(ProcessLookupError):
        if daemon.pid:
            os.kill(daemon.pid, signal.SIGTERM)
    while daemon_in(daemon.index_folder) == daemon and time.monotonic() < deadline:
        time.sleep(0.02)
