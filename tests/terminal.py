"""A pseudo-terminal for commands that behave otherwise on a terminal than in a pipe."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

from conftest import Vault

LINES = 20


def on_a_terminal(vault: Vault, *arguments: str, **environ: str) -> str:
    """Run a command on a terminal of 20 lines and 80 columns, also its stdin; return what the terminal gets."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "brain_cli", *arguments, "--vault", str(vault.folder)],
        stdin=writer,
        stdout=writer,
        stderr=writer,
        env=vault.brain.environ(TERM="xterm", **environ),
    )
    os.close(writer)
    shown = _all_of(reader)
    assert process.wait(30) == 0, shown
    return shown


def _all_of(reader: int) -> str:
    shown, end = b"", time.monotonic() + 60
    while select.select([reader], [], [], max(0.0, end - time.monotonic()))[0]:
        try:
            part = os.read(reader, 65_536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(reader)
    return shown.decode("utf-8", "replace")
