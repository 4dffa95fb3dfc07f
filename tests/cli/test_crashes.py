"""Kill a command before any change it makes to the disk: afterwards it has happened completely or
not at all.

The long form, `tools/torture/crashes.py`, kills at every system call.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from crash import Contents, SavedVault, contents, kill_before, killed_at_every_change
from examples import few_every_day

from brain_cli.history.log import SHOWN, Event, History
from brain_cli.paths import vault_name
from brain_cli.vault.atomic_write import COMPARED

if TYPE_CHECKING:
    from conftest import Vault

TWINS = {
    "a/x.md": "# Tea in a\n",
    "b/x.md": "# Tea in b\n",
    "b/n.md": "[[a/x]] and [b](x.md)\n",
    "c.md": "[[a/x]]\n",
}


@pytest.fixture
def twins(vault: Vault) -> Vault:
    """Two notes of one name, and two that link to one of them by its path."""
    for path, text in TWINS.items():
        vault.note(path, text, date="2024-01-01")
    folder = vault.brain.state / vault_name(str(vault.folder))
    History(folder, "desk").append([Event(1_700_000_000.0, SHOWN, [])])
    assert vault.brain("index", "--vault", vault.folder).code == 0
    return vault


def notes(vault: Vault) -> Contents:
    return contents(vault.folder)


def visible(vault: Vault) -> Contents:
    return {
        path: raw for path, raw in notes(vault).items() if not Path(path).name.startswith(".")
    }


def run(vault: Vault, *command: object, stdin: str = "") -> None:
    answer = vault.brain(*command, "--vault", vault.folder, stdin=stdin)
    assert answer.code == 0, answer.err


MOVES: list[tuple[list[list[object]], list[object]]] = [
    ([], ["archive", "a/x.md"]),
    ([], ["archive", "a/x.md", "--status"]),
    ([["archive", "a/x.md"]], ["restore", "archive/a/x.md"]),
    ([], ["mv", "b/n.md", "d/n.md"]),
    ([], ["review", "--apply", "--yes", "--all"]),
    ([["review", "--apply", "--yes", "--all"]], ["undo"]),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("before", "command"),
    MOVES,
    ids=["archive", "archive-status", "restore", "mv", "sleep", "last"],
)
def test_a_killed_move_is_completed_or_undone_by_the_next_edit(
    twins: Vault, tmp_path: Path, before: list[list[object]], command: list[object]
) -> None:
    for each in before:
        run(twins, *each)
    old = notes(twins)
    saved = SavedVault(twins, tmp_path / "saved")
    run(twins, *command)
    new = notes(twins)
    ends = set()
    for _ in killed_at_every_change(twins, saved, [*command, "--vault", twins.folder]):
        for path, raw in visible(twins).items():
            assert raw in (old.get(path), new.get(path)), (
                f"{path} is as it was or as it shall be"
            )
        # Any command that edits notes recovers first; this one then finds nothing to do.
        run(twins, "unpin", "c.md")
        state = visible(twins)
        assert state in (old, new), "all of it has happened, or nothing"
        assert not [path for path in notes(twins) if path.endswith(COMPARED)]
        ends.add(state == new)
        assert not twins.brain("doctor", "--vault", twins.folder).out.count("leads to no note")
    assert ends == {True, False}


def in_place(file: Path, text: bytes) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text)


def by_rename(file: Path, text: bytes) -> None:
    in_place(file.with_name("saving~"), text)
    file.with_name("saving~").replace(file)


SAVED = b"# Saved\n"


@pytest.mark.parametrize("save", [in_place, by_rename])
@pytest.mark.parametrize(
    "command",
    few_every_day(
        [
            ["mv", "b/n.md", "d"],
            ["restore", "archive/o.md"],
            ["mv", "a/x.md", "d"],
            ["forget", "c.md"],
        ],
        2,
    ),
    ids=lambda command: "-".join(command),
)
def test_a_note_that_an_editor_saves_while_it_moves_is_kept(
    twins: Vault, tmp_path: Path, command: list[str], save: Callable[[Path, bytes], None]
) -> None:
    twins.note("archive/o.md", "# Old\n", status="archived")
    run(twins, "index")
    (twins.folder / "d").mkdir()
    old, moved = visible(twins), twins.folder / command[1]
    everything = [*command, *["--yes"] * (command[0] == "forget"), "--vault", twins.folder]
    trash = twins.brain.home / "data" / "Trash" / "files"
    stopped = 0
    for _ in killed_at_every_change(
        twins, SavedVault(twins, tmp_path / "saved"), everything, act=lambda: save(moved, SAVED)
    ):
        assert SAVED in [*visible(twins).values(), *contents(trash).values()]
        stopped += visible(twins) == {**old, command[1]: SAVED}
        assert not [path for path in notes(twins) if path.endswith(COMPARED)]
    assert stopped, "the save of a note is noticed, and nothing is moved"


EDITS: list[tuple[list[object], str]] = [
    (["pin", "c.md"], ""),
    (["archive", "c.md", "--status"], ""),
    (["add", "Green tea", "--type", "decision"], "It is green.\n"),
    (["feedback", "c.md", "useful"], ""),
    (["remember", "tea"], ""),
]


@pytest.mark.parametrize("edit", few_every_day(EDITS, 3), ids=lambda edit: str(edit[0][0]))
def test_a_killed_edit_has_happened_or_not(
    twins: Vault, tmp_path: Path, edit: tuple[list[object], str]
) -> None:
    command, stdin = edit
    old = visible(twins)
    saved = SavedVault(twins, tmp_path / "saved")
    run(twins, *command, stdin=stdin)
    new = visible(twins)
    for _ in killed_at_every_change(twins, saved, [*command, "--vault", twins.folder], stdin):
        assert visible(twins) in (old, new)
        for file in twins.brain.state.rglob("*.jsonl"):
            assert all(json.loads(line) for line in file.read_text().splitlines()), (
                "no line of the history is torn"
            )
        run(twins, *command, stdin=stdin)
        assert visible(twins) == new


def test_a_killed_forget_leaves_a_note_in_the_vault_or_in_the_trash(
    twins: Vault, tmp_path: Path
) -> None:
    saved = SavedVault(twins, tmp_path / "saved")
    command = ["forget", "a/x.md", "--yes", "--vault", twins.folder]
    trash = twins.brain.home / "data" / "Trash" / "files"
    for _ in killed_at_every_change(twins, saved, command):
        kept = [path for path in (twins.folder / "a/x.md", trash / "x.md") if path.exists()]
        assert kept
        assert {path.read_bytes() for path in kept} == {
            b"---\ndate: 2024-01-01\n---\n# Tea in a\n"
        }


def test_a_killed_forget_of_several_notes_is_completed_and_undone(
    twins: Vault, tmp_path: Path
) -> None:
    run(twins, "pin", "b/n.md")
    old = visible(twins)
    saved = SavedVault(twins, tmp_path / "saved")
    names = {"a/x.md", "c.md"}
    gone = set()
    for _ in killed_at_every_change(
        twins, saved, ["forget", *names, "--yes", "--vault", twins.folder]
    ):
        gone.add(len(names - {*visible(twins)}))
        run(twins, "unpin", "b/x.md")
        if visible(twins) != old:
            assert visible(twins) == {
                path: raw for path, raw in old.items() if path not in names
            }
            run(twins, "undo")
        assert visible(twins) == old
    assert {0, 2} <= gone


def test_undo_after_a_killed_forget_undoes_the_forget_or_what_came_before(
    twins: Vault, tmp_path: Path
) -> None:
    older = visible(twins)
    run(twins, "pin", "b/n.md")
    old = visible(twins)
    saved = SavedVault(twins, tmp_path / "saved")
    for _ in killed_at_every_change(
        twins, saved, ["forget", "a/x.md", "c.md", "--yes", "--vault", twins.folder]
    ):
        is_untouched = visible(twins) == old
        run(twins, "undo")
        assert visible(twins) == old or (is_untouched and visible(twins) == older)


UNDONE = [
    ["forget", "c.md", "a/x.md", "--yes"],
    ["archive", "c.md", "a/x.md"],
    ["add", "Cup"],
    ["feedback", "c.md", "useful"],
]


@pytest.mark.parametrize("command", few_every_day(UNDONE, 2), ids=lambda command: command[0])
def test_a_killed_undo_that_is_repeated_undoes_nothing_else(
    twins: Vault, tmp_path: Path, command: list[str]
) -> None:
    run(twins, "pin", "b/n.md")
    old = visible(twins)
    run(twins, *command, stdin="Green.\n")
    saved = SavedVault(twins, tmp_path / "saved")
    state = twins.brain.state / vault_name(str(twins.folder))
    for _ in killed_at_every_change(twins, saved, ["undo", "--vault", twins.folder]):
        # The second of two changes is forgotten when it was undone.
        if (state / "pending.json").exists() or (state / "changes" / "2.json").exists():
            run(twins, "undo")
        assert visible(twins) == old


@pytest.mark.exhaustive
def test_an_interrupted_archive_that_is_repeated_never_leads_to_the_wrong_note(
    twins: Vault, tmp_path: Path
) -> None:
    saved = SavedVault(twins, tmp_path / "saved")
    run(twins, "archive", "a/x.md")
    new = notes(twins)
    for _ in killed_at_every_change(
        twins, saved, ["archive", "a/x.md", "--vault", twins.folder]
    ):
        pending = twins.brain.state / vault_name(str(twins.folder)) / "pending.json"
        # A journal with a second name is being kept: its change is complete.
        interrupted = pending.exists() and pending.stat().st_nlink == 1
        answer = twins.brain("archive", "a/x.md", "--vault", twins.folder)
        # If the archiving was complete, the note is gone.
        assert answer.code == 0 or not interrupted
        assert notes(twins) == new


@pytest.mark.exhaustive
def test_a_note_that_changed_after_the_crash_keeps_its_change(
    twins: Vault, tmp_path: Path
) -> None:
    old = notes(twins)
    saved = SavedVault(twins, tmp_path / "saved")
    number, interrupted = 0, False
    while not interrupted:
        number += 1
        saved.restore()
        assert kill_before(twins, number, ["archive", "a/x.md", "--vault", twins.folder])
        interrupted = notes(twins)["b/n.md"] != old["b/n.md"]
    (twins.folder / "c.md").write_text("written meanwhile\n")
    answer = twins.brain("unpin", "c.md", "--vault", twins.folder)
    assert "An interrupted `brain archive` was undone" in answer.err
    assert visible(twins) == {**old, "c.md": b"written meanwhile\n"}
