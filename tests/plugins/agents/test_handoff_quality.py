"""Handoffs pass on what a careful reader would: judged on twenty invented sessions."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from measured import keep
from sessions import SESSIONS, Session

from brain_cli.plugins.agents.handoff import decisions, handoff, open_points
from brain_cli.plugins.agents.session import AGENT, USER, SessionWork, Transcript, Turn
from brain_cli.plugins.agents.transcript import read_transcript

LEAST_FOUND, MOST_WRONG = 0.8, 0.1
JUDGED = ("Decided", "Left open")


def lines_of(session: Session, folder: Path) -> list[str]:
    """Return the lines of a session's handoff that state decisions, conclusions and open points."""
    path = folder / "transcript.jsonl"
    path.write_text("\n".join(map(json.dumps, session.entries)))
    draft = handoff(read_transcript(str(path)), "s", "/shop", 1.0)
    parts = re.split(r"^## (.+)\n", draft.text, flags=re.MULTILINE) if draft else []
    text = "\n".join(
        part for name, part in zip(parts[1::2], parts[2::2], strict=True) if name in JUDGED
    )
    return [line[2:] for line in text.splitlines() if line.startswith("- ")]


def has(line: str, words: str) -> bool:
    return all(word in line.casefold() for word in words.casefold().split())


def test_handoffs_pass_on_what_a_careful_reader_would(tmp_path: Path) -> None:
    wanted = found = wrong = stated = 0
    report = []
    for session in SESSIONS:
        lines = lines_of(session, tmp_path)
        expected = [*session.decided, *session.left_open]
        missed = [each for each in expected if not any(has(line, each) for line in lines)]
        strange = [
            line
            for line in lines
            if not any(has(line, each) for each in (*expected, *session.fine))
        ]
        wanted, found = wanted + len(expected), found + len(expected) - len(missed)
        stated, wrong = stated + len(lines), wrong + len(strange)
        report += [f"{session.name}: missed {missed}, wrong {strange}"] if missed or strange else []
    report.append(f"found {found} of {wanted}, wrong {wrong} of {stated}")
    print("\n".join(report))
    if os.environ.get("UPDATE"):
        figures = {"wanted": wanted, "found": found, "stated": stated, "wrong": wrong}
        bars = {"least_found": LEAST_FOUND, "most_wrong": MOST_WRONG}
        keep(
            "handoffs",
            "UPDATE=1 python -m pytest tests/plugins/agents/test_handoff_quality.py",
            figures | bars,
        )
    assert found >= LEAST_FOUND * wanted, "\n".join(report)
    assert wrong <= MOST_WRONG * stated, "\n".join(report)


def test_a_first_prompt_that_reverses_something_and_a_repeated_order_are_decisions() -> None:
    asked = "ops won't run Postgres. So no Postgres: revert to SQLite, one file per month."
    turns = (Turn(USER, asked), Turn(AGENT, "Done."), Turn(USER, "again: pnpm, not npm!"))
    assert [each.text for each in decisions(turns)] == [
        "So no Postgres: revert to SQLite, one file per month.",
        "again: pnpm, not npm!",
    ]


def test_german_orders_causes_and_open_points_are_understood() -> None:
    turns = (
        Turn(USER, "Bitte den Bericht als PDF. Nimm pdfkit statt puppeteer."),
        Turn(AGENT, "Die Ursache: Wir schreiben UTF-8 mit BOM."),
        Turn(USER, "Die Logos machen wir später. Beträge immer rechtsbündig."),
        Turn(AGENT, "Offen ist noch das Logo. Die Datei muss noch einmal erzeugt werden."),
    )
    assert [each.text for each in decisions(turns)] == [
        "Nimm pdfkit statt puppeteer.",
        "Die Ursache: Wir schreiben UTF-8 mit BOM.",
        "Beträge immer rechtsbündig.",
    ]
    assert open_points(Transcript(turns), SessionWork()) == [
        "Die Logos machen wir später.",
        "Offen ist noch das Logo.",
        "Die Datei muss noch einmal erzeugt werden.",
    ]


def test_an_open_point_that_is_done_later_goes_and_a_bare_postponement_has_its_subject() -> None:
    turns = (
        Turn(AGENT, "I pushed the fix; the pipeline has not run yet."),
        Turn(USER, "keep raw readings 400 days. But not now, that is for January."),
        Turn(AGENT, "The pipeline is green."),
    )
    assert open_points(Transcript(turns), SessionWork()) == [
        "keep raw readings 400 days. But not now, that is for January."
    ]


@pytest.mark.parametrize(
    ("said", "is_open"),
    [
        ("It has 9 cm RMSE, and it needs no training.", False),
        ("SQLite attaches at most 10 databases, so a query over a year fails.", False),
        ("I recommend UTide now, and wind from the DWD later.", False),
        ("I have not written the incident report.", True),
        ("Production has no Postgres yet, so ops must install it before the next deploy.", True),
        ("Please rotate the webhook secret, it was printed in the log.", True),
        ("Please let me know whether this works.", False),
        ("The push is there but not wired in.", True),
    ],
)
def test_an_open_point_is_work_and_no_fact(said: str, is_open: bool) -> None:
    assert open_points(Transcript((Turn(AGENT, said),)), SessionWork()) == [said] * is_open


@pytest.mark.parametrize(
    ("said", "is_open"),
    [
        ("The root cause was a missing timeout.", False),
        ("The outage was caused by a failing health check.", False),
        ("It turned out that the token was missing.", False),
        ("The root cause was a missing timeout, the retry is still missing.", True),
        ("The cause was not found yet.", True),
        ("The timeout is missing.", True),
    ],
)
def test_a_cause_that_was_found_is_a_conclusion_and_no_open_point(said: str, is_open: bool) -> None:
    turns = (Turn(AGENT, said),)
    assert open_points(Transcript(turns), SessionWork()) == [said] * is_open
    assert [each.text for each in decisions(turns)] == [said] * (not is_open)
