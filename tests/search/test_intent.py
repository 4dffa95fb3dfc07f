"""What the words of a query ask for besides their topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from brain_cli.search.intent import recency_intent
from brain_cli.types import Intent

if TYPE_CHECKING:
    from conftest import Vault

ASKS_FOR_THE_NEWEST = {
    "recent incidents": "incidents",
    "the most recent incident": "the incident",
    "what did we decide recently": "what did we decide",
    "latest decision on kafka": "decision on kafka",
    "the NEWEST note": "the note",
    "what happened today?": "what happened ?",
    "yesterday in the standup": "in the standup",
    "what we did last session": "what we did",
    "last time we met": "we met",
    "last week": "",
    "plans from last  month": "plans from",
    "the last few days": "the",
    "where we left off": "where we",
    "pick up the migration": "the migration",
    "where were we": "",
    "where was I with kafka": "with kafka",
    "what were we doing": "",
    "what was I working on": "on",
}
ASKS_FOR_A_TOPIC = [
    "lastly, the conclusion",
    "recenter the map",
    "the last straw",
    "last night's deploy",
    "the latestness of data",
    "a pickup truck",
    "todays",
    "where did we leave REST",
    "",
]


@pytest.mark.parametrize(("query", "topic"), ASKS_FOR_THE_NEWEST.items())
def test_words_that_ask_for_the_newest_are_heard_and_are_no_words_of_the_topic(query: str, topic: str) -> None:
    asked = recency_intent(query)
    assert asked.intent is Intent.RECENCY
    assert " ".join(asked.topic.split()) == topic


@pytest.mark.parametrize("query", ASKS_FOR_A_TOPIC)
def test_words_that_only_look_like_it_are_part_of_the_topic(query: str) -> None:
    assert recency_intent(query) == (Intent.NORMAL, query)


def test_the_option_overrules_the_words() -> None:
    assert recency_intent("latest kafka", forced=False) == (Intent.NORMAL, "latest kafka")
    assert recency_intent("kafka", forced=True) == (Intent.RECENCY, "kafka")


def test_the_document_tells_the_intent_and_the_words_do_not_match(vault: Vault) -> None:
    vault.note("latest.md", "# Latest fashion\n\nThe latest of the latest.\n")
    vault.note("kafka.md", "# Kafka\n\nBrokers.\n")
    recalled = vault.remember("latest kafka")
    assert recalled["intent"] == "recency"
    assert [each["path"] for each in recalled["results"]] == ["kafka.md"]
    literal = vault.remember("latest kafka", "--no-recent")
    assert literal["intent"] == "normal"
    assert len(literal["results"]) == 2
    assert vault.remember("kafka", "--recent")["intent"] == "recency"
