"""Time grows with the length of a note or query only: twice the input takes at most 2.5 times as
long.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from examples import sized
from growing_notes import MORE_NOTES
from growth import assert_linear

from brain_cli.index.field_weights import prepared
from brain_cli.render.terminal import readable
from brain_cli.search.query import Query, parse
from brain_cli.types import Link, NoteMetadata
from brain_cli.vault.analyzer import query_words
from brain_cli.vault.clock import Clock
from brain_cli.vault.note import parse_note
from brain_cli.vault.resolve import NameTable
from brain_cli.vault.sections import section_named

NOTES: dict[str, Callable[[int], str]] = {
    "quotations that lists interrupt": lambda n: "[a\n>-\n" * (n // 5),  # two milliseconds each
    "quotations that text interrupts": lambda n: "a\n>-\n  a\n" * n,
    "a long heading over many sections": lambda n: (
        "# " + "word " * n + "\n\n" + "## b\n\ntext\n\n" * (n // 10)
    ),
    "many headings": lambda n: "".join("#" * (i % 6 + 1) + f" h{i}\n\nt\n\n" for i in range(n)),
    "open wikilinks": lambda n: "[[" * n,
    "open wikilinks with words": lambda n: "[[a|" * n,
    "open links": lambda n: "[a](b " * n,
    "definitions": lambda n: "[a]:\n" * n,
    "open placeholders": lambda n: "# " + "{{a" * n + "\n",
    "open placeholders in the head": lambda n: '---\nx: "' + "<% " * n + '"\n---\n',
    "backticks": lambda n: "".join("`" * (i % 9 + 1) + "a" for i in range(n)),
    "nested quotations": lambda n: ">" * n,
    "nested lists": lambda n: "- " * n,
    "items": lambda n: "1. a\n" * n,
    "accents": lambda n: "a" + "\u0315\u0300" * n,
    "frontmatter": lambda n: "---\n" + "".join(f"k{i}: v\n" for i in range(n)) + "---\n",
    "open frontmatter": lambda n: "---\n" + "--- x\n" * n,
    "wide tables": lambda n: "|a" * n + "|\n" + "|-" * n + "|\n" + "|b" * n + "|\n",
    "emphasis": lambda n: "*a_b" * n,
    "blocks of HTML": lambda n: "<div>\n" * n,
    "footnotes": lambda n: (
        "".join(f"[^{i}]: b\n" for i in range(n)) + "".join(f"[^{i}] " for i in range(n))
    ),
    "anchors of YAML": lambda n: (
        "---\na: &a [x]\n" + "".join(f"k{i}: *a\n" for i in range(n)) + "---\n"
    ),
    "wikilinks in a heading": lambda n: "# " + "[[a]] " * n + "\n",
    "tables of TOML": lambda n: "+++\n" + "".join(f"[t{i}]\n" for i in range(n)) + "+++\n",
}


def used(note: str) -> None:
    """All that happens to the text of a note when it is indexed and shown."""
    parsed = parse_note("a.md", note, 0.0)
    prepared(parsed, "english", lambda _: b"")
    section_named(note, "no such heading")
    readable(note)


def shared(count: int) -> None:
    """Resolve a link by a name that all notes share, in all notes."""
    notes = [NoteMetadata(f"{number}/a.md", "Same", 0.0) for number in range(count)]
    names = NameTable(notes)
    for number in range(count):
        names.best_link(Link("Same"), f"x{number}/{number}.md")


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", MORE_NOTES)
def test_reading_any_odd_note_takes_time_by_its_length(name: str) -> None:
    assert_linear(used, MORE_NOTES[name], 1_500)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NOTES)
def test_reading_a_note_takes_time_by_its_length(name: str) -> None:
    used(NOTES[name](200))
    assert_linear(used, NOTES[name], sized(1_500, everyday=400))


def test_links_by_a_name_that_thousands_share_are_resolved_one_by_one() -> None:
    assert_linear(shared, lambda count: count, 1_000)


def test_the_words_of_a_query_are_bounded() -> None:
    def asked(count: int) -> str:
        return " ".join(f"w{number}x" for number in range(count))

    assert len(query_words(asked(20_000), ("english", "german"))) <= 400
    assert_linear(lambda text: query_words(text, ("english", "german")), asked, 5_000)


@pytest.mark.parametrize("repeated", ["2026-11-21 ", "since last week ", "a* ", '"a b" '])
def test_a_long_query_is_read_in_the_time_of_its_first_characters(repeated: str) -> None:
    assert_linear(
        lambda text: parse(Query(text), Clock(1.79e9), ("english",)),
        lambda count: repeated * count,
        250,
    )
    assert len(parse(Query("a* " * 3_000), Clock(1.79e9), ("english",)).prefixes) == 1
