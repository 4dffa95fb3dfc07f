"""Recall by time: the newest notes, notes of a certain time, and the order of results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from brain_cli.vault.dates import timestamp_of

if TYPE_CHECKING:
    from conftest import Vault


@pytest.fixture
def journal(vault: Vault) -> Vault:
    """A vault whose file names date its notes; only the handoff and one other note belong to the
    project.
    """
    vault.note("2026-11-19 Roof.md", "# Roof\n\nThe roof got new tiles.\n")
    vault.note("2025-09-09 Roof repair.md", "# Roof repair\n\nThe roof leaks at the chimney.\n")
    vault.note("2024-03-01 Roof plan.md", "# Roof plan\n\nThe roof needs a plan.\n")
    vault.note(
        "2026-11-10 Handoff.md",
        "# Handoff\n\nNext: the gutter.\n",
        type="handoff",
        project="house",
    )
    vault.note(
        "2026-11-15 Gutter.md", "# Gutter\n\nThe gutter was measured.\n", project="house"
    )
    return vault


def paths(recalled: dict[str, object]) -> list[str]:
    results = recalled["results"]
    assert isinstance(results, list)
    return [each["path"][:10] for each in results]


def test_a_question_for_the_newest_alone_shows_the_newest_notes(journal: Vault) -> None:
    recalled = journal.remember("where did we leave off")
    assert paths(recalled) == [
        "2026-11-10",
        "2026-11-19",
        "2026-11-15",
        "2025-09-09",
        "2024-03-01",
    ]
    assert recalled["intent"] == "recency"


def test_the_newest_of_the_project_come_first_and_its_handoff_before_them(
    journal: Vault,
) -> None:
    recalled = journal.remember("what was I working on", "--project", "house")
    assert paths(recalled) == [
        "2026-11-10",
        "2026-11-15",
        "2026-11-19",
        "2025-09-09",
        "2024-03-01",
    ]


def test_the_newest_are_found_even_in_a_vault_of_archived_notes(vault: Vault) -> None:
    vault.note("old.md", "Long ago.\n", status="archived")
    answer = vault.brain("remember", "what's new", "--vault", vault.folder)
    assert answer.code == 0
    assert "old.md" in answer.out


def test_latest_prefers_the_newer_of_two_dated_file_names(journal: Vault) -> None:
    assert paths(journal.remember("latest about the roof"))[0] == "2026-11-19"


def test_a_date_in_the_question_brings_the_notes_of_that_time_first(journal: Vault) -> None:
    assert paths(journal.remember("the roof in September 2025"))[0] == "2025-09-09"
    assert paths(journal.remember("what about the roof in march 2024"))[0] == "2024-03-01"
    assert paths(journal.remember("what did we do on 15 November"))[0] == "2026-11-15"


def test_a_note_of_the_time_asked_for_comes_before_better_ones_of_another_time(
    vault: Vault,
) -> None:
    vault.note(
        "2026-08-07 Replay.md", "# Replay\n\nEverything about letters, queues and Kafka.\n"
    )
    vault.note(
        "2025-04-17 Kafka.md", "# Kafka architecture\n\nKafka has brokers. Kafka has topics.\n"
    )
    vault.note(
        "2024-02-12 Kafka.md", "# Kafka replaces RabbitMQ\n\nKafka, three brokers of our own.\n"
    )
    assert paths(vault.remember("kafka in August 2026")) == [
        "2026-08-07",
        "2025-04-17",
        "2024-02-12",
    ]


def test_a_note_of_the_day_asked_for_is_found_without_any_other_word(journal: Vault) -> None:
    journal.note("2022-05-04 Cellar.md", "# Cellar\n\nThe cellar was painted.\n")
    question = "tiles for the roof on 4 May 2022"
    assert paths(journal.remember(question))[:2] == ["2022-05-04", "2026-11-19"]
    assert "2022-05-04" not in paths(journal.remember(question, "--path", "*Roof*"))


def test_a_time_without_notes_is_reported(journal: Vault) -> None:
    answer = journal.brain("remember", "the roof in June 2021", "--vault", journal.folder)
    assert answer.code == 0
    assert "No note that matches is dated “in June 2021”." in answer.err
    assert (
        journal.brain("remember", "what happened in June 2021", "--vault", journal.folder).code
        == 1
    )


def test_results_can_be_sorted_by_date_and_by_path(journal: Vault) -> None:
    by_date = paths(journal.remember("roof", "--sort", "date"))
    assert by_date == ["2026-11-19", "2025-09-09", "2024-03-01"]
    assert paths(journal.remember("roof", "--sort", "path")) == by_date[::-1]
    wrong = journal.brain("remember", "roof", "--sort", "size", "--vault", journal.folder)
    assert (wrong.code, wrong.out) == (2, "")


def test_a_matching_section_has_the_date_in_its_heading(vault: Vault) -> None:
    vault.note(
        "log.md",
        "## 2026-11-03\n\nThe boiler was serviced.\n\n## 2026-01-05\n\nThe door was painted.\n",
    )
    [boiler] = vault.remember("boiler serviced")["results"]
    assert (boiler["date"][:10], boiler["dated_by"]) == ("2026-11-03", "heading")
    [door] = vault.remember("door painted")["results"]
    assert (door["date"][:10], door["dated_by"]) == ("2026-01-05", "heading")
    asked = vault.remember("what did I do on 5 January 2026")["results"][0]
    assert asked["fragment"]["heading"][-1] == "2026-01-05"


def test_recent_lists_the_newest_without_a_question(journal: Vault) -> None:
    lines = journal.brain("recent", "-n", "2", "--vault", journal.folder).out.splitlines()
    assert [line.split("\t")[:2] for line in lines] == [
        ["2026-11-19", "name"],
        ["2026-11-15", "name"],
    ]
    listed = journal.brain(
        "recent", "--since", "2026-11-12", "--json", "--vault", journal.folder
    ).json
    assert (paths(listed), listed["version"]) == (["2026-11-19", "2026-11-15"], 1)
    own = journal.brain(
        "recent", "--project", "house", "--json", "--vault", journal.folder
    ).json
    assert paths(own) == ["2026-11-15", "2026-11-10"]
    kind = journal.brain(
        "recent", "--type", "handoff", "--json", "--vault", journal.folder
    ).json
    assert paths(kind) == ["2026-11-10"]


def test_recent_finds_nothing_in_an_empty_vault(vault: Vault) -> None:
    answer = vault.brain("recent", "--vault", vault.folder)
    assert (answer.code, answer.out, answer.err) == (
        1,
        "",
        "brain: There are no notes in this vault yet.\n",
    )


def test_an_archived_note_of_the_time_asked_for_does_not_lower_the_others(vault: Vault) -> None:
    vault.note("2024-06-13 Old.md", "# Old\n\nKafka quotas.\n", status="archived")
    vault.note("2026-01-02 New.md", "# New\n\nKafka quotas are set per client.\n")
    answer = vault.brain(
        "remember", "kafka quotas in June 2024", "--json", "--vault", vault.folder
    )
    assert "No note that matches is dated “in June 2024”." in answer.err
    plain = vault.remember("kafka quotas")["results"][0]
    assert answer.json["results"][0]["score"] == plain["score"]


def test_only_notes_that_pass_the_filters_count_as_those_of_a_day(vault: Vault) -> None:
    vault.note(
        "roof.md", "# Roof\n\nThe roof got new tiles.\n", date="2026-01-01", tags="[house]"
    )
    for number in range(12):
        vault.note(
            f"day/{number}.md", f"# Note {number}\n\nSomething else.\n", date="2026-06-03"
        )
    vault.note("day/gutter.md", "# Gutter\n\nMeasured.\n", date="2026-06-03", tags="[house]")
    question = "tiles of the roof on 3 June 2026"
    assert [each["path"] for each in vault.remember(question)["results"]] == ["roof.md"]
    found = vault.remember(question, "--tag", "house")["results"]
    assert {each["path"] for each in found} == {"roof.md", "day/gutter.md"}


def test_a_question_for_the_newest_orders_by_date_and_one_for_where_work_stopped_begins_with_the_handoff(
    journal: Vault,
) -> None:
    assert paths(journal.remember("newest notes"))[:3] == [
        "2026-11-19",
        "2026-11-15",
        "2026-11-10",
    ]
    assert paths(journal.remember("where did we leave off"))[0] == "2026-11-10"


def test_a_month_that_stands_only_in_the_text_is_found(vault: Vault) -> None:
    vault.note(
        "events.md", "# Events\n\n## OpenAI\n\nThe OpenAI event was held in October 2024.\n"
    )
    vault.note("openai.md", "# OpenAI\n\nAn event of OpenAI for developers, about events.\n")
    assert paths(vault.remember("the OpenAI event in October 2024"))[0] == "events.md"


def test_since_takes_the_words_of_a_question(journal: Vault) -> None:
    assert paths(journal.remember("roof", "--since", "last week", "--now", "2026-11-22")) == [
        "2026-11-19"
    ]
    assert paths(
        journal.remember("roof", "--since", "settimana scorsa", "--now", "2026-11-22")
    ) == ["2026-11-19"]
    assert paths(journal.remember("roof", "--before", "2025")) == ["2024-03-01"]


def test_notes_of_one_day_are_in_the_order_of_their_relevance(vault: Vault) -> None:
    vault.note(
        "a.md",
        "# Walls\n\nThe walls are wet, and the roof too, says the man who came about the drains.\n",
        date="2026-05-01",
    )
    vault.note("z.md", "# The roof\n\nThe roof leaks.\n", date="2026-05-01")
    assert vault.order("roof", "--sort", "date") == ["z", "a"]
    assert vault.order("roof", "--sort", "path") == ["a", "z"]


def test_an_older_note_is_no_strong_answer_to_a_question_for_the_newest(vault: Vault) -> None:
    """The older note has more of the words, but another one that has them is newer."""
    vault.note(
        "bus.md",
        "---\ndate: 2025-02-20\n---\n# Console bus\n\nWe decided: the console bus is CAN.\n",
    )
    vault.note(
        "fast.md",
        "---\ndate: 2026-03-11\n---\n# CAN FD\n\nUpdates of the console use a faster bus.\n",
    )
    for number in range(20):
        vault.note(
            f"{number}.md",
            f"---\ndate: 2026-05-01\n---\n# Lamp {number}\n\nThe lamp of room {number} is green.\n",
        )
    asked = vault.brain(
        "remember", "the newest about the console bus", "--json", "--vault", vault.folder
    ).json
    assert asked["strategy"] != "single-strong"
    assert (
        vault.brain("remember", "console bus", "--json", "--vault", vault.folder).json[
            "strategy"
        ]
        == "single-strong"
    )


def test_the_date_that_a_note_states_is_more_exact_than_the_month_in_its_title(
    vault: Vault,
) -> None:
    vault.note(
        "round.md",
        "---\ndate: 2026-10-13\n---\n# Product round, October 2026\n\nTwo returns.\n",
    )
    vault.note("farbe.md", "---\ndatum: 2024-06-25\n---\n# Farbe\n\nGrün.\n")
    listed = vault.brain("recent", "--vault", vault.folder).out.splitlines()
    assert [line.split("\t")[:2] for line in listed] == [
        ["2026-10-13", "frontmatter"],
        ["2024-06-25", "frontmatter"],
    ]


def test_a_note_of_the_day_comes_before_one_whose_file_was_changed_that_day(
    vault: Vault,
) -> None:
    vault.note("2026-11-19.md", "Tiles came.\n")
    noon = timestamp_of("2026-11-19T12:00:00Z") or 0.0
    os.utime(vault.note("Amara.md", "Colleague.\n"), (noon, noon))
    assert vault.order("what did I do on 19 November") == ["2026-11-19", "Amara"]


def test_notes_of_nearby_days_answer_only_where_none_is_of_the_day(vault: Vault) -> None:
    for day in ("18", "20"):
        vault.note(f"2026-11-{day}.md", "Tiles came.\n")
    assert vault.order("what happened on 18 November") == ["2026-11-18"]
    assert vault.order("what happened on 19 November") == ["2026-11-20", "2026-11-18"]


def test_a_decision_that_says_it_is_superseded_is_no_strong_match(vault: Vault) -> None:
    decision = "# Console bus\n\n{status}The console bus carries four amperes, because the old relays heat up.\n"
    vault.note("decisions/console-bus.md", decision.format(status=""))
    asked = (
        "remember",
        "why does the console bus carry four amperes",
        "--json",
        "--vault",
        vault.folder,
    )
    assert vault.brain(*asked).json["strategy"] == "single-strong"
    vault.note("decisions/console-bus.md", decision.format(status="Status: superseded\n\n"))
    assert vault.brain(*asked).json["strategy"] != "single-strong"
