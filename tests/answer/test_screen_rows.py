"""Test how a piece becomes rows of a screen: markup goes, code stays, and no row is wider than the
screen.
"""

from __future__ import annotations

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.answer.screen_rows import ScreenLine, display_lines, plain_text, wrapped
from brain_cli.types import QuotedPart
from brain_cli.vault.inline_text import columns


def texts(kind: str, text: str) -> list[str]:
    return [f"{line.mark}{line.text}" for line in display_lines(kind, text)]


@pytest.mark.parametrize(
    "code",
    [
        "[[x]] and ![[x]]",
        "%% not a comment %%",
        "<!-- kept -->",
        "{{ .Title }}",
        "a ** b __ c",
        "|a|b|",
        "# no heading",
    ],
)
def test_code_is_never_rewritten(code: str) -> None:
    assert texts("c", f"```md\n{code}\n```") == [code]
    assert texts("i", f"- text\n  ```\n  {code}\n  ```") == ["- text", f"  {code}"]
    if "|" not in code:
        assert texts("p", f"See `{code}`.") == [f"See `{code}`."]


WRAPPED = """The gateway timed out on every upload that was larger than
one **megabyte, so** the team left [REST](https://rest.example)
for good."""


def test_a_wrapped_paragraph_is_one_line_and_an_item_keeps_its_mark() -> None:
    assert texts("p", WRAPPED) == [
        "The gateway timed out on every upload that was larger than one megabyte, so the team left REST for good."
    ]
    assert texts("i", "- [x] done\n  - below") == ["- [x] done", "  - below"]
    assert texts("i", "12. twelfth") == ["12. twelfth"]


def test_a_line_end_that_was_meant_is_kept() -> None:
    assert texts("p", "lead: Chidi\nsince: October") == ["lead: Chidi", "since: October"]
    assert texts("i", "- done\n  by Ana") == ["- done", "  by Ana"]
    assert texts("p", "size < 30 kB\nask Marit") == ["size < 30 kB", "ask Marit"]


def test_markup_over_several_lines_stays_together() -> None:
    assert texts("p", "one [two\nthree](https://x.example)\nfour <!-- five\nsix --> seven") == [
        "one two three",
        "four seven",
    ]
    assert texts("p", "one <img\nsrc='x.png'> two") == ["one two"]


def test_a_struck_word_keeps_its_marks_because_it_no_longer_holds() -> None:
    assert texts("p", "lead: ~~Tomasz~~ **Chidi**") == ["lead: ~~Tomasz~~ Chidi"]


def test_a_list_of_links_has_their_addresses() -> None:
    links = "- [Whoosh](https://whoosh.example/a_b_c/_index) searches\n- see [BM25](https://b.example)\n- [[note]]"
    assert texts("i", links) == [
        "- Whoosh searches  https://whoosh.example/a_b_c/_index",
        "- see BM25",
        "- note",
    ]


def test_a_quotation_and_a_callout_lose_their_marks() -> None:
    assert texts("q", "> one\n> two") == ["one", "two"]
    assert texts("q", "> [!note] Title\n> text") == ["Title", "text"]


def test_the_row_of_dashes_of_a_table_is_not_shown() -> None:
    assert texts("t", "| a | b |\n|---|:-:|\n| `1` | **2** |") == ["a | b", "`1` | 2"]


@pytest.mark.parametrize(
    "text",
    [
        "- on-call: #heron-oncall, pager",
        "- #heron-oncall wakes you",
        "Announce in #heron-oncall first",
        "Announce it in #heron-oncall",
        "Issue #12 is open",
    ],
)
def test_a_tag_in_a_text_stays_whole(text: str) -> None:
    assert texts("t", text) == [text]


def test_a_line_of_nothing_but_tags_is_hidden() -> None:
    assert list(filter(None, texts("t", "#heron #on-call\n\nWho wakes?"))) == ["Who wakes?"]


def test_code_is_broken_between_words_too() -> None:
    command = "kubectl -n heron set env deploy/hub DATABASE_URL=postgres://hub@pg2/heron"
    rows = [command[a:b] for a, b in wrapped(ScreenLine(command, is_code=True), 60)]
    assert rows == [
        "kubectl -n heron set env deploy/hub",
        "DATABASE_URL=postgres://hub@pg2/heron",
    ]
    indented = "    " + "x" * 70
    assert wrapped(ScreenLine(indented, is_code=True), 60) == [(0, 60), (60, 74)]


def test_a_line_break_in_the_note_is_one_on_the_screen() -> None:
    assert texts("p", "one  \ntwo\\\nthree") == ["one", "two", "three"]


@examples(250)
@given(st.text(st.sampled_from("abc 字é`"), max_size=200), st.booleans(), st.integers(12, 40))
def test_no_row_is_wider_than_the_screen_and_no_word_is_lost(
    text: str, is_code: bool, width: int
) -> None:
    rows = [text[start:end] for start, end in wrapped(ScreenLine(text, is_code=is_code), width)]
    assert all(columns(row) <= width for row in rows)
    assert "".join("".join(rows).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("everyone logged out, 2 300 chats", ["everyone logged out,", "2 300 chats"]),
        ("a list of sites and 1 250 000 kiosks", ["a list of sites and", "1 250 000 kiosks"]),
        ("the kiosks of room 12 3 of them", ["the kiosks of room 12", "3 of them"]),
        ("ports 8080 443 and 25 are open", ["ports 8080 443 and 25", "are open"]),
    ],
)
def test_a_number_with_groups_is_not_broken(text: str, rows: list[str]) -> None:
    found = [text[start:end] for start, end in wrapped(ScreenLine(text), 22)]
    assert [row.strip() for row in found] == rows


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The draft: ![](../pictures/hours.png)", "The draft: hours.png"),
        ("The draft:\n![[hours.png|300]]", "The draft: hours.png"),
        ("- Plan: ![the quay](a/b.jpg) of May", "Plan: the quay of May"),
        ("A picture ![](a.png) inside", "A picture inside"),
    ],
)
def test_a_picture_that_is_announced_has_its_name(text: str, shown: str) -> None:
    assert plain_text([QuotedPart("p", text)]).replace(" · ", " ") == shown
