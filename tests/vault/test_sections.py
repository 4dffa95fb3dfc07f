"""A body is cut into sections at its headings and into pieces, also when it is too long to be
parsed at once.
"""

from __future__ import annotations

from textwrap import dedent

import pytest
from examples import examples, sized
from hypothesis import example, given

from brain_cli.vault.blocks import Blocks, unpacked
from brain_cli.vault.markdown import PART_LINES, read_blocks
from brain_cli.vault.sections import Outline, outline

from .strategies import MARKDOWN_ISH, ordinary_markdown


def sections(body: str) -> list[tuple[tuple[str, ...], str, int]]:
    """Trail, text and line of each fragment."""
    return [(f.trail, f.text, f.line) for f in outline(dedent(body), 1).fragments]


def test_headings_of_both_kinds_cut_a_note_and_make_trails() -> None:
    body = """\
        Before.

        Top
        ===
        Under top.

        ## Part ##
        Under part.

        Other
        -----
        Under other.
        """
    assert sections(body) == [
        ((), "Before.", 1),
        (("Top",), "Under top.", 3),
        (("Top", "Part"), "Under part.", 7),
        (("Top", "Other"), "Under other.", 10),
    ]


def test_a_heading_without_text_of_its_own_makes_no_fragment() -> None:
    assert sections("# A\n\n## B\n\ntext\n\n## C\n") == [(("A", "B"), "text", 3)]


def test_a_section_of_one_word_is_a_fragment() -> None:
    assert sections("# A\nyes\n# B\nno\n") == [(("A",), "yes", 1), (("B",), "no", 3)]


def test_a_heading_without_words_cuts_but_is_not_in_the_trail() -> None:
    assert sections("# A\none\n#\ntwo\n") == [(("A",), "one", 1), ((), "two", 3)]


def test_a_line_of_code_that_looks_like_a_heading_is_not_one() -> None:
    body = "# A\n```sh\n# no heading\n```\n\n    # nor here\n"
    assert sections(body) == [(("A",), "```sh\n# no heading\n```\n\n    # nor here", 1)]


def test_a_longer_fence_holds_shorter_ones() -> None:
    body = "````md\n```\n# inside\n```\n# inside too\n````\n# Outside\ntext\n"
    assert [trail for trail, _, _ in sections(body)] == [(), ("Outside",)]


def test_a_fence_that_is_never_closed_ends_with_the_note() -> None:
    assert len(sections("# A\n```\n# B\n# C\n")) == 1


@pytest.mark.parametrize(
    "body", ["> # Quoted\n", "- # Item\n", "#hashtag\n", "\\# escaped\n", "####### seven\n"]
)
def test_a_line_that_only_resembles_a_heading_is_not_one(body: str) -> None:
    assert outline(body, 1).blocks.headings == ()


def test_line_numbers_count_from_where_the_body_begins_in_its_file() -> None:
    fragment = outline("\n# A\n\ntext\n", first_line=10).fragments[0]
    assert (fragment.line, fragment.text_line) == (11, 13)


def assert_complete(body: str, found: Outline) -> None:
    """Assert that no line is lost, and that every fragment has the right line numbers."""
    lines = body.split("\n")
    covered = {
        n for heading in found.blocks.headings for n in range(heading.start, heading.end)
    }
    starts = {heading.start + 1 for heading in found.blocks.headings}
    for fragment in found.fragments:
        assert fragment.line in starts or (
            not fragment.trail and fragment.line == fragment.text_line
        )
        text = fragment.text.split("\n")
        first = fragment.text_line - 1
        assert [line.rstrip() for line in lines[first : first + len(text)]] == [
            line.rstrip() for line in text
        ]
        covered.update(range(first, first + len(text)))
    assert all(number in covered for number, line in enumerate(lines) if line.strip())


@examples(250)
@given(body=MARKDOWN_ISH.map(lambda text: text.replace("\r", "")))
@example("a\n=\n\n#\n\x0b\n")
def test_no_line_of_a_body_is_lost(body: str) -> None:
    assert_complete(body, outline(body, 1))


@examples(200)
@given(body=MARKDOWN_ISH.map(lambda text: text.replace("\r", "")))
def test_no_line_of_a_large_body_is_lost_either(body: str) -> None:
    large = body + "\n\n" + "x\n" * PART_LINES + body
    assert_complete(large, outline(large, 1))


def moved(blocks: Blocks, lines: int) -> Blocks:
    return Blocks(
        tuple(
            heading._replace(start=heading.start + lines, end=heading.end + lines)
            for heading in blocks.headings
        ),
        blocks.list_items,
        frozenset(number + lines for number in blocks.code_lines),
        tuple(
            piece._replace(first=piece.first + lines, last=piece.last + lines)
            for piece in blocks.pieces
        ),
    )


