"""`brain -i`: keys in, the screen and the notes out; without a terminal, the usual answer."""

from __future__ import annotations

import json
import signal
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Brain, Vault
from examples import in_ci
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from terminal import OnTerminal

from brain_cli.answer.screen_rows import ScreenLine
from brain_cli.cli._browser import Browser, Item, NoteList, Reading
from brain_cli.cli._screen import ASK_KEYS, HELP, NOTE_KEYS, FullScreen
from brain_cli.library.vault import open_vault

DOWN, UP, ENTER, ESCAPE, CTRL_C = "\x1b[B", "\x1b[A", "\r", "\x1b", "\x03"
CTRL_K, CTRL_L, CTRL_X, CTRL_Y, F1 = "\x0b", "\x0c", "\x18", "\x19", "\x1bOP"
Typing = Callable[..., Browser]


@pytest.fixture
def harbour(vault: Vault) -> Vault:
    vault.note(
        "a.md",
        "# Harbour\n\nThe harbour opens at six.\n\n## Tide\n\nThe harbour tide table. See [[b]].\n",
    )
    vault.note("b.md", "# Ships\n\nShips lie in the harbour. [[c]] pays.\n")
    vault.note("c.md", "# Pilot\n\nA pilot for [[b]] is dear.\n")
    return vault


@pytest.fixture
def typing(harbour: Vault) -> Typing:
    """Type keys on the screen, then leave it; return what was on it."""

    def leave(keys: str, text: str = "", *options: str) -> Browser:
        with harbour.brain.surroundings(), create_pipe_input() as typed:
            browser = Browser(
                open_vault(str(harbour.folder), None), None, options, touches=True
            )
            typed.send_text(f"{keys}{CTRL_C}")
            FullScreen(browser, text, typed, DummyOutput()).run()
        return browser

    return leave


def titles(browser: Browser) -> list[str]:
    assert isinstance(browser.here, NoteList)
    return [each.title for each in browser.here.items]


def note(browser: Browser) -> str:
    assert isinstance(browser.here, Reading)
    return browser.here.item.title


def events(brain: Brain) -> list[dict[str, Any]]:
    files = brain.state.rglob("*.jsonl")
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


@pytest.mark.parametrize(
    ("keys", "title"),
    [
        (f"tide{ENTER}", "Harbour"),
        (f"tide\x7f\x7f\x7f\x7fpilot dear{ENTER}", "Pilot"),
        (f"harbour{DOWN}{DOWN}{DOWN}{UP}{UP}{UP}{ENTER}", "Harbour"),
        (f"tide{ENTER}{ENTER}{ENTER}", "Ships"),  # the note, its links, the linked note
        (f"tide{CTRL_L}{ENTER}", "Ships"),
        (f"tide{ENTER}{ENTER}{ENTER}bb", "Harbour"),
        (f"tide{ENTER}xyz", "Harbour"),  # other letters do nothing while a note is read
        (f"tide{ENTER}{F1}x", "Harbour"),
    ],
)
def test_typing_asks_and_enter_reads_and_follows(typing: Typing, keys: str, title: str) -> None:
    assert note(typing(keys)) == title


def test_links_and_backlinks_are_listed_with_their_direction(typing: Typing) -> None:
    here = typing(f"{ENTER}{ENTER}", "ships").here
    assert isinstance(here, NoteList)
    assert {(each.mark.strip(), each.title) for each in here.items} == {
        ("←", "Harbour"),
        ("↔", "Pilot"),
    }


@pytest.mark.parametrize("keys", [f"{ENTER}b", f"{ENTER}{ESCAPE}", f"{ENTER}{ENTER}/"])
def test_back_leads_to_the_answer(typing: Typing, keys: str) -> None:
    assert titles(typing(keys, "tide")) == ["Harbour"]


