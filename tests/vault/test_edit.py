"""One key of a frontmatter changes; every other byte of the note stays as it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from examples import examples
from growth import assert_linear
from hypothesis import event, given
from hypothesis import strategies as st

from brain_cli.vault.decode import as_read
from brain_cli.vault.edit import UneditableError, Value, with_property, without_property
from brain_cli.vault.frontmatter import split_head

from .strategies import NOTES

HEAD_LINES = st.sampled_from(
    [
        "title: Tea",
        "title:   'It''s tea'  # a comment",
        'title: "tea # no comment"',
        "title: {{title}}",
        "tags: [a, b]",
        "tags:",
        "  - a",
        "- a",
        "text: |",
        "text: >+",
        "  pinned: no key, but text",
        "",
        "   ",
        "# pinned: a comment",
        "\tx: tab",
        "a: &anchor b",
        "c: *anchor",
        "on: yes",
        "date: 2026-02-31",
        "x: 'open",
        "[table]",
        "n = 1",
        "list = [",
        "]",
        "{a: b}",
        "café: ☕\u2028",
        "x\x00: \x07",
    ]
)
KEY_LINES = st.sampled_from(
    [
        "pinned: false",
        "pinned:",
        "Pinned: yes  # since the incident",
        "pinned: 'no'",
        '"pinned": "a # b"\t# c',
        "pinned:   # later",
        "pinned: |",
        "pinned: [a]",
        "pinned: {a: b}",
        "pinned = false # c",
        "  pinned: false",
    ]
)
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])
FENCES = st.sampled_from([("---", "---"), ("+++", "+++"), ("--- ", "-----\t"), ("---", "")])
BODIES = st.sampled_from(
    ["", "\n# Tea\n\nGreen.", "---\n", "no newline", "\n\n---\ntitle: no\n---\n", "+++\n"]
)
MARKS = st.sampled_from([b"", b"\xef\xbb\xbf"])
BYTES = st.sampled_from([b"", b"\xe9t\xe9", "日本\n".encode("cp932"), b"\xff"])


def notes_with(lines: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    """Notes as people, programs and accidents leave them."""

    def joined(
        mark: bytes, fence: tuple[str, str], lines: list[str], end: str, body: str, tail: bytes
    ) -> bytes:
        text = end.join([fence[0], *lines, fence[1], body.replace("\n", end)])
        return mark + text.encode() + tail

    return st.builds(joined, MARKS, FENCES, st.lists(lines, max_size=6), ENDINGS, BODIES, BYTES)


ANY_NOTE = st.one_of(
    notes_with(HEAD_LINES),
    notes_with(st.one_of(HEAD_LINES, KEY_LINES)),
    NOTES.map(str.encode),
    st.binary(max_size=60),
)
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.booleans(),
    st.sampled_from(["archived", "yes", "12", "a: b", "it's", "x # y", "café", ""]),
    st.just(["a", "b c"]),
)


def others(raw: bytes) -> dict[str, str | list[str]]:
    return {
        key: value
        for key, value in split_head(as_read(raw)).properties.items()
        if key != "pinned"
    }


def difference(before: bytes, after: bytes) -> tuple[bytes, bytes]:
    """What differs between two files, without what they begin and end with alike."""
    start = alike(before, after)
    before, after = before[start:], after[start:]
    end = alike(before[::-1], after[::-1])
    return before[: len(before) - end], after[: len(after) - end]


def alike(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))


def as_text(value: Value) -> str | list[str] | None:
    return (str(value).lower() if isinstance(value, bool) else value) or None


@examples(500)
@given(ANY_NOTE, VALUES)
def test_setting_a_key_changes_that_key_and_the_bytes_of_its_line_alone(
    raw: bytes, value: Value
) -> None:
    try:
        after = with_property(raw, "pinned", value)
    except UneditableError:
        event("refused")
        return
    got = split_head(as_read(after)).properties.get("pinned")
    assert (
        got.lower() if isinstance(value, bool) and isinstance(got, str) else got
    ) == as_text(value)
    assert others(after) == others(raw)
    old, new = difference(raw, after)
    assert len(old.splitlines()) <= 1, "of what was there, one line changed"
    assert len(new.splitlines()) <= 4, "what came is one line, or one frontmatter"


@examples(500)
@given(ANY_NOTE, VALUES)
def test_a_key_that_is_added_and_removed_again_leaves_every_byte(
    raw: bytes, value: Value
) -> None:
    if b"pinned" in raw.lower():
        return
    try:
        after = with_property(raw, "pinned", value)
    except UneditableError:
        event("refused")
        return
    assert without_property(after, "pinned") == raw


@examples(400)
@given(ANY_NOTE)
def test_unsetting_a_key_takes_that_key_alone(raw: bytes) -> None:
    try:
        after = without_property(raw, "pinned")
    except UneditableError:
        event("refused")
        return
    assert others(after) == others(raw)
    assert "pinned" not in split_head(as_read(after)).properties or after == raw


@examples(200)
@given(
    st.lists(
        st.sampled_from(["title: Tea", "tags: [a]", "# why", "  # how", "x: 'y'  # z"]),
        max_size=5,
    ),
    ENDINGS,
)
def test_an_ordinary_head_is_never_refused(lines: list[str], end: str) -> None:
    raw = end.join(
        ["---", "type: note", *dict.fromkeys(lines), "---", "", "# Tea", ""]
    ).encode()
    assert without_property(with_property(raw, "pinned", True), "pinned") == raw


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Tea\n", "---\npinned: true\n---\n# Tea\n"),
        ("", "---\npinned: true\n---\n"),
        ("---\ntitle: Tea\n---\n", "---\ntitle: Tea\npinned: true\n---\n"),
        ("---\r\ntitle: Tea\r\n---\r\nx", "---\r\ntitle: Tea\r\npinned: true\r\n---\r\nx"),
        ("---\npinned:   no\t # why\na: 1\n---", "---\npinned:   true\t # why\na: 1\n---"),
        ("---\nPinned:\n---\n", "---\nPinned: true\n---\n"),
        ("---\n  a: b\n---\n", "---\n  a: b\n  pinned: true\n---\n"),
        ("---\na: {{date}}\n---\n", "---\na: {{date}}\npinned: true\n---\n"),
        (
            "+++\na = 1\n[t]\npinned = 2\n+++\n",
            "+++\npinned = true\na = 1\n[t]\npinned = 2\n+++\n",
        ),
        ("+++\npinned = false# c\n+++\n", "+++\npinned = true# c\n+++\n"),
        (
            "---\nA rule, a text, a rule.\n---\n",
            "---\npinned: true\n---\n---\nA rule, a text, a rule.\n---\n",
        ),
        ("\ufeff---\na: b\n---\n", "\ufeff---\na: b\npinned: true\n---\n"),
    ],
)
def test_pinning_looks_as_if_a_careful_person_had_done_it(before: str, after: str) -> None:
    assert with_property(before.encode(), "pinned", True).decode() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\nstatus: 'draft' # x\n---\n", "---\nstatus: 'archived' # x\n---\n"),
        ('---\nstatus: "draft # 2"\n---\n', '---\nstatus: "archived"\n---\n'),
        ("---\nstatus: \u00a0draft\n---\n", "---\nstatus: archived\n---\n"),
        ('+++\nstatus = "draft"\n+++\n', '+++\nstatus = "archived"\n+++\n'),
    ],
)
def test_a_value_keeps_the_quotes_it_had(before: str, after: str) -> None:
    assert with_property(before.encode(), "status", "archived").decode() == after


def test_a_comment_outlives_the_key_it_stood_by() -> None:
    assert (
        without_property(b"---\na: 1\npinned: true # why\n---\n", "pinned")
        == b"---\na: 1\n# why\n---\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: Tea\n\nNever closed.\n",
        "---\nstatus:\n  - a\n---\n",
        "---\nstatus: |\n  long\n---\n",
        "---\n{title: Tea}\n---\n",
        "---\nstatus: &s draft\nother: *s\n---\n",
        "---\n? status\n: draft\n---\n",
    ],
)
def test_a_key_that_cannot_be_changed_alone_is_refused(text: str) -> None:
    with pytest.raises(UneditableError):
        with_property(text.encode(), "status", "archived")


def test_utf_16_is_edited_in_utf_16() -> None:
    raw = "---\r\ntitle: Tee\r\n---\r\nGrüner.\r\n".encode("utf-16")
    after = with_property(raw, "pinned", True)
    assert after.decode("utf-16") == "---\r\ntitle: Tee\r\npinned: true\r\n---\r\nGrüner.\r\n"


HEADS: dict[str, Callable[[int], str]] = {
    "blanks in a value": lambda n: f"---\npinned: a{' ' * n}a\n---\n",
    "blanks before a comment": lambda n: f"+++\npinned = 1{' ' * n}# a\n+++\n",
    "tables with the key": lambda n: (
        "+++\npinned = 1\n"
        + "".join(f"[t{i}]\npinned = 1\n" for i in range(n // 200))
        + "+++\n"
    ),
    "only tables have the key": lambda n: (
        "+++\n" + "".join(f"[t{i}]\npinned = 1\n" for i in range(n // 200)) + "+++\n"
    ),
}


@pytest.mark.parametrize("name", HEADS)
def test_an_edit_takes_time_by_the_length_of_the_head(name: str) -> None:
    text = with_property(HEADS[name](100).encode(), "pinned", True).decode()
    assert split_head(text).properties["pinned"] in ("true", "True")
    assert_linear(
        lambda raw: with_property(raw, "pinned", True),
        lambda n: HEADS[name](n).encode(),
        20_000,
    )


def test_a_key_of_a_table_is_not_removed() -> None:
    assert (
        without_property(b"+++\n[t]\npinned = 1\n+++\n", "pinned")
        == b"+++\n[t]\npinned = 1\n+++\n"
    )
