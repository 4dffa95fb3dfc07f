"""kill -9 at any moment of a command that edits: every note is as it was before or as it is after."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from brain_cli.vault.atomic_write import TEMPORARY

if TYPE_CHECKING:
    from conftest import Vault

pytestmark = pytest.mark.exhaustive

KILLS = 40  # for each of five kinds of edit
LONGEST_SECONDS = 0.12


def killed_amid(vault: Vault, commands: Sequence[Sequence[object]], delay: float) -> None:
    """Run commands over and over in a process of their own, and kill it."""
    env = {"XDG_DATA_HOME": str(vault.brain.home / "data")}
    child = os.fork()
    if not child:
        try:
            while True:
                for command in commands:
                    vault.brain(*command, "--vault", vault.folder, stdin="Green.\n", env=env)
        finally:
            os._exit(1)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def notes(vault: Vault) -> dict[str, bytes]:
    """Return all files that are not hidden, with their contents."""
    found = vault.folder.rglob("*.md")
    return {
        path.relative_to(vault.folder).as_posix(): path.read_bytes()
        for path in found
        if path.name[0] != "."
    }


def moments() -> list[float]:
    return [random.Random(number).uniform(0, LONGEST_SECONDS) for number in range(KILLS)]


def warmed(vault: Vault) -> None:
    """Have in memory what the commands import, so that the blow falls on their work."""
    for command in (["show", "tea.md"], ["pin", "tea.md"], ["unpin", "tea.md"]):
        assert vault.brain(*command, "--vault", vault.folder).code == 0


def test_a_killed_pin_leaves_a_note_pinned_or_not(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n" + "Green.\n" * 1_000, type="note")
    warmed(vault)
    unpinned = notes(vault)["tea.md"]
    pinned = unpinned.replace(b"type: note\n", b"type: note\npinned: true\n")
    seen = set()
    for delay in moments():
        killed_amid(vault, [["pin", "tea.md"], ["unpin", "tea.md"]], delay)
        assert notes(vault).keys() == {"tea.md"}
        seen.add(notes(vault)["tea.md"])
    assert seen <= {pinned, unpinned}
    for command in ("pin", "unpin", "pin"):
        assert vault.brain(command, "tea.md", "--vault", vault.folder).code == 0
    assert not list(vault.folder.glob(f".*{TEMPORARY}")), "what was left behind is swept away"


def test_a_killed_status_is_the_old_or_the_new(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n", status="draft  # for now")
    warmed(vault)
    draft = notes(vault)["tea.md"]
    for delay in moments():
        killed_amid(vault, [["archive", "tea.md", "--status"], ["undo"]], delay)
        assert notes(vault) in (
            {"tea.md": draft},
            {"tea.md": draft.replace(b"draft", b"archived")},
        )


def test_a_killed_move_can_be_done_again_and_undone(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n\n[cup](cup.md)\n")
    for name in ("cup", "pot", "x/leaf"):
        vault.note(
            f"{name}.md",
            f"# {name}\n\n[[/tea]] and [tea]({'../' if '/' in name else ''}tea.md)\n",
        )
    warmed(vault)
    here = notes(vault)
    assert vault.brain("archive", "tea.md", "--vault", vault.folder).code == 0
    there = notes(vault)
    assert vault.brain("restore", "archive/tea.md", "--vault", vault.folder).code == 0
    assert notes(vault) == here
    for delay in moments():
        killed_amid(vault, [["archive", "tea.md"], ["restore", "archive/tea.md"]], delay * 2)
        for path, text in notes(vault).items():
            assert text in (here.get(path), there.get(path)), path
        assert notes(vault).keys() & {"tea.md", "archive/tea.md"}
        for _ in range(2):
            paths = [path for path in ("tea.md", "archive/tea.md") if path in notes(vault)]
            verb, after = ("archive", there) if paths[0] == "tea.md" else ("restore", here)
            answer = vault.brain(verb, paths[0], "--vault", vault.folder)
            assert answer.code == 0, answer.err
            assert notes(vault) == after


def test_a_killed_add_leaves_a_whole_note_or_none(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    warmed(vault)
    for delay in moments():
        killed_amid(vault, [["add", "Green", "--force"]], delay)
    # On a busy machine, none may have come so far.
    assert (
        vault.brain("add", "Green", "--force", "--vault", vault.folder, stdin="Green.\n").code
        == 0
    )
    added = {text for path, text in notes(vault).items() if path != "tea.md"}
    assert added == {b"---\ndate: 2026-11-21T10:00:00Z\n---\n\n# Green\n\nGreen.\n"}


def test_a_killed_forget_leaves_a_note_here_or_in_the_trash(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    warmed(vault)
    trash = vault.brain.home / "data" / "Trash" / "files"
    names = [f"{number}.md" for number in range(20)]
    for delay in moments():
        for name in names:
            vault.note(name, f"# {name}\n")
        killed_amid(vault, [["forget", name, "--yes"] for name in names], delay)
        thrown = {path.name: path.read_bytes() for path in trash.glob("*.md")}
        kept = {path: text for path, text in notes(vault).items() if path != "tea.md"}
        assert {**kept, **thrown} == {name: f"# {name}\n".encode() for name in names}
        for path in trash.parent.glob("*/*"):
            path.unlink()
