"""Whatever arrives at the socket or happens to the daemon, a recall is answered: by the daemon or
without it.
"""

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
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples import in_ci
from watching import Watched, until, watching

from brain_cli.daemon.protocol import (
    ACCEPTED,
    DECLINED,
    EXIT,
    MAX_REQUEST_BYTES,
    Request,
    apply_path,
    encode,
    frame,
    receive,
)
from brain_cli.paths import socket_address
from brain_cli.version import PROTOCOL_VERSION

if TYPE_CHECKING:
    from conftest import Vault


@pytest.fixture
def watched(vault: Vault) -> Iterator[Watched]:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        yield watched


@pytest.fixture(scope="module")
def untouched(new_vault: Callable[[], Vault]) -> Iterator[Watched]:
    """A vault with a daemon for all tests that leave the daemon as it is."""
    vault = new_vault()
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        yield watched


def socket_of(watched: Watched) -> str:
    return socket_address(str(watched.vault.folder), watched.vault.brain.environ(**watched.env))


def connected(watched: Watched) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(60)
    apply_path(socket_of(watched), "connect", connection)
    return connection


def request(
    *argv: str,
    environ: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    spoken: str = PROTOCOL_VERSION,
    folder: str = "/",
) -> bytes:
    return encode(
        Request(list(argv), folder, dict(environ or {}), (False, False, 0, 0), stdin), spoken
    )


def recalls(watched: Watched, *, warm: bool) -> bool:
    """Recall a note; return whether it was answered by the daemon (`warm`) or without it."""
    shown = watched.ask(
        "remember", "leek", "--format", "paths", "--no-touch", cwd=watched.vault.folder
    )
    assert (shown.code, shown.out, shown.err) == (0, b"soup.md\n", b"")
    return shown.warm == warm


@pytest.mark.exhaustive
def test_a_second_daemon_names_the_first_and_leaves_it_alone(watched: Watched) -> None:
    second = watched.vault.brain.process(
        "index", "--watch", "--vault", watched.vault.folder, env=watched.env
    )
    assert second.code == 3
    assert (
        f"{watched.vault.folder} is already being watched (pid {watched.process.pid})."
        in second.err
    )
    assert "Traceback" not in second.err
    assert recalls(watched, warm=True)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGTERM, in_ci(signal.SIGHUP), signal.SIGINT])
def test_a_stopped_daemon_leaves_no_socket_and_no_lock(
    watched: Watched, number: signal.Signals
) -> None:
    assert watched.stop(number) == (130 if number is signal.SIGINT else 0)
    assert not os.path.exists(socket_of(watched))
    assert recalls(watched, warm=False)
    assert watched.said.read_text().count("\n") == 1
    with watching(watched.vault) as again:
        assert recalls(again, warm=True)


@pytest.mark.exhaustive
def test_the_socket_of_a_killed_daemon_is_ignored_and_replaced(watched: Watched) -> None:
    watched.stop(signal.SIGKILL)
    assert os.path.exists(socket_of(watched))
    assert recalls(watched, warm=False)
    with watching(watched.vault) as again:
        assert recalls(again, warm=True)


@pytest.mark.exhaustive
def test_a_client_does_not_wait_for_a_daemon_that_hangs(watched: Watched) -> None:
    watched.process.send_signal(signal.SIGSTOP)
    assert recalls(watched, warm=False)
    watched.process.send_signal(signal.SIGCONT)
    until(lambda: recalls(watched, warm=True))


def test_only_the_owner_may_open_the_socket(untouched: Watched) -> None:
    assert stat.S_IMODE(os.stat(socket_of(untouched)).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(socket_of(untouched))).st_mode) == 0o700


