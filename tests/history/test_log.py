"""The history on disk: many writers, torn lines, copies made by sync tools, and a cache that may be
lost.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from brain_cli.history.log import (
    FEEDBACK,
    MOVED,
    SHOWN,
    USEFUL,
    Event,
    History,
    Mention,
    device,
    history_of,
)
from brain_cli.history.log_reader import (
    HistoryReader,
    HistorySnapshot,
    events_until,
    recalls_of,
)
from brain_cli.history.usage import NO_ENTRY

HOUR = 3_600.0
NOW = 1_800_000_000.0


def recalled(path: str, at: float, *others: str) -> Event:
    return Event(
        at, SHOWN, [Mention(each, f"hash of {each}", at - HOUR) for each in (path, *others)]
    )


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "history", "laptop")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "fold.json"


def read(history: History, cache: Path, now: float = NOW) -> HistorySnapshot:
    said: list[str] = []
    memory = HistoryReader(history, cache).at(now, said.append)
    assert said == []
    return memory


def test_a_recall_is_shown_at_once_and_ranks_an_hour_later(
    history: History, cache: Path
) -> None:
    history.append([recalled("a.md", NOW)])
    usage = read(history, cache, NOW + 1).usage("a.md")
    assert (usage.recalled, usage.last_recalled, usage.accesses, usage.boost) == (
        1,
        NOW,
        0,
        0.0,
    )
    usage = read(history, cache, NOW + HOUR).usage("a.md")
    assert (usage.recalled, usage.accesses, usage.last_access) == (1, 1, NOW)


def test_a_recall_within_the_hour_follows_its_note_to_another_path(
    history: History, cache: Path
) -> None:
    history.append(
        [recalled("a.md", NOW - 60), Event(NOW - 30, MOVED, [Mention("b.md", "h")], "a.md")]
    )
    memory = read(history, cache)
    assert memory.usage("b.md").recalled == 1
    assert memory.complete.paths() == {"b.md": "h"}


def test_feedback_counts_at_once(history: History, cache: Path) -> None:
    history.append([Event(NOW, FEEDBACK, [Mention("a.md", "h")], USEFUL)])
    assert read(history, cache).usage("a.md").useful == 1


def test_events_after_the_moment_asked_about_are_left_out(
    history: History, cache: Path
) -> None:
    history.append([recalled("a.md", NOW - 2 * HOUR), recalled("a.md", NOW + 9 * HOUR)])
    assert read(history, cache).usage("a.md").recalled == 1


def test_a_recall_before_1970_does_not_affect_others(history: History, cache: Path) -> None:
    history.append([recalled("old.md", -5.0), recalled("a.md", NOW - 2 * HOUR)])
    memory = read(history, cache)
    assert (memory.usage("old.md").recalled, memory.usage("a.md").recalled) == (1, 1)


def test_notes_that_were_shown_together_are_known_to_each_other(
    history: History, cache: Path
) -> None:
    history.append(
        [recalled("a.md", NOW - 2 * HOUR, "b.md", "c.md"), recalled("d.md", NOW - 2 * HOUR)]
    )
    memory = read(history, cache)
    assert memory.settled.shown_together("a.md") == {"b.md", "c.md"}
    assert memory.settled.shown_together("d.md") == set()


def test_a_torn_last_line_is_left_for_its_writer_and_the_next_event_stands_on_its_own(
    history: History, cache: Path
) -> None:
    history.append([recalled("a.md", NOW - 3 * HOUR)])
    file = history.folder / "laptop.jsonl"
    file.write_bytes(file.read_bytes() + b'{"at":1,"event":"sho')
    assert read(history, cache).usage("a.md").recalled == 1
    history.append([recalled("a.md", NOW - 2 * HOUR)])
    said: list[str] = []
    assert HistoryReader(history, cache).at(NOW, said.append).usage("a.md").recalled == 2
    assert len(said) == 1
    assert "1 torn line" in said[0]


def test_a_copy_made_by_a_sync_tool_counts_nothing_twice(history: History, cache: Path) -> None:
    history.append(recalled("a.md", NOW - hours * HOUR) for hours in range(200, 2, -1))
    assert read(history, cache).usage("a.md").recalled == 198
    original = history.folder / "laptop.jsonl"
    (history.folder / "laptop.sync-conflict-20260101.jsonl").write_bytes(original.read_bytes())
    assert read(history, cache).usage("a.md").recalled == 198


def test_a_file_that_a_sync_tool_has_merged_is_read_again(
    history: History, cache: Path
) -> None:
    history.append(recalled("a.md", NOW - hours * HOUR) for hours in range(200, 2, -1))
    assert read(history, cache).usage("a.md").recalled == 198
    file, other = (
        history.folder / "laptop.jsonl",
        History(history.folder / "elsewhere", "phone"),
    )
    other.append([recalled("b.md", NOW - 300 * HOUR), recalled("b.md", NOW - 2 * HOUR)])
    first, last = (other.folder / "phone.jsonl").read_bytes().splitlines(keepends=True)
    file.write_bytes(first + file.read_bytes() + last)
    memory = read(history, cache)
    assert (memory.usage("a.md").recalled, memory.usage("b.md").recalled) == (198, 2)


def test_a_file_of_the_history_that_cannot_be_read_is_left_out_and_named(
    history: History, cache: Path
) -> None:
    history.append([recalled("a.md", NOW - 2 * HOUR)])
    (history.folder / "folder.jsonl").mkdir()
    said: list[str] = []
    assert HistoryReader(history, cache).at(NOW, said.append).usage("a.md").recalled == 1
    assert said == [
        f"folder.jsonl of the history in {history.folder} cannot be read and is left out."
    ]


def test_an_older_event_that_arrives_late_from_another_device_is_folded_in_its_place(
    history: History, cache: Path, tmp_path: Path
) -> None:
    history.append(recalled("a.md", NOW - hours * HOUR) for hours in range(300, 100, -1))
    assert read(history, cache).usage("a.md").recalled == 200
    assert cache.exists()
    other = History(history.folder, "phone")
    other.append([recalled("a.md", NOW - 500 * HOUR)])
    with_cache, cache_free = read(history, cache), read(history, tmp_path / "none.json")
    assert with_cache.usage("a.md") == cache_free.usage("a.md")
    assert with_cache.usage("a.md").recalled == 201


def test_the_cache_changes_nothing_but_the_time_it_takes(
    history: History, cache: Path, tmp_path: Path
) -> None:
    for batch in range(5):
        history.append(
            recalled(f"{n % 7}.md", NOW + batch * 200 + n, f"{n % 5}x.md") for n in range(150)
        )
        moment = NOW + batch * 200 + 5_000
        cached, fresh = (
            read(history, cache, moment),
            read(history, tmp_path / "none" / "x.json", moment),
        )
        for path in ("0.md", "3.md", "2x.md"):
            assert cached.usage(path) == fresh.usage(path)
            assert (
                cached.settled.entries.get(path, NO_ENTRY).joint
                == fresh.settled.entries.get(path, NO_ENTRY).joint
            )


@pytest.mark.parametrize(
    "garbage", [b"", b"{", b"[]", b'{"fold": {}, "ends": {}}', b"null", b"\xff\xfe"]
)
def test_a_damaged_cache_is_ignored(history: History, cache: Path, garbage: bytes) -> None:
    history.append([recalled("a.md", NOW - 2 * HOUR)])
    cache.write_bytes(garbage)
    assert read(history, cache).usage("a.md").recalled == 1


def test_a_vault_that_has_a_folder_for_it_keeps_its_own_history(tmp_path: Path) -> None:
    vault, state = tmp_path / "vault", tmp_path / "state"
    vault.mkdir()
    assert history_of(str(vault), state, "vault-1").folder == state / "vault-1"
    (vault / ".brain" / "history").mkdir(parents=True)
    assert history_of(str(vault), state, "vault-1").folder == vault / ".brain" / "history"


def test_a_device_keeps_its_name(tmp_path: Path) -> None:
    assert device(tmp_path / "state") == device(tmp_path / "state")
    assert device(tmp_path / "state") != device(tmp_path / "other")


def test_a_device_without_a_name_gets_one_and_keeps_it(tmp_path: Path) -> None:
    (tmp_path / "device").touch()
    assert device(tmp_path) == device(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["device"]


def test_events_that_do_not_fit_on_the_disk_are_not_added_at_all(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.append([recalled("a.md", NOW)])
    before = (history.folder / "laptop.jsonl").read_bytes()
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, raw: write(handle, raw[:9]))
        with pytest.raises(OSError, match="No space"):
            history.append([recalled("b.md", NOW)])
    assert (history.folder / "laptop.jsonl").read_bytes() == before


WRITER = """
import sys
from pathlib import Path
from brain_cli.history.log import SHOWN, Event, Mention
from brain_cli.history.log import History
history = History(Path(sys.argv[1]), "laptop")
for number in range(500):
    history.append([Event(1_700_000_000.0 + number, SHOWN, [Mention(f"{sys.argv[2]}/{number}.md", "h")])])
