"""Writers that are killed leave whole notes: each note in the memory is one that some writer sent,
in full.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Brain, Vault
from examples import in_ci
from postgres_server import Server

WRITERS = 4
NOTES = 30
SECTIONS = 4


@pytest.fixture
def writers(tmp_path: Path) -> list[Vault]:
    """Vaults of several users, each with its own home."""
    found = []
    for number in range(WRITERS):
        home = tmp_path / f"home{number}"
        folder = tmp_path / f"vault{number}"
        home.mkdir()
        folder.mkdir()
        found.append(Vault(folder, Brain(home, home / "cache")))
    return found


def rewrite(vault: Vault, round_: int) -> None:
    """Write every note anew: each of its sections has the number of the round."""
    for number in range(NOTES):
        sections = (
            f"## Part {part}\n\nround{round_}x part{part}y otters.\n"
            for part in range(SECTIONS)
        )
        vault.note(f"n{number}.md", f"# Note {number}\n\n" + "\n".join(sections))
        os.utime(vault.folder / f"n{number}.md", (time.time() + round_, time.time() + round_))


def killed_while_sending(vault: Vault, memory: str, after: float) -> bool:
    """Send a vault in a process of its own, and kill it after some seconds; tell whether that was
    in time.
    """
    command = [
        sys.executable,
        "-m",
        "brain_cli",
        "index",
        "--vault",
        str(vault.folder),
        "--memory",
        memory,
    ]
    process = subprocess.Popen(
        command, env=vault.brain.environ(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        process.wait(after)
        return False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True


def torn(server: Server, database: str) -> list[tuple[object, ...]]:
    """Return the notes whose sections and words do not belong together, and the terms that are
    counted wrongly.
    """
    return server.sql(
        database,
        """
        with rounds as (
            select n.note_id, cardinality(n.lengths) as fragments, count(distinct w.term) as rounds,
                min(json_array_length(w.place)) as numbers,
                cardinality(string_to_array(n.texts, E'\\n')) as texts
            from brain.notes n
            left join lateral (select term, place::json as place from jsonb_each_text(n.places) as e(term, place)) as w
                on w.term like 'round%'
            group by 1, 2)
        select * from rounds where rounds <> 1 or numbers <> 3 + 4 * 3 or texts <> fragments
        """,
    ) + server.sql(
        database,
        """
        select coalesce(c.term, t.term), c.fragments, t.fragments from (
            select term, sum((place::json ->> 0)::int) as fragments
            from brain.notes n, jsonb_each_text(n.places) as w(term, place) group by 1) as c
        full join (select term, sum(fragments) as fragments from brain.terms where fragments > 0 group by 1) as t
            on t.term = c.term
        where c.fragments is distinct from t.fragments
        """,
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", [1, in_ci(25)])
def test_writers_that_are_killed_leave_no_torn_note(
    server: Server,
    memory: str,
    writers: list[Vault],
    kills: int,
    another_round: Callable[[], float],
) -> None:
    """Four writers, each killed as often, at any moment of a run: 100 kills in CI."""
    database = memory.rpartition("/")[2]
    for vault in writers:
        rewrite(vault, 0)
        assert vault.brain("index", "--vault", vault.folder, "--memory", memory).code == 0
    for round_ in range(1, kills + 1):
        running = []
        for vault in writers:
            rewrite(vault, round_)
            child = os.fork()
            if not child:
                try:
                    killed_while_sending(vault, memory, another_round())
                finally:
                    os._exit(0)
            running.append(child)
        for child in running:
            os.waitpid(child, 0)
        assert torn(server, database) == []
    for vault in writers:
        assert vault.brain("index", "--vault", vault.folder, "--memory", memory).code == 0
    assert torn(server, database) == []
    [(notes, fragments)] = server.sql(
        database, "select sum(notes)::int, sum(fragments)::int from brain.sizes"
    )
    assert notes == WRITERS * NOTES
    [(found,)] = server.sql(database, "select sum(cardinality(lengths))::int from brain.notes")
    assert fragments == found


@pytest.fixture
def another_round() -> Callable[[], float]:
    """Return a function that picks the moment of a kill, from the start of a process to its end."""
    return lambda: random.SystemRandom().uniform(0.3, 2.5)
