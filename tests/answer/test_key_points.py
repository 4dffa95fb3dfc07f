"""The key points of a synthesis: sentences worth quoting, with the line where each begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import Vault


def points(vault: Vault, query: str) -> list[dict[str, Any]]:
    recalled = vault.remember(query)
    assert recalled["strategy"] == "synthesize"
    found: list[dict[str, Any]] = recalled["key_points"]
    return found


def quoted(vault: Vault, query: str) -> list[str]:
    """Return the passage of each result."""
    return [result["passage"]["text"] for result in vault.remember(query)["results"]]


def line_of(vault: Vault, point: dict[str, Any]) -> str:
    lines: list[str] = (vault.folder / point["path"]).read_text().split("\n")
    return lines[int(point["line"]) - 1]


def test_every_point_begins_on_the_line_it_names(sample: Vault) -> None:
    for query in ("event-driven design", "kafka outbox", "retries and idempotency", "postgres backup"):
        recalled = sample.remember(query)
        for point in recalled["key_points"]:
            first_word = point["text"].split()[0].strip("“”\"'()`*_")
            assert first_word in line_of(sample, point), (query, point)


def test_at_most_five_key_points_are_shown_for_any_number_of_notes(vault: Vault) -> None:
    for number, word in enumerate(["stone", "glass", "brass", "iron", "copper", "timber", "slate"]):
        vault.note(f"{number}.md", f"# Lighthouse of {word}\n\nThis lighthouse is made of {word} alone.\n")
    assert len(points(vault, "lighthouse")) == 5


def test_each_note_has_one_point_before_any_has_two(vault: Vault) -> None:
    vault.note("a.md", "# Lighthouse one\n\nThe lighthouse is old.\n\nThe lighthouse has a keeper who reads.\n")
    vault.note("b.md", "# Lighthouse two\n\nThat lighthouse burned down in spring.\n")
    assert {point["path"] for point in points(vault, "lighthouse")[:3]} == {"a.md", "b.md"}


def test_a_passage_that_was_quoted_already_is_not_quoted_again(vault: Vault) -> None:
    for number in range(3):
        vault.note(f"{number}.md", f"# Lighthouse {number}\n\nThe lighthouse keeper lit the lamp at dusk every day.\n")
    assert len(points(vault, "lighthouse keeper")) == 1


def test_a_word_or_two_are_shown_only_with_the_sentence_beside_them(vault: Vault) -> None:
    vault.note("a.md", "# Lighthouse a\n\nLighthouse.\n\nA lighthouse stands on the northern cliff.\n")
    vault.note("b.md", "# Lighthouse b\n\nThe lighthouse.\n")
    vault.note("c.md", "# Lighthouse c\n\nSold.\n\nNobody lives there now.\n")
    assert {point["text"] for point in points(vault, "lighthouse")} == {
        "Lighthouse.\nA lighthouse stands on the northern cliff.",
        "Sold.\nNobody lives there now.",
    }


def test_a_point_is_a_few_sentences_of_at_most_320_characters(vault: Vault) -> None:
    for name in ("a", "b"):
        sentences = " ".join(f"Sentence {number} of {name} is about the harbour." for number in range(20))
        vault.note(f"{name}.md", f"# Lighthouse {name}\n\n{sentences} The {name} lighthouse shines. {sentences}\n")
    found = quoted(vault, "lighthouse shines")
    assert "lighthouse shines." in found[0]
    for text in found:
        assert 120 <= len(text) <= 320
        assert text.endswith(".")


def test_a_table_row_reads_as_column_and_value(vault: Vault) -> None:
    table = "| colour | lamp |\n|---|---|\n| red | off |\n| green | lighthouse lamp |\n"
    for name in ("a", "b"):
        vault.note(f"{name}.md", f"# Lighthouse {name}\n\n{table}")
    assert quoted(vault, "green lamp of the lighthouse")[0] == "colour: green; lamp: lighthouse lamp"


def test_prose_is_quoted_before_code(vault: Vault) -> None:
    for name in ("a", "b"):
        vault.note(
            f"{name}.md",
            f"# Lighthouse {name}\n\n```sh\nlighthouse --lamp\n```\n\n## More\n\nThe {name} lighthouse lamp is on.\n",
        )
    assert quoted(vault, "lighthouse lamp")[:2] == [f"The {name} lighthouse lamp is on." for name in ("a", "b")]


def test_a_point_reads_as_text_without_its_markup(vault: Vault) -> None:
    vault.note("a.md", "# Lighthouse a\n\n- [ ] **Paint** the [[lamp|lighthouse]] with [this](https://example.org).\n")
    vault.note("b.md", "# Lighthouse b\n\n> The lighthouse is _closed_.\n")
    assert {point["text"] for point in points(vault, "lighthouse")} == {
        "Paint the lighthouse with this.",
        "The lighthouse is closed.",
    }


def test_a_point_names_the_lines_of_its_first_and_last_sentence(vault: Vault) -> None:
    long = "Nothing of it is here, nor is anything else in all of this long line, or in any line like it. " * 3
    for name in ("a", "b"):
        vault.note(
            f"{name}.md",
            f"---\ntags: [x]\n---\n# Note {name}\n\n{long}\n{long}Then\ncame the {name} storm over the lighthouse.\n",
        )
    assert [point["end_line"] for point in points(vault, "lighthouse storm")][:1] == [8]


def test_a_single_strong_match_and_weak_ones_have_no_points(sample: Vault) -> None:
    assert sample.remember("why did we leave REST")["key_points"] == []
    assert sample.remember("save energy at home")["key_points"] == []


def test_a_heading_in_bold_is_not_part_of_the_sentence_after_it(vault: Vault) -> None:
    for name in ("a", "b"):
        vault.note(f"{name}.md", f"# Lighthouse {name}\n\n**1 May {name}**\nThe lighthouse {name} burned.\n")
    assert [point["text"] for point in points(vault, "lighthouse")] == [
        f"The lighthouse {name} burned." for name in ("a", "b")
    ]


def test_a_long_line_of_open_brackets_is_quoted_quickly(vault: Vault) -> None:
    for name in ("a", "b"):
        vault.note(f"{name}.md", f"# Lighthouse {name}\n\nThe lighthouse {name} stands. {'[[' * 500_000}\n")
    assert points(vault, "lighthouse")


def test_a_section_of_only_code_is_quoted_by_the_next_section(vault: Vault) -> None:
    vault.note(
        "a.md", "# Lamp house\n\n```\ndef lamp_house(oil):\n    light(oil)\n```\n\n## Cost\n\nA barrel a month.\n"
    )
    assert quoted(vault, "how does the lamphouse work") == ["A barrel a month."]
