"""Relevance is absolute: 1 is what was asked for by name, and one shared word is next to nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from brain_cli.types import MINIMUM_RELEVANCE

if TYPE_CHECKING:
    from conftest import Vault

SUBJECTS = {
    "bread": "Sourdough needs flour, water, salt and time; the starter is fed every morning before work.",
    "sailing": "Reef early, keep the jib sheet free, and check the tide tables twice before leaving the harbour.",
    "chess": "The endgame is where openings are judged; study rook positions and count the tempi.",
    "roses": "Prune in February above an outward bud, feed in spring, and water the roots rather than leaves.",
    "running": "Easy miles build the base; intervals come later, and sleep is part of the training.",
    "piano": "Practise scales slowly with a metronome, hands apart, then together, then forget about them.",
    "bees": "Inspect the hive on warm days, look for eggs, and give the colony room before it swarms.",
    "taxes": "Keep receipts for seven years; the deadline is in July and the form changes every time.",
    "telescope": "Let the mirror cool, collimate on a bright star, and wait for steady air.",
    "knitting": "Gauge first: a swatch saves a sweater. Count stitches again after every cable.",
}


@pytest.fixture(scope="module")
def library(new_vault: Callable[[], Vault]) -> Vault:
    """Thirty notes on ten subjects, one of them long, all of them about “notes on” something."""
    vault = new_vault()
    for subject, text in SUBJECTS.items():
        vault.note(
            f"{subject}.md", f"# Notes on {subject}\n\n{text}\n", aliases=[f"{subject} primer"]
        )
        vault.note(
            f"log/{subject}-log.md",
            f"# Diary of {subject}\n\nThis week. {text}\n\nNothing else happened.\n",
        )
        others = " ".join(other for name, other in SUBJECTS.items() if name != subject)
        vault.note(
            f"long/{subject}.md",
            f"# An evening\n\nWe spoke of many things. {others} {others} {others}\n",
        )
    vault.note(
        "long/passing.md",
        f"# Holidays\n\n{' '.join(SUBJECTS.values()) * 4} A zeppelin flew over us.\n",
    )
    vault.note("accents.md", "# Crème brûlée à la vanille\n\nSugar.\n")
    vault.note("the-who.md", "# The Who\n\nA band.\n")
    return vault


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("Notes on bread", "bread"),
        ("notes ON bread?", "bread"),
        ("“Notes on bread”", "bread"),
        ("bread primer", "bread"),
        ("chess-log", "log/chess-log"),
        ("creme brulee a la vanille", "accents"),
        ("the who", "the-who"),
    ],
)
def test_a_note_that_is_called_what_was_asked_has_relevance_1(
    library: Vault, query: str, path: str
) -> None:
    assert library.relevances(query)[path] == 1.0


def test_a_word_of_a_title_is_a_strong_match(library: Vault) -> None:
    assert library.relevances("brûlée")["accents"] >= 0.95
    assert library.relevances("holidays")["long/passing"] >= 0.95


def test_a_word_of_a_tag_or_a_folder_finds_a_note(vault: Vault) -> None:
    vault.note("a.md", "# Pears\n\nThey ripen late.\n", tags=["orchard"])
    vault.note("cellar/b.md", "# Jars\n\nBoil them first.\n")
    for query, path in (("orchard", "a.md"), ("cellar", "cellar/b.md")):
        assert [each["path"] for each in vault.remember(query)["results"]] == [path]


def test_the_best_section_counts_wherever_it_stands(new_vault: Callable[[], Vault]) -> None:
    vault = new_vault()
    much, little = (
        "## Much\n\nZither zither zither.\n",
        f"## Little\n\nA zither. {SUBJECTS['bees'] * 3}\n",
    )
    vault.note("first.md", f"# One\n\n{much}\n{little}")
    vault.note("last.md", f"# One\n\n{little}\n{much}")
    found = vault.relevances("zither")
    assert found["first"] == pytest.approx(found["last"])


def test_a_passing_mention_in_a_long_note_is_a_weak_one(library: Vault) -> None:
    assert 0.10 <= library.relevances("zeppelin")["long/passing"] <= 0.75


def test_one_rare_word_of_five_is_not_a_match(library: Vault) -> None:
    found = library.relevances("quaternion marmalade zeppelin sarcophagus typewriter")
    assert all(relevance < 0.35 for relevance in found.values())


def test_words_that_are_in_every_note_barely_count(new_vault: Callable[[], Vault]) -> None:
    vault = new_vault()
    for subject, text in SUBJECTS.items():
        vault.note(
            f"{subject}.md", f"# On {subject}\n\nA working paper of the institute. {text}\n"
        )
    with_them = vault.relevances("working paper of the institute on chess")
    assert with_them["chess"] == max(with_them.values())
    assert with_them["chess"] > 0.8
    assert all(relevance < 0.35 for path, relevance in with_them.items() if path != "chess")
    assert with_them["chess"] >= vault.relevances("chess")["chess"] - 0.15


def test_words_that_no_note_has_lower_the_relevance(library: Vault) -> None:
    series = [
        "sourdough starter",
        "sourdough starter quaternion",
        "sourdough starter quaternion marmalade",
    ]
    found = [library.relevances(query)["bread"] for query in series]
    assert found == sorted(found, reverse=True)
    assert found[0] - found[2] > 0.2


def test_more_words_of_the_query_are_better_than_fewer(library: Vault) -> None:
    found = library.relevances("sourdough flour harbour")
    assert found["bread"] > found["sailing"]


def test_a_word_counts_in_every_form(library: Vault) -> None:
    for query in ("pruning", "Pruned", "PRUNE"):
        assert "roses" in library.relevances(query), query


def test_a_word_may_be_asked_in_its_parts_or_whole(vault: Vault) -> None:
    vault.note("events.md", "# Event-driven design\n\nWith getUserName() and os.path.\n")
    vault.note("other.md", "# Something else\n\nA design for a house.\n")
    for query in (
        "event driven",
        "eventdriven",
        "event-driven",
        "user name",
        "getUserName",
        "path",
    ):
        assert vault.order(query)[:1] == ["events"], query


def test_text_without_spaces_is_found_by_its_characters(vault: Vault) -> None:
    vault.note("tokyo.md", "# 東京都の天気\n\n今日は晴れです。\n")
    vault.note("kyoto.md", "# 京都\n\n寺が多い。\n")
    assert vault.order("東京都")[0] == "tokyo"
    assert vault.order("京都")[0] == "kyoto"


@pytest.mark.parametrize("query", ["the of and", "!!!", "'", "🧠", "—"])
def test_a_query_without_words_recalls_nothing(library: Vault, query: str) -> None:
    recalled = library.remember(query)
    assert recalled["results"] == []
    assert recalled["strategy"] == "archive-fallback"


def test_all_candidates_are_at_or_above_the_minimum_and_in_0_to_1(library: Vault) -> None:
    for query in (
        "bread",
        "water",
        "every morning before work",
        "salt and roses",
        "zeppelin chess",
    ):
        for relevance in library.relevances(query).values():
            assert MINIMUM_RELEVANCE <= relevance <= 1.0
