"""Text → note: what a note says of itself, in its head and in its text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from examples import examples
from hypothesis import given
from texts import any_text

from brain_cli.types import Link, Note
from brain_cli.vault.clock import iso
from brain_cli.vault.dates import timestamp_of
from brain_cli.vault.inline_text import plain_title
from brain_cli.vault.note import parse_note

from .strategies import NOTES

MODIFIED = datetime(2026, 5, 1, tzinfo=UTC).timestamp()


def note(head: str = "", body: str = "", path: str = "notes/file name.md") -> Note:
    """A note of this YAML and this body."""
    text = f"---\n{head}\n---\n{body}" if head else body
    return parse_note(path, text, MODIFIED)


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("title: Said", "# Written\n", "Said"),
        ("title: [First, Second]", "# Written\n", "First"),
        ("title:", "# Written\n", "Written"),
        ("title: {{title}}", "# Written\n", "{{title}}"),
        ("", "# Written\n\n## Part\n", "Written"),
        ("", "#\n\n# Written\n", "Written"),
        ("", "Written\n=======\n", "Written"),
        ("", "```\n# Code\n```\n", "file name"),
        ("", "", "file name"),
    ],
)
def test_the_title_is_said_or_written_or_the_file_s_name(
    head: str, body: str, title: str
) -> None:
    assert note(head, body).metadata.title == title


@pytest.mark.parametrize(
    "cut",
    [
        "[![Scorecard B",
        "[![Score](https://api",
        "[![Score](u)](htt",
        "![Score",
        "[![A](u)](v) [![B](u)]",
    ],
)
def test_a_badge_that_was_cut_with_its_heading_is_left_out(cut: str) -> None:
    assert plain_title(f"Multer {cut}") == "Multer"


def test_a_text_property_is_on_one_line_without_control_characters() -> None:
    head = (
        'title: "Two\\nlines"\ntype: "de\\tcision\\r"\nproject: |\n  two\n  words\ntask: "\\e"'
    )
    metadata = note(head, "text").metadata
    assert (metadata.title, metadata.kind, metadata.project, metadata.task) == (
        "Two lines",
        "de cision",
        "two words",
        None,
    )


@pytest.mark.parametrize(
    ("head", "path", "kind"),
    [
        ("type: Decision", "journal/a.md", "decision"),
        ("kind: insight", "a.md", "insight"),
        ("content_type: handoff", "a.md", "handoff"),
        ("", "Decisions/a.md", "decision"),
        ("", "projects/x/journal/a.md", "journal"),
        ("", "decisions.md", "note"),
        ("", "misc/a.md", "note"),
    ],
)
def test_the_kind_is_said_or_the_nearest_folder_s(head: str, path: str, kind: str) -> None:
    assert note(head, "text", path).metadata.kind == kind


@pytest.mark.parametrize(
    ("head", "body", "tags"),
    [
        ("tags: [a, b]", "", ("a", "b")),
        ("tags: a, b c", "", ("a", "b", "c")),
        ("tags:\n  - '#a'\n  - null\n  - A", "", ("a",)),
        ("tag: a", "#b and (#c/d) #e-f", ("a", "b", "c/d", "e-f")),
        ("", "#Ünï #日本", ("Ünï", "日本")),
        (
            "",
            "#00ff00 #A0B1c2d3 #1 #2026 a#b https://x.org/#part [x](#anchor) [[#Heading]] [[Note#Part]]",
            (),
        ),
        ("", "[x][y]\n\n[y]: #anchor", ()),
        ("", '## Title {#id}\n<a href="#top">top</a> &#x27; # alone', ()),
        ("", "`#code` and\n```\n#include <x>\n```\n", ()),
    ],
)
def test_tags_are_said_or_stand_in_the_text(
    head: str, body: str, tags: tuple[str, ...]
) -> None:
    assert note(head, body).metadata.tags == tags


def test_aliases_are_a_list_or_one_line() -> None:
    assert note("aliases: [One, 'Two, three']").metadata.aliases == ("One", "Two, three")
    assert note("alias: One, Two").metadata.aliases == ("One", "Two")


@pytest.mark.parametrize(
    ("head", "path", "archived"),
    [
        ("archived: true", "a.md", True),
        ("archived: yes", "a.md", True),
        ("status: Archived", "a.md", True),
        ("status: active", "archive/a.md", True),
        ("", "_archived/deep/a.md", True),
        ("", "notes/archive/a.md", False),
        ("", "archive.md", False),
        ("archived: false", "a.md", False),
    ],
)
def test_a_note_is_archived_by_its_word_or_by_the_top_folder(
    head: str, path: str, archived: bool
) -> None:
    assert note(head, "text", path).metadata.archived is archived


@pytest.mark.parametrize(
    ("head", "date"),
    [
        ("updated: 2026-03-15\ndate: 2025-01-01", "2026-03-15T00:00:00Z"),
        ("modified: 2026-03-15 10:30", "2026-03-15T10:30:00Z"),
        ("date: 2026/03/15", "2026-03-15T00:00:00Z"),
        ("created: 2026-03-15T10:30:00+02:00", "2026-03-15T08:30:00Z"),
        ("date: 2026-03-15 10:30:00 +0200", "2026-03-15T08:30:00Z"),
        ("date: 1960-01-01", "1960-01-01T00:00:00Z"),
        ("date: 2100-01-01", "2100-01-01T00:00:00Z"),
        ("updated: soon\ndate: 2026-03-15", "2026-03-15T00:00:00Z"),
    ],
)
def test_a_note_dates_itself(head: str, date: str) -> None:
    found = note(head)
    assert (found.metadata.dated_by, iso(found.metadata.timestamp), found.warning) == (
        "frontmatter",
        date,
        None,
    )


@pytest.mark.parametrize("date", ["2026-02-31", "12:30:45", "99999-01-01", "next week"])
def test_an_impossible_date_leaves_the_file_s_time_and_a_warning(date: str) -> None:
    found = note(f"date: {date}")
    assert (found.metadata.dated_by, found.metadata.timestamp) == ("mtime", MODIFIED)
    assert found.warning == f"its date “{date}” is not a date, so it is ignored"


@pytest.mark.parametrize("modified", [0.0, -315_619_200.0, 4_102_444_800.0, -1e18, 1e18])
def test_any_time_of_a_file_can_be_written_down(modified: float) -> None:
    assert iso(parse_note("a.md", "text", modified).metadata.timestamp).endswith("Z")


@given(any_text(30))
def test_no_text_makes_reading_a_date_fail(text: str) -> None:
    assert timestamp_of(text) is None or isinstance(timestamp_of(text), float)


@pytest.mark.parametrize(
    ("head", "salience"),
    [
        ("salience: 0.9", 0.9),
        ("salience: 7", 1.0),
        ("salience: -1", 0.0),
        ("salience: nan", 0.5),
        ("salience: hi", 0.5),
    ],
)
def test_shares_are_held_between_zero_and_one(head: str, salience: float) -> None:
    assert note(head).metadata.salience == salience


def test_links_come_from_the_text_and_from_the_head() -> None:
    found = note(
        "related: [[A]], [[B]]\nsupersedes: '[[Old]]'",
        "See [[C]] but `[[not this]]`.\n\n    [[nor this]]\n",
    )
    assert {link.target for link in found.links} == {"A", "B", "C", "Old"}
    assert found.metadata.supersedes == ("Old",)
    assert Link("C") in found.links


@pytest.mark.parametrize(
    "code",
    ["`[[x]]`", "``[[x]]``", "`` ` [[x]] ``", "`` `[[x]]` ``", "    [[x]]", "~~~\n[[x]]\n~~~"],
)
def test_a_link_inside_code_is_not_a_link(code: str) -> None:
    assert note(body=f"{code}\n").links == ()


@pytest.mark.parametrize("text", ["`` [[x]] `", "\\`[[x]]\\`", "`a` [[x]] `b`", "`\n[[x]]\n`"])
def test_a_link_beside_code_is_one(text: str) -> None:
    assert note(body=text).links == (Link("x"),)


def test_the_words_of_a_broken_head_are_a_fragment_and_no_heading() -> None:
    found = note("{{title}}\ntype: decision", "Before.\n\n# Heading\n\ntext\n")
    assert [(f.trail, f.text, f.line) for f in found.fragments] == [
        ((), "{{title}}\ntype: decision", 2),
        ((), "Before.", 5),
        (("Heading",), "text", 7),
    ]
    assert found.metadata.kind == "decision"
    assert found.warning


def test_line_numbers_are_the_file_s() -> None:
    found = note("title: x\ntags: [a]", "\n# Heading\n\ntext\n")
    assert [(f.line, f.text_line) for f in found.fragments] == [(6, 8)]


def test_windows_and_old_mac_line_ends_make_the_same_note() -> None:
    text = "---\ntitle: x\n---\n# A\n\ntext\n\n```\n# code\n```\n"
    for end in ("\r\n", "\r"):
        assert parse_note("a.md", text.replace("\n", end), 0) == parse_note("a.md", text, 0)


@pytest.mark.parametrize(
    "text", ["", "\n\n", "---\n---\n", "# Only\n\n## Headings\n", "---\ntitle: x\n---\n"]
)
def test_a_note_without_text_has_one_empty_fragment(text: str) -> None:
    assert [(f.trail, f.text) for f in parse_note("a.md", text, 0).fragments] == [((), "")]


@examples(400)
@given(text=NOTES)
def test_no_text_makes_parsing_fail_and_the_same_text_makes_the_same_note(text: str) -> None:
    found = parse_note("a/b.md", text, MODIFIED)
    assert found == parse_note("a/b.md", text, MODIFIED)
    assert found.fragments
    assert found.metadata.title


@examples(250)
@given(text=NOTES)
def test_every_line_of_a_note_is_in_its_head_its_headings_or_its_fragments(text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", " ")
    found = parse_note("a.md", text, MODIFIED)
    lines = text.split("\n")
    for fragment in found.fragments:
        if fragment.text:
            first, *_ = fragment.text.split("\n")
            assert lines[fragment.text_line - 1].strip() == first.strip()
            assert fragment.line <= fragment.text_line
    if not text.startswith(("---", "+++")):
        kept = "\n".join([fragment.text for fragment in found.fragments])
        assert all(
            line.rstrip() in kept or _in_a_heading(line, found)
            for line in lines
            if line.strip()
        )


def _in_a_heading(line: str, found: Note) -> bool:
    words = " ".join(line.strip("#=- \t").split())
    return any(words.rstrip("#= -\t") in heading for heading in found.headings)


@pytest.mark.parametrize(
    ("text", "is_superseded"),
    [
        ("---\nstatus: superseded by 0014\n---\nTTL 5 minutes.\n", True),
        ("# 9. TTL\n\n## Status\n\nSuperseded by [14](0014-hash.md)\n", True),
        ("# TTL\n\n* Status: superseded by [ADR-0014](0014-hash.md)\n", True),
        ("status: superseded by 014\ndate: 2026-04-21\n\nTTL 5 minutes.\n", True),
        ("# TTL\n\n**Status:** accepted\n\nThe old TTL was superseded.\n", False),
        ("# ADRs\n\nStatus: proposed, accepted, superseded\n", False),
        (f"# TTL\n\n{'text ' * 300}\n\nStatus: superseded\n", False),
    ],
)
def test_a_decision_record_says_that_it_is_superseded(text: str, is_superseded: bool) -> None:
    assert note(body=text).metadata.superseded is is_superseded
