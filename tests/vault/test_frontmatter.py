"""The head of a note, whatever is wrong with it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from examples import examples
from hypothesis import given

from brain_cli.vault.frontmatter import MAX_HEAD_CHARS, MAX_PROPERTIES, Head, split_head

from .strategies import NOTES


def head(yaml: str) -> Head:
    """The head of a note with this YAML and the body `body`."""
    return split_head(f"---\n{yaml}\n---\nbody\n")


@pytest.mark.parametrize(
    ("yaml", "properties"),
    [
        ("on: yes", {"on": "yes"}),
        ("start: 12:30:45", {"start": "12:30:45"}),
        ("date: 2026-02-31", {"date": "2026-02-31"}),
        ("version: 1.10", {"version": "1.10"}),
        ("tags: [a, null, ~, '']", {"tags": ["a"]}),
        ("empty:\nnothing: null", {}),
        ("related: [[Note]]", {"related": ["Note"]}),
        ("related:\n  - [[A]]\n  - '[[B|b]]'", {"related": ["A", "[[B|b]]"]}),
        ("Title: Kept\n'Quoted Key': x", {"title": "Kept", "quoted key": "x"}),
        (
            "author: {name: Mara, mail: m@x.org}",
            {"author.name": "Mara", "author.mail": "m@x.org"},
        ),
        ("a: &x [1, 2]\nb: *x", {"a": ["1", "2"], "b": ["1", "2"]}),
    ],
)
def test_values_arrive_as_they_were_written(
    yaml: str, properties: dict[str, str | list[str]]
) -> None:
    assert head(yaml) == Head(properties, len(f"---\n{yaml}\n---"))


def test_toml_between_plus_signs_is_read_too() -> None:
    found = split_head(
        "+++\ntitle = 'A'\ndate = 2026-03-15\ntags = ['x', 'y']\n[params]\nweight = 3\n+++\nbody"
    )
    assert found.properties == {
        "title": "A",
        "date": "2026-03-15",
        "tags": ["x", "y"],
        "params.weight": "3",
    }


def test_nothing_in_a_note_is_ever_executed(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    found = head(
        f"title: x\nrun: !!python/object/apply:os.system ['touch {trap}']\nm: !!python/module:antigravity"
    )
    assert found.properties["title"] == "x"
    assert not trap.exists()
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize(
    ("yaml", "kept"),
    [
        ("title: a: b\ntags: [a]\nlist: [1,\n  2", {"title": "a: b", "tags": ["a"]}),
        ("\ttabbed: x\ntype: decision", {"type": "decision"}),
        ("? [complex]\n: key\ntype: decision", {"type": "decision"}),
        ("a: b: c\n  more: d: e\ntype: decision", {"type": "decision"}),
        ("{{title}}", {}),
    ],
)
def test_one_wrong_line_does_not_take_the_others_with_it(
    yaml: str, kept: dict[str, object]
) -> None:
    found = head(yaml)
    assert found.properties == kept
    assert found.warning
    assert found.warning.startswith("its frontmatter cannot be read (")
    assert "\n" not in found.warning
    assert found.unread == f"\n{yaml}\n"


@pytest.mark.parametrize(
    "text",
    [
        "{{title}}",
        "Why: because",
        "[[A]], [[B]]",
        "*nowhere",
        "&a [*a]",
        "'never closed",
        "@name",
        "%done",
        "> quoted",
        '"Quoted" then more',
        "- a dash",
    ],
)
def test_a_line_of_text_that_yaml_refuses_is_that_text(text: str) -> None:
    found = head(f"key: {text}\ntype: decision")
    assert found.properties == {"key": text, "type": "decision"}
    assert (found.warning, found.unread) == (None, "")


def test_a_list_that_is_never_closed_is_its_text_and_said_so() -> None:
    found = head("key: [1, 2\ntype: decision")
    assert found.properties == {"key": "[1, 2", "type": "decision"}
    assert found.warning
    assert not found.unread


def test_items_that_yaml_refuses_are_their_texts() -> None:
    found = head("tags:\n- @home\n- a: b: c\ntype: decision")
    assert found.properties == {"tags": ["@home", "a: b: c"], "type": "decision"}


def test_tabs_indent_a_list() -> None:
    assert head("tags:\n\t- one\n\t- two").properties == {"tags": ["one", "two"]}


def test_dots_end_a_head() -> None:
    assert split_head("---\ntitle: x\n...\nbody").properties == {"title": "x"}


def test_a_second_head_below_a_stub_is_read_too() -> None:
    text = "---\nid: 1\n---\n\n---\ntitle: x\n---\nbody"
    found = split_head(text)
    assert found.properties == {"id": "1", "title": "x"}
    assert text[found.body_start :].strip() == "body"


@pytest.mark.parametrize(
    "below", ["---\nSome words\n---\n", "---\ntext\n", "text\n---\na: b\n---\n"]
)
def test_rules_below_a_head_begin_no_second_one(below: str) -> None:
    assert split_head(f"---\nid: 1\n---\n{below}") == Head({"id": "1"}, 13)


def test_broken_toml_stays_text() -> None:
    found = split_head("+++\nnot toml\n+++\nbody")
    assert found.unread == "\nnot toml\n"
    assert found.warning


@pytest.mark.parametrize(
    "text",
    ["---\nSome words\n---\nmore", "---\n- a\n- b\n---\n", "---\n\nwords\n", "-- no\n", "---x"],
)
def test_text_between_two_rules_is_text(text: str) -> None:
    assert split_head(text) == Head({}, 0)


def test_a_head_that_is_never_closed_is_text_and_said_so() -> None:
    assert split_head("---\ntitle: x\n\n# Heading\n") == Head(
        {}, 0, "its frontmatter is not closed"
    )


def test_an_empty_head_is_a_head() -> None:
    assert split_head("---\n---\nbody").body_start == 7


@pytest.mark.parametrize("depth", [1_000, 90_000])
@pytest.mark.parametrize("opening", ["a: " + "[", "a: " + "{a: ", "- ", "? "])
def test_deep_nesting_neither_crashes_nor_hangs(opening: str, depth: int) -> None:
    unit = opening.removeprefix("a: ")
    yaml = opening + unit * min(depth, 190_000 // len(unit))
    assert head(yaml).warning == "its frontmatter cannot be read (it nests too deep)"


@pytest.mark.parametrize(
    "toml", ["a = " + "[" * 50_000, "a." * 20_000 + "b = 1", "a = " + "{a=" * 30_000]
)
def test_deep_toml_neither_crashes_nor_hangs(toml: str) -> None:
    assert split_head(f"+++\n{toml}\n+++\nbody").warning


def test_a_head_as_long_as_a_book_is_text() -> None:
    found = head("a: b\n" * MAX_HEAD_CHARS)
    assert found.warning == "its frontmatter cannot be read (it is too long)"


def test_an_alias_bomb_yields_a_bounded_number_of_values() -> None:
    bomb = "a0: &a0 [x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
    )
    values = head(bomb).properties.values()
    assert sum(len(value) for value in values if isinstance(value, list)) <= MAX_PROPERTIES


@examples(400)
@given(text=NOTES)
def test_no_text_makes_reading_fail(text: str) -> None:
    found = split_head(text)
    assert 0 <= found.body_start <= len(text)
    assert found.unread == text[found.unread_start : found.unread_start + len(found.unread)]
    for value in found.properties.values():
        for each in value if isinstance(value, list) else [value]:
            assert each.encode("utf-8")
