"""Mutated notes, queries, configurations, histories and requests: each costs at most itself, and is
never a bug.

Every round has a number, which is its seed; a round that ever failed is kept in `seeds.json` and
runs first. BRAIN_TEST_ROUNDS sets how many new rounds follow (the long form, `python
tools/torture/run.py`, runs thousands).
"""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from brain_cli.daemon.protocol import Request, apply_path, encode, receive
from brain_cli.paths import socket_address, vault_name
from brain_cli.version import PROTOCOL_VERSION

if TYPE_CHECKING:
    from conftest import Answer, Vault

ROUNDS = int(os.environ.get("BRAIN_TEST_ROUNDS", "25"))
SEEDS: dict[str, list[int]] = json.loads((Path(__file__).parent / "seeds.json").read_text())
NOTE = """---
title: Tea
tags: [green, "black"]
date: 2024-01-01
pinned: true
files: ["src/tea.py", milk.md]
project: "kitchen"
supersedes: "[[soup]]"
salience: 0.5
snoozed: 2024-01-01
---
# Tea

See [[soup#Leek|the soup]], [milk](milk.md) and ![[picture.png]].

- one
  - two

| a | b |
|---|---|
| 1 | 2 |

```python
print("tea")
```
> quoted <!-- comment --> $x$ %%hidden%%
"""
QUERY = (
    'why "green tea" AND (milk OR -soup) tag:black type:decision since:2024-01-01 te* fuzy~2'
)
CONFIG = """scorer = "brain"
limit = 5
archive_folders = ["archive"]
[scorers.brain]
half_life_days = 30.0
[weights]
"decisions/" = 1.5
"""
HISTORY = (
    '{"v": 1, "at": 1700000000.0, "event": "shown", "notes": [["soup.md", "0123456789abcdef", 1.0]]}\n'
    * 3
)
PIECES = [
    *(
        b"\x00",
        b"\xff\xfe",
        b"\r",
        b"\n---\n",
        b"+++\n",
        b"[[",
        b"]]",
        b"](",
        b"```",
        b"\x1b]0;x\x07",
        b"\xe2\x80\xae",
    ),
    *(
        b"9" * 5000,
        b"(" * 300,
        b"> " * 200,
        b'"',
        b"*" * 100,
        b"&a *a",
        b"!!python/object",
        b"0xFF",
        b"1e999",
        b"NaN",
    ),
    *(
        b'"\\0"',
        b'"\\ud800"',
        b'"\\e[31m"',
        b"!!binary aGk=",
        b"99999-12-31",
        b".inf",
        b"0000-00-00",
    ),
    *(b"{" * 200, b"../../", b"\xf0\x9f\x98\x80", b"-1", b"null", b"[" * 1000),
]


def rounds(target: str) -> Iterator[tuple[int, random.Random]]:
    """Yield the kept seeds of a target, then new rounds, each with its own generator."""
    for seed in (*SEEDS[target], *range(ROUNDS)):
        yield seed, random.Random(f"{target} {seed}")


def mutated(content: bytes, generator: random.Random) -> bytes:
    """Return bytes with some pieces cut, doubled, flipped, swapped or replaced."""
    raw = bytearray(content)
    for _ in range(generator.randint(1, 8)):
        start = generator.randrange(len(raw) + 1)
        end = min(len(raw), start + generator.choice((0, 1, 4, 40)))
        kind = generator.randrange(4)
        if kind == 0:
            raw[start:end] = generator.choice(PIECES)
        elif kind == 1:
            raw[start:end] = raw[start:end] * generator.choice((0, 2, 50))
        elif kind == 2:
            raw[start:end] = bytes(
                byte ^ 1 << generator.randrange(8) for byte in raw[start:end]
            )
        else:
            raw[start:end] = generator.randbytes(end - start)
    return bytes(raw)


def is_no_bug(answer: Answer) -> bool:
    return (
        answer.code in (0, 1, 2, 3)
        and "bug in brain" not in answer.err
        and "Traceback" not in answer.err
    )


