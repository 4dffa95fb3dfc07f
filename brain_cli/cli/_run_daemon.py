"""Run the daemon of a vault (`brain index --watch`): keep the index up to date, and run the commands of clients."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping

from brain_cli.cli._background import index_command
from brain_cli.cli._daemon_work import BackgroundEmbedding, BackgroundSending
from brain_cli.cli._daemons import LOCK_NAME
from brain_cli.cli._errors import log_traceback, run_command
from brain_cli.cli._meaning import OFF
from brain_cli.cli._output import say
from brain_cli.cli._process import CommandContext, Screen, command_context, using_context
from brain_cli.cli._workspace import Workspace, index_session
from brain_cli.daemon.address import address
from brain_cli.daemon.daemon import BackgroundWork, Daemon, Tasks
from brain_cli.daemon.file_watcher import FileWatcher
from brain_cli.daemon.protocol import Request
from brain_cli.daemon.server import Response
from brain_cli.daemon.warm_index import DeclinedError, WarmIndex
from brain_cli.errors import OK, BrainError
from brain_cli.file_lock import lock_file
from brain_cli.index.directory import LockedError
from brain_cli.index.refresh_limit import BehindError
from brain_cli.index.session import FIRST_BUILD_SECONDS, RECALL_LIMIT
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

    If a shared memory is set, the vault's notes are sent there under `as_name`.
    With `idle_seconds` it ends after that time without a recall, or when the vault is gone.
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
        warm_index = WarmIndex(vault, workspace.index_directory, watcher)
        _run(workspace, warm_index, idle_seconds, as_name)
    return OK


def _run(workspace: Workspace, warm_index: WarmIndex, idle_seconds: float, as_name: str | None) -> None:
    context = command_context()._replace(warm_index=warm_index)
    say_once = _SayOnce()
    background: list[BackgroundWork] = [BackgroundEmbedding(workspace), BackgroundSending(workspace, say_once, as_name)]
    commands = DaemonCommands(workspace, context, warm_index, say_once)
    tasks = Tasks(commands.refresh, commands.respond, background)
    socket_path = address(workspace.vault, context.environ)
    with using_context(context):
        Daemon(workspace.vault, socket_path, warm_index.watcher, tasks, say_once, idle_seconds).run()


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
    """Hold the lock that allows one daemon per index; the system releases it when the process dies."""
    with open(workspace.index_directory.folder / LOCK_NAME, "a+", errors="surrogateescape") as file:
        # A process that checks for a daemon holds the lock briefly.
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


class _SayOnce:
    """Writes each line to stderr once, however often the daemon has reason to say it."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def __call__(self, line: str) -> None:
        if line not in self._said:
            self._said.add(line)
            say(line)


class DaemonCommands:
    """The commands that a daemon runs: refreshes of its index, and the command lines of its clients."""

    def __init__(
        self, workspace: Workspace, context: CommandContext, warm_index: WarmIndex, say_once: Callable[[str], None]
    ) -> None:
        self._workspace = workspace
        self._context = context
        self._warm_index = warm_index
        self._say_once = say_once

    def refresh(self) -> None:
        """Refresh the index, surviving any failure: the next change or rescan tries again."""
        watcher = self._warm_index.watcher
        watcher.mark_scanned()
        try:
            self._update()
        except LockedError:
            pass  # Another process is refreshing the index; check again soon.
        except BrainError as error:
            self._say_once(f"The index could not be refreshed. {error.message}")
            return
        except Exception as error:
            log = log_traceback(["index", "--watch", "--vault", self._workspace.vault])
            self._say_once(f"The index could not be refreshed: {type(error).__name__}. The traceback is in {log}.")
            return
        if not self._warm_index.is_fresh():
            watcher.notify()

    def _update(self) -> None:
        session = index_session(self._workspace)
        if not self._refresh_small():
            self._refresh_large()
            session.refresh(wait_seconds=FIRST_BUILD_SECONDS)
        # Open the snapshot now, so that the next recall does not have to.
        session.ask(lambda _: None)

    def _refresh_small(self) -> bool:
        """Index a few changed notes; return False if there are too many, or no index yet."""
        if not self._workspace.index_directory.build():
            return False
        try:
            index_session(self._workspace).refresh(limit=RECALL_LIMIT)
        except BehindError:
            return False
        return True

    def _refresh_large(self) -> None:
        """Refresh in another process, whose memory is freed at its end, while this one can answer."""
        command = index_command(self._workspace.vault)
        # Without the model and the server: words must be searchable before the notes are embedded and sent.
        environ = {**os.environ, "BRAIN_MEANING": OFF, "BRAIN_MEMORY": OFF}
        with contextlib.suppress(OSError):  # If no process can be started, this one does the work.
            subprocess.run(command, stdout=subprocess.DEVNULL, env=environ, check=False)

    def respond(self, request: Request, response: Response) -> int | None:
        """Run a client's command; return None if its answer depends on what only the client's process knows."""
        if _homes(request.environ) != _homes(self._context.environ):
            return None
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
