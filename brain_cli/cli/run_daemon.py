"""Run the daemon of a vault (`brain index --watch`): keep the index up to date, and run the
commands of clients. Start, list and stop daemons.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType

from brain_cli.cli._quick import is_declined
from brain_cli.cli.boundary import log_traceback, run_command
from brain_cli.cli.common import CommonOptions
from brain_cli.config import switched_off
from brain_cli.daemon.client import is_daemon_command
from brain_cli.daemon.loop import BackgroundWork, Daemon, Send
from brain_cli.daemon.processes import (
    LOCK_NAME,
    RunningDaemon,
    daemon_in,
    index_command,
    running_daemons,
    start_daemon,
)
from brain_cli.daemon.protocol import ERR, OUT, PAGED, Request
from brain_cli.daemon.warm_index import DeclinedError, WarmIndex
from brain_cli.daemon.watcher import FileWatcher
from brain_cli.errors import NOTHING_FOUND, OK, BrainError
from brain_cli.extension import hooks
from brain_cli.files import lock_file
from brain_cli.index.directory import LockedError, stamp
from brain_cli.index.session import FIRST_BUILD_SECONDS, RECALL_LIMIT
from brain_cli.index.sync_plan import BehindError
from brain_cli.library.vault import Vault, index_session, open_vault
from brain_cli.paths import cache_home, config_home, socket_address, state_home
from brain_cli.printable import one_line
from brain_cli.process import CommandContext, Terminal, command_context, using_context
from brain_cli.render.formats import Row
from brain_cli.streams import say, write_lines

# SIGINT has a handler, too, because a command that the daemon runs would take Ctrl-C for its own.
STOP_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
# A process that checks for a daemon holds its lock briefly.
LOCK_SECONDS = 0.2
LOWEST_PRIORITY = 19
CLOSE_SECONDS = 2.0
STOP_SECONDS = 10.0
MAX_ERROR_BYTES = 4_000
# A note that is being written changes every few seconds. So the pause between two processes that
# embed notes is ten times the duration of the last one, but at most half a minute. The note's words
# are searchable in the meantime.
PAUSE = 10
MAX_PAUSE_SECONDS = 30.0


class StoppedError(BaseException):
    """A signal asks the daemon to stop."""


def watch(
    vault: Vault,
    poll_seconds: float = 0.0,
    idle_seconds: float = 0.0,
    added: Mapping[str, object] = MappingProxyType({}),
) -> int:
    """Keep an index fresh until a signal arrives; raise BrainError if another process does so
    already.

    `added` are the options that plugins add to the command.
    With `idle_seconds` it ends after that time without a recall, or when the vault is gone.
    """
    # Answers are rendered for the clients' terminals, not for this process's own.
    os.environ.pop("TERM", None)
    watcher = FileWatcher(vault.folder, say, poll_seconds)
    warm_index = WarmIndex(vault.indexed, vault.index_directory, watcher)
    with contextlib.suppress(StoppedError), contextlib.closing(WatcherLock(vault)) as lock:
        if not lock.take():
            holder = daemon_in(vault.index_directory.folder)
            process = f" (pid {holder.pid})" if holder else ""
            raise BrainError(
                f"{vault.folder} is already being watched{process}.",
                f"To stop that process: kill {holder.pid}" if holder else "Try again.",
            )
        say_once = cache(say)  # each line once, however often there is reason to say it
        context = command_context()._replace(warm_index=warm_index)
        background: list[BackgroundWork] = [work_after_index(vault)]
        background += (
            hook(vault, say_once, added) for hook in hooks("background", vault.config)
        )
        commands = DaemonCommands(vault, context, warm_index, say_once)
        for number in STOP_SIGNALS:
            signal.signal(number, commands.stop)
        socket_path = socket_address(vault.folder, context.environ)
        with using_context(context):
            work = [*background, commands]
            daemon = Daemon(
                vault.folder,
                socket_path,
                watcher,
                commands.refresh,
                commands.respond,
                work,
                say_once,
                idle_seconds,
            )
            daemon.run(lock.is_held)
    return OK


class WatcherLock:
    """The lock that allows one daemon per index; the system releases it when the process dies."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._path = vault.index_directory.folder / LOCK_NAME
        self._handle: int | None = None

    def take(self) -> bool:
        """Lock the file and write this process's id into it; return False if another process holds
        it.
        """
        self.close()
        self._vault.index_directory.prepare()
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not lock_file(self._handle, LOCK_SECONDS):
            return False
        os.ftruncate(self._handle, 0)
        os.pwrite(
            self._handle,
            f"{os.getpid()}\n{self._vault.folder}\n".encode("utf-8", "surrogateescape"),
            0,
        )
        return True

    def is_held(self) -> bool:
        """Return whether this process is the daemon; if the file was deleted with the cache, it is
        made again.
        """
        try:
            now = self._path.stat()
            if self._handle is not None and os.path.samestat(now, os.fstat(self._handle)):
                return True
        except OSError:
            pass
        try:
            return self.take()
        except (OSError, BrainError):
            # The folder cannot be made now: an answer from the old files is better than none.
            return True

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
        self._handle = None