@pytest.fixture
def soup(vault: Vault) -> Vault:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    assert vault.brain("index", "--vault", vault.folder).code == 0
    return vault


def finds_the_soup(vault: Vault, *options: str) -> bool:
    # From a repository, so that the files that a note names are looked for.
    (vault.folder / ".git").mkdir(exist_ok=True)
    answer = vault.brain(
        "remember",
        "leek",
        "-n",
        "50",
        "--json",
        *options,
        "--vault",
        vault.folder,
        cwd=vault.folder,
    )
    return is_no_bug(answer) and any(
        result["path"] == "soup.md" for result in answer.json["results"]
    )


@pytest.mark.exhaustive
def test_a_mutated_note_costs_nothing_but_itself(soup: Vault) -> None:
    for seed, generator in rounds("note"):
        (soup.folder / "tea.md").write_bytes(mutated(NOTE.encode(), generator))
        assert finds_the_soup(soup), f"note, seed {seed}"
        for command in ("show", "related"):
            assert is_no_bug(soup.brain(command, "tea.md", "--vault", soup.folder)), (
                f"note, {command}, seed {seed}"
            )


@pytest.mark.exhaustive
def test_a_mutated_query_is_answered_or_refused(soup: Vault) -> None:
    soup.note("tea.md", NOTE)
    for seed, generator in rounds("query"):
        query = (
            mutated(QUERY.encode(), generator).replace(b"\0", b" ").decode("utf-8", "replace")
        )
        answer = soup.brain("remember", "--json", "--vault", soup.folder, "--", query)
        assert is_no_bug(answer), f"query, seed {seed}: {answer.err}"


@pytest.mark.parametrize("place", ["vault", "user"])
def test_a_mutated_configuration_is_read_or_refused(soup: Vault, place: str) -> None:
    path = soup.folder / ".brain" / "config.toml" if place == "vault" else soup.brain.config
    path.parent.mkdir(parents=True)
    for seed, generator in rounds("config"):
        path.write_bytes(mutated(CONFIG.encode(), generator))
        answer = soup.brain("remember", "leek", "--json", "--vault", soup.folder)
        assert is_no_bug(answer), f"config, seed {seed}: {answer.err}"


def test_a_mutated_history_never_stops_a_recall(soup: Vault) -> None:
    folder = soup.brain.state / vault_name(str(soup.folder))
    folder.mkdir(parents=True, exist_ok=True)
    for seed, generator in rounds("history"):
        (folder / "other.jsonl").write_bytes(mutated(HISTORY.encode(), generator))
        assert finds_the_soup(soup, "--no-touch"), f"history, seed {seed}"


def test_a_mutated_request_never_stops_the_daemon(soup: Vault) -> None:
    run = soup.folder.parent / "run"
    run.mkdir()
    environ = soup.brain.environ(XDG_RUNTIME_DIR=str(run))
    command = [
        sys.executable,
        "-m",
        "brain_cli",
        "index",
        "--watch",
        "--vault",
        str(soup.folder),
    ]
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as daemon:
        try:
            assert daemon.stderr
            daemon.stderr.readline()
            whole = encode(
                Request(["remember", "leek"], "/", {}, (False, False, 0, 0), None),
                PROTOCOL_VERSION,
            )
            for seed, generator in rounds("socket"):
                _send(socket_address(str(soup.folder), environ), mutated(whole, generator))
                assert daemon.poll() is None, f"socket, seed {seed}"
            assert _send(socket_address(str(soup.folder), environ), whole) is not None
        finally:
            daemon.kill()


def _send(path: str, message: bytes) -> bytes | None:
    """Send a message and end it; return the kind of the first frame of the answer, None where there
    is none.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        apply_path(path, "connect", connection)
        try:
            connection.sendall(message)
            connection.shutdown(socket.SHUT_WR)
            kind, _ = receive(connection)
        except OSError:
            return None
        return kind