def test_without_words_the_newest_notes_are_listed(typing: Typing, harbour: Vault) -> None:
    harbour.note("new.md", "# New\n", date="2026-11-20")
    assert titles(typing("? ?"))[0] == "New"


def test_filters_hold_for_every_question(typing: Typing) -> None:
    assert titles(typing(f"harbour{UP}", "", "--path=b.md")) == ["Ships"]
    assert titles(typing(UP, "", "--path=b.md")) == ["Ships"]
    assert len(titles(typing(UP, "", "--sort=date", "--scorer=clawmem"))) == 3


def test_what_is_read_counts_as_a_recall_and_what_is_listed_does_not(
    typing: Typing, harbour: Vault
) -> None:
    typing("harbour")
    assert not events(harbour.brain)
    typing(ENTER, "tide")
    [event] = events(harbour.brain)
    assert (event["event"], [each[0] for each in event["notes"]]) == ("shown", ["a.md"])


@pytest.mark.exhaustive
def test_a_note_is_changed_by_keys_and_the_last_change_undone(
    typing: Typing, harbour: Vault
) -> None:
    before = (harbour.folder / "a.md").read_text()
    browser = typing(f"{ENTER}p", "tide")
    assert "pinned: true" in (harbour.folder / "a.md").read_text()
    assert browser.message == "pinned a.md"
    typing(f"{ENTER}p", "tide")
    assert "pinned" not in (harbour.folder / "a.md").read_text()
    typing(f"{ENTER}aclosed in winter{ENTER}", "tide")
    changed = (harbour.folder / "a.md").read_text()
    assert changed.endswith("\n## 2026-11-21\n\nclosed in winter\n")
    assert typing(f"{ENTER}u", "tide").message.startswith("Nothing was changed here.")
    assert (harbour.folder / "a.md").read_text() == changed
    harbour.brain("undo", "--vault", harbour.folder)
    typing(f"{ENTER}aclosed in winter{ENTER}u", "tide")
    assert (harbour.folder / "a.md").read_text() == before
    typing(f"{ENTER}athrown away{ESCAPE}", "tide")
    assert (harbour.folder / "a.md").read_text() == before
    typing(f"{ENTER}pu", "tide")
    assert (harbour.folder / "a.md").read_text() == before


def test_what_hooks_have_kept_is_listed_with_how_often_it_was_recalled(
    typing: Typing, harbour: Vault
) -> None:
    assert typing(CTRL_K).message == "Nothing was kept yet."
    for name, date in (("Handoff", "2026-11-19"), ("Fixed the crane", "2026-11-20")):
        head = f"---\ntags: [captured]\ndate: {date}\n---\n"
        harbour.note(f"kept/{name}.md", f"{head}# {name}\n\nThe tide test passes.\n")
    assert titles(typing(CTRL_K)) == ["Fixed the crane", "Handoff"]
    here = typing(f"{CTRL_K}{ENTER}b").here
    assert isinstance(here, NoteList)
    typing(f"{CTRL_K}{ENTER}")
    again = typing(CTRL_K).here
    assert isinstance(again, NoteList)
    assert [each.mark for each in again.items] == ["  2× ", "  0× "]


def test_what_was_kept_is_forgotten_and_pinned_by_keys(typing: Typing, harbour: Vault) -> None:
    for name in ("one", "two"):
        harbour.note(f"{name}.md", f"---\ntags: [captured]\n---\n# {name}\n\nNoise.\n")
    one = harbour.folder / "one.md"
    browser = typing(f"{CTRL_K}d")
    assert (browser.message, titles(browser)) == ("forgot one.md", ["two"])
    assert not one.exists()
    harbour.brain("undo", "--vault", harbour.folder)
    assert titles(typing(f"{CTRL_K}{ENTER}d")) == ["two"]
    assert not one.exists()
    harbour.brain("undo", "--vault", harbour.folder)
    assert titles(typing(f"{CTRL_K}du")) == ["one", "two"]
    assert one.exists()
    assert typing(f"{CTRL_K}p").message == "pinned one.md"
    assert typing(f"{CTRL_K}d").message.startswith("one.md is pinned")
    assert one.exists()