@examples(200)
@given(body=ordinary_markdown())
@example("- a\n\n  ```\n  # b\n  ```\n# C\n")
@example("> a\nlazy\n---\n")
@example("a\n2. b\n# C #\n")
def test_a_large_body_is_read_in_parts_as_each_of_them_is_read_alone(body: str) -> None:
    before = "word\n" * PART_LINES + "\n# Next\n\n"
    alone, parts = moved(read_blocks(body), before.count("\n")), read_blocks(before + body)
    assert parts.headings[1:] == alone.headings
    assert parts.pieces[1:] == alone.pieces
    assert parts.code_lines == alone.code_lines


def test_a_fence_of_a_large_body_is_never_cut() -> None:
    code = "```sh\n" + "# not a heading\n\n" * 10_000 + "```\n"
    blocks = read_blocks(f"# A\n\n{code}\n# B\n\ntext\n")
    assert [heading.text for heading in blocks.headings] == ["A", "B"]
    assert [piece.kind for piece in blocks.pieces] == ["c", "p"]


def pieces(body: str) -> list[tuple[str, str]]:
    """The kind and the text of each piece of a body of one section."""
    [fragment] = outline(dedent(body), 1).fragments
    lines = fragment.text.split("\n")
    return [
        (kind, "\n".join(lines[first : last + 1]))
        for kind, first, last in unpacked(fragment.pieces, 0)
    ]


def test_a_list_item_is_a_piece_with_the_short_list_below_it() -> None:
    body = "Rules:\n\n- one\n- two\n  - nested\n\n- three\n  goes on\n"
    assert pieces(body) == [
        ("p", "Rules:"),
        ("i", "- one"),
        ("i", "- two\n  - nested"),
        ("i", "- three\n  goes on"),
    ]


def test_each_paragraph_of_a_long_list_item_is_a_piece() -> None:
    paragraphs = "".join(f"\n  part {number}\n" for number in range(5))
    assert [kind for kind, _ in pieces(f"- one\n{paragraphs}")] == [
        "i",
        "p",
        "p",
        "p",
        "p",
        "p",
    ]


def test_a_table_begins_with_its_head_and_first_row_and_has_a_piece_for_each_further_row() -> (
    None
):
    body = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    assert pieces(body) == [("t", "| a | b |\n|---|---|\n| 1 | 2 |"), ("r", "| 3 | 4 |")]


def test_code_is_one_piece_with_its_fences_or_shortcodes() -> None:
    fenced, shortcode = (
        "```sh\nx\n\n# y\n```",
        "{{< highlight go >}}\nfunc main() {\n\n}\n{{< /highlight >}}",
    )
    assert pieces(f"{fenced}\n\n{shortcode}\n") == [("c", fenced), ("c", shortcode)]


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- a\n\nb -->",
        "%% a %%",
        "![[picture.png]]",
        "![a](b.png)",
        "{{< toc >}}",
        "[a]: b",
        "^block-1",
        "</details>",
        "```dataview\nlist\n```",
    ],
)
def test_a_block_that_no_reader_sees_is_a_hidden_piece(hidden: str) -> None:
    assert [kind for kind, _ in pieces(f"Text.\n\n{hidden}\n\nMore.\n")] == ["p", "x", "p"]


def test_the_lines_above_a_section_are_kept_with_it() -> None:
    first, second = outline("one\n\n\n# A\n\n## B\n\ntwo\n", 1).fragments
    assert (first.above, second.above) == ("", "\n\n# A\n\n## B\n")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "line",
    [
        "- item",
        "1. item",
        "> quoted",
        "# Same",
        "text",
        "```",
        "[a]: b",
        "[" * 50,
        "<div>",
        "- " * 50,
        "|a|b|",
        "a\n=",
    ],
)
def test_a_long_note_of_one_line_again_and_again_is_read(line: str) -> None:
    body = (line + "\n") * (sized(300_000, everyday=100_000) // (len(line) + 1))
    assert_complete(body, outline(body, 1))


@pytest.mark.parametrize(
    "deep", [">" * 20_000 + " a", "- " * 20_000 + "a", "\t" * 20_000 + "a", "[" * 100_000]
)
def test_depth_does_not_exhaust_the_stack(deep: str) -> None:
    assert outline(deep, 1).fragments[0].text == deep
    assert outline(deep * 10, 1).fragments[0].text == deep * 10
