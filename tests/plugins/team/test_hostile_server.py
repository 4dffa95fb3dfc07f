"""A server that is not what it says: its texts reach no terminal, and a recall answers from the
vault alone.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from conftest import Vault

pytest.importorskip("psycopg", reason="the extra [postgresql] is not installed")

SECRET = "hunter2"
WORDS = f"\x1b]0;owned\x07\x1b[2J\x9b31m\u202e password={SECRET} \r\n\r\nTraceback"


def error_response(code: str, text: str) -> bytes:
    """Return PostgreSQL's message for an error."""
    fields = {b"S": "FATAL", b"C": code, b"M": text, b"D": text, b"H": text}
    content = b"".join(key + value.encode() + b"\0" for key, value in fields.items()) + b"\0"
    return b"E" + (len(content) + 4).to_bytes(4, "big") + content


ANSWERS = {
    "an error of its own": error_response("XX000", WORDS),
    "a refusal": error_response("28P01", WORDS),
    "a code that steers": error_response("\x1b[2J"[:5], WORDS),
    "garbage": b"\x1b]0;owned\x07" * 100,
    "nothing": b"",
}


@pytest.fixture
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server that answers every connection with the same bytes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(
            target=serve, args=(server, ANSWERS[request.param]), daemon=True
        ).start()
        yield f"postgresql://me@127.0.0.1:{server.getsockname()[1]}/memory?sslmode=disable"


def serve(server: socket.socket, answer: bytes) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.recv(1_000)
            connection.sendall(answer)


@pytest.mark.parametrize("address", ANSWERS, indirect=True)
def test_what_a_server_says_steers_no_terminal_and_costs_no_answer(
    vault: Vault, address: str
) -> None:
    vault.note("tea.md", "# Tea\n\nGreen tea.\n")
    vault.brain.config.parent.mkdir(parents=True)
    vault.brain.config.write_text(f'memory = "{address}"\n')
    answer = vault.brain("remember", "green tea", "--format", "paths", "--vault", vault.folder)
    assert answer.out.endswith("/tea.md\n")
    assert "This answer is from the vault alone" in answer.err
    for hostile in ("\x1b", "\x07", "\u202e", "\x9b", SECRET, "Traceback"):
        assert hostile not in answer.err
    assert answer.err.count("\n") <= 2
