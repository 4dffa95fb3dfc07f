"""Which time a question asks about: the newest notes, a certain time, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from brain_cli.search.asked_time import QueryIntent, recency_intent
from brain_cli.types import Intent
from brain_cli.vault.clock import Clock
from brain_cli.vault.dates import timestamp_of
from brain_cli.vault.languages import TIME_WORDS

if TYPE_CHECKING:
    from conftest import Vault

NOW = timestamp_of("2026-11-22T10:00:00Z") or 0.0
ASKS_FOR_THE_NEWEST = {
    "recent incidents": "incidents",
    "the most recent incident": "the incident",
    "what did we decide recently about kafka": "what did we decide about kafka",
    "latest decision on kafka": "decision on kafka",
    "what's the latest on kafka": "what's the on kafka",
    "the NEWEST note on kafka": "the note on kafka",
    "what we did last session with kafka": "what we did with kafka",
    "where we left off with kafka": "where we with kafka",
    "pick up the migration": "the migration",
    "where was I with kafka": "with kafka",
    "kafka recently": "kafka",
    "what happened recently with kafka": "what happened with kafka",
    "neueste Entscheidung zu Kafka": "Entscheidung zu Kafka",
    "was haben wir kürzlich über Kafka besprochen": "was haben wir uber Kafka besprochen",
    "dernière décision sur kafka": "decision sur kafka",
    "última decisión sobre kafka": "decision sobre kafka",
    "ultima decisione su kafka": "decisione su kafka",
    "última decisão sobre kafka": "decisao sobre kafka",
    "laatste beslissing over kafka": "beslissing over kafka",
    "последнее решение о kafka": "решение о kafka",
}
ASKS_FOR_THE_NEWEST_ALONE = [
    "where did we leave off",
    "where were we",
    "what was I working on",
    "what were we doing",
    "recently",
    "latest",
    "last session",
    "pick up where we left off",
    "what's new",
    "what did we discuss recently?",
    "what have I been working on lately",
    "show me the latest notes",
    "wo waren wir",
    "wo sind wir stehen geblieben",
    "was gibt es Neues",
    "woran habe ich zuletzt gearbeitet",
    "où en étions-nous ?",
    "quoi de neuf",
    "de quoi avons-nous parlé récemment",
    "dónde lo dejamos",
    "¿qué hay de nuevo?",
    "de qué hablamos recientemente",
    "dove eravamo rimasti",
    "di cosa abbiamo parlato recentemente",
    "onde paramos",
    "o que há de novo",
    "waar waren we gebleven",
    "wat is er nieuw",
    "на чём мы остановились",
    "что нового",
    "над чем я работал",
]
ASKS_FOR_A_TOPIC = [
    "lastly, the conclusion",
    "recenter the map",
    "the last straw",
    "last night's deploy",
    "the latestness of data",
    "a pickup truck",
    "todays",
    "where did we leave REST",
    "What forum did Tim join recently?",
    "What did Mel paint in their latest project",
    "What was the focus of John's recent blog?",
    "the most recent version of X was 2.0",
    "what changed in the latest release",
    "how do I show recent files",
    "how to sort by most recent",
    "a good hobby for Tim to pick up",
    "insert yesterday's date in a daily note",
    "life on mars",
    "may I ask",
    "tag:2024-03 retro",
    '"2024-03-01" in quotes',
    "",
]


@pytest.mark.parametrize(("query", "topic"), ASKS_FOR_THE_NEWEST.items())
def test_words_that_ask_for_the_newest_are_not_part_of_the_topic(
    query: str, topic: str
) -> None:
    asked = recency_intent(query, clock=Clock(NOW))
    assert (asked.intent, asked.only_time) == (Intent.RECENCY, False)
    assert " ".join(asked.topic.split()) == topic


@pytest.mark.parametrize("query", ASKS_FOR_THE_NEWEST_ALONE)
def test_a_question_may_ask_for_nothing_but_the_newest(query: str) -> None:
    asked = recency_intent(query, clock=Clock(NOW))
    assert (asked.intent, asked.only_time) == (Intent.RECENCY, True)


@pytest.mark.parametrize("query", ASKS_FOR_A_TOPIC)
def test_words_that_only_look_like_it_are_part_of_the_topic(query: str) -> None:
    assert recency_intent(query, clock=Clock(NOW)) == QueryIntent(Intent.NORMAL, query)


@pytest.mark.parametrize(
    "query", ["what did we do yesterday", "latest kafka in June 2021", "last week", "2024-03"]
)
def test_a_question_with_a_date_is_not_a_question_for_the_newest(query: str) -> None:
    asked = recency_intent(query, clock=Clock(NOW))
    assert asked.intent is Intent.NORMAL
    assert len(asked.spans) == 1


def test_the_option_overrules_the_words() -> None:
    without = recency_intent("latest kafka", forced=False)
    assert (without.intent, without.topic) == (Intent.NORMAL, "latest kafka")
    asked = recency_intent("kafka", forced=True)
    assert (asked.intent, asked.topic) == (Intent.RECENCY, "kafka")


@pytest.mark.parametrize("language", TIME_WORDS)
def test_every_language_answers_for_today_and_yesterday(language: str) -> None:
    words = TIME_WORDS[language]
    for phrases in (words.today, words.yesterday):
        first = phrases.split(", ")[0].replace("?", "")
        assert len(recency_intent(first, clock=Clock(NOW)).spans) == 1, first


def test_the_document_has_the_intent_and_its_words_do_not_match(vault: Vault) -> None:
    vault.note("latest.md", "# Latest fashion\n\nThe latest of the latest.\n")
    vault.note("kafka.md", "# Kafka\n\nBrokers.\n")
    recalled = vault.remember("latest kafka")
    assert recalled["intent"] == "recency"
    assert [each["path"] for each in recalled["results"]] == ["kafka.md"]
    literal = vault.remember("latest kafka", "--no-recent")
    assert literal["intent"] == "normal"
    assert len(literal["results"]) == 2
    assert vault.remember("kafka", "--recent")["intent"] == "recency"
