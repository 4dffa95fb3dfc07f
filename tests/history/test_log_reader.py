"""A history that is read on comes to the same as one that is read whole, whatever happens to its
files.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from examples import examples, sized
from hypothesis import example, given
from hypothesis import strategies as st

from brain_cli.history import log_reader
from brain_cli.history.log import MOVED, REVISED, SHOWN, Event, History, Mention
from brain_cli.history.log_reader import HistoryReader, HistorySnapshot, load
from brain_cli.history.usage import NO_ENTRY

if TYPE_CHECKING:
    from conftest import Vault

    from brain_cli.history.log_reader import Checkpoint

HOUR = 3_600.0


def shown(at: float, *paths: str) -> Event:
    return Event(at, SHOWN, [Mention(path, f"hash of {path}") for path in paths])


def told(memory: HistorySnapshot) -> list[object]:
    return [
        (
            path,
            content_hash,
            memory.usage(path),
            memory.settled.entries.get(path, NO_ENTRY).joint,
            memory.settled.shown_together(path),
        )
        for path, content_hash in sorted(memory.complete.paths().items())
    ]


def test_reading_on_is_reading_whole(tmp_path: Path) -> None:
    history, cache = History(tmp_path / "history", "here"), tmp_path / "kept.json"
    reading, said = HistoryReader(history, cache), list[str]()
    for turn in range(sized(400, everyday=160)):
        now = turn * HOUR / 4
        history.append([shown(now, f"{turn % 7}.md", f"{turn % 5}.md")])
        if turn % 9 == 0:
            history.append([Event(now, REVISED, [Mention(f"{turn % 7}.md", f"new {turn}")])])
        if turn % 50 == 0:
            History(tmp_path / "history", "there").append([shown(now, "there.md")])
        assert told(reading.at(now, said.append)) == told(
            HistoryReader(history, tmp_path / "none").at(now, said.append)
        )
        (tmp_path / "none").unlink(missing_ok=True)
    assert cache.exists()
    assert not said


def test_a_file_that_was_replaced_or_shortened_is_read_again(tmp_path: Path) -> None:
    history, said = History(tmp_path / "history", "here"), list[str]()
    reading, now = HistoryReader(history, tmp_path / "kept.json"), 10 * HOUR
    history.append([shown(HOUR, "a.md"), shown(2 * HOUR, "b.md")])
    assert sorted(reading.at(now, said.append).complete.paths()) == ["a.md", "b.md"]
    file = tmp_path / "history" / "here.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0])
    assert list(reading.at(now, said.append).complete.paths()) == ["a.md"]
    (tmp_path / "new").write_bytes(lines[1].replace(b"b.md", b"c.md") + lines[1])
    (tmp_path / "new").rename(file)
    assert sorted(reading.at(now, said.append).complete.paths()) == ["b.md", "c.md"]


paths = st.sampled_from(["a.md", "b.md", "c.md"])
events = st.one_of(
    st.lists(paths, min_size=1, max_size=3).map(lambda named: shown(0.0, *named)),
    paths.map(lambda path: Event(0.0, REVISED, [Mention(path, "new")])),
    st.tuples(paths, paths).map(
        lambda pair: Event(0.0, MOVED, [Mention(pair[0], "h")], pair[1])
    ),
)
# Who appends, what, and how many minutes after the one before: clocks differ, and some are asked
# about the past.
appended = st.tuples(st.sampled_from(["here", "there"]), events, st.integers(-90, 90))
asked = st.integers(-90, 90)
copied = st.just("copy")


@examples(200)
@example(
    [
        ("there", shown(0.0, "a.md"), 0),
        0,
        ("here", Event(0.0, REVISED, [Mention("a.md", "new")]), 0),
        ("here", Event(0.0, MOVED, [Mention("a.md", "h")], "b.md"), 0),
        0,
    ],
    1,
)
@given(st.lists(st.one_of(appended, appended, asked, copied), max_size=40), st.integers(1, 6))
def test_incremental_reading_gives_the_same_answer_as_reading_everything(
    happenings: list[object], worth: int
) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_reader, "MIN_EVENTS_TO_SAVE", worth)
        folder, said, now = Path(name), list[str](), 1e6
        reading = HistoryReader(History(folder / "history", ""), folder / "kept.json")
        for happening in happenings:
            if isinstance(happening, tuple):
                device, event, minutes = happening
                now += minutes * 60
                History(folder / "history", device).append([event._replace(at=now)])
            elif happening == "copy":
                for file in list((folder / "history").glob("here.jsonl")):
                    file.with_name("here.sync-conflict.jsonl").write_bytes(file.read_bytes())
            elif isinstance(happening, int):
                moment = now + happening * 60
                whole = HistoryReader(
                    History(folder / "history", ""), folder / "no" / "where"
                ).at(moment, said.append)
                kept = HistoryReader(History(folder / "history", ""), folder / "kept.json").at(
                    moment, said.append
                )
                assert told(reading.at(moment, said.append)) == told(kept) == told(whole)
        assert not said


def test_a_batch_reads_the_history_once_however_many_moments_it_asks_for(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.note("tea.md", "# Tea\n")
    assert vault.remember("tea")["results"]
    read: list[Path] = []

    def load_once(cache: Path) -> Checkpoint:
        read.append(cache)
        return load(cache)

    monkeypatch.setattr(log_reader, "load", load_once)
    lines = "".join(f'{{"query": "tea", "now": "2026-11-{day}"}}\n' for day in (10, 12, 11, 13))
    answer = vault.brain("remember", "--batch", "-", "--vault", vault.folder, stdin=lines)
    assert [len(each["results"]) for each in answer.lines] == [1, 1, 1, 1]
    assert len(read) == 1
