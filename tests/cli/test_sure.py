"""`brain remember --sure` prints a strong match or nothing, and JSON says how far to trust an
answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Vault


@pytest.fixture
def garden(vault: Vault) -> Vault:
    vault.note("tomatoes.md", "# Growing tomatoes\n\nTomatoes need sun, water and a stake.\n")
    vault.note("beans.md", "# Beans\n\nBeans climb, and they need water.\n")
    vault.note(
        "party.md",
        "# Garden party\n\nThe garden party was merry, with lanterns in the trees.\n",
    )
    return vault


def sure(vault: Vault, *words: str) -> tuple[int, str]:
    answer = vault.brain("remember", "--sure", *words, "--no-touch", "--vault", vault.folder)
    return answer.code, answer.out


def test_a_strong_match_is_printed_as_ever(garden: Vault) -> None:
    code, out = sure(garden, "growing tomatoes", "--format", "paths")
    assert (code, out.strip().rpartition("/")[2]) == (0, "tomatoes.md")


def test_anything_less_prints_nothing_and_exits_with_1(garden: Vault) -> None:
    assert sure(garden, "zebra stripes water") == (1, "")
    assert sure(garden, "lighthouse") == (1, "")


def test_json_is_printed_all_the_same_and_has_the_claim(garden: Vault) -> None:
    answer = garden.brain(
        "remember", "--sure", "zebra stripes water", "--json", "--vault", garden.folder
    )
    assert (answer.code, answer.json["claim"]) == (1, "none")
    assert garden.remember("growing tomatoes")["claim"] == "strong"
    assert garden.remember("lighthouse")["claim"] == "none"


def test_a_question_for_a_number_gets_no_strong_match_from_a_passage_without_one(
    garden: Vault,
) -> None:
    answer = garden.brain(
        "remember",
        "how many people were at the garden party",
        "--json",
        "--vault",
        garden.folder,
    )
    assert answer.json["results"][0]["path"] == "party.md"
    assert (answer.json["strategy"], answer.json["claim"]) == ("many-weak", "related")
    assert "none says how many or how much" in answer.err
    garden.note(
        "party.md",
        "# Garden party\n\nOne of the people at the garden party in 2024 was very merry.\n",
    )
    assert garden.remember("how many people were at the garden party")["claim"] == "related"
    garden.note(
        "party.md",
        "# Garden party\n\nTwelve people were at the garden party, which was merry.\n",
    )
    assert garden.remember("how many people were at the garden party")["claim"] == "strong"


def test_no_listed_note_with_a_number_is_said_to_have_none(garden: Vault) -> None:
    garden.note("guests.md", "# Guests\n\nFor the garden party we baked bread for 40 people.\n")
    answer = garden.brain(
        "remember", "how many people were merry at the garden party", "--vault", garden.folder
    )
    assert "guests.md" in answer.out
    assert "none says" not in answer.err


def test_a_question_for_a_time_is_answered_by_a_unit_of_time(garden: Vault) -> None:
    asked = "how long was the garden party"
    assert garden.remember(asked)["claim"] == "related"
    garden.note(
        "party.md", "# Garden party\n\nThe garden party went on for a whole night and a day.\n"
    )
    assert garden.remember(asked)["claim"] == "strong"


def test_a_note_that_lacks_a_word_of_the_question_claims_nothing_unless_it_is_likely_right(
    vault: Vault,
) -> None:
    """Several notes are nearly as good, and none says how the harbour got its name."""
    for name in ("tower", "quay", "pier"):
        vault.note(
            f"{name}.md",
            f"# Harbour {name}\n\nThe old harbour {name} of granite has a new lamp.\n",
        )
    for number in range(8):
        vault.note(
            f"{number}.md",
            f"# Topic {number}\n\nA baptism, number {number}, had a christening.\n",
        )
    found = vault.remember("christening of the old granite harbour")
    assert (found["strategy"], found["claim"]) == ("many-weak", "related")
    assert vault.remember("old granite harbour")["strategy"] == "synthesize"


@pytest.mark.parametrize(
    "asked", ["when is the birthday of Henrietta Blom", "who taught Henrietta Blom"]
)
def test_a_question_for_a_date_or_a_person_is_not_answered_by_a_note_that_lacks_a_word(
    vault: Vault, asked: str
) -> None:
    vault.note(
        "henrietta.md", "# Henrietta Blom\n\nConductor of the choir since 2017. From Uppsala.\n"
    )
    vault.note(
        "cake.md", "# Cakes\n\nA birthday cake has candles; somebody taught me to bake one.\n"
    )
    assert vault.remember(asked)["claim"] == "related"
    vault.note(
        "henrietta.md",
        "# Henrietta Blom\n\nHer birthday is on 3 May 2027; Greta once taught her.\n",
    )
    assert vault.remember(asked)["claim"] == "strong"


@pytest.mark.parametrize(
    "asked", ["which make is the router", "what is the make of the router"]
)
def test_a_question_for_an_attribute_is_not_answered_by_a_note_that_lacks_the_word_for_it(
    vault: Vault, asked: str
) -> None:
    vault.note(
        "router.md",
        "# The router\n\nIt stands in the hall cupboard; its white box must not be unplugged.\n",
    )
    vault.note("car.md", "# Car\n\nThe make and the model are in the papers.\n")
    assert vault.remember(asked)["claim"] == "related"
    vault.note(
        "router.md",
        "# The router\n\nIt stands in the hall cupboard. Make: Fritz. Do not unplug the router.\n",
    )
    assert vault.remember(asked)["claim"] == "strong"


def test_a_question_for_the_difference_of_two_things_needs_no_note_with_that_word(
    vault: Vault,
) -> None:
    vault.note(
        "lamps.md",
        "# Red lamp and blue lamp\n\nThe red lamp warns, the blue lamp only shows the way.\n",
    )
    asked = "what is the difference between the red lamp and the blue lamp"
    found = vault.brain("remember", asked, "--json", "--explain", "--vault", vault.folder).json
    assert not found["results"][0]["certainty_rule"]


def test_the_only_note_that_a_filter_leaves_is_not_sure_without_every_word(
    vault: Vault,
) -> None:
    vault.note("run/gate.md", "# Gate\n\nIf the certificate is expired, renew it.\n")
    vault.note("incident.md", "# Outage\n\nThe intermediate certificate was expired.\n")
    for number in range(6):
        vault.note(
            f"{number}.md", f"# Course {number}\n\nAn intermediate level, part {number}.\n"
        )
    asked = ("remember", "intermediate certificate", "--sure", "--vault", vault.folder)
    assert vault.brain(*asked, "--path", "run/*").code == 1
    assert vault.brain(*asked[:1], "certificate", *asked[2:], "--path", "run/*").code == 0
