"""What people and machines put into notes: texts for the tests of what holds for every text."""

from __future__ import annotations

from hypothesis import strategies as st
from texts import any_text

ANY_TEXT = any_text(300)
MARKDOWN_PIECES = st.sampled_from(
    [
        *"#`~->+*_=|:;.,()[]{}<>!&%$\\\"'\n\t ",
        "---",
        "+++",
        "```",
        "~~~~",
        "[[",
        "]]",
        "](",
        "- ",
        "1. ",
        "\n\n",
        "\n    ",
        "<div>",
        "<!--",
        "-->",
        "\r\n",
        "word",
        "Café",
        "漢字",
        "\x00",
        "\u2028",
        "\u0301",
    ]
)
MARKDOWN_ISH = st.lists(MARKDOWN_PIECES, max_size=60).map("".join)
YAML_PIECES = st.sampled_from(
    [
        *":-?[]{}&*!|>'\"%@`#,~ \n\t",
        "key",
        "title: ",
        "tags:",
        "\n  - ",
        "\nrelated: [[A]]",
        "{{title}}",
        "<<: *a",
        "&a ",
        "*a",
        "null",
        "yes",
        "2026-02-31",
        "12:30:45",
        "!!python/object:x.Y ",
        "\ud800".encode("utf-8", "replace").decode(),
        "\\ud800",
        "= 1\n",
    ]
)
HEAD_ISH = st.tuples(
    st.sampled_from(["---", "+++"]), st.lists(YAML_PIECES, max_size=40).map("".join)
).map(lambda pair: f"{pair[0]}\n{pair[1]}\n{pair[0]}\nbody\n")
NOTES = st.one_of(
    ANY_TEXT, MARKDOWN_ISH, HEAD_ISH, st.tuples(HEAD_ISH, MARKDOWN_ISH).map("".join)
)
WORDS = st.sampled_from(
    [
        "the",
        "fox",
        "e-mail",
        "Straße",
        "naïve",
        "getUserName",
        "os.path",
        "3.14",
        "日本",
        "don't",
    ]
)


@st.composite
def ordinary_markdown(draw: st.DrawFn) -> str:
    """Draw markdown as people write it: blocks one below the other, with blank lines where they are
    usual.
    """
    return "\n".join(draw(st.lists(_BLOCKS, min_size=1, max_size=12)))


_LINE = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
_LINES = st.lists(_LINE, min_size=1, max_size=3).map("\n".join)
_CODE = st.lists(
    st.one_of(_LINE, st.sampled_from(["# comment", "", "---", "- x", "    deep", "> no"])),
    max_size=4,
)


def _indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line if line else line for line in text.split("\n"))


_FENCED = st.tuples(
    st.sampled_from(["```", "~~~", "````"]), st.sampled_from(["", "sh", " python"]), _CODE
).map(lambda fence: "\n".join([fence[0] + fence[1], *fence[2], fence[0]]))
_BLOCKS = st.one_of(
    st.tuples(st.integers(1, 6), _LINE, st.sampled_from(["", " #", " ##", "#"])).map(
        lambda h: f"{'#' * h[0]} {h[1]}{h[2]}\n"
    ),
    st.tuples(_LINE, st.sampled_from(["===", "---", "--", "=========="])).map(
        lambda h: f"{h[0]}\n{h[1]}\n"
    ),
    _LINES.map("{}\n".format),
    _LINES,
    _FENCED.map("{}\n".format),
    _FENCED,
    st.lists(_LINE, min_size=1, max_size=4).map(
        lambda items: "\n".join(f"- {item}" for item in items) + "\n"
    ),
    st.lists(_LINE, min_size=1, max_size=4).map(
        lambda items: "\n".join(f"1. {item}" for item in items)
    ),
    st.tuples(_LINE, _FENCED).map(lambda item: f"- {item[0]}\n\n{_indented(item[1], 2)}\n"),
    st.tuples(_LINE, _LINE).map(lambda item: f"- {item[0]}\n  # {item[1]}\n"),
    _LINES.map(lambda text: "> " + text.replace("\n", "\n> ") + "\n"),
    _LINES.map(lambda text: "> # " + text),
    _LINES.map(lambda text: _indented(text, 4) + "\n"),
    st.just("---\n"),
    st.just("***"),
    st.just(""),
    st.just("#\n"),
    _LINES.map(lambda text: f"<div>\n# {text}\n</div>\n"),
    _LINES.map(lambda text: f"<!--\n# {text}\n\n## more\n-->\n"),
    _LINES.map(lambda text: f"<b>{text}</b>\n"),
    st.tuples(_LINE, _LINE).map(lambda row: f"| {row[0]} | {row[1]} |\n|---|---|\n| a | b |\n"),
)
