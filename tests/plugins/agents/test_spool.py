"""The spool is a maildir: concurrent hooks need no lock, and the oldest observations make room for
new ones.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import Vault
from crash import kill_before

from brain_cli.plugins.agents import intake as spool
from brain_cli.plugins.agents.intake import to_line
from brain_cli.plugins.agents.observation import Observation


def ids(waiting: spool.Spool) -> list[str]:
    return [each.id for each in waiting.observations().values()]


def test_the_newest_stay_and_the_dropped_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "MAX_PENDING", 10)
    waiting = spool.Spool(str(tmp_path))
    dropped = [waiting.append(Observation(str(number), 1.0)) for number in range(15)]
    assert dropped == [0] * 10 + [1] * 5
    assert ids(waiting) == [str(number) for number in range(5, 15)]


def test_a_half_written_observation_is_never_read(tmp_path: Path) -> None:
    waiting = spool.Spool(str(tmp_path))
    waiting.append(Observation("1", 1.0))
    (tmp_path / spool.PENDING / ".2.123.brain-tmp").write_text('{"id": "2", "at"')
    (tmp_path / spool.PENDING / "3").write_text('{"id": "3", "at"')
    assert ids(waiting) == ["1"]


def test_what_a_killed_hook_left_is_taken_in_or_removed(tmp_path: Path) -> None:
    waiting = spool.Spool(str(tmp_path))
    waiting.append(Observation("1", 1.0))
    now, new = time.time(), tmp_path / spool.PENDING
    whole = to_line(Observation("2", 2.0))
    left = {
        "whole": (whole, 120),
        "young": (whole, 0),
        "torn": (whole[:-9], 120),
    }
    for name, (content, age) in left.items():
        path = new / f".{name}.123.brain-tmp"
        path.write_bytes(content)
        os.utime(path, (now - age, now - age))
    (tmp_path / ".x.recent.json.123.brain-tmp").write_text("{")
    os.utime(tmp_path / ".x.recent.json.123.brain-tmp", (1, 1))
    for _ in range(2):
        waiting.tidy()
        assert sorted(ids(waiting)) == ["1", "2"]
        assert [path.name for path in new.glob(".*")] == [".young.123.brain-tmp"]
    assert not [*tmp_path.glob("*.brain-tmp")]


def test_a_killed_hook_loses_no_whole_observation(vault: Vault) -> None:
    """Kill `brain capture` before it renames its file, as at the end of a session of the agent."""
    text = "We keep carts in Redis because Postgres polling was too slow."
    new, number = vault.brain.state / "capture" / spool.PENDING, 1
    new.mkdir(mode=0o700, parents=True)
    while kill_before(vault, number, ["capture", "--vault", vault.folder], text):
        if [*new.glob(".*")]:
            break
        number += 1
    [left] = new.iterdir()
    assert text.encode() in left.read_bytes()
    os.utime(left, (1, 1))
    assert vault.brain("capture", "--flush", "--vault", vault.folder).code == 0
    [note] = vault.folder.glob("inbox/*.md")
    assert "polling was too slow" in note.read_text()
    assert not [*new.iterdir()]


def test_an_observation_removed_by_another_process_is_no_error(tmp_path: Path) -> None:
    waiting = spool.Spool(str(tmp_path))
    waiting.append(Observation("1", 1.0))
    names = [*waiting.observations()]
    waiting.remove(names)
    waiting.remove(names)
    assert not waiting.observations()


def test_old_unreadable_payloads_are_dropped_for_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "MAX_ASIDE", 3)
    waiting = spool.Spool(str(tmp_path))
    assert [waiting.set_aside(b"{", str(number))[1] for number in range(5)] == [0, 0, 0, 1, 1]
    assert [Path(path).name for path in waiting.aside()] == ["2", "3", "4"]


@pytest.mark.exhaustive
def test_a_flush_waits_for_another_and_returns_when_the_note_is_there(vault: Vault) -> None:
    """Hold the flush lock as another process does, and let go of it while `brain capture --flush`
    waits.
    """
    from brain_cli.plugins.agents.intake import spool_of

    waiting = spool_of(vault.brain.environ())
    waiting.append(
        Observation(
            "1", time.time(), response="We keep carts in Redis.", vault=str(vault.folder)
        )
    )
    with ThreadPoolExecutor(1) as pool:
        with waiting.flushing() as free:
            assert free
            flushed = pool.submit(
                vault.brain.process, "capture", "--flush", "--vault", vault.folder
            )
            time.sleep(1)
            assert not flushed.done()
        flushed.result(60)
    assert len([*vault.folder.glob("inbox/*.md")]) == 1
