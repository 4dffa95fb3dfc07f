"""One strong match on a terminal: as much of the note as fits the window, and how to read on."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from examples import in_ci

if TYPE_CHECKING:
    from conftest import Vault

FILLER = "\n\n".join(
    f"Paragraph {number} tells of boats, of nets and of the weather at sea."
    for number in range(40)
)
SECTIONS = (
    f"# Harbour\n\n{FILLER}\n\n## Crane\n\nThe crane lifts forty tons of coal.\n\n{FILLER}\n"
)


def shown(vault: Vault, query: str, rows: int, columns: int = 80) -> str:
    env = {"LINES": str(rows), "COLUMNS": str(columns)}
    fixed = ("--format", "rich", "--no-touch", "--vault", vault.folder)
    return vault.brain("remember", query, *fixed, env=env).out


@pytest.fixture
def harbour(vault: Vault) -> Vault:
    vault.note("harbour.md", SECTIONS)
    vault.note("other.md", "# Garden\n\nRoses and tulips grow here.\n")
    return vault


@pytest.mark.parametrize("columns", [40, 80, in_ci(200)])
@pytest.mark.parametrize("rows", [16, 24, in_ci(40), 60])
def test_the_answer_fits_the_window_and_fills_it(
    harbour: Vault, rows: int, columns: int
) -> None:
    out = shown(harbour, "how many tons of coal does the crane lift", rows, columns)
    assert out.startswith("Found a strong match")
    assert rows - 8 <= out.count("\n") < rows


def test_it_begins_at_the_matching_section_with_its_heading(harbour: Vault) -> None:
    out = shown(harbour, "how many tons of coal does the crane lift", 24)
    assert "Crane" in out
    assert "forty tons" in out
    assert re.search(r"\nbrain show \S*harbour.md .*  # the whole note\n", out)


def test_the_command_to_read_on_is_on_one_line_and_works(harbour: Vault) -> None:
    out = shown(harbour, "how many tons of coal does the crane lift", 24, 40)
    command = (
        next(line for line in out.splitlines() if "brain show" in line)
        .partition("#")[0]
        .split()
    )
    assert "Paragraph 0 " in harbour.brain(*command[1:]).out


def test_a_note_asked_for_by_its_name_begins_at_the_top(harbour: Vault) -> None:
    out = shown(harbour, "Harbour", 24)
    assert out.startswith("Found a strong match")
    assert "Paragraph 0 " in out


def test_in_a_narrow_window_the_title_is_cut_and_the_path_is_whole(vault: Vault) -> None:
    title = "A very long title that does not fit into a window of forty columns"
    vault.note(
        "folder/with/a/long/name/and/more/of/it/lighthouse.md",
        f"# {title}\n\nThe lamp is green.\n",
    )
    vault.note("other.md", "# Garden\n\nRoses and tulips grow here.\n")
    out = shown(vault, title, 24, 40)
    assert "📝 A very long title that" in out
    rows = (line.strip("│ ") for line in out.splitlines())
    assert "folder/with/a/long/name/and/more/of/it/lighthouse.md:3" in "".join(rows)


@pytest.mark.parametrize("rows", [24, 40, 60])
def test_a_list_fits_the_window(vault: Vault, rows: int) -> None:
    for number in range(12):
        vault.note(
            f"{number}.md",
            f"# Harbour {number}\n\n{FILLER}\n\nThe crane of harbour {number} is {number} years old.\n",
        )
    out = shown(vault, "crane years boats weather anchors", rows)
    assert not out.startswith("Found a strong match")
    assert "The crane of harbour" in out
    assert out.count("\n") < rows - 1


def test_the_json_shows_what_a_screen_of_forty_rows_shows(harbour: Vault) -> None:
    query = "how many tons of coal does the crane lift"
    on_screen = " ".join(line.strip("│ ") for line in shown(harbour, query, 40).splitlines())
    passages = harbour.remember(query)["shown"]
    assert passages
    for passage in passages:
        assert " ".join(passage["text"].split()) in " ".join(on_screen.split())
        lines = (harbour.folder / passage["path"]).read_text().splitlines()
        assert "\n".join(lines[passage["line"] - 1 : passage["end_line"]]) == passage["text"]


def test_lines_are_the_height_of_the_answer(harbour: Vault) -> None:
    asked = (
        "how many tons of coal does the crane lift",
        "--no-touch",
        "--vault",
        harbour.folder,
    )
    few, many = (
        harbour.brain(
            "remember", *asked, "--format", "rich", "--lines", lines, env={"LINES": "30"}
        ).out
        for lines in ("16", "60")
    )
    assert few.count("\n") < 16
    assert 50 < many.count("\n") < 60
    answers = (
        json.loads(harbour.brain("remember", *asked, "--json", "--lines", n).out)
        for n in ("16", "40", "0")
    )
    texts = ["".join(each["text"] for each in answer["shown"]) for answer in answers]
    assert len(texts[0]) < len(texts[1]) < len(texts[2])
    assert texts[1] == "".join(each["text"] for each in harbour.remember(asked[0])["shown"])
    assert harbour.brain("remember", *asked, "--lines", "-1").code == 2


def test_a_number_that_is_asked_for_overrules_the_five_of_a_list(vault: Vault) -> None:
    for number in range(12):
        vault.note(
            f"{number}.md", f"# Harbour {number}\n\nThe crane of harbour {number} is old.\n"
        )
    fixed = (
        "crane anchors weather ships",
        "--format",
        "rich",
        "--no-touch",
        "--vault",
        vault.folder,
    )
    usual, more = (
        vault.brain("remember", *fixed, *options).out for options in ((), ("-n", "8"))
    )
    assert (usual.count(".md"), more.count(".md")) == (5, 8)


def test_notes_that_only_share_a_word_with_the_question_are_not_listed(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In so few notes, every word counts for much.
    monkeypatch.setattr("brain_cli.answer.results.LEAST_RELEVANCE", 0.3)
    for number in range(8):
        vault.note(
            f"{number}.md",
            f"# Service {number}\n\n{'The cart is in a session. ' * 80}\n\nBread is an item.\n",
        )
    query = "baking sourdough bread"
    found = vault.remember(query)
    assert len(found["results"]) == 8
    assert found["shown"] == []
    out = shown(vault, query, 24)
    assert out.startswith(f"No note about “{query}”.\nSearched archive — no matches.")
    assert "Service" not in out
    assert "8 notes have a word of it; -n 8 lists them.\n" in out
    assert (
        "Service"
        in vault.brain(
            "remember", query, "-n", "3", "--format", "rich", "--vault", vault.folder
        ).out
    )


def test_one_unknown_word_of_many_does_not_hide_the_notes_that_are_nearest(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brain_cli.answer.results.LEAST_RELEVANCE", 0.99)
    vault.note("cart.md", "# Service\n\nThe cart keeps its items in a session.\n")
    for number in range(20):
        vault.note(
            f"{number}.md", f"# Harbour {number}\n\nThe crane of harbour {number} is old.\n"
        )
    assert vault.remember("quaternion marmalade cart")["shown"] == []
    assert (
        vault.remember("quaternion cart with the old crane in the session of a harbour")[
            "shown"
        ]
        != []
    )


def test_a_weak_list_stops_at_a_clear_drop(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brain_cli.answer.results.LISTED_SHARE", 0.7)
    vault.note("crane.md", "# Crane\n\nThe crane of the port lifts coal, not a whale.\n")
    for number in range(30):
        vault.note(f"cart-{number}.md", f"# Cart {number}\n\nThe cart is in a session.\n")
    for number in range(4):
        vault.note(
            f"{number}.md", f"# Ship {number}\n\nIt saw a port. {'A whale swims. ' * 30}\n"
        )
    query = "port crane tariff whale"
    assert len(vault.order(query)) == 5
    out = shown(vault, query, 40)
    assert " 1. Crane\n" in out
    assert "Ship" not in out


def test_a_sentence_that_breaks_off_ends_with_an_ellipsis(vault: Vault) -> None:
    vault.note(
        "lamp.md",
        "# Lamp\n\nThe lamp is lit"
        + ", and the keeper counts the ships that pass" * 90
        + ".\n",
    )
    out = shown(vault, "which lamp is lit by whom", 24)
    last = next(row for row in reversed(out.splitlines()) if "keeper" in row)
    assert last.rstrip(" │").endswith(" …")
    assert out.count("\n") < 24


@pytest.mark.parametrize("marks", ["##", "###"])
def test_a_note_shown_whole_has_the_heading_of_its_first_section(
    vault: Vault, marks: str
) -> None:
    vault.note(
        "lena.md",
        f"# Lena\n\n{marks} 2026-11-10\nPromotion case until Christmas.\n"
        f"\n{marks} 2026-09-08\nToo many meetings.\n",
    )
    vault.note("titled.md", "# Roses\n\nRoses grow in the sun.\n\n## Pests\nAphids.\n")
    out = shown(vault, "promotion case", 24)
    assert out.index("2026-11-10") < out.index("Promotion case") < out.index("2026-09-08")
    assert shown(vault, "roses grow", 24).count("Roses") == 2


def test_a_strong_match_is_whole_where_it_fits(vault: Vault) -> None:
    lines = "\n\n".join(
        f"The lamp number {number} of the pier is green." for number in range(40)
    )
    vault.note("pier.md", f"# Lamps of the pier\n\n{lines}\n")
    assert "lamp number 39" in shown(vault, "Lamps of the pier", 100)
    assert "lamp number 39" not in shown(vault, "Lamps of the pier", 24)
    fixed = ("--lines", "0", "--format", "rich", "--no-touch", "--vault", vault.folder)
    assert "lamp number 39" in vault.brain("remember", "Lamps of the pier", *fixed).out


def test_a_code_block_longer_than_the_window_is_cut_and_says_how_many_lines_follow(
    vault: Vault,
) -> None:
    code = "\n".join(f"step({number})" for number in range(1, 61))
    text = (
        f"# Pump calibration\n\nThe pump calibration goes like so:\n\n```python\n{code}\n```\n"
    )
    vault.note("pump.md", f"{text}\nThen reboot.\n")
    vault.note("other.md", "# Garden\n\nRoses and tulips grow here.\n")
    out = shown(vault, "pump calibration", 24)
    assert "goes like so:" in out
    steps = re.findall(r"step\((\d+)\)", out)
    assert steps == [str(number) for number in range(1, len(steps) + 1)]
    assert 5 < len(steps) < 60
    assert f"… {60 - len(steps)} more lines" in out
    assert out.count("\n") < 24
    [passage] = vault.remember("pump calibration")["shown"]
    lines = (vault.folder / "pump.md").read_text().splitlines()
    assert "\n".join(lines[passage["line"] - 1 : passage["end_line"]]) == passage["text"]
    assert "more lines" not in shown(vault, "pump calibration", 100)
    inside = shown(vault, "step 40 of the pump calibration", 24)
    last = max(map(int, re.findall(r"step\((\d+)\)", inside)))
    assert last == 60 or f"… {60 - last} more line" in inside
