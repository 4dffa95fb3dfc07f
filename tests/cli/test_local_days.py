"""Days, headings and file names are those of the asker's time zone."""

from __future__ import annotations

import pytest
from conftest import Vault
from watching import watching

ZONES = [
    ("America/Los_Angeles", "2026-11-28T02:00:00Z", "2026-11-27", "2026-11-27T18:00:00-08:00"),
    ("Asia/Kolkata", "2026-11-27T22:30:00Z", "2026-11-28", "2026-11-28T04:00:00+05:30"),
    ("Europe/Berlin", "2026-11-27T23:30:00Z", "2026-11-28", "2026-11-28T00:30:00+01:00"),
    ("UTC", "2026-11-27T23:30:00Z", "2026-11-27", "2026-11-27T23:30:00Z"),
]
in_each_zone = pytest.mark.parametrize(("zone", "now", "today", "moment"), ZONES)


@in_each_zone
def test_an_appended_section_has_the_day_of_the_writer(
    vault: Vault, zone: str, now: str, today: str, moment: str
) -> None:
    vault.note("diary.md", "# Diary\n")
    vault.brain(
        "add",
        "--append",
        "diary",
        "walk",
        "--now",
        now,
        "--vault",
        vault.folder,
        env={"TZ": zone},
    )
    assert f"## {today} walk" in (vault.folder / "diary.md").read_text()
    vault.brain("add", "A note", "--now", now, "--vault", vault.folder, env={"TZ": zone})
    assert moment in (vault.folder / "a-note.md").read_text()


@in_each_zone
def test_a_note_that_is_written_now_is_of_today(
    vault: Vault, zone: str, now: str, today: str, moment: str
) -> None:
    del moment
    environ = {"TZ": zone, "BRAIN_VAULT": str(vault.folder)}
    vault.brain("add", "Pelican seen", "--now", now, env=environ)
    found = vault.brain("what happened today", "--now", now, "--json", env=environ)
    [result] = found.json["results"]
    assert result["date"].startswith(today)


def test_the_daemon_answers_in_the_zone_of_each_client(vault: Vault) -> None:
    for day in ("26", "27", "28"):
        vault.note(f"daily/2026-11-{day}.md", f"# {day}\n\nwalk {day}\n")
    questions = [("what happened today",), ("walk yesterday",), ("--since", "today", "walk")]
    asked = [
        (["remember", *question, "--now", now], {"TZ": zone})
        for zone, now, _, _ in ZONES
        for question in questions
    ]
    with watching(vault) as watched:
        for arguments, environ in asked:
            warm = watched.ask(*arguments, "--no-touch", env=environ)
            assert warm.warm
            assert warm.answer == watched.ask_cold(*arguments, "--no-touch", env=environ).answer