@dataclass
class DaemonCommands:
    """The commands that a daemon runs: refreshes of its index, and the command lines of its
    clients.
    """

    vault: Vault
    context: CommandContext
    warm_index: WarmIndex
    say_once: Callable[[str], None]
    _large: subprocess.Popen[bytes] | None = None
    _is_started: bool = False
    _stopped_by: int | None = None

    # The signature of a signal handler.
    def stop(self, number: int, frame: object) -> None:  # noqa: ARG002
        """Stop the daemon: at once, or after the command that it runs for a client."""
        self._stopped_by = number
        if not self.warm_index.is_asked:
            self._end()

    def _end(self) -> None:
        for each in STOP_SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt if self._stopped_by == signal.SIGINT else StoppedError

    def refresh(self) -> None:
        """Refresh the index, surviving any failure: the next change or rescan tries again."""
        watcher = self.warm_index.watcher
        watcher.mark_scanned()
        try:
            self._update()
        except LockedError:
            pass  # Another process is refreshing the index; check again soon.
        except BrainError as error:
            self.say_once(f"The index could not be refreshed. {error.message}")
            return
        except Exception as error:
            log = log_traceback(["index", "--watch", "--vault", self.vault.folder])
            self.say_once(
                f"The index could not be refreshed: {type(error).__name__}. The traceback is in "
                f"{log}."
            )
            return
        if not self._large and not self.warm_index.is_fresh():
            watcher.notify()

    def _update(self) -> None:
        if self._large:
            return  # Its end is followed by another refresh.
        session = index_session(self.vault)
        if not self._refresh_small():
            self._start_large()
            if self._is_started and self._large:
                return
            # There are no clients yet that would wait.
            if self._large:
                self._large.wait()
            self._large = None
            session.refresh(wait_seconds=FIRST_BUILD_SECONDS)
        self._is_started = True
        # Open the snapshot now, so that the next recall does not have to.
        session.ask(lambda _: None)

    def _refresh_small(self) -> bool:
        """Index a few changed notes; return False if there are too many, or no index yet."""
        if not self.vault.index_directory.build():
            return False
        try:
            index_session(self.vault).refresh(limit=RECALL_LIMIT)
        except BehindError:
            return False
        return True

    def _start_large(self) -> None:
        """Refresh in another process, whose memory is freed at its end, while this one
        can answer.
        """
        command = index_command(self.vault.folder)
        # Without the work of plugins: words must be searchable before the notes are embedded and
        # sent.
        environ = {**os.environ, **switched_off()}
        with contextlib.suppress(
            OSError
        ):  # If no process can be started, this one does the work.
            self._large = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environ)

    def continue_if_due(self) -> None:
        """Refresh again after a large refresh, for what changed meanwhile, or if it has failed."""
        if self._large and self._large.poll() is not None:
            failed = self._large.returncode != 0
            self._large = None
            if failed:
                self._is_started = (
                    False  # This process does the next one itself, and says why if it fails.
                )
            self.warm_index.watcher.notify()

    def close(self) -> None:
        """Stop a large refresh; the next one goes on where it was."""
        if self._large and self._large.poll() is None:
            self._large.terminate()

    def respond(self, request: Request, send: Send) -> int | None:
        """Run a client's command; return None if its answer depends on what only the client's
        process knows.
        """
        is_same_user = _homes(request.environ) == _homes(self.context.environ)
        if not is_same_user or not is_daemon_command(request.argv) or is_declined(request.argv):
            return None
        context = CommandContext(
            environ=request.environ,
            folder=request.folder,
            stdin=lambda: _stdin(request),
            out=partial(send, OUT),
            page=partial(send, PAGED),
            err=lambda text: send(ERR, text.encode("utf-8", "backslashreplace")),
            screen=lambda: Terminal(*request.screen),
            said=set(),
            warm_index=self.warm_index,
        )
        self.warm_index.is_asked = True
        try:
            with using_context(context):
                return run_command(request.argv)
        except DeclinedError:
            return None
        finally:
            self.warm_index.is_asked = False
            if self._stopped_by is not None:
                self._end()


