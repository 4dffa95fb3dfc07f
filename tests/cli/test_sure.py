"""`brain remember --sure` prints a strong match or nothing, and JSON says how far to trust an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Vault


@pytest.fixture
def garden(vault: Vault) -> Vault:
    vault.note("tomatoes.md", "# Growing tomatoes\n\nTomatoes need sun, water and a stake.\n")
    vault.note("beans.md", "# Beans\n\nBeans climb, and they need water.\n")
    vault.note("party.md", "# Garden party\n\nThe garden party was merry, with lanterns in the trees.\n")
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
    answer = garden.brain("remember", "--sure", "zebra stripes water", "--json", "--vault", garden.folder)
    assert (answer.code, answer.json["claim"]) == (1, "related")
    assert garden.remember("growing tomatoes")["claim"] == "strong"
    assert garden.remember("lighthouse")["claim"] == "none"


def test_a_question_for_a_number_gets_no_strong_match_from_a_passage_without_one(garden: Vault) -> None:
    answer = garden.brain("remember", "how many people were at the garden party", "--json", "--vault", garden.folder)
    assert answer.json["results"][0]["path"] == "party.md"
    assert (answer.json["strategy"], answer.json["claim"]) == ("many-weak", "related")
    assert "none says how many or how much" in answer.err
    garden.note("party.md", "# Garden party\n\nTwelve people were at the garden party, which was merry.\n")
    assert garden.remember("how many people were at the garden party")["claim"] == "strong"
