"""`brain snooze`: a note is left out of recall until its date, and comes back by itself."""

from __future__ import annotations

import pytest
from conftest import Vault


@pytest.fixture
def taxes(vault: Vault) -> Vault:
    vault.note("taxes.md", "# Taxes\n\nThe tax form is due in May.\n")
    vault.note("tea.md", "# Tea\n\nThe tax on tea.\n")
    return vault


def recalled(vault: Vault, *options: object) -> list[str]:
    return vault.order("tax form", *options)


@pytest.mark.parametrize("until", ["2w", "14 days", "2026-12-05T10:00:00Z"])
def test_a_snoozed_note_stays_away_until_its_date(taxes: Vault, until: str) -> None:
    assert "taxes" in recalled(taxes)
    answer = taxes.brain("snooze", "taxes", until, "--vault", taxes.folder, "--json")
    assert answer.json["until"] == "2026-12-05T10:00:00Z"
    assert recalled(taxes) == ["tea"]
    assert "taxes" in recalled(taxes, "--now", "2026-12-05T10:00:01Z")


@pytest.mark.parametrize(
    ("until", "day"), [("tomorrow", "2026-11-22"), ("Next week", "2026-11-28")]
)
def test_a_date_may_be_given_in_words(taxes: Vault, until: str, day: str) -> None:
    answer = taxes.brain("snooze", "taxes", until, "--vault", taxes.folder, "--json")
    assert answer.json["until"][:10] == day


def test_a_note_can_be_woken_up_and_is_as_it_was(taxes: Vault) -> None:
    before = (taxes.folder / "taxes.md").read_bytes()
    taxes.brain("snooze", "taxes", "2w", "--vault", taxes.folder)
    assert taxes.brain("snooze", "taxes", "off", "--vault", taxes.folder).code == 0
    assert (taxes.folder / "taxes.md").read_bytes() == before
    assert "taxes" in recalled(taxes)


def test_an_answer_says_which_snoozed_and_archived_notes_match(vault: Vault) -> None:
    for name in ("grpc", "old/rest", "archive/soap", "archive/corba"):
        vault.note(
            f"{name}.md",
            f"# {name.rpartition('/')[2]}\n\nThe deadlines of gateways, by {name}.\n",
        )
    vault.note("tea.md", "# Tea\n\nIt steeps.\n")
    vault.brain("snooze", "grpc", "2026-12-07", "--vault", vault.folder)
    asked = (
        "remember",
        "deadlines of gateways",
        "--vault",
        vault.folder,
        "--no-touch",
        "--format",
        "rich",
    )
    out = vault.brain(*asked).out
    assert "1 snoozed note matches: grpc (until 7 December).\n" in out
    piped = vault.brain(*asked[:-2])
    assert "1 snoozed note matches: grpc (until 7 December).\n" in piped.err
    assert "snoozed" not in piped.out
    assert "2 archived notes match: corba (archive/corba.md) and 1 more.\n" in out
    assert (
        "match"
        not in vault.brain("remember", "tea steeps", *asked[2:]).out.partition(
            "Found a strong match"
        )[2]
    )
    assert "archived notes" not in vault.brain(*asked, "--archived").out
    assert "snoozed note" not in vault.brain(*asked, "--scorer", "brain").out


@pytest.mark.parametrize("until", ["2020-01-01", "soon", "0d"])
def test_a_date_that_is_not_in_the_future_is_refused(taxes: Vault, until: str) -> None:
    assert taxes.brain("snooze", "taxes", until, "--vault", taxes.folder).code == 2


def test_a_day_in_the_past_is_refused_however_it_is_named(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    for until in ("yesterday", "today", "2020-01-01"):
        answer = vault.brain("snooze", "tea.md", until, "--vault", vault.folder)
        assert (answer.code, "not in the future" in answer.err) == (2, True)