@pytest.mark.exhaustive
@pytest.mark.parametrize("runtime", [in_ci(""), in_ci("relative"), "long" * 20])
def test_without_a_runtime_folder_the_socket_is_beside_the_index(
    vault: Vault, runtime: str
) -> None:
    deep = vault.folder.parent / ("deep" * 20) / ("er" * 30)
    deep.mkdir(parents=True)
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    if runtime.startswith("long"):
        runtime = str(vault.folder.parent / runtime)
        os.mkdir(runtime)
    with watching(
        vault, env={"XDG_RUNTIME_DIR": runtime, "XDG_CACHE_HOME": str(deep)}
    ) as watched:
        assert socket_of(watched).startswith(str(deep))
        assert recalls(watched, warm=True)
        assert watched.stop() == 0
        assert not os.path.exists(socket_of(watched))


@pytest.mark.parametrize(
    "variable",
    [in_ci("XDG_CACHE_HOME"), in_ci("XDG_CONFIG_HOME"), in_ci("XDG_STATE_HOME"), "HOME"],
)
def test_a_client_with_another_home_is_answered_without_the_daemon(
    untouched: Watched, variable: str, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    env = {variable: str(elsewhere)}
    shown = untouched.ask(
        "remember", "leek", "--format", "paths", cwd=untouched.vault.folder, env=env
    )
    assert (shown.code, shown.out, shown.err, shown.warm) == (0, b"soup.md\n", b"", False)


@pytest.mark.exhaustive
def test_the_daemon_declines_another_vault_and_other_archive_folders(
    untouched: Watched, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "rice.md").write_text("# Rice\n\nWith leek.\n")
    shown = untouched.ask("remember", "leek", "--format", "paths", "--vault", other, cwd=other)
    assert (shown.code, shown.out, shown.warm) == (0, b"rice.md\n", False)
    # The value of --task looks like an option: the client guesses the vault wrong, the daemon parses it
    # right.
    shown = untouched.ask(
        "remember", "leek", "--format", "paths", "--task", "--vault", cwd=untouched.vault.folder
    )
    assert (shown.code, shown.out) == (0, b"soup.md\n")
    archive = untouched.ask("remember", "leek", env={"BRAIN_ARCHIVE_FOLDERS": "old"})
    assert (archive.code, archive.warm) == (0, False)


def test_a_vault_reached_through_a_link_is_answered_too(
    untouched: Watched, tmp_path: Path
) -> None:
    link = tmp_path / "another-name"
    link.symlink_to(untouched.vault.folder)
    arguments = ["remember", "harbour", "--json", "--no-touch"]
    shown = untouched.ask(*arguments, env={"BRAIN_VAULT": str(link)})
    assert shown.warm
    assert (
        shown.answer
        == untouched.ask(*arguments, cold=True, env={"BRAIN_VAULT": str(link)}).answer
    )


def test_the_daemon_declines_another_protocol_version(untouched: Watched) -> None:
    for spoken in ("brain 0.0.1 index 1", PROTOCOL_VERSION + "1", ""):
        with connected(untouched) as connection:
            connection.sendall(request("remember", "leek", spoken=spoken))
            assert receive(connection) == (b"n", b"")
    assert recalls(untouched, warm=True)


@pytest.mark.exhaustive
def test_a_client_does_the_work_itself_when_a_server_declines(watched: Watched) -> None:
    watched.stop()
    with socket.socket(socket.AF_UNIX) as listening:
        apply_path(socket_of(watched), "bind", listening)
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
def test_garbage_gets_no_answer_and_the_daemon_goes_on(
    untouched: Watched, garbage: bytes
) -> None:
    with connected(untouched) as connection:
        connection.sendall(garbage)
        connection.shutdown(socket.SHUT_WR)
        # Closing a socket with unread bytes resets the connection.
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(100) in (b"", frame(b"n"))
    assert recalls(untouched, warm=True)


def test_a_request_of_more_than_a_megabyte_is_answered_without_the_daemon(
    untouched: Watched,
) -> None:
    with connected(untouched) as connection:
        connection.sendall(b"q" + (MAX_REQUEST_BYTES + 1).to_bytes(4, "big"))
        assert connection.recv(100) == b""
    question = b"leek" + b" " * MAX_REQUEST_BYTES
    shown = untouched.ask("remember", "-", "--format", "paths", "--no-touch", stdin=question)
    assert (shown.code, shown.warm, shown.out.count(b"\n")) == (0, False, 1)


def test_clients_that_hang_do_not_delay_others(untouched: Watched) -> None:
    hanging = [connected(untouched) for _ in range(8)]
    for number, connection in enumerate(hanging):
        connection.sendall(request("remember", "leek")[: 3 * number])
    assert all(recalls(untouched, warm=True) for _ in range(5))
    for connection in hanging:
        connection.close()


@pytest.mark.parametrize(
    "argv",
    [
        ("remember", "--batch", "-"),
        ("remember", "--synthesize", "leek"),
        ("index", "--full"),
        ("export", "--json"),
    ],
)
def test_what_takes_long_or_is_no_recall_is_declined(
    untouched: Watched, argv: tuple[str, ...]
) -> None:
    environ = {
        **untouched.vault.brain.environ(**untouched.env),
        "BRAIN_VAULT": str(untouched.vault.folder),
    }
    with connected(untouched) as connection:
        connection.sendall(request(*argv, environ=environ, stdin=b'{"query": "leek soup"}\n'))
        assert [receive(connection), receive(connection)] == [(ACCEPTED, b""), (DECLINED, b"")]


def test_a_crash_ends_only_its_own_request(untouched: Watched) -> None:
    # No folder has NUL in its name, so no command expects it.
    environ = {
        **untouched.vault.brain.environ(**untouched.env),
        "BRAIN_VAULT": str(untouched.vault.folder),
    }
    with connected(untouched) as connection:
        connection.sendall(request("context", environ=environ, folder="\0"))
        frames = [receive(connection)]
        while frames[-1][0] != EXIT:
            frames.append(receive(connection))
    assert frames[-1] == (EXIT, bytes([70]))
    assert b"This is a bug in brain" in b"".join(content for _, content in frames)
    assert recalls(untouched, warm=True)


@pytest.mark.exhaustive
def test_the_daemon_says_that_a_refresh_failed_and_tries_again(watched: Watched) -> None:
    (index,) = (watched.vault.brain.cache / "brain").iterdir()
    index.rename(index.with_name("away"))
    index.write_text("not a folder")
    watched.note("rice.md", "# Rice\n\nWith saffron.\n")
    until(lambda: "The index could not be refreshed" in watched.said.read_text())
    assert "Traceback" not in watched.said.read_text()
    index.unlink()
    watched.note("corn.md", "# Corn\n\nWith cumin.\n")
    until(
        lambda: (
            watched.paths("saffron") == ["rice.md"] and watched.paths("cumin") == ["corn.md"]
        )
    )
    # The first answer may still be one without the daemon.
    until(lambda: recalls(watched, warm=True))


def as_nobody(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["setpriv", "--reuid=65534", "--clear-groups", sys.executable, "-c", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def nobody_can_run_this() -> bool:
    """Return whether another user may read this Python and this package: not in a private folder."""
    return (
        os.geteuid() == 0
        and bool(shutil.which("setpriv"))
        and as_nobody("import brain_cli").returncode == 0
    )


@pytest.mark.exhaustive
@pytest.mark.skipif(
    not nobody_can_run_this(), reason="needs root, and a package that other users may read"
)
def test_another_user_is_refused_on_both_sides(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        os.chmod(socket_of(watched), 0o666)
        for folder in Path(socket_of(watched)).parents:
            if folder.stat().st_uid == 0 and len(folder.parts) > 2:
                folder.chmod(0o755)
        done = as_nobody(STRANGER, socket_of(watched))
        assert done.stdout == "False b''\n"


STRANGER = """
import socket, sys
from brain_cli.daemon.protocol import apply_path, is_same_user
connection = socket.socket(socket.AF_UNIX)
apply_path(sys.argv[1], "connect", connection)
print(is_same_user(connection), connection.recv(100))
"""