@pytest.mark.parametrize(
    ("keys", "verdict"),
    [(CTRL_Y, "useful"), (CTRL_X, "wrong"), (f"{ENTER}+", "useful"), (f"{ENTER}-", "wrong")],
)
def test_keys_rate_the_note(typing: Typing, harbour: Vault, keys: str, verdict: str) -> None:
    assert typing(keys, "tide").message == f"a.md: {verdict}"
    assert [each["value"] for each in events(harbour.brain) if each["event"] == "feedback"] == [
        verdict
    ]


def test_asked_words_are_found_in_any_form(typing: Typing) -> None:
    browser = typing(UP, "harbour")
    text = "Two harbours, one ship."
    assert [text[start:end] for start, end in browser.asked_words(text)] == ["harbours"]


def test_settings_may_change_meanwhile(harbour: Vault) -> None:
    with harbour.brain.surroundings():
        browser = Browser(open_vault(str(harbour.folder), None), None, touches=False)
        assert len(browser.found("harbour").items) == 2
        harbour.brain.config.parent.mkdir(parents=True)
        harbour.brain.config.write_text('dates = ["mtime"]\n')
        assert len(browser.found("harbour").items) == 2
        browser.close()


def test_the_answer_begins_with_the_sentence_of_the_normal_screen(
    harbour: Vault, typing: Typing
) -> None:
    for question in ("tide", "zeppelin quaternion pilot", "harbour boat", "photosynthesis"):
        here = typing(DOWN, question).here
        asked = ("remember", question, "--format", "rich", "--no-touch")
        usual = harbour.brain(*asked, "--vault", harbour.folder).out
        assert isinstance(here, NoteList)
        assert here.heading
        assert here.heading in usual
    newest = typing(DOWN, "").here
    assert isinstance(newest, NoteList)
    assert newest.heading == ""


def test_no_row_of_the_help_is_longer_than_a_small_screen() -> None:
    assert max(map(len, (*HELP.split("\n"), ASK_KEYS, NOTE_KEYS))) < 80


def test_nothing_breaks_where_nothing_is_found(typing: Typing) -> None:
    browser = typing(f"{ENTER}{DOWN}{CTRL_L}{CTRL_Y}", "photosynthesis tag:none")
    assert browser.here.item is None


def test_a_passage_is_on_the_screen_when_its_note_is_opened() -> None:
    rows = [*(f"row {number}" for number in range(90)), " • the tide table of the harbour"]
    here = Reading(
        Item(
            "a.md",
            99,
            "A",
            (
                ScreenLine("Tide", is_heading=True),
                ScreenLine("the tide table of the harbour", "- "),
            ),
        ),
        "\n".join(rows),
        height=4,
    )
    assert here.top == 87
    here.move(-1000)
    assert here.top == 0


def test_the_preview_shows_words_without_their_markup_and_code_as_it_is(
    harbour: Vault, typing: Typing
) -> None:
    harbour.note(
        "quay.md",
        "# Quay\n\nThe **quay** crane:\n\n```sh\n# on the *quay*\nraise crane\n```\n\n- ask #quay-team\n",
    )
    browser = typing(f"quay crane{ENTER}", "")
    item = browser.here.item
    assert item is not None
    preview = "\n".join(row for _, row in browser.preview_of(item, 40))
    assert "The quay crane:" in preview
    assert "\n # on the *quay*\n raise crane" in preview
    assert "- ask #quay-team" in preview


def test_the_end_of_a_note_fills_the_screen() -> None:
    here = Reading(
        Item("a.md", 1, "A"), "\n".join(f"row {number}" for number in range(90)), height=20
    )
    here.move(1000)
    assert here.top == 70