"""


@pytest.mark.exhaustive
def test_eight_processes_append_at_once_and_nothing_is_lost_or_torn(history: History) -> None:
    command = [sys.executable, "-c", WRITER, str(history.folder)]
    writers = [subprocess.Popen([*command, str(number)]) for number in range(8)]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 8
    lines = (history.folder / "laptop.jsonl").read_text(encoding="utf-8").splitlines()
    told = {json.loads(line)["notes"][0][0] for line in lines}
    assert len(lines) == 4_000
    assert told == {f"{writer}/{number}.md" for writer in range(8) for number in range(500)}


def test_the_times_of_a_notes_recalls_are_known_through_its_renames(history: History) -> None:
    history.append(
        [
            recalled("old.md", NOW - 9 * HOUR),
            Event(NOW - 8 * HOUR, MOVED, [Mention("new.md", "h")], "old.md"),
            recalled("new.md", NOW - 2 * HOUR, "b.md"),
            recalled("b.md", NOW - HOUR),
        ]
    )
    assert recalls_of(events_until(history, NOW, newest_first=True), "new.md") == [
        NOW - 9 * HOUR,
        NOW - 2 * HOUR,
    ]
    assert recalls_of(events_until(history, NOW - 5 * HOUR, newest_first=True), "new.md") == [
        NOW - 9 * HOUR
    ]


def test_a_note_does_not_inherit_the_history_of_its_new_path(history: History) -> None:
    history.append(
        [
            recalled("b.md", NOW - 9 * HOUR),
            recalled("a.md", NOW - 8 * HOUR),
            Event(NOW - 7 * HOUR, MOVED, [Mention("b.md", "h")], "a.md"),
        ]
    )
    assert recalls_of(events_until(history, NOW, newest_first=True), "b.md") == [NOW - 8 * HOUR]
