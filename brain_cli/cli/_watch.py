"""`brain index --watch`: the daemon keeps the index fresh and answers the recalls of other processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping

from brain_cli.cli._context import CommandContext, Screen, command_context, using_context
from brain_cli.cli._daemons import LOCK_NAME
from brain_cli.cli._embedding import BackgroundEmbedding
from brain_cli.cli._errors import log_traceback, run_command
from brain_cli.cli._meaning import OFF
from brain_cli.cli._output import say
from brain_cli.cli._sending import BackgroundSending
from brain_cli.cli._workspace import Workspace, index_session
from brain_cli.daemon.address import address
from brain_cli.daemon.file_watcher import FileWatcher
from brain_cli.daemon.protocol import Request
from brain_cli.daemon.server import Response, Server
from brain_cli.daemon.warm_index import DeclinedError, WarmIndex
from brain_cli.errors import OK, BrainError
from brain_cli.file_lock import lock_file
from brain_cli.index.directory import LockedError
from brain_cli.index.refresh_limit import BehindError
from brain_cli.index.session import FIRST_BUILD_SECONDS, RECALL_BOUND
from brain_cli.index.sync import Vault
from brain_cli.paths import cache_home, config_home, state_home

# The number of this parameter of glibc's mallopt.
MALLOC_ARENA_MAX = -8
STOP_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class StoppedError(BaseException):
    """A signal asks the daemon to stop."""


def watch(
    workspace: Workspace, poll_seconds: float = 0.0, idle_seconds: float = 0.0, as_name: str | None = None
) -> int:
    """Keep an index fresh until a signal arrives; raise BrainError if another process does so already.

    A vault that has a shared memory is sent there, `as_name`.
    With `idle_seconds` it ends after that time without a recall, and when the vault has gone.
    """
    _share_one_heap()
    workspace.index_directory.prepare()
    # Answers are rendered for the clients' terminals, not for this process's own.
    os.environ.pop("TERM", None)
    for number in STOP_SIGNALS:
        signal.signal(number, _stop)
    with contextlib.suppress(StoppedError), _watcher_lock(workspace):
        vault = Vault(workspace.vault, workspace.config.archive_folders, workspace.config.dates)
        watcher = FileWatcher(workspace.vault, say, poll_seconds)
        Daemon(workspace, WarmIndex(vault, workspace.index_directory, watcher), idle_seconds, as_name).run()
    return OK


def _share_one_heap() -> None:
    """Let all threads allocate from one heap, if the C library can: a heap per thread would keep freed memory.

    Only one thread computes at a time, so this costs no speed.
    """
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(MALLOC_ARENA_MAX, 1)


def _stop(number: int, frame: object) -> None:
    for each in STOP_SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise StoppedError


@contextlib.contextmanager
def _watcher_lock(workspace: Workspace) -> Iterator[None]:
    """Hold the lock of this index's only daemon; the system frees it when the process dies."""
    with open(workspace.index_directory.folder / LOCK_NAME, "a+", errors="surrogateescape") as file:
        # A process that asks whether there is a daemon holds the lock for a moment.
        if not lock_file(file.fileno(), 0.2):
            raise _already_watched(workspace.vault, _read_pid(file.fileno()))
        file.truncate(0)
        file.write(f"{os.getpid()}\n{workspace.vault}\n")
        file.flush()
        yield


def _read_pid(descriptor: int) -> str:
    return os.pread(descriptor, 20, 0).decode("ascii", "replace").partition("\n")[0]


def _already_watched(vault: str, pid: str) -> BrainError:
    process = f" (pid {pid})" if pid.isdecimal() else ""
    hint = f"To stop that process: kill {pid}" if process else "Stop that process first."
    return BrainError(f"{vault} is already being watched{process}.", hint)