def _homes(environ: Mapping[str, str]) -> tuple[str | None, ...]:
    return environ.get("HOME"), cache_home(environ), config_home(environ), state_home(environ)


def _stdin(request: Request) -> bytes:
    if request.stdin is None:
        raise DeclinedError
    return request.stdin


@dataclass
class BackgroundIndex:
    """Runs `brain index` in a process of its own, and again whenever its `state` is another one;
    without a state, nothing is done.

    Stopping a process loses no work: every note that it embedded or sent is complete. After one
    that took a second comes a pause of `pause` seconds; `failed` gets what a failing one wrote to
    stderr, at most 4,000 bytes of it.
    """

    command: Sequence[str]
    environ: Mapping[str, str]
    state: Callable[[], object]
    pause: float = 0.0
    failed: Callable[[str], None] = lambda _: None
    _process: subprocess.Popen[bytes] | None = None
    _done: object = None
    _started: float = 0.0
    _next: float = 0.0

    def close(self) -> None:
        """Stop the process, and wait two seconds for its end."""
        if self._process and self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(CLOSE_SECONDS)

    def continue_if_due(self) -> None:
        """Start a process if the last one has ended, and the state has changed since it began."""
        if self._process and self._process.poll() is not None:
            self._record_end(self._process)
            self._process = None
        if self._process or time.monotonic() < self._next:
            return
        state = self.state()
        if state and state != self._done:
            self._done = state
            self._started = time.monotonic()
            self._start()

    def _start(self) -> None:
        """Start the process; if the system cannot start it, nothing happens."""
        quiet = subprocess.DEVNULL
        environ = {**os.environ, **self.environ}
        with contextlib.suppress(OSError):
            self._process = subprocess.Popen(
                self.command, stdin=quiet, stdout=quiet, stderr=subprocess.PIPE, env=environ
            )
            os.setpriority(os.PRIO_PROCESS, self._process.pid, LOWEST_PRIORITY)

    def _record_end(self, process: subprocess.Popen[bytes]) -> None:
        with process:
            error = process.stderr.read(MAX_ERROR_BYTES) if process.stderr else b""
        now = time.monotonic()
        self._next = now + min(MAX_PAUSE_SECONDS, self.pause * (now - self._started))
        if process.returncode:
            self._done = None
            self._next = now + MAX_PAUSE_SECONDS
            self.failed(error.decode("utf-8", "replace"))


def work_after_index(vault: Vault) -> BackgroundIndex:
    """Return the work of plugins once the words of new notes are searchable (`after_index`), done
    whenever the index or the models have changed.
    """

    def state() -> object:
        found = (hook(vault) for hook in hooks("stamp", vault.config))
        stamps = [each for each in found if each is not None]
        return stamps and (stamp(vault.index_directory), stamps)

    command = index_command(vault.folder)
    return BackgroundIndex(command, switched_off("after_index"), state, pause=PAUSE)


def detach(vault: Vault, idle_minutes: float) -> int:
    """Start the daemon of a vault, unless one is running, and print its process id."""
    found = daemon_in(vault.index_directory.folder)
    settings = vault.config.of_plugins
    pid = found.pid if found else start_daemon(vault.folder, settings, idle_minutes)
    write_lines([f"Watching {one_line(vault.folder)} (pid {pid})."])
    return OK


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
    rows = [
        Row(
            one_line(f"{did}: {each.vault} (pid {each.pid})"),
            {"pid": each.pid, "vault": each.vault},
        )
        for each in daemons
    ]
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
