"""Whoever speaks on the socket, and whatever happens to the watcher: a recall is answered, by it or without it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from watching import Watched, until, watching

from brain_cli.daemon.address import address
from brain_cli.daemon.protocol import EXIT, WORKING, Request, encoded, frame, receive
from brain_cli.version import PROTOCOL_VERSION

if TYPE_CHECKING:
    from conftest import Vault


@pytest.fixture
def watched(vault: Vault) -> Iterator[Watched]:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        yield watched


def index_directory_of(watched: Watched) -> str:
    return address(str(watched.vault.folder), watched.vault.brain.environ(**watched.env))


def connected(watched: Watched) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(10)
    connection.connect(index_directory_of(watched))
    return connection


def asked(
    *argv: str, environ: Mapping[str, str] | None = None, stdin: bytes | None = None, spoken: str = PROTOCOL_VERSION
) -> bytes:
    return encoded(Request(list(argv), "/", dict(environ or {}), (False, False, 0), stdin), spoken)


def recalls(watched: Watched, *, warm: bool) -> bool:
    """Whether a recall answers as it should; `warm` says by whom."""
    shown = watched.ask("remember", "leek", "--format", "paths", "--no-touch", cwd=watched.vault.folder)
    assert (shown.code, shown.out, shown.err) == (0, b"soup.md\n", b"")
    return shown.warm == warm


def test_a_second_watcher_says_so_and_leaves_the_first_alone(watched: Watched) -> None:
    second = watched.vault.brain.process("index", "--watch", "--vault", watched.vault.folder, env=watched.env)
    assert second.code == 3
    assert "watches" in second.err
    assert "Traceback" not in second.err
    assert recalls(watched, warm=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_stopped_watcher_leaves_no_socket_and_no_lock(watched: Watched, number: signal.Signals) -> None:
    assert watched.stop(number) == (130 if number is signal.SIGINT else 0)
    assert not os.path.exists(index_directory_of(watched))
    assert recalls(watched, warm=False)
    assert watched.said.read_text().count("\n") == 1
    with watching(watched.vault) as again:
        assert recalls(again, warm=True)


def test_what_a_killed_watcher_leaves_hurts_nobody(watched: Watched) -> None:
    watched.stop(signal.SIGKILL)
    assert os.path.exists(index_directory_of(watched))
    assert recalls(watched, warm=False)
    with watching(watched.vault) as again:
        assert recalls(again, warm=True)


def test_a_watcher_that_does_not_answer_is_not_waited_for(watched: Watched) -> None:
    watched.process.send_signal(signal.SIGSTOP)
    assert recalls(watched, warm=False)
    watched.process.send_signal(signal.SIGCONT)
    until(lambda: recalls(watched, warm=True))


def test_the_socket_is_its_owners_alone(watched: Watched) -> None:
    assert stat.S_IMODE(os.stat(index_directory_of(watched)).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(index_directory_of(watched))).st_mode) == 0o700


@pytest.mark.parametrize("runtime", ["", "relative", "long" * 20])
def test_without_a_runtime_folder_the_socket_lies_beside_the_index(vault: Vault, runtime: str) -> None:
    deep = vault.folder.parent / ("deep" * 20) / ("er" * 30)
    deep.mkdir(parents=True)
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    if runtime.startswith("long"):
        runtime = str(vault.folder.parent / runtime)
        os.mkdir(runtime)
    with watching(vault, env={"XDG_RUNTIME_DIR": runtime, "XDG_CACHE_HOME": str(deep)}) as watched:
        assert index_directory_of(watched).startswith(str(deep))
        assert recalls(watched, warm=True)
        assert watched.stop() == 0
        assert not os.path.exists(index_directory_of(watched))


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"])
def test_who_lives_elsewhere_is_answered_from_there(watched: Watched, variable: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    env = {variable: str(elsewhere)}
    shown = watched.ask("remember", "leek", "--format", "paths", cwd=watched.vault.folder, env=env)
    assert (shown.code, shown.out, shown.err, shown.warm) == (0, b"soup.md\n", b"", False)


def test_another_vault_is_none_of_its_business(watched: Watched, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "rice.md").write_text("# Rice\n\nWith leek.\n")
    shown = watched.ask("remember", "leek", "--format", "paths", "--vault", other, cwd=other)
    assert (shown.code, shown.out, shown.warm) == (0, b"rice.md\n", False)
    # An option's value that looks like an option: only the command line itself reads it right.
    shown = watched.ask("remember", "leek", "--format", "paths", "--task", "--vault", cwd=watched.vault.folder)
    assert (shown.code, shown.out) == (0, b"soup.md\n")
    archive = watched.ask("remember", "leek", env={"BRAIN_ARCHIVE_FOLDERS": "old"})
    assert (archive.code, archive.warm) == (0, False)


def test_another_version_is_turned_away(watched: Watched) -> None:
    for spoken in ("brain 0.0.1 index 1", PROTOCOL_VERSION + "1", ""):
        with connected(watched) as connection:
            connection.sendall(asked("remember", "leek", spoken=spoken))
            assert receive(connection) == (b"n", b"")
    assert recalls(watched, warm=True)


def test_a_server_of_another_version_is_left_alone(watched: Watched) -> None:
    watched.stop()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(index_directory_of(watched))
        listening.listen()

        def decline() -> None:
            connection, _ = listening.accept()
            receive(connection)
            connection.sendall(frame(b"n"))
            connection.close()

        thread = threading.Thread(target=decline)
        thread.start()
        assert recalls(watched, warm=False)
        thread.join(10)


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"q\xff\xff\xff\xff",
        b"q\0\0\0\x08\0\0\0\xffabcd",
        b"\0" * 1_000,
        b"q\0\0\1\0half",
    ],
)
def test_garbage_is_not_answered_and_does_no_harm(watched: Watched, garbage: bytes) -> None:
    with connected(watched) as connection:
        connection.sendall(garbage)
        connection.shutdown(socket.SHUT_WR)
        # A socket that is closed with something unread says so.
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(100) in (b"", frame(b"n"))
    assert recalls(watched, warm=True)


def test_who_hangs_keeps_nobody_waiting(watched: Watched) -> None:
    hanging = [connected(watched) for _ in range(8)]
    for number, connection in enumerate(hanging):
        connection.sendall(asked("remember", "leek")[: 3 * number])
    assert all(recalls(watched, warm=True) for _ in range(5))
    for connection in hanging:
        connection.close()


def test_a_long_answer_holds_up_no_short_one(watched: Watched) -> None:
    lines = b'{"query": "leek soup"}\n' * 20_000
    with connected(watched) as connection:
        environ = {**watched.vault.brain.environ(**watched.env), "BRAIN_VAULT": str(watched.vault.folder)}
        connection.sendall(asked("remember", "--batch", "-", "--no-touch", environ=environ, stdin=lines))
        assert recalls(watched, warm=True)
        assert receive(connection)[0] == WORKING


def test_a_crash_is_a_bug_of_that_one_request(watched: Watched) -> None:
    # No process has a NUL among its arguments, so nothing is prepared for one.
    environ = {**watched.vault.brain.environ(**watched.env), "BRAIN_VAULT": str(watched.vault.folder)}
    with connected(watched) as connection:
        connection.sendall(asked("remember", "--batch", "\0", environ=environ))
        frames = [receive(connection)]
        while frames[-1][0] != EXIT:
            frames.append(receive(connection))
    assert frames[-1] == (EXIT, bytes([70]))
    assert b"This is a bug in brain" in b"".join(content for _, content in frames)
    assert recalls(watched, warm=True)


def as_nobody(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["setpriv", "--reuid=65534", "--clear-groups", sys.executable, "-c", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def nobody_can_run_this() -> bool:
    """Whether another user may read this Python and this package: in a private folder they may not."""
    return os.geteuid() == 0 and bool(shutil.which("setpriv")) and as_nobody("import brain_cli").returncode == 0


@pytest.mark.skipif(not nobody_can_run_this(), reason="only root can be somebody else, who must be able to read this")
def test_another_user_is_refused_and_does_not_ask(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        os.chmod(index_directory_of(watched), 0o666)
        for folder in Path(index_directory_of(watched)).parents:
            if folder.stat().st_uid == 0 and len(folder.parts) > 2:
                folder.chmod(0o755)
        asked = as_nobody(STRANGER, index_directory_of(watched))
        assert asked.stdout == "False b''\n"


STRANGER = """
import socket, sys
from brain_cli.daemon.address import is_own
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
print(is_own(connection), connection.recv(100))
"""
