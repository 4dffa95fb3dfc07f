"""A `brain` on the PATH of a shell that starts quickly, because it is forked from a process that
has imported it.

A script runs the program as it does any other: with arguments, environment, working folder and
streams of its own. `cold_program` is a process of its own from the beginning.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import marshal
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parents[1]
# Commands of these import what no other command needs.
NOT_IMPORTED = ("mcp", "postgresql", "meaning", "evaluation")
ALSO_IMPORTED = (
    "rich.console",
    "rich.table",
    "rich.text",
    "typer.core",
    "yaml",
    "frontmatter",
    "whoosh.index",
)
IN_A_PROCESS_OF_ITS_OWN = """\
#!/bin/sh
exec "{python}" -m brain_cli "$@"
"""
# Without `site`, this starts in a tenth of the time of `brain`.
ASKING = """\
#!{python} -IS
import _socket, array, marshal, posix, sys
# Another PYTHONPATH is another program.
if posix.environ.get(b"PYTHONPATH", {root!r}) != {root!r}:
    posix.execv({python!r}, [{python!r}, "-m", "brain_cli", *sys.argv[1:]])
server = _socket.socket(_socket.AF_UNIX)
server.connect({address!r})
request = marshal.dumps((sys.argv[1:], posix.getcwd(), dict(posix.environ)))
streams = array.array("i", range(3))
server.sendmsg([len(request).to_bytes(8, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
server.sendall(request)
posix._exit(server.recv(1)[0])
"""


class WarmProgram:
    """A folder with the program `brain`, and the server that answers it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        address = str(folder / "server")
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._server = subprocess.Popen(
            [sys.executable, __file__, address], env=environ, stdout=subprocess.PIPE
        )
        assert self._server.stdout
        assert self._server.stdout.readline() == b"ready\n"
        _write(
            folder / "brain",
            ASKING.format(python=sys.executable, root=os.fsencode(ROOT), address=address),
        )

    def stop(self) -> None:
        self._server.kill()
        self._server.communicate()


def cold_program(folder: Path) -> Path:
    """Return a new folder with a program `brain` that starts a process of its own."""
    folder.mkdir()
    _write(folder / "brain", IN_A_PROCESS_OF_ITS_OWN.format(python=sys.executable))
    return folder


def _write(program: Path, text: str) -> None:
    program.write_text(text)
    program.chmod(0o755)


class Server:
    """Fork a process for each request, and send its exit code when it has ended."""

    def __init__(self, address: str) -> None:
        self._clients: dict[int, socket.socket] = {}
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(address)
        self._listener.listen(64)
        self._ended, wakeup = os.pipe()
        os.set_blocking(wakeup, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakeup)

    def serve(self) -> NoReturn:
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([self._listener.fileno(), self._ended], [], [])
            if self._ended in ready:
                os.read(self._ended, 64)
                self._send_exit_codes()
            if self._listener.fileno() in ready:
                self._start(self._listener.accept()[0])

    def _start(self, client: socket.socket) -> None:
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._listener.close()
            _run(client)
        self._clients[pid] = client

    def _send_exit_codes(self) -> None:
        while self._clients:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            code = os.waitstatus_to_exitcode(status)
            with self._clients.pop(pid) as client, contextlib.suppress(OSError):
                client.sendall(bytes([code if code >= 0 else 128 - code]))


def _import_everything() -> None:
    import brain_cli

    for module in pkgutil.walk_packages(brain_cli.__path__, "brain_cli."):
        if not any(part in module.name for part in NOT_IMPORTED) and not module.name.endswith(
            "__main__"
        ):
            importlib.import_module(module.name)
    for name in ALSO_IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


def _run(client: socket.socket) -> NoReturn:
    """Run the command that is asked for."""
    head, streams, _, _ = socket.recv_fds(client, 8, 3)
    with client, client.makefile("rb") as rest:
        arguments, folder, environ = marshal.loads(rest.read(int.from_bytes(head, "big")))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environb.update(environ)
    time.tzset()
    os.chdir(folder)
    import brain_cli.__main__ as entry

    sys.argv = [str(entry.__file__), *arguments]
    sys.stdin, sys.stdout, sys.stderr = (
        _opened("r"),
        _opened("w"),
        _opened("w", 2, "backslashreplace"),
    )
    code: Any = 1
    try:
        entry.main()
    except SystemExit as exited:
        code = exited.code
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def _opened(mode: str, number: int = 1, errors: str = "surrogateescape") -> Any:
    number = 0 if mode == "r" else number
    return open(
        number,
        mode,
        encoding="utf-8",
        errors=errors,
        closefd=False,
        buffering=1 if number == 2 else -1,
    )


if __name__ == "__main__":
    _import_everything()
    Server(sys.argv[1]).serve()