class Daemon:
    """One vault, its warm index, and the socket server that answers from it."""

    def __init__(
        self, workspace: Workspace, warm_index: WarmIndex, idle_seconds: float = 0.0, as_name: str | None = None
    ) -> None:
        self._workspace = workspace
        self._warm_index = warm_index
        self._watcher = warm_index.watcher
        self._context = command_context()._replace(warm_index=warm_index)
        self._server: Server | None = None
        self._reported: set[str] = set()
        self._idle_seconds = idle_seconds
        self._last_request = time.monotonic()
        self._embedding = BackgroundEmbedding(workspace)
        self._sending = BackgroundSending(workspace, self._say_once, as_name)

    def run(self) -> None:
        """Watch the vault and answer requests until an exception stops the daemon, or it is not needed any more."""
        try:
            with using_context(self._context):
                self._watcher.start()
                self._refresh()
                self._listen()
                say(f"Watching {self._workspace.vault}.")
                while not self._is_unneeded():
                    self._listen()
                    self._embedding.continue_if_due()
                    self._sending.continue_if_due()
                    if self._watcher.wait():
                        self._refresh()
        finally:
            self._watcher.close()
            self._embedding.close()
            self._sending.close()
            if self._server:
                self._server.close()

    def _is_unneeded(self) -> bool:
        """Return whether a daemon that may end has been idle for long enough, or has lost its vault."""
        if not self._idle_seconds:
            return False
        idle = time.monotonic() - self._last_request > self._idle_seconds
        return idle or not os.path.isdir(self._workspace.vault)

    def _refresh(self) -> None:
        """Refresh the index, surviving any failure: the next change or rescan tries again."""
        self._watcher.mark_scanned()
        try:
            self._bring_up_to_date()
        except LockedError:
            pass  # Another process is refreshing the index: look again soon.
        except BrainError as error:
            self._say_once(f"The index could not be refreshed. {error.message}")
            return
        except Exception as error:
            log = log_traceback(["index", "--watch", "--vault", self._workspace.vault])
            self._say_once(f"The index could not be refreshed: {type(error).__name__}. The traceback is in {log}.")
            return
        if not self._warm_index.is_fresh():
            self._watcher.notify()

    def _bring_up_to_date(self) -> None:
        session = index_session(self._workspace)
        if not self._take_in_few():
            self._take_in_many()
            session.refresh(wait_seconds=FIRST_BUILD_SECONDS)
        # Open the snapshot now, so that the next recall does not have to.
        session.ask(lambda _: None)

    def _take_in_few(self) -> bool:
        """Take in a few changed notes; return False if there are too many, or no index yet."""
        if not self._workspace.index_directory.build():
            return False
        try:
            index_session(self._workspace).refresh(bound=RECALL_BOUND)
        except BehindError:
            return False
        return True

    def _take_in_many(self) -> None:
        """Refresh in another process, whose memory is freed at its end, while this one can answer."""
        # -P: import nothing from the working folder, which may be the vault and hold files of strangers.
        command = [sys.executable, "-P", "-m", "brain_cli", "index", "--vault", self._workspace.vault]
        # Without the model and the server: words must be searchable before the notes are embedded and sent.
        environ = {**os.environ, "BRAIN_MEANING": OFF, "BRAIN_MEMORY": OFF}
        with contextlib.suppress(OSError):  # If no process can be started, this one does the work.
            subprocess.run(command, stdout=subprocess.DEVNULL, env=environ, check=False)

    def _listen(self) -> None:
        """Open the socket, or open it again if somebody has removed it."""
        if self._server and self._server.is_reachable():
            return
        if self._server:
            self._server.close()
            self._server = None
        try:
            self._server = Server(address(self._workspace.vault, self._context.environ), self._respond)
        except OSError as error:
            self._say_once(f"Recalls are not answered from memory: {error.strerror or error}.")

    def _say_once(self, line: str) -> None:
        if line not in self._reported:
            self._reported.add(line)
            say(line)

    def _respond(self, request: Request, response: Response) -> int | None:
        """Run a client's command; return None if its answer depends on what only the client's process knows."""
        if _homes(request.environ) != _homes(self._context.environ):
            return None
        self._last_request = time.monotonic()
        context = CommandContext(
            environ=request.environ,
            folder=request.folder,
            stdin=lambda: _stdin(request),
            out=response.out,
            err=response.err,
            screen=lambda: Screen(*request.screen),
            warm_index=self._warm_index,
        )
        try:
            with using_context(context):
                return run_command(request.argv)[0]
        except DeclinedError:
            return None


def _homes(environ: Mapping[str, str]) -> tuple[str | None, ...]:
    return environ.get("HOME"), cache_home(environ), config_home(environ), state_home(environ)


def _stdin(request: Request) -> bytes:
    if request.stdin is None:
        raise DeclinedError
    return request.stdin
