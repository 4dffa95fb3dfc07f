"""Recalls as of a day or a commit, the timeline of a subject, and notes that end."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest
from conftest import Vault
from terminal import OnTerminal, on_a_terminal

NOW = ("--now", "2026-11-28T10:00:00Z")


def git(vault: Vault, *arguments: str, at: str = "2026-01-01") -> None:
    moment = f"{at}T10:00:00Z"
    identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    identity |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    environ = {
        **os.environ,
        **identity,
        "GIT_AUTHOR_DATE": moment,
        "GIT_COMMITTER_DATE": moment,
    }
    command = ["git", "-C", str(vault.folder), *arguments]
    subprocess.run(command, env=environ, check=True, capture_output=True)


@pytest.fixture
def committed(vault: Vault) -> Vault:
    """A vault in git whose note changed in August."""
    git(vault, "init", "-q")
    vault.note("broker.md", "# Broker\n\nThe message broker is RabbitMQ.\n")
    vault.note("gone.md", "# Cellar\n\nThe pelican is in the cellar.\n")
    git(vault, "add", ".")
    git(vault, "commit", "-qm", "one", at="2026-03-01")
    vault.note("broker.md", "# Broker\n\nThe message broker is Kafka.\n")
    (vault.folder / "gone.md").unlink()
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "two", at="2026-08-01")
    git(vault, "tag", "v2")
    return vault


def asked(vault: Vault, *options: str) -> str:
    answer = vault.brain("remember", *options, *NOW, "--json", "--vault", vault.folder)
    return "".join(each["text"] for each in answer.json["shown"])


def test_a_vault_in_git_answers_with_the_texts_of_a_day_a_commit_or_a_tag(
    committed: Vault,
) -> None:
    assert "Kafka" in asked(committed, "message broker")
    for then in ("2026-06-01", "june", "HEAD~1"):
        assert "RabbitMQ" in asked(committed, "message broker", "--as-of", then), then
    assert "Kafka" in asked(committed, "message broker", "--as-of", "v2")
    assert "cellar" in asked(committed, "where is the pelican", "--as-of", "2026-04-01")
    assert not asked(committed, "where is the pelican")


def test_the_full_screen_shows_the_texts_of_a_day(committed: Vault) -> None:
    screen = OnTerminal(committed, "-i", "message broker", "--as-of", "2026-06-01", *NOW)
    screen.wait_for("RabbitMQ")
    screen.send("\r")
    screen.wait_for("file changed 2026-03-01")
    screen.send("q")
    assert screen.end() == 0
    assert b"Kafka" not in screen.shown


def test_a_batch_is_answered_as_of_a_day(committed: Vault) -> None:
    lines = [json.dumps({"id": "1", "query": "message broker"}), '{"query": "pelican"}']
    options = ("--batch", "-", "--as-of", "2026-06-01", *NOW, "--vault", committed.folder)
    printed = committed.brain("remember", *options, stdin="\n".join(lines)).out
    first, second = map(json.loads, printed.splitlines())
    assert "RabbitMQ" in first["shown"][0]["text"]
    assert "cellar" in second["shown"][0]["text"]


def test_an_answer_of_a_former_day_is_not_recorded(committed: Vault) -> None:
    asked(committed, "message broker", "--as-of", "2026-06-01")
    status = committed.brain("status", "--json", "--vault", committed.folder, *NOW).json
    assert status["recalls"] == 0


def test_only_a_few_former_states_stay_in_the_cache(committed: Vault) -> None:
    committed.note("day.md", "---\ndate: 2025-01-01\n---\n# Day\n\nA heron.\n")
    for number in range(1, 9):
        asked(committed, "heron", "--as-of", f"2025-0{number}-01")
    [states] = (committed.brain.cache / "brain" / "past").iterdir()
    assert len(list(states.iterdir())) <= 4


@pytest.mark.parametrize(
    "later",
    [
        "Update 2026-05-18: after the theft we cut this\nto 15 minutes.",
        "2026-05-18: now 15 minutes",
        "- **18 May 2026** – now 15 minutes",
        "Nachtrag (18. Mai 2026): jetzt 15 Minuten",
        "> Mise à jour du 18 mai 2026 : 15 minutes",
        "| 2026-05-18 | 15 minutes |",
    ],
)
def test_an_entry_of_a_later_day_is_left_out(vault: Vault, later: str) -> None:
    vault.note(
        "token.md", f"# Token\n\nThe token is valid for 24 h.\n\n{later}\n", date="2026-01-01"
    )
    answer = vault.brain(
        "show", "token", "--as-of", "2026-04-01", *NOW, "--vault", vault.folder
    )
    assert "24 h" in answer.out
    assert "15" not in answer.out
    assert "today's texts" in answer.err


def test_a_plan_for_a_day_to_come_stays(vault: Vault) -> None:
    vault.note("plan.md", "# Plan\n\n- 2026-12-24: dinner at nine\n", date="2026-01-01")
    answer = vault.brain("show", "plan", "--as-of", "2026-04-01", *NOW, "--vault", vault.folder)
    assert "dinner" in answer.out


def test_a_note_is_shown_as_it_was(committed: Vault) -> None:
    at = ("--as-of", "2026-06-01", *NOW, "--vault", committed.folder)
    assert "RabbitMQ" in committed.brain("show", "broker", *at).out
    assert "cellar" in committed.brain("show", "gone.md", *at).out
    assert committed.brain("show", "gone.md", *at[2:]).code == 2
    committed.note("sub/later.md", "# Later\n\nNew.\n")
    here = committed.folder / "sub"
    assert "RabbitMQ" in committed.brain("show", "broker.md", *at, cwd=committed.folder).out
    unknown = committed.brain("show", "later.md", *at, cwd=here)
    assert (unknown.code, "There is no note “later.md”" in unknown.err) == (2, True)


def test_a_note_with_dated_sections_begins_with_the_first_of_them(vault: Vault) -> None:
    text = "# On call\n\n## 2025-11-10\nThe phone is with Marta.\n\n## 2026-05-04\nIt moved to Jo.\n"
    vault.note("oncall.md", text)
    shown = asked(vault, "on call phone", "--as-of", "2026-01-01")
    assert "Marta" in shown
    assert "Jo" not in shown


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("The bike has been in the garage since 1 September 2026 again", "2026-08-01"),
        ("Das Fahrrad ist seit 1. September 2026 in der Garage", "2026-08-01"),
        ("Le vélo est depuis le 1er septembre 2026 au garage", "2026-08-01"),
        ("Since September 2026 the bike is in the garage", "2026-08-01"),
    ],
)
def test_an_item_that_holds_since_a_day_is_left_out_before(
    vault: Vault, line: str, day: str
) -> None:
    vault.note("bike.md", f"# Bike\n\n- Bike: bell is loose\n- {line}\n", date="2025-01-01")
    assert line in asked(vault, "bike vélo Fahrrad garage")
    assert line not in asked(vault, "bike vélo Fahrrad garage", "--as-of", day)


def test_an_item_that_begins_with_its_end_has_ended(vault: Vault) -> None:
    vault.note("shop.md", "# Shop\n\n- Until 30 June 2026 the shop is in the harbour\n")
    found = vault.brain(
        "remember", "shop harbour", *NOW, "--json", "--vault", vault.folder
    ).json
    assert found["results"][0]["ended"] == "ended 30 Jun 2026"


def test_a_word_for_the_past_is_no_missing_word(vault: Vault) -> None:
    vault.note("vpn.md", "# VPN\n\n- VPN gateway is 10.1.0.1 (until 2026-03-31)\n")
    question = ("remember", "old vpn gateway", *NOW, "--vault", vault.folder)
    assert vault.brain(*question, "--json").json["unknown"] == []
    assert "10.1.0.1" in vault.brain(*question, "--format", "rich").out


def test_a_former_day_needs_a_date_or_a_commit(vault: Vault) -> None:
    vault.note("a.md", "# A\n\nheron\n")
    answer = vault.brain("remember", "heron", "--as-of", "nope", "--vault", vault.folder)
    assert (answer.code, "neither a date nor a commit" in answer.err) == (2, True)


def test_the_timeline_of_a_question_has_commits_recalls_and_ends(committed: Vault) -> None:
    committed.note("broker.md", "# Broker\n\n- message broker NATS (until 2026-09-30)\n")
    asked(committed, "message broker")
    at = ("--vault", committed.folder, *NOW)
    moments = committed.brain("history", "message", "broker", "--json", *at).json["moments"]
    found = {(each["day"], each["what"]) for each in moments}
    assert {("2026-08-01", "changed"), ("2026-09-30", "ended")} <= found
    assert any("Kafka" in each["text"] for each in moments)
    assert [each["day"] for each in moments] == sorted(each["day"] for each in moments)
    assert committed.brain("history", "zeppelin", *at).code == 1


def test_a_timeline_has_the_notes_about_the_question_and_their_updates(
    committed: Vault,
) -> None:
    committed.note(
        "broker.md",
        "# Broker\n\nThe message broker is Kafka.\n\n> **Update 2026-05-18:** NATS, not Kafka.\n"
        "\n2026-06-01: an entry\n",
        date="2026-01-12",
    )
    committed.note("laptop.md", "# Laptop\n\nA feature of the laptop is its message light.\n")
    at = ("--vault", committed.folder, *NOW)
    moments = committed.brain("history", "message", "broker", "--json", *at).json["moments"]
    assert {each["path"] for each in moments} == {"broker.md"}
    assert [(each["day"], each["what"]) for each in moments] == [
        ("2026-01-12", "written"),
        ("2026-03-01", "committed"),
        ("2026-05-18", "corrected"),
        ("2026-08-01", "changed"),
    ]
    assert moments[1]["text"] == "Broker"
    shown = on_a_terminal(committed, "history", "broker", *NOW, NO_COLOR="1")
    assert "2026-03-01 committed  Broker  broker.md" in shown
    assert (
        "2026-05-18 corrected  broker.md:8\r\n           Update 2026-05-18: NATS, not Kafka."
        in shown
    )
    assert "\t" not in shown


@pytest.mark.parametrize(
    "updates",
    [
        ["Update 2026-05-18: the pump leaks", "Update 2026-06-02: the seal is new"],
        ["> **Edit (18 May 2026):** it leaks", "> **Edit (2 June 2026):** the seal is new"],
        ["Nachtrag 18.5.2026: sie leckt", "und tropft", "Nachtrag 2.6.2026: neue Dichtung"],
        ["- Correction 2026-05-18: it leaks", "- Correction 2026-06-02: the seal is new"],
    ],
)
def test_an_undated_note_is_never_corrected_before_it_is_written(
    vault: Vault, updates: list[str]
) -> None:
    note = vault.folder / "pump.md"
    note.write_text("\n".join(["# Pump", "", *updates, ""]))
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
    os.utime(note, (noon, noon))
    at = ("--vault", vault.folder)
    shown = on_a_terminal(vault, "remember", "pump")
    moments = vault.brain("history", "pump", "--json", *at).json["moments"]
    assert [each["what"] for each in moments] == [
        "corrected",
        "corrected",
        "file changed",
        "recalled",
    ]
    assert [each["day"] for each in moments[:2]] == ["2026-05-18", "2026-06-02"]
    assert moments[1]["line"] == 2 + len(updates)
    assert "File changed yesterday" in shown


def test_a_date_that_is_younger_than_a_correction_is_that_of_an_update(vault: Vault) -> None:
    text = "# Pump\n\nUpdate 2026-05-18: it leaks\n"
    vault.note("pump.md", text, updated="2026-05-20")
    vault.note("seal.md", text.replace("Pump", "Seal"), date="2026-05-18")
    for note, what in (("pump", ["corrected", "updated"]), ("seal", ["written", "corrected"])):
        found = vault.brain("history", note, "--json", "--vault", vault.folder).json
        assert [each["what"] for each in found["moments"]] == what


def test_a_note_is_added_with_its_end_and_then_is_behind_others(vault: Vault) -> None:
    at = ("--vault", vault.folder)
    vault.brain("add", "Heron closes early", "--until", "2w", *NOW, *at)
    assert "valid_until: 2026-12-12" in (vault.folder / "heron-closes-early.md").read_text()
    later = vault.brain("remember", "heron", "--json", "--now", "2026-12-20", *at).json
    assert later["results"][0]["ended"] == "ended 12 Dec 2026"
    assert later["claim"] != "strong"
    assert vault.brain("add", "Late", "--until", "2020-01-01", *NOW, *at).code == 2


def test_context_brings_up_nothing_that_has_ended_or_was_replaced(vault: Vault) -> None:
    head = {"type": "decision", "date": "2026-11-20"}
    vault.note("a.md", "# Use granite\n\nDecided.\n", **head, valid_until="2026-11-25")
    vault.note("b.md", "# Use sand\n\nDecided.\n", **head)
    vault.note("c.md", "# Use chalk\n\nDecided.\n", **head, supersedes="b")
    vault.note("d.md", "# Use slate\n\nDecided.\n", type="decision", date="2026-01-14")
    shown = vault.brain("context", "--vault", vault.folder, *NOW).out
    assert "chalk" in shown
    assert "granite" not in shown
    assert "sand" not in shown
    assert "slate" not in shown or "decided 14 Jan 2026" in shown


def test_made_questions_have_the_value_of_today_and_of_a_day(vault: Vault) -> None:
    tool = _tool()
    facts = list(tool.facts(random.Random(3)))[::4]
    for number, fact in enumerate(facts):
        for path, text in tool.notes(fact, number):
            vault.note(path, text)
    for fact in facts:
        question = tool.ASK[fact.language].format(fact.subject)
        day = str(fact.changed - timedelta(days=20))
        assert fact.new in asked(vault, question), fact
        assert fact.old in asked(vault, question, "--as-of", day), fact


def _tool() -> ModuleType:
    path = Path(__file__).parents[2] / "tools" / "what_was_true.py"
    spec = importlib.util.spec_from_file_location("what_was_true", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
