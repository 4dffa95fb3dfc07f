"""A history that is read on comes to the same as one that is read whole, whatever happens to its files."""

from __future__ import annotations

from pathlib import Path

from brain_cli.memory.events import REVISED, SHOWN, Event, Mention
from brain_cli.memory.history import History
from brain_cli.memory.memory import Memory, Reading, remembered

HOUR = 3_600.0


def shown(at: float, *paths: str) -> Event:
    return Event(at, SHOWN, [Mention(path, f"hash of {path}") for path in paths])


def told(memory: Memory) -> list[object]:
    return [(path, memory.usage(path), memory.joint_recalls(path)) for path in sorted(memory.paths())]


def test_reading_on_is_reading_whole(tmp_path: Path) -> None:
    history, cache = History(tmp_path / "history", "here"), tmp_path / "kept.json"
    reading, said = Reading(history, cache), list[str]()
    for turn in range(400):
        now = turn * HOUR / 4
        history.append([shown(now, f"{turn % 7}.md", f"{turn % 5}.md")])
        if turn % 9 == 0:
            history.append([Event(now, REVISED, [Mention(f"{turn % 7}.md", f"new {turn}")])])
        if turn % 50 == 0:
            History(tmp_path / "history", "there").append([shown(now, "there.md")])
        assert told(reading.at(now, said.append)) == told(remembered(history, tmp_path / "none", now, said.append))
        (tmp_path / "none").unlink(missing_ok=True)
    assert cache.exists()
    assert not said


def test_a_file_that_was_replaced_or_shortened_is_read_anew(tmp_path: Path) -> None:
    history, said = History(tmp_path / "history", "here"), list[str]()
    reading, now = Reading(history, tmp_path / "kept.json"), 10 * HOUR
    history.append([shown(HOUR, "a.md"), shown(2 * HOUR, "b.md")])
    assert [path for path, *_ in told(reading.at(now, said.append))] == ["a.md", "b.md"]  # type: ignore[misc]
    file = tmp_path / "history" / "here.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0])
    assert list(reading.at(now, said.append).paths()) == ["a.md"]
    (tmp_path / "new").write_bytes(lines[1].replace(b"b.md", b"c.md") + lines[1])
    (tmp_path / "new").rename(file)
    assert sorted(reading.at(now, said.append).paths()) == ["b.md", "c.md"]
