"""`brain index --watch`: keep the index fresh, and answer the recalls of other processes from memory."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping

from brain_cli.cli._context import CommandContext, Screen, command_context, using_context
from brain_cli.cli._errors import bounded
from brain_cli.cli._output import say
from brain_cli.cli._workspace import Workspace, index_session
from brain_cli.daemon.address import address
from brain_cli.daemon.file_watcher import FileWatcher
from brain_cli.daemon.protocol import Request
from brain_cli.daemon.server import Reply, Server
from brain_cli.daemon.warm_index import DeclinedError, WarmIndex
from brain_cli.errors import OK, BrainError
from brain_cli.index.directory import LockedError
from brain_cli.index.session import FIRST_BUILD_SECONDS, RECALL_BOUND
from brain_cli.index.sync import BehindError, Vault
from brain_cli.paths import cache_home, config_home, state_home

ENDINGS = (signal.SIGTERM, signal.SIGHUP)


class StoppedError(BaseException):
    """Somebody wants the watcher to end."""


def watch(workspace: Workspace, poll_seconds: float = 0.0) -> int:
    """Keep an index fresh until stopped; 3 when another process does so already."""
    workspace.index_directory.prepare()
    # What is rendered here is for other terminals than this one.
    os.environ.pop("TERM", None)
    for number in ENDINGS:
        signal.signal(number, _stop)
    with contextlib.suppress(StoppedError), _alone(workspace):
        vault = Vault(workspace.vault, workspace.config.archive_folders, workspace.config.dates)
        Watcher(
            workspace, WarmIndex(vault, workspace.index_directory, FileWatcher(workspace.vault, say, poll_seconds))
        ).run()
    return OK


def _stop(number: int, frame: object) -> None:
    for each in ENDINGS:
        signal.signal(each, signal.SIG_IGN)
    raise StoppedError


@contextlib.contextmanager
def _alone(workspace: Workspace) -> Iterator[None]:
    """Be the one watcher of this index: a lock that any death frees."""
    with open(workspace.index_directory.folder / "watcher", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BrainError(
                f"Another brain watches {workspace.vault} already.", "Stop that one first, or let it be."
            ) from None
        yield


class Watcher:
    """One vault, its index held in memory, and the socket it is asked on."""

    def __init__(self, workspace: Workspace, warm_index: WarmIndex) -> None:
        self._here = workspace
        self._held = warm_index
        self._mine = command_context()._replace(warm_index=warm_index)
        self._server: Server | None = None
        self._is_deaf = False

    def run(self) -> None:
        """Follow the vault and answer, until an exception ends it."""
        try:
            with using_context(self._mine):
                self._held.watch.begin()
                self._refresh()
                self._listen()
                say(f"Watching {self._here.vault}.")
                while True:
                    self._listen()
                    if self._held.watch.wait():
                        self._refresh()
        finally:
            self._held.watch.close()
            if self._server:
                self._server.close()

    def _refresh(self) -> None:
        """Take in what has changed, then look once more: what came meanwhile, and what every look will warn of."""
        self._held.watch.looked()
        try:
            if not self._take_in_little():
                self._take_in_apart()
                index_session(self._here).refresh(wait_seconds=FIRST_BUILD_SECONDS)
            # Opened now, it need not be when somebody asks.
            index_session(self._here).ask(lambda _: None)
        except (LockedError, BrainError):
            # Another process is refreshing; the next look finds it done.
            pass
        except Exception as error:  # a watcher outlives any refresh that fails, and tries again at the next look
            say(f"The index could not be refreshed: {type(error).__name__}: {error}.")
            return
        if not self._held.is_fresh():
            self._held.watch.stir()

    def _take_in_little(self) -> bool:
        try:
            return bool(self._here.index_directory.build() and index_session(self._here).refresh(bound=RECALL_BOUND))
        except BehindError:
            return False

    def _take_in_apart(self) -> None:
        """Take in much in a process of its own: that gives its memory back, and leaves this one free to answer."""
        # Nothing is imported from the working folder: it may be the vault, and a note's neighbour no program.
        command = [sys.executable, "-P", "-m", "brain_cli", "index", "--vault", self._here.vault]
        with contextlib.suppress(OSError):  # where none can be started, it is done here
            subprocess.run(command, stdout=subprocess.DEVNULL, check=False)

    def _listen(self) -> None:
        """Open the socket, and open it anew where somebody has removed it."""
        if self._server and self._server.is_reachable():
            return
        if self._server:
            self._server.close()
            self._server = None
        try:
            self._server = Server(address(self._here.vault, self._mine.environ), self._respond)
        except OSError as error:
            if not self._is_deaf:
                say(f"Recalls are not answered from memory: {error.strerror or error}.")
            self._is_deaf = True

    def _respond(self, question: Request, reply: Reply) -> int | None:
        """Run a command for somebody else; None when it depends on what only its own process knows."""
        if _homes(question.environ) != _homes(self._mine.environ):
            return None
        context = CommandContext(
            environ=question.environ,
            folder=question.folder,
            stdin=lambda: _stdin(question),
            out=reply.out,
            err=reply.err,
            screen=lambda: Screen(*question.screen),
            warm_index=self._held,
        )
        try:
            with using_context(context):
                return bounded(question.argv)[0]
        except DeclinedError:
            return None


def _homes(environ: Mapping[str, str]) -> tuple[str | None, ...]:
    return environ.get("HOME"), cache_home(environ), config_home(environ), state_home(environ)


def _stdin(question: Request) -> bytes:
    if question.stdin is None:
        raise DeclinedError
    return question.stdin
