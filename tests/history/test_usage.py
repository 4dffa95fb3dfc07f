"""Folding the history: in one go or in pieces, it comes to the same."""

from __future__ import annotations

import json

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.history.log import (
    FEEDBACK,
    MOVED,
    REVISED,
    SHOWN,
    USEFUL,
    WRONG,
    Event,
    Mention,
    from_line,
    to_line,
)
from brain_cli.history.usage import MAX_JOINT, Fold

DAY = 86_400.0
paths = st.sampled_from(["a.md", "b.md", "c/d.md", "é.md"])
mentions = st.builds(Mention, paths, st.sampled_from(["h1", "h2"]), st.floats(0, 50 * DAY))
shown = st.builds(
    lambda at, notes, session: Event(at, SHOWN, notes, session=session),
    st.floats(0, 400 * DAY),
    st.lists(mentions, min_size=1, max_size=4, unique_by=lambda note: note.path),
    st.sampled_from(["", "", "morning", "evening"]),
)
noted = st.builds(
    lambda at, kind, note, value: Event(at, kind, [note], value if kind == FEEDBACK else ""),
    st.floats(0, 400 * DAY),
    st.sampled_from([FEEDBACK, REVISED]),
    mentions,
    st.sampled_from([USEFUL, WRONG]),
)
moved = st.builds(
    lambda at, old, note: Event(at, MOVED, [note], old),
    st.floats(0, 400 * DAY),
    paths,
    mentions,
)
histories = st.lists(st.one_of(shown, shown, noted, moved), max_size=40).map(
    lambda es: sorted(es, key=lambda e: e.at)
)


@examples(200)
@given(histories, st.data())
def test_the_fold_of_a_prefix_folded_on_is_the_fold_of_the_whole(
    events: list[Event], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(events)))
    before = Fold().add(events[:cut])
    kept = json.dumps(before.to_json())
    assert (
        Fold.from_json(json.loads(kept)).add(events[cut:]).to_json()
        == Fold().add(events).to_json()
    )
    assert before.after(events[cut:]).to_json() == Fold().add(events).to_json()
    assert json.dumps(before.to_json()) == kept, (
        "whoever reads the fold before sees nothing of it"
    )


@examples(200)
@given(histories)
def test_events_survive_being_written_and_read(events: list[Event]) -> None:
    read = [from_line(f"{to_line(event)}\n".encode()) for event in events]
    assert [to_line(event) for event in read if event] == [to_line(event) for event in events]


@examples(200)
@given(histories)
def test_notes_that_were_shown_together_know_it_of_each_other(events: list[Event]) -> None:
    fold = Fold().add(events)
    for path, entry in fold.entries.items():
        assert len(entry.joint) <= MAX_JOINT
        assert all(path in fold.joint[number] for number in entry.joint)
        assert all(path in fold.shown_together(other) for other in fold.shown_together(path))


def test_the_recalls_of_one_session_count_as_one_joint_recall() -> None:
    a, b, c = (Mention(f"{name}.md", name) for name in "abc")
    fold = Fold().add(
        [Event(at, SHOWN, [note], session="s") for at, note in enumerate((a, b, a, b))]
    )
    assert fold.shown_together("a.md") == {"b.md"}
    assert fold.entries["a.md"].joint == fold.entries["b.md"].joint == [1]
    fold.add([Event(9, SHOWN, [a, c], session="another"), Event(10, SHOWN, [b])])
    assert fold.shown_together("a.md") == {"b.md", "c.md"}
    assert fold.shown_together("c.md") == {"a.md"}


def test_recalls_that_every_note_has_forgotten_take_no_space() -> None:
    fold = Fold()
    for at in range(1_000):
        fold.add([Event(at, SHOWN, [Mention("a.md", "h"), Mention("b.md", "k")])])
    assert len(fold.joint) <= 4 * MAX_JOINT
    assert len(fold.to_json()["joint"]) == MAX_JOINT


@pytest.mark.parametrize(
    "line",
    [
        '{"at":1,"event":"shown","notes":["abc"]}',
        '{"at":1,"event":"shown","notes":[["a.md","h"]]}',
        '{"at":1,"event":"shown","notes":[["a.md","h","1"]]}',
        '{"at":1,"event":"shown","notes":[[["a.md"],"h",1]]}',
        '{"at":1,"event":"shown","notes":{"a.md":1}}',
        '{"at":1,"event":"moved","notes":[["a.md","h",1]],"value":{}}',
        '{"at":1,"event":["shown"],"notes":[]}',
        '{"at":NaN,"event":"shown","notes":[["a.md","h",1]]}',
        '{"at":1e999,"event":"shown","notes":[["a.md","h",1]]}',
        f'{{"at":1{"0" * 400},"event":"shown","notes":[["a.md","h",1]]}}',
        "[" * 100_000,
        "[1]",
        "null",
    ],
)
def test_a_line_of_json_that_is_not_an_event_is_skipped(line: str) -> None:
    assert from_line(line.encode()) is None


def test_strength_grows_with_each_recall_as_specified() -> None:
    start = 100 * DAY
    recalls = [
        Event(start + days * DAY, SHOWN, [Mention("a.md", "h", start)]) for days in (0, 1, 4)
    ]
    entry = Fold().add(recalls).entries["a.md"]
    # d, n: (0, 0), (1, 1), (3, 2)
    assert entry.boost == pytest.approx(0.05 + 0.05 * 2 / 1.1 + 0.05 * 3 / 1.2)
    assert (entry.accesses, entry.last_recall) == (3, start + 4 * DAY)


def test_rewriting_a_note_counts_as_an_access() -> None:
    events = [
        Event(0.0, SHOWN, [Mention("a.md", "h", 0.0)]),
        Event(30 * DAY, SHOWN, [Mention("a.md", "h2", 30 * DAY)]),
    ]
    assert Fold().add(events).entries["a.md"].boost == pytest.approx(0.05 + 0.05 / 1.1)


def test_a_moved_note_takes_its_history_along() -> None:
    events = [
        Event(1.0, SHOWN, [Mention("old.md", "h"), Mention("b.md", "k")]),
        Event(2.0, MOVED, [Mention("new.md", "h")], "old.md"),
        Event(3.0, SHOWN, [Mention("new.md", "h")]),
    ]
    fold = Fold().add(events)
    assert fold.entries["new.md"].accesses == 2
    assert "old.md" not in fold.entries
    assert fold.shown_together("new.md") == {"b.md"}
    assert fold.shown_together("b.md") == {"new.md"}


def test_a_note_that_another_one_was_moved_onto_is_gone_and_its_history_with_it() -> None:
    events = [
        Event(1.0, SHOWN, [Mention("a.md", "h"), Mention("b.md", "k")]),
        Event(2.0, SHOWN, [Mention("b.md", "k"), Mention("c.md", "l")]),
        Event(3.0, MOVED, [Mention("b.md", "h")], "a.md"),
    ]
    fold = Fold().add(events)
    assert fold.entries["b.md"].accesses == 1
    assert fold.shown_together("b.md") == fold.shown_together("c.md") == set()
