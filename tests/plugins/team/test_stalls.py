"""A server, a network or a lock that stalls: a question ends in time with the vault's own answer, an
event is given up with a line.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from conftest import Vault
from examples import few_every_day
from postgres_server import Server

pytest.importorskip("psycopg", reason="the extra [postgresql] is not installed")

from brain_cli.plugins.team import history, stores
from brain_cli.plugins.team.patience import Patience

SHORT = Patience(whole=2.0, statement=1, lock=1)


class Proxy:
    """Stands between brain and a server, and fails in the way of `kind` after some bytes of the
    server, or after a word of brain.
    """

    def __init__(self, port: int, kind: str, after: int = 0, word: bytes = b"") -> None:
        self._port, self._kind, self._after, self._word = port, kind, after, word
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._fails = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._port))
            threading.Thread(target=self._ask, args=(client, server), daemon=True).start()
            threading.Thread(target=self._answer, args=(client, server), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket) -> None:
        try:
            while data := client.recv(1 << 16):
                if self._word and self._word in data:
                    self._fails.set()
                if self._kind == "reads nothing more" and self._fails.is_set():
                    return
                server.sendall(data)
        except OSError:
            return

    def _answer(self, client: socket.socket, server: socket.socket) -> None:
        count = 0
        try:
            while data := server.recv(1 << 16):
                count += len(data)
                if self._fails.is_set() or (not self._word and count > self._after):
                    self._fails.set()
                    self._fail(client, data)
                    return
                client.sendall(data)
        except OSError:
            return

    def _fail(self, client: socket.socket, data: bytes) -> None:
        match self._kind:
            case "closes":
                client.close()
            case "half an answer":
                client.sendall(data[: len(data) // 2])
            case "a byte a second":
                for each in data[:30]:
                    client.sendall(bytes([each]))
                    time.sleep(0.5)
            case "other bytes":
                client.sendall(b"\x1b[2J" * 100)
            case "no end of nothing":
                while True:
                    client.sendall(b"N\0\0\0\x13SNOTICE\0C00000\0\0" * 10)


KINDS = (
    "half an answer",
    "no more answer",
    "reads nothing more",
    "a byte a second",
    "closes",
    "other bytes",
    "no end of nothing",
)
# At once, while it is logged in, in the first answer, in later ones.
PLACES = (0, 300, 700, 2_000)


@pytest.fixture
def sent(
    server: Server, vault: Vault, memory: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., str]]:
    """Return a function that gives the address of a memory behind a proxy that fails."""
    proxies = []
    vault.note("a.md", "# Otters\n\nThey swim.")
    assert vault.brain("index", "--vault", vault.folder, "--memory", memory).code == 0
    vault.note("b.md", "# Otters\n\nThey dive.")

    def address(*how: object) -> str:
        proxy = Proxy(server.port, *how)  # type: ignore[arg-type]
        proxies.append(proxy)
        return memory.replace(f":{server.port}/", f":{proxy.port}/") + "?connect_timeout=2"

    monkeypatch.setattr(stores, "QUESTION", SHORT)
    monkeypatch.setattr(history, "EVENT", SHORT)
    yield address
    for proxy in proxies:
        proxy.close()


def only_ours(text: str) -> bool:
    """Return whether every line is one of brain's own."""
    return all(line.startswith(("brain: ", "  ")) for line in text.splitlines())


@pytest.mark.parametrize("after", few_every_day(PLACES, 2))
@pytest.mark.parametrize("kind", few_every_day(KINDS, 3))
def test_a_question_ends_with_the_answer_of_the_vault(
    vault: Vault, sent: Callable[..., str], kind: str, after: int
) -> None:
    told = {"BRAIN_MEMORY": sent(kind, after)}
    answer = vault.brain(
        "remember", "otters", "--format", "paths", "--vault", vault.folder, env=told
    )
    assert answer.code == 0
    assert "b.md" in answer.out
    assert "This answer is from the vault alone" in answer.err
    assert only_ours(answer.err), answer.err
    hooked = vault.brain(
        "context", "--prompt", "otters dive", "--vault", vault.folder, env=told
    )
    assert (hooked.code, "b.md" in hooked.out, only_ours(hooked.err)) == (0, True, True), (
        hooked.err
    )


@pytest.mark.parametrize("kind", few_every_day(KINDS, 2))
def test_an_event_is_given_up_with_a_line(
    vault: Vault, sent: Callable[..., str], kind: str
) -> None:
    told = {"BRAIN_MEMORY": sent(kind, 0, b"brain.record")}
    answer = vault.brain(
        "remember", "otters", "--format", "plain", "--vault", vault.folder, env=told
    )
    assert (answer.code, "notes:a.md" in answer.out) == (0, True)
    assert "This was not recorded." in answer.err
    assert only_ours(answer.err), answer.err


LOCKS = {
    "the tables": "lock table brain.notes in access exclusive mode",
    "the events": "lock table brain.events in access exclusive mode",
    "the row of the user": "select brain.record('{}', '{}')",
    "the vault": "update brain.vaults set token = ''",
    "an advisory lock": "select pg_advisory_lock(4724001), pg_advisory_lock(hashtextextended('tester', 4724002))",
}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_of_somebody_else_delays_but_never_stops(
    server: Server, vault: Vault, memory: str, sent: Callable[..., str], lock: str
) -> None:
    import psycopg

    told = {"BRAIN_MEMORY": memory}
    with psycopg.connect(memory) as connection:
        connection.execute(LOCKS[lock])
        answer = vault.brain(
            "remember", "otters", "--format", "plain", "--vault", vault.folder, env=told
        )
        assert (answer.code, "a.md" in answer.out) == (0, True), answer.err
        assert only_ours(answer.err), answer.err
        if lock == "the row of the user":
            assert "This was not recorded." in answer.err
        connection.rollback()
    assert vault.brain("index", "--vault", vault.folder, env=told).code == 0


@pytest.mark.exhaustive
def test_a_name_that_no_server_looks_up_ends_too(
    vault: Vault, sent: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look-up of a name has no timeout; a thread that never ends stands for it."""
    from brain_cli.plugins.team.connection import TimelyConnection

    monkeypatch.setattr(TimelyConnection, "connect", lambda **_: threading.Event().wait())
    answer = vault.brain(
        "remember",
        "otters",
        "--vault",
        vault.folder,
        env={"BRAIN_MEMORY": "postgresql://127.0.0.1/memory"},
    )
    assert (answer.code, "answers too slowly" in answer.err) == (0, True)
