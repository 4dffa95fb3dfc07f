"""The excerpt of a note that is shown for one strong match."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from brain_cli.answer.passages.excerpt import excerpt
from brain_cli.answer.quotes import Space
from brain_cli.types import Fragment
from brain_cli.vault.boilerplate import line_hash

FILLER = "\n".join(f"Line {number} is about the harbour and the boats in it." for number in range(60))


def note() -> list[Fragment]:
    """Return a note of three sections; the middle one begins on line 70 of its file."""
    return [
        Fragment(("Lighthouse",), FILLER, 1, 3),
        Fragment(("Lighthouse", "Lamp"), "The lamp turns at night.\n\n%% not for readers %%\n\nIt is green.", 70, 72),
        Fragment(("Lighthouse", "Keeper"), FILLER, 80, 82),
    ]


def test_a_short_note_is_shown_from_its_beginning() -> None:
    shown = excerpt([Fragment(("Lighthouse",), "The lamp is green.", 1, 3)], 0, 3)
    assert (shown.text.strip(), shown.heading, shown.lines_left) == ("The lamp is green.", ("Lighthouse",), 0)


def test_a_long_note_is_shown_from_its_matching_section() -> None:
    shown = excerpt(note(), 1, 72)
    assert shown.heading == ("Lighthouse", "Lamp")
    assert shown.text.strip().startswith("The lamp turns at night.")


def test_no_more_is_shown_than_fits_and_the_rest_is_counted() -> None:
    shown = excerpt(note(), 1, 72, space=Space(600))
    assert len(shown.text) <= 600
    assert shown.lines_left > 40


def test_a_comment_is_not_shown() -> None:
    assert "not for readers" not in excerpt(note(), 1, 72).text


def test_a_match_far_down_a_long_section_is_shown() -> None:
    shown = excerpt(note(), 2, 140, space=Space(600))
    assert "Line 58 " in shown.text


def test_code_that_is_cut_off_is_closed() -> None:
    code = "```sh\n" + "\n".join(f"echo the number {number} of many more numbers" for number in range(80)) + "\n```"
    assert excerpt([Fragment(("Code",), code, 1, 3)], 0, 3, space=Space(500)).text.endswith("\n```")


def test_a_line_of_its_own_that_is_too_long_is_cut_at_a_word() -> None:
    shown = excerpt([Fragment(("Long",), "word " * 1_000, 1, 3)], 0, 3, space=Space(500))
    assert len(shown.text) <= 510


def test_the_lines_above_and_below_an_excerpt_are_counted() -> None:
    shown = excerpt(note(), 1, 72, space=Space(200))
    assert (shown.lines_before, shown.lines_left) == (61, 61)


def test_a_paragraph_that_does_not_fit_is_begun() -> None:
    shown = excerpt([Fragment(("Long",), "The lamp is green.\n\n" + "word " * 1_000, 1, 3)], 0, 3, space=Space(500))
    assert shown.text.endswith("word…")
    assert 400 < len(shown.text) <= 500


def test_less_space_leaves_more_lines() -> None:
    shown = excerpt(note(), 1, 72, space=Space(600))
    less = shown.shortened(Space(200))
    assert less.text == shown.text[: len(less.text)]
    assert less.lines_left > shown.lines_left


def test_code_is_shown_with_its_fences_and_lines_that_many_notes_have() -> None:
    code = "Before the code.\n\n```go-html-template\n{{ range .Things }}\n{{ end }}\n```\n\nAfter the code."
    repeated = frozenset(map(line_hash, ("```go-html-template", "{{ end }}", "{{ else }}")))
    shown = excerpt([Fragment(("Code",), code, 1, 3)], 0, 3, repeated).text
    assert "```go-html-template\n{{ range .Things }}\n{{ end }}\n```\n\nAfter the code." in shown


def test_code_of_which_every_line_is_boilerplate_is_not_shown() -> None:
    code = "Before the code.\n\n```button one\nname of the button\n```\n\nAfter the code."
    repeated = frozenset(map(line_hash, ("```button one", "name of the button", "```")))
    assert "button" not in excerpt([Fragment(("Code",), code, 1, 3)], 0, 3, repeated).text


def shown_without(text: str, *repeated: str) -> str:
    """Return what is shown of a text of which some lines stand in many notes."""
    return excerpt([Fragment(("Lamp",), text, 1, 3)], 0, 3, frozenset(map(line_hash, repeated))).text.strip()


TABLE = "| lamp | command |\n| --- | --- |\n| harbour | light |\n| tower | shine |"


@pytest.mark.parametrize("repeated", ["| --- | --- |", "| lamp | command |", "| harbour | light |"])
def test_a_table_is_shown_whole_when_many_notes_have_one_of_its_lines(repeated: str) -> None:
    assert shown_without(TABLE, repeated) == TABLE


def test_a_table_of_which_every_row_is_boilerplate_is_not_shown() -> None:
    text = f"Before it.\n\n{TABLE}\n\nAfter it."
    assert shown_without(text, *TABLE.split("\n")[2:]) == "Before it.\n\nAfter it."


@pytest.mark.parametrize(
    "text",
    ["> [!warning]\n> Never light it twice.", "> ```python\n> light(lamp)\n> ```", "~~~python\nlight(lamp)\n~~~"],
)
def test_the_first_line_of_a_block_is_shown_though_many_notes_have_it(text: str) -> None:
    first = text.split("\n")[0]
    assert shown_without(f"{text}\n\nThe lamp footer.", first, "The lamp footer.") == text


def test_a_callout_that_many_notes_have_is_not_shown() -> None:
    text = "> [!warning]\n> Never light it twice.\n\nThe lamp is green."
    assert shown_without(text, "> Never light it twice.") == "The lamp is green."


@pytest.mark.parametrize(
    ("head", "row", "end"),
    [
        ("| lamp | command |\n| --- | --- |", "| lamp {} | light the lamp with oil |", ""),
        ("```sh", "light the lamp number {} with oil", "\n```"),
        ("> [!warning]", "> Never light the lamp number {}.", ""),
    ],
)
def test_an_excerpt_that_begins_inside_of_a_block_has_its_head(head: str, row: str, end: str) -> None:
    text = f"{head}\n" + "\n".join(map(row.format, range(200))) + end
    shown = excerpt([Fragment(("Lamps",), text, 1, 3)], 0, 150, space=Space(500))
    assert shown.text.startswith(f"{head}\n")
    assert row.format(150 - 3 - head.count("\n") - 1) in shown.text
    assert shown.line > 140
    assert not end or shown.text.count("```") == 2


def test_a_chinese_excerpt_is_as_long_on_a_screen_as_an_english_one() -> None:
    text = "灯塔的灯在夜里亮着。 " + "把它关掉很容易。" * 300
    shown = excerpt([Fragment(("灯塔",), text, 1, 3)], 0, 3, space=Space(600)).text
    assert 580 < cell_len(shown) <= 600
