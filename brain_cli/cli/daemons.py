"""Processes of brain in the background: a refresh for the next recall, and daemons: start, list and
stop them.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

from brain_cli.cli.common import CommonOptions
from brain_cli.daemon.processes import RunningDaemon, daemon_in, running_daemons
from brain_cli.errors import NOTHING_FOUND, OK
from brain_cli.library.vault import open_vault
from brain_cli.paths import cache_home
from brain_cli.printable import one_line
from brain_cli.process import command_context
from brain_cli.render.rows import Row
from brain_cli.streams import write_lines

STOP_SECONDS = 10.0


def report_daemons(options: CommonOptions, *, stops: bool) -> int:
    """Print the running daemons, all of them unless a vault is named, after stopping them if that
    is wanted.
    """
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
    deadline = time.monotonic() + STOP_SECONDS
    with contextlib.suppress(ProcessLookupError):
        if daemon.pid:
            os.kill(daemon.pid, signal.SIGTERM)
    while daemon_in(daemon.index_folder) == daemon and time.monotonic() < deadline:
        time.sleep(0.02)
