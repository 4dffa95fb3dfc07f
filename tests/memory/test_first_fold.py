"""A long history is folded in batches, to the same result as a short one, and in bounded memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from brain_cli.memory.events import FEEDBACK, MOVED, REVISED, SHOWN, Event, Mention, from_lines, to_line
from brain_cli.memory.first_fold import fold_all
from brain_cli.memory.history import History
from brain_cli.memory.history_reader import LARGE_BYTES
from brain_cli.memory.usage import Fold

READ = """
import resource, sys
from pathlib import Path
from brain_cli.memory.history import History
from brain_cli.memory.history_reader import HistoryReader
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
before = used()
memory = HistoryReader(History(Path(sys.argv[1]), "desk"), Path(sys.argv[2])).at(2e9, print)
print(used() - before, memory.usage("notes/100.md").accesses)
"""
UNTIL = 1_000.0
NAMES = st.sampled_from(["a.md", "b.md", "c.md"])
MENTIONS = st.builds(Mention, NAMES, st.sampled_from("xy"), st.just(0.0))
TIMES = st.integers(0, 1_200).map(float)
CERTAINTY = st.none() | st.integers(0, 10).map(lambda tenths: tenths / 10)
SESSIONS = st.sampled_from(["", "morning", "evening"])
EVENTS = st.one_of(
    st.builds(Event, TIMES, st.just(SHOWN), st.lists(MENTIONS, max_size=3), st.just(""), CERTAINTY, SESSIONS),
    st.builds(lambda at, event, note: Event(at, event, [note]), TIMES, st.sampled_from([FEEDBACK, REVISED]), MENTIONS),
    st.builds(lambda at, note, name: Event(at, MOVED, [note], name), TIMES, MENTIONS, NAMES),
)
LINES = st.one_of(EVENTS.map(to_line), st.just("{torn"), st.just(""))


@given(files=st.lists(st.lists(LINES, max_size=30), max_size=3), copies=st.booleans())
def test_batches_come_to_the_same_as_all_at_once(files: list[list[str]], copies: bool) -> None:
    files = files + files[:1] * copies
    with TemporaryDirectory() as name:
        folder = Path(name)
        for number, lines in enumerate(files):
            (folder / f"{number}.jsonl").write_text("".join(f"{line}\n" for line in lines) + '{"being written')
        names = History(folder, "desk").names()
        found, torn = fold_all(folder, names, UNTIL)
    seen: set[str] = set()
    expected: list[Event] = []
    for lines in files:
        events = zip(lines, from_lines([line.encode() for line in lines]), strict=True)
        expected += [event for line, event in events if event and line not in seen and event.at <= UNTIL]
        seen.update(lines)
    assert found.fold.to_json() == Fold().add(expected).to_json()
    assert torn == sum(line == "{torn" for lines in files for line in lines)
    assert [len(young) for young in found.recent.values()] == [
        sum(event is not None and event.at > UNTIL for event in from_lines([line.encode() for line in lines]))
        for lines in files
    ]
    assert [end.offset for end in found.ends.values()] == [sum(len(line) + 1 for line in lines) for lines in files]


def test_a_long_history_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    history = History(tmp_path / "history", "desk")
    notes = [Mention(f"notes/{number}.md", f"{number:064x}", 1e9) for number in range(200)]
    for start in range(0, 60_000, 10_000):
        history.append(Event(1e9 + at, SHOWN, notes[at % 150 : at % 150 + 8]) for at in range(start, start + 10_000))
    assert history.size() > 8 * LARGE_BYTES
    done = subprocess.run(
        [sys.executable, "-c", READ, history.folder, tmp_path / "fold.json"], capture_output=True, text=True, check=True
    )
    grown, accesses = map(int, done.stdout.split())
    assert grown < history.size()
    assert accesses == 3_200