def test_without_a_terminal_the_answer_is_the_usual_one(harbour: Vault, brain: Brain) -> None:
    usual = brain("harbour", "--vault", harbour.folder, "--no-touch").out
    assert usual
    assert brain("-i", "harbour", "--vault", harbour.folder, "--no-touch").out == usual


def test_nothing_found_exits_with_1(harbour: Vault, brain: Brain) -> None:
    assert brain("remember", "-i", "photosynthesis", "--vault", harbour.folder).code == 1


def opened(vault: Vault, *arguments: str, **environ: str) -> OnTerminal:
    """Open the screen with a question about the harbour."""
    screen = OnTerminal(vault, "-i", "harbour", *arguments, **environ)
    screen.wait_for("Esc leave")
    return screen


@pytest.mark.exhaustive
def test_without_words_the_screen_begins_with_the_newest_notes(harbour: Vault) -> None:
    screen = OnTerminal(harbour, "-i")
    screen.wait_for("Pilot")
    screen.send(ESCAPE)
    assert screen.end() == 0


@pytest.mark.exhaustive
def test_an_editor_opens_the_note_at_its_passage(harbour: Vault, tmp_path: Path) -> None:
    editor = tmp_path / "nvim"
    editor.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/opened\n')
    editor.chmod(0o755)
    screen = opened(harbour, "tide", VISUAL=str(editor))
    screen.wait_for(" table.")
    screen.send(f"{ENTER}e")
    while not (tmp_path / "opened").exists():
        screen.wait_for("q leave")
    screen.send("q")
    assert screen.end() == 0
    assert (tmp_path / "opened").read_text() == f"+7 {harbour.folder}/a.md\n"


HOSTILE = "harbour\x1b]0;owned\x07\x1b[2J\x9b31m\u202egpj.exe\u2066\b\x7f"


@pytest.mark.exhaustive
def test_hostile_notes_steer_no_terminal(vault: Vault) -> None:
    for name in ("a", "b"):
        vault.note(
            f"{name}{HOSTILE}.md",
            f"# {name}{HOSTILE}\n\n## {HOSTILE}\n\n{HOSTILE} opens at six. [[{HOSTILE}]]\n",
        )
    screen = opened(vault)
    screen.wait_for("opens at six")
    screen.send(f"{DOWN}{CTRL_Y}")
    screen.wait_for(": useful")
    screen.send(ENTER)
    screen.wait_for("q leave")
    screen.send(CTRL_C)
    assert screen.end() == 0
    for steering in ("\x1b]0;owned", "owned\x07", "\x9b31m", "\u202e", "\u2066", "\x7f"):
        assert steering.encode() not in screen.shown


@pytest.mark.exhaustive
@pytest.mark.parametrize("keys", [in_ci(""), ENTER])
def test_the_window_may_take_any_size(harbour: Vault, keys: str) -> None:
    screen = opened(harbour)
    screen.send(keys)
    for lines, columns in ((1, 1), (2, 300), (3, 5), (24, 79), (500, 1000), (24, 100)):
        screen.resize(lines, columns)
        screen.send(DOWN)
    screen.send(CTRL_C)
    assert screen.end() == 0
    assert b"Traceback" not in screen.shown
    assert b"bug" not in screen.shown


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGTERM, in_ci(signal.SIGHUP), in_ci(signal.SIGINT)])
def test_a_killed_screen_leaves_the_terminal_as_it_was(harbour: Vault, number: int) -> None:
    screen = opened(harbour)
    assert termios.tcgetattr(screen.terminal) != screen.settings
    screen.process.send_signal(number)
    screen.end()
    assert termios.tcgetattr(screen.terminal) == screen.settings
    assert b"Traceback" not in screen.shown
    assert b"bug" not in screen.shown


def test_the_beginning_of_a_word_finds_it(typing: Typing) -> None:
    assert titles(typing(f"ship{UP}"))[0] == "Ships"
    assert titles(typing(f"pil{UP}")) == ["Pilot"]
