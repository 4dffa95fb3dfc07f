"""Test which pieces of a note are quoted: contiguous, unchanged, whole if they fit, and about the
query.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from brain_cli.answer.passages import Quotation
from brain_cli.answer.pieces import NoteToQuote, TermWeights, WeighedPieces
from brain_cli.types import Shown
from brain_cli.vault.sections import outline

COLUMNS = 70
WORDS = ("lamp", "keeper", "harbour", "storm", "boat", "cliff", "tide", "rope")
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=3, max_size=30).map(
    lambda words: f"The {' '.join(words)} stands."
)
LINES = st.one_of(
    SENTENCES,
    SENTENCES.map("- {}".format),
    SENTENCES.map("> {}".format),
    SENTENCES.map("| a | {} |".format),
    st.sampled_from(
        [
            "",
            "",
            "```",
            "| boat | lamp |\n|---|---|",
            "## Harbour",
            "The rope:",
            "![[lamp.png]]",
            "   ",
            "---",
        ]
    ),
)
BODIES = st.lists(LINES, min_size=1, max_size=60).map("\n".join)


def quoted(
    body: str, weights: dict[str, float], rows: int = 12, passage_rows: int = 4, **note: Any
) -> list[Shown]:
    fragments = outline(body, 1).fragments
    return passages(
        NoteToQuote("A note", "english", fragments, **note), weights, rows, passage_rows
    )


def passages(
    note: NoteToQuote, weights: dict[str, float], rows: int, passage_rows: int
) -> list[Shown]:
    quotation = Quotation(WeighedPieces(note, TermWeights(weights)), COLUMNS)
    while quotation.add(rows - quotation.rows, passage_rows):
        pass
    return quotation.passages


@given(
    BODIES,
    st.dictionaries(st.sampled_from(WORDS), st.floats(0.1, 9.0)),
    st.integers(2, 30),
    st.integers(2, 8),
    st.booleans(),
    st.booleans(),
)
def test_a_passage_is_a_contiguous_range_of_the_note_that_fits(
    body: str,
    weights: dict[str, float],
    rows: int,
    passage_rows: int,
    is_whole: bool,
    opening: bool,
) -> None:
    fragments = outline(body, 1).fragments
    note = NoteToQuote("A note", "english", fragments, is_whole=is_whole, opening=opening)
    quotation = Quotation(WeighedPieces(note, TermWeights(weights)), COLUMNS)
    for add in (lambda left: quotation.add(left, passage_rows), quotation.grow):
        while add(rows - quotation.rows):
            pass
        found = quotation.passages
        for passage in found:
            assert passage.text in body
            assert passage.text.split("\n")[0] in body.split("\n")[passage.line - 1]
            assert passage.end_line == passage.line + passage.text.count("\n")
        assert quotation.rows <= rows
        lines = [
            number for passage in found for number in range(passage.line, passage.end_line + 1)
        ]
        assert len(lines) == len(set(lines))


def test_a_short_note_is_quoted_whole_with_its_headings() -> None:
    body = "# A note\n\nThe lamp is lit.\n\n## Storm\n\nThe boat stays in.\n"
    [passage] = quoted(body, {"boat": 1.0}, is_whole=True)
    assert passage.is_whole
    assert passage.text == "The lamp is lit.\n\n## Storm\n\nThe boat stays in."


def test_code_is_quoted_with_the_sentence_that_announces_it() -> None:
    other = "\n\n".join(
        f"Nothing of interest is said in part {number}, nor below it." for number in range(9)
    )
    body = (
        f"{other}\n\nTie the boat like so:\n\n```sh\nrope --tie\nrope --hold\n```\n\n{other}\n"
    )
    for word in ("boat", "hold"):
        [passage] = quoted(body, {word: 1.0})[:1]
        assert "Tie the boat like so:\n\n```sh\nrope --tie\nrope --hold\n```" in passage.text


def test_of_a_long_paragraph_the_sentences_around_the_best_one_are_quoted() -> None:
    sentences = [
        f"The keeper of lamp {number} writes a long report to the office every day."
        for number in range(60)
    ]
    sentences[40] = "A storm broke the lamp at the cliff on a day in the spring of that year."
    [passage] = quoted(" ".join(sentences), {"storm": 3.0, "lamp": 1.0}, rows=4)
    assert sentences[40] in passage.text
    assert passage.text.startswith(("The keeper", "A storm"))
    assert passage.text.endswith(".")


def test_the_beginning_of_code_too_long_for_the_screen_is_quoted() -> None:
    body = "```sh\n" + "".join(f"rope --tie {number}\n" for number in range(40)) + "```"
    [passage] = quoted(body, {"tie": 1.0}, rows=6)
    assert passage.text.startswith("```sh\nrope --tie 0\n")
    assert passage.code


def test_passages_that_touch_are_one() -> None:
    body = "\n\n".join(
        f"The boat of keeper {number} lies at the rope for as long as the tide is low."
        for number in range(20)
    )
    found = quoted(body, {"boat": 1.0, "keeper": 1.0})
    lines = sorted((passage.line, passage.end_line) for passage in found)
    assert all(later[0] > earlier[1] + 2 for earlier, later in pairwise(lines))


def test_a_note_asked_for_by_name_is_quoted_from_its_first_sentence() -> None:
    body = "First words of all here.\n\n" + "\n\n".join(
        "The boat is tied to the boat." for _ in range(20)
    )
    assert quoted(body, {"boat": 1.0}, opening=True)[0].line == 1


def test_a_piece_without_a_row_on_the_screen_is_never_quoted() -> None:
    fragments = outline("<div>\n<br>\n</div>\n\n**`lamp`**\n", 1).fragments
    [passage] = passages(NoteToQuote("A note", "english", fragments), {"br": 1.0}, 9, 4)
    assert passage.text == "**`lamp`**"


def test_no_passage_only_points_elsewhere() -> None:
    body = "- [The boat](#the-boat)\n- [A boat](#a)\n\nThe boat is blue.\n\nSee [the boat](boat.md) for more.\n"
    assert [passage.text for passage in quoted(body, {"boat": 1.0})] == ["The boat is blue."]


def test_an_announced_list_is_quoted_as_far_as_it_fits() -> None:
    items = "".join(f"- Rope {number}\n" for number in range(6))
    filler = "\n\n".join(
        f"The tide of day {number} was low, and the boat stayed where it was."
        for number in range(9)
    )
    [passage] = quoted(
        f"{filler}\n\nThe keeper needs:\n\n{items}\n{filler}\n", {"keeper": 3.0}, passage_rows=4
    )
    assert passage.text == f"The keeper needs:\n\n{items.strip()}"


def test_the_last_rows_of_a_table_are_not_quoted_above_what_follows_it() -> None:
    table = "| Lamp | Meaning |\n|---|---|\n" + "".join(
        f"| {number} | boat {number} |\n" for number in range(9)
    )
    below = "The keeper lights it."
    [passage] = quoted(
        f"{table}\n{below}\n\n## Tide\n\nLow.\n", {"keeper": 3.0}, rows=7, passage_rows=4
    )
    assert passage.text == below


def test_a_sentence_that_announces_code_which_does_not_fit_is_left_out() -> None:
    code = "\n".join(f"keep(lamp, {number})" for number in range(40))
    body = f"The harbour has a lamp that the keeper lights.\nSo, in a storm, he writes this:\n\n```\n{code}\n```\n"
    [passage] = quoted(body, {"harbour": 2.0, "keeper": 1.0}, rows=4)
    assert passage.text == "The harbour has a lamp that the keeper lights."
    assert (passage.line, passage.end_line) == (1, 1)


def test_a_sentence_over_several_lines_that_does_not_fit_is_quoted_from_its_beginning() -> None:
    wrapped = [
        "For most boats, in most of the storms of a winter, the best",
        "place to be is the harbour with the lamp of its old",
    ]
    body = "\n".join(
        [
            *wrapped,
            *["keeper, who stands alone on the cliff above the tide, and of the"] * 9,
            "tide.",
        ]
    )
    [broken_off] = quoted(body, {"lamp": 2.0}, rows=3)
    assert broken_off.text.startswith("For most boats")
    assert not broken_off.ends_sentence
