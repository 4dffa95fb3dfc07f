"""What a note points at, and which note a name means."""

from __future__ import annotations

import pytest
from examples import examples, sized
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.types import Link, NoteMetadata, stem
from brain_cli.vault.links import links_in, named_link, named_links
from brain_cli.vault.note import parse_note
from brain_cli.vault.resolve import NameTable

from .strategies import NOTES


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[Note]]", Link("Note")),
        ("[[Note|alias]]", Link("Note", "", "alias")),
        ("[[Note#Heading]]", Link("Note", "Heading")),
        ("[[folder/Note#Heading|alias]]", Link("folder/Note", "Heading", "alias")),
        (r"| [[Note\|in a table]] |", Link("Note", "", "in a table")),
        (r"| [[Note#Heading\|in a table]] |", Link("Note", "Heading", "in a table")),
        ("![[Embedded]]", Link("Embedded")),
        ("[x](note.md)", Link("note.md", "", "x")),
        ("[x](../a/note.md#part)", Link("../a/note.md", "part", "x")),
        ("[x](my%20note.md)", Link("my note.md", "", "x")),
        ("[x](<my note.md>)", Link("my note.md", "", "x")),
        ('[x](note.md "its title")', Link("note.md", "", "x")),
        ('[x](note.md "its (own) title")', Link("note.md", "", "x")),
        ("[x](Plan_(2026).md)", Link("Plan_(2026).md", "", "x")),
        ("[x](note)", Link("note", "", "x")),
        ("[words over\ntwo lines](note.md)", Link("note.md", "", "words over two lines")),
        ("[![picture](a.png)](note.md)", Link("note.md", "", "picture")),
        ("[an [inner] bracket](note.md)", Link("note.md", "", "an [inner] bracket")),
        ("[a **bold** `word`](note.md)", Link("note.md", "", "a bold word")),
        ("[the words][1]\n\n[1]: note.md 'Title'\n", Link("note.md", "", "the words")),
        ("[The Words][]\n\n[the words]: <my note.md>\n", Link("my note.md", "", "The Words")),
        (
            "[words]\r\n\r\n[words]: /folder/note#part\r\n",
            Link("/folder/note", "part", "words"),
        ),
        (
            '<a class="x" href="note.md#part">the words</a>',
            Link("note.md", "part", "the words"),
        ),
    ],
)
def test_a_link_names_its_target_and_heading(text: str, link: Link) -> None:
    assert list(links_in(f"before\n{text}\nafter")) == [link]


@pytest.mark.parametrize(
    "text",
    [
        "[x](https://example.org/a.md)",
        "[x](mailto:a@b.c)",
        "[x](//host/a.md)",
        "[x](image.png)",
        "[x](#here)",
        "[[#here]]",
        "[[]]",
        "[[ ]]",
        "[[|alias]]",
        "[x]()",
        "[x]",
        "[[never closed",
        "[x](never closed",
        "[^1]: a footnote",
        "[label]: words that are not an address",
        '<img src="note">',
    ],
)
def test_an_address_that_cannot_be_a_note_is_not_a_link(text: str) -> None:
    assert list(links_in(text)) == []


def test_one_definition_serves_every_text_that_refers_to_it() -> None:
    text = "[one][a] and [two][A] and [one][a]\n\n[a]: note.md\n"
    assert list(links_in(text)) == [Link("note.md", "", "one"), Link("note.md", "", "two")]


def test_the_words_of_a_link_may_be_code() -> None:
    assert parse_note("a.md", "[`brain sleep`](note.md)\n", 0.0).links == (
        Link("note.md", "", "brain sleep"),
    )


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        ("[[A]]", ["A"]),
        ("A", ["A"]),
        ("a/b.md", ["a/b.md"]),
        ("A|alias", ["A"]),
        ("[[A]], [[B|b]]", ["A", "B"]),
        ("[x](a.md)", ["a.md"]),
        ("", []),
    ],
)
def test_a_frontmatter_value_names_notes_in_any_way(value: str, targets: list[str]) -> None:
    assert [link.target for link in named_links(value)] == targets
    assert named_link(value).target == "".join(targets[:1])


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[[",
        "[[a|",
        "[[a#",
        "[](",
        "[](<",
        "[](b",
        "[](b ",
        "[](((",
        "[](b(c",
        '[](b "',
        "[](b '",
        "][",
        "[a]: ",
        "\n[a]: ",
        "<a href=",
        "<a href=b>",
        "]]",
        "[[a]",
        "[a](b(c)",
    ],
)
@pytest.mark.parametrize("times", [sized(100_000, everyday=15_000)])
def test_hostile_brackets_are_read_in_one_pass(unit: str, times: int) -> None:
    for text in (unit * times, unit + " " * times, unit + "b" * times, unit + "(b)" * times):
        assert sum(1 for _ in links_in(text)) <= times


@examples(400)
@given(text=NOTES)
def test_no_text_makes_reading_links_fail(text: str) -> None:
    for link in links_in(text):
        assert link.target.strip()


def table(*paths: str, **titles: str) -> NameTable:
    """A vault of these paths; keyword arguments give a path (its stem) a title."""
    return NameTable(
        NoteMetadata(path=path, title=titles.get(stem(path), stem(path)), timestamp=0)
        for path in paths
    )


def test_a_name_finds_a_path_before_a_stem_before_a_title() -> None:
    names = table("Plan.md", "old/Plan.md", "other.md", other="Plan")
    assert names.find("Plan") == ["Plan.md"]
    assert names.find("old/Plan") == ["old/Plan.md"]
    assert table("old/Plan.md", "other.md", other="Plan").find("Plan") == [
        "old/Plan.md",
        "other.md",
    ]


def test_a_link_means_the_nearest_note_of_a_name() -> None:
    names = table("a/x/Plan.md", "b/Plan.md")
    assert names.find("Plan", "b/from.md")[0] == "b/Plan.md"
    assert names.find("../b/Plan.md", "a/from.md") == ["b/Plan.md"]


def test_names_are_found_in_any_case_and_with_any_accents() -> None:
    assert table("Café Notes.md").find("cafe notes") == ["Café Notes.md"]


def test_of_two_names_that_differ_in_case_or_form_the_exact_one_is_meant() -> None:
    nfc, nfd = "Caf\u00e9.md", "Cafe\u0301.md"
    for order in ((nfc, nfd), (nfd, nfc)):
        assert table(*order).find(nfc) == [nfc]
        assert table(*order).find(nfd) == [nfd]


def test_a_path_out_of_the_vault_finds_nothing() -> None:
    assert table("passwd.txt.md").find("../../etc/passwd") == []


NOTE_PATHS = st.builds(
    "{}{}.md".format, st.sampled_from(["", "a/", "b/", "a/b/", "A/"]), st.sampled_from("xyzXé")
)
TITLES = st.dictionaries(NOTE_PATHS, st.sampled_from(["x", "Y", "é", "a/x", "other"]))


@given(
    notes=TITLES,
    target=st.sampled_from(["x", "y", "É", "a/x", "../x", "b/../x.md", "other", "none", "/x"]),
    source=NOTE_PATHS,
)
def test_the_best_note_for_a_name_is_the_first_of_all_that_it_may_mean(
    notes: dict[str, str], target: str, source: str
) -> None:
    names = NameTable(
        NoteMetadata(path=path, title=title, timestamp=0) for path, title in notes.items()
    )
    assert names.best(target, source) == next(iter(names.find(target, source)), None)
