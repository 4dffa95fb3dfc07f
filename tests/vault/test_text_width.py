"""The width of a text on a terminal, and the spaces between its parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from brain_cli.vault.inline_text import beginning, chars_within, columns, separator

# Letters of scripts with one and with two columns, no marks that join the letter before them.
TEXTS = st.text(st.sampled_from("aZ é–ßжω9。，（）「」灯台ランプ불빛𠀀🎉"))


@given(TEXTS)
def test_the_columns_are_those_of_a_terminal(text: str) -> None:
    assert columns(text) == cell_len(text)


@given(TEXTS, st.integers(0, 40))
def test_the_most_characters_that_fit_are_counted(text: str, limit: int) -> None:
    chars = chars_within(text, limit)
    assert columns(text[:chars]) <= limit
    assert chars == len(text) or columns(text[: chars + 1]) > limit


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The lamp is green.", "The lamp"),
        ("The lamp", "The lamp"),
        ("灯台 灯台灯台灯台", "灯台 灯台"),
        ("lamp灯台灯台", "lamp灯台灯"),
    ],
)
def test_a_text_that_is_too_long_ends_with_a_word(text: str, shown: str) -> None:
    assert beginning(text, 10) == shown


@pytest.mark.parametrize(
    ("before", "after", "between"),
    [
        ("The lamp.", "It burns.", " "),
        ("灯亮了。", "它在燃烧。", ""),
        ("灯亮了", "它在燃烧。", ""),
        ("ランプが点く。", "「はい」", ""),
        ("灯亮了。", "Git 技巧", ""),
        ("灯亮了", "Git 技巧", " "),
        ("불이 켜졌다.", "불빛", " "),
    ],
)
def test_sentences_of_a_script_without_spaces_are_joined_without_one(
    before: str, after: str, between: str
) -> None:
    assert separator(before, after) == between
