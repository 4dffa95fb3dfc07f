"""`brain review`: one key for each memory that is about to fade, on a terminal."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from conftest import Vault
from terminal import OnTerminal
from watching import until

from brain_cli.history.log import SHOWN, Event, History
from brain_cli.paths import vault_name


@pytest.fixture
def fading(vault: Vault) -> Vault:
    """Two notes that have nearly faded, in a vault that has been used for years."""
    state = vault.brain.state / vault_name(str(vault.folder))
    History(state, "desk").append([Event(1_700_000_000.0, SHOWN, [])])
    for name in ("lamp", "tower"):
        vault.note(f"{name}.md", f"# {name.title()}\n\nThe {name} is old.\n", date="2026-06-15")
    return vault


def reviewed(vault: Vault, *keys: str) -> OnTerminal:
    """Press one key for each note; return the finished command."""
    screen = OnTerminal(vault, "review")
    for number, key in enumerate(keys, start=1):
        screen.wait_for(f"{number} of 2")
        screen.wait_for("[q]uit")
        screen.shown = screen.shown.partition(b"[q]uit")[2]
        screen.press(key)
    assert screen.end() == 0
    return screen


def events(vault: Vault) -> list[str]:
    files = vault.brain.state.rglob("*.jsonl")
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [line["event"] for line in lines if line["event"] != "indexed"]


def test_a_kept_note_counts_as_shown_and_a_strengthened_one_also_as_useful(
    fading: Vault,
) -> None:
    before = events(fading)
    screen = reviewed(fading, "k", "s")
    assert b"Nothing else is about to fade." in screen.shown
    assert Counter(events(fading)) - Counter(before) == {"shown": 2, "feedback": 1}


@pytest.mark.exhaustive
def test_an_archived_note_moves_and_a_passed_one_stays(fading: Vault) -> None:
    reviewed(fading, "a", "n")
    assert len(list((fading.folder / "archive").iterdir())) == 1
    assert len(list(fading.folder.glob("*.md"))) == 1


@pytest.mark.exhaustive
def test_quitting_changes_nothing(fading: Vault) -> None:
    before = events(fading)
    screen = reviewed(fading, "q")
    assert b"2 of 2" not in screen.shown
    assert events(fading) == before


@pytest.mark.exhaustive
def test_an_empty_review_is_reported(vault: Vault) -> None:
    vault.note("new.md", "# New\n\nJust written.\n")
    screen = OnTerminal(vault, "review")
    assert screen.end() == 0
    assert b"Nothing is about to fade." in screen.shown
    assert "Nothing is about to fade." in vault.brain("review", "--vault", vault.folder).err


def test_status_and_review_count_by_one_rule(fading: Vault) -> None:
    """A weak note that may not fade is in neither list, so it counts as kept."""
    fading.note("oath.md", "# Oath\n\nThe oath.\n", date="2026-06-15", salience=0.9)
    fading.note("rope.md", "# Rope\n\nThe rope.\n", date="2025-01-15")
    at = ("--vault", fading.folder)
    counts = fading.brain("status", "--json", *at).json["strengths"]
    assert counts["weak"] == len(fading.brain("review", "--json", *at).json["results"]) == 2
    assert counts["fading"] == 1
    assert counts["kept"] == 1
    assert "weak: brain review goes through them" in fading.brain("status", *at).out


@pytest.mark.exhaustive
def test_review_opens_a_note_and_explains_its_keys(fading: Vault, tmp_path: Path) -> None:
    editor = tmp_path / "ed"
    editor.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/opened\n')
    editor.chmod(0o755)
    screen = OnTerminal(fading, "review", VISUAL=str(editor))
    screen.wait_for("[q]uit")
    screen.press("?")
    screen.wait_for("open it in your editor")
    screen.press("o")
    until(lambda: (tmp_path / "opened").exists())
    screen.press("q")
    assert screen.end() == 0
    assert (tmp_path / "opened").read_text().strip().endswith(("lamp.md", "tower.md"))
