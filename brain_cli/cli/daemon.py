"""`brain daemon`: show the running daemons, or stop them."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from typing import Annotated

import typer

from brain_cli.cli._completion import names_of
from brain_cli.cli._daemons import RunningDaemon, daemon_in, running_daemons
from brain_cli.cli._output import write_json, write_lines
from brain_cli.cli._process import command_context
from brain_cli.cli._workspace import CommonOptions, open_workspace
from brain_cli.errors import NOTHING_FOUND, OK, UsageError, did_you_mean
from brain_cli.paths import cache_home
from brain_cli.printable import one_line

ACTIONS = ("status", "stop")
STOP_SECONDS = 10.0


def command(
    options: CommonOptions,
    action: Annotated[
        str,
        typer.Argument(
            metavar="[status|stop]", help="Show them, or stop them.", autocompletion=names_of(lambda: ACTIONS)
        ),
    ] = "status",
) -> int:
    """Show or stop the daemons that answer recalls from memory.

    Without --vault, all of them. `brain index --watch` starts one, and so does a recall if the
    setting daemon is “auto”.

    Examples:
      brain daemon
      brain daemon stop
    """
    if action not in ACTIONS:
        raise UsageError(f"There is no action “{action}”.", did_you_mean(action, ACTIONS))
    daemons = _daemons(options.vault)
    if action == "stop":
        for daemon in daemons:
            _stop(daemon)
    if options.json:
        write_json({"daemons": [{"pid": each.pid, "vault": each.vault} for each in daemons]})
    else:
        did = "Stopped" if action == "stop" else "Running"
        write_lines(
            [f"{did}: {one_line(each.vault)} (pid {each.pid})" for each in daemons] or ["No daemon is running."]
        )
    return OK if daemons else NOTHING_FOUND


def _daemons(vault: str | None) -> list[RunningDaemon]:
    if vault is None:
        return running_daemons(cache_home(command_context().environ))
    found = daemon_in(open_workspace(vault, None).index_directory.folder)
    return [found] if found else []


def _stop(daemon: RunningDaemon) -> None:
    """Ask a daemon to stop, and wait until it has."""
    deadline = time.monotonic() + STOP_SECONDS
    with contextlib.suppress(ProcessLookupError):
        if daemon.pid:
            os.kill(daemon.pid, signal.SIGTERM)
    while daemon_in(daemon.index_folder) == daemon and time.monotonic() < deadline:
        time.sleep(0.02)
