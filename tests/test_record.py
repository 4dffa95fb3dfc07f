"""Records behave as named tuples do, but are not tuples."""

from __future__ import annotations

import pickle

import pytest

from brain_cli.record import Record


class Place(Record):
    path: str
    line: int = 1
    heading: str = ""


class Span(Record):
    path: str
    line: int = 1
    heading: str = ""


def test_fields_are_given_in_their_order_or_by_name_and_have_defaults() -> None:
    assert Place("a.md", 3) == Place(path="a.md", line=3, heading="")
    assert Place("a.md")._asdict() == {"path": "a.md", "line": 1, "heading": ""}
    assert repr(Place("a.md")) == "Place({'path': 'a.md', 'line': 1, 'heading': ''})"


def test_a_copy_has_other_values_of_some_fields() -> None:
    place = Place("a.md")
    assert place._replace(line=7) == Place("a.md", 7)
    assert place == Place("a.md")


def test_a_misspelled_field_is_an_error_also_in_a_copy() -> None:
    with pytest.raises(TypeError, match="Place has no field lin"):
        Place("a.md", lin=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Place has no field lin"):
        Place("a.md")._replace(lin=3)


def test_only_records_of_one_kind_with_the_same_values_are_equal() -> None:
    assert Place("a.md") != Place("b.md")
    assert Place("a.md") != Span("a.md")
    assert {Place("a.md"): 1, Place("a.md", 1, ""): 2} == {Place("a.md"): 2}


def test_a_pattern_names_fields_in_their_order() -> None:
    match Place("a.md", 3):
        case Place(path, line):
            assert (path, line) == ("a.md", 3)


def test_a_record_can_be_sent_to_another_process() -> None:
    place = Place("a.md", heading="Why")
    assert pickle.loads(pickle.dumps(place)) == place
