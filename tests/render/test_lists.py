"""On a terminal, lists of notes are set for reading; in a pipe they stay lines and Markdown."""

from __future__ import annotations

import json
import re

import pytest
from conftest import Vault
from terminal import OnTerminal, on_a_terminal

LONG = "A title so long that hardly anything fits beside it in a window"


@pytest.fixture
def shop(vault: Vault) -> Vault:
    vault.note(
        "notes/deep/queue-of-orders.md",
        f"# {LONG}\n\nOrders wait in a queue. [[b]]\n",
        date="2026-11-01",
    )
    vault.note("b.md", "# Bread\n\nBread waits. [[c]]\n", date="2026-11-02")
    vault.note("c.md", "# Cheese\n\nCheese waits.\n", date="2026-11-03")
    return vault


def lines_of(shown: str) -> list[str]:
    return (
        re.sub(r"\x1b\[[\d;]*m|\x1b\]8;[^\x1b]*\x1b\\", "", shown)
        .replace("\r", "")
        .splitlines()
    )


@pytest.mark.exhaustive
def test_recent_has_aligned_columns_on_a_terminal_and_tabs_in_a_pipe(shop: Vault) -> None:
    first = lines_of(on_a_terminal(shop, "recent"))[0]
    assert first.startswith("2026-11-03 Cheese")
    assert first.endswith("  c.md")
    assert shop.brain("recent", "--vault", shop.folder).out.splitlines()[0].count("\t") == 3


def test_the_title_of_a_diary_does_not_repeat_the_day_beside_it(vault: Vault) -> None:
    vault.note("daily/2026-11-03.md", "# 2026-11-03\n\nRain.\n", type="journal")
    vault.note("daily/2026-11-02.md", "# 2026-11-02 – Monday\n\nSun.\n")
    vault.note("a.md", "# 2026-11-01. Plans of 2026\n\nSnow.\n", date="2026-10-30")
    assert lines_of(on_a_terminal(vault, "recent")) == [
        "2026-11-03 (journal)  daily/2026-11-03.md",
        "2026-11-02 Monday (journal)  daily/2026-11-02.md",
        "2026-10-30 2026-11-01. Plans of 2026 (note)  a.md",
    ]


def test_related_names_the_note_once_and_then_the_ways_from_it(shop: Vault) -> None:
    heading, *rest = lines_of(on_a_terminal(shop, "related", "queue-of-orders"))
    assert heading == f"Related to “{LONG}”:"
    assert rest == ["0.50 Bread  b.md", "0.25 Cheese via Bread  c.md"]


@pytest.mark.exhaustive
def test_context_is_set_for_reading_on_a_terminal_and_markdown_in_a_pipe(shop: Vault) -> None:
    arguments = ["context", "--prompt", "where do orders wait", "--now", "2026-11-04"]
    shown = lines_of(on_a_terminal(shop, *arguments))
    assert shown[0].startswith("• A title")
    assert "  Orders wait in a queue. b" in shown
    assert "\n- **A title" in shop.brain(*arguments, "--vault", shop.folder).out


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("head", "named"),
    [
        ("# Oat bread\n\n", 1),
        ("Oat bread\n=========\n\n", 1),
        ("\n\n# **Oat** bread #\n", 1),
        ("# Other bread\n\nOat bread\n\n", 2),
    ],
)
def test_markdown_has_the_title_of_a_strong_match_once(
    vault: Vault, head: str, named: int
) -> None:
    vault.note("bread.md", f"{head}Needs an hour in the oven.\n\n## How\n\nSlowly.\n")
    asked = ("remember", "oat bread", "--format", "markdown", "--vault", vault.folder)
    shown = vault.brain(*asked).out
    assert shown.startswith("## [")
    assert len(re.findall("bread", shown.replace("bread.md", ""))) == named
    assert "Needs an hour" in shown
    assert "## How" in shown


def test_a_long_title_is_cut_beside_its_path(shop: Vault) -> None:
    cut = "2026-11-01 A title so long that hardly an… (note)  notes/deep/queue-of-orders.md"
    assert cut in lines_of(on_a_terminal(shop, "recent"))


def test_a_path_that_leaves_no_space_for_the_title_has_a_row_of_its_own(shop: Vault) -> None:
    path = "notes/deep/of/many/folders/with/names/that/are/longer/than/usual.md"
    shop.note(path, "# Lighthouse\n\nIts lamp waits.\n", date="2026-11-04")
    title, place = lines_of(on_a_terminal(shop, "recent"))[:2]
    assert title == "2026-11-04 Lighthouse (note)"
    assert place.strip() == path


