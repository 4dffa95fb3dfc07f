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
from collections.abc import Mapping, Sequence

from conftest import Vault

LINES = 20


def on_a_terminal(vault: Vault, *arguments: str, **environ: str) -> str:
    """Run a command on a terminal of 20 lines and 80 columns, also its stdin; return what the
    terminal gets.

    The vault is indexed before: on a slow machine a command would show the progress of that.
    """
    vault.brain("index", "--vault", vault.folder)
    code, shown = run_on_a_terminal(vault, [*arguments, "--vault", str(vault.folder)], environ)
    assert code in (0, 1), shown
    return shown


def run_on_a_terminal(
    vault: Vault, arguments: Sequence[str], environ: Mapping[str, str]
) -> tuple[int, str]:
    """Run a command on such a terminal; return its exit code, and what the terminal gets."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "brain_cli", *arguments],
        stdin=writer,
        stdout=writer,
        stderr=writer,
        env=vault.brain.environ(**{"TERM": "xterm", "PAGER": "cat", **environ}),
    )
    os.close(writer)
    shown = _all_of(reader)
    return process.wait(60), shown


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


class OnTerminal:
    """A command that runs on a pseudo-terminal of its own, with keys to send and a window to
    resize.
    """

    def __init__(self, vault: Vault, *arguments: str, **environ: str) -> None:
        self._reader, self.terminal = pty.openpty()
        self.resize(24, 100)
        self.settings = termios.tcgetattr(self.terminal)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "brain_cli", *arguments, "--vault", str(vault.folder)],
            stdin=self.terminal,
            stdout=self.terminal,
            stderr=self.terminal,
            env=vault.brain.environ(**{"TERM": "xterm", "PAGER": "cat", **environ}),
            preexec_fn=self._take_terminal,
        )
        self.shown = b""

    def _take_terminal(self) -> None:
        # In a session of its own, so that the system announces a new size of the window.
        os.setsid()
        fcntl.ioctl(self.terminal, termios.TIOCSCTTY, 0)

    def resize(self, lines: int, columns: int) -> None:
        fcntl.ioctl(
            self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0)
        )

    def send(self, keys: str) -> None:
        os.write(self._reader, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read what is shown until it has a text."""
        until = time.monotonic() + 60
        while text.encode() not in self.shown:
            assert time.monotonic() < until, self.shown
            has_ended = self.process.poll() is not None
            assert self._read() or not has_ended, self.shown

    def press(self, key: str) -> None:
        """Send one key once the command reads single keys; what is typed before that is thrown
        away.
        """
        until = time.monotonic() + 60
        while termios.tcgetattr(self.terminal)[3] & termios.ICANON and time.monotonic() < until:
            self._read()
        self.send(key)

    def end(self) -> int:
        """Read what is shown until the process ends; return its exit code."""
        until = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < until:
            self._read()
        code = self.process.wait(1)
        while select.select([self._reader], [], [], 0)[0]:
            self._read()
        return code

    def _read(self) -> bool:
        """Read what is there within a moment; return whether there was anything."""
        is_ready = bool(select.select([self._reader], [], [], 0.1)[0])
        if is_ready:
            self.shown += os.read(self._reader, 65_536)
        return is_ready