@pytest.mark.exhaustive
def test_no_line_of_a_list_ends_in_spaces(shop: Vault) -> None:
    for command in (["recent"], ["related", "b"], ["remember", "what waits in the queue"]):
        assert not [
            line for line in lines_of(on_a_terminal(shop, *command)) if line.endswith(" ")
        ], command


def test_score_says_what_to_type(vault: Vault) -> None:
    terminal = OnTerminal(vault, "score")
    terminal.wait_for('such as {"signals": {"relevance": 0.8}}')
    terminal.send('{"signals": {"relevance": 0.8}}\n')
    terminal.wait_for('"total"')
    terminal.send("\x04")
    assert terminal.end() == 0


def test_an_answer_to_a_question_about_a_time_shows_the_date_of_each_note(shop: Vault) -> None:
    diary = "# Diary\n\n## 2026-03-04\n\nBread waits.\n\n## 2026-08-09\n\nCheese waits.\n"
    shop.note("diary.md", diary, date="2026-11-04")
    for question, date in (
        ("who waits in august", "2026-08-09"),
        ("latest of those waiting", "2026-11-03"),
    ):
        shown = shop.brain(
            "remember",
            question,
            "--format",
            "rich",
            "--vault",
            shop.folder,
            "--now",
            "2026-11-05",
        ).out
        assert f"{date})" in shown, shown
    shown = shop.brain(
        "remember", "who waits in the queue", "--format", "rich", "--vault", shop.folder
    ).out
    assert "2026" not in shown


def test_of_a_diary_the_day_asked_for_is_shown(vault: Vault) -> None:
    vault.note(
        "diary.md",
        "# Diary\n\n## 2026-03-04\n\nThe boiler broke.\n\n## 2026-08-09\n\nThe boiler is new.\n",
    )
    for question, day in (
        ("boiler in august", "2026-08-09"),
        ("boiler in march", "2026-03-04"),
    ):
        asked = ("remember", question, "--now", "2026-11-05", "--vault", vault.folder)
        assert f"Diary › {day}" in vault.brain(*asked, "--format", "plain").out
        fragment = json.loads(vault.brain(*asked, "--format", "json").out)["results"][0][
            "fragment"
        ]
        assert fragment["heading"][-1] == day


def test_a_note_without_links_says_how_to_find_notes_with_the_same_words(vault: Vault) -> None:
    vault.note("alone.md", "# Nobody's note\n\nNo links.\n")
    answer = vault.brain("related", "alone", "--vault", vault.folder)
    assert answer.code == 1
    assert "brain remember 'Nobody'\\''s note'" in answer.err


def test_nothing_found_behind_a_filter_is_put_down_to_the_filter(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n\nGreen tea.\n")
    answer = vault.brain("remember", "tea", "--type", "decison", "--vault", vault.folder)
    assert answer.code == 1
    assert "No active memory that passes the filters matches “tea”." in answer.err


def test_the_count_of_related_memories_is_that_of_the_notes_below(sample: Vault) -> None:
    for query in ("kafka", "kafka consumers"):
        fixed = ("remember", query, "--scorer", "brain", "--no-touch", "--vault", sample.folder)
        shown = sample.brain(*fixed, "--format", "rich").out
        count = re.match(r"Found (\d+) related memor(?:y|ies):\n", shown)
        assert count, shown
        numbered = re.findall(r"^ ?\d+\. .*\(score: ([\d.]+)", shown, re.MULTILINE)
        assert len(numbered) == int(count[1])
        assert all(float(score) > 0.4 for score in numbered)


def test_a_note_of_another_project_is_labelled_wherever_it_is_named(vault: Vault) -> None:
    vault.note(
        "a.md",
        "# Harbour crane limits\n\nForty tons. See [[b]].\n",
        project="quay",
        date="2026-11-20",
    )
    vault.note("b.md", "# Rope stock\n\nTwelve ropes.\n", project="store")
    for form in ("rich", "markdown", "plain"):
        fixed = (
            "--scorer",
            "clawdbot",
            "--project",
            "office",
            "--format",
            form,
            "--now",
            "2026-11-21",
        )
        shown = vault.brain(
            "remember", "Harbour crane limits", *fixed, "--no-touch", "--vault", vault.folder
        ).out.replace("(from: ", "[from: ")
        assert "[from: quay" in shown, form
        assert form == "plain" or "[from: store" in shown, form
