"""`brain digest`: what happened in a period."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from conftest import Vault


@pytest.fixture
def shop(vault: Vault) -> Vault:
    """Notes from before and from within the week that ends on 2026-11-21."""
    vault.note(
        "old.md",
        "# Old rule\n\n- [ ] Ask Priya\n- [x] Done\n\n```\n- [ ] no task\n```\n",
        date="2026-01-01",
    )
    vault.note(
        "new.md", "# New [rule]\n\n* [ ] Tell everybody\n", date="2026-11-18", supersedes="old"
    )
    vault.note(
        "tea.md",
        "# Oolong tea\n",
        date="2026-02-01",
        type="observation",
        strength="0.5",
        decay_rate="0.95",
    )
    vault.note("later.md", "# Later\n", date="2026-11-25")
    return vault


def digest(vault: Vault, *options: object) -> dict[str, Any]:
    answer = vault.brain("report", "--json", "--vault", vault.folder, *(options or ("--week",)))
    assert answer.code == 0, answer.err
    return answer.json


def paths(listed: list[dict[str, Any]]) -> list[str]:
    return [each["path"] for each in listed]


def test_new_notes_and_open_tasks_are_listed(shop: Vault) -> None:
    found = digest(shop, "--week")
    assert paths(found["new"]) == ["new.md"]
    assert [(task["path"], task["text"]) for task in found["tasks"]] == [
        ("new.md", "Tell everybody"),
        ("old.md", "Ask Priya"),
    ]
    for task in found["tasks"]:
        lines = (shop.folder / task["path"]).read_text().splitlines()
        assert task["text"] in lines[task["line"] - 1]


def test_recalls_and_verdicts_of_the_week_count_and_older_ones_do_not(shop: Vault) -> None:
    for at in ("2026-11-01", "2026-11-18", "2026-11-19"):
        shop.brain("remember", "oolong tea", "--vault", shop.folder, "--now", at)
    shop.brain("feedback", "tea.md", "wrong", "--vault", shop.folder, "--now", "2026-11-19")
    found = digest(shop)
    assert [(each["path"], each["recalled"]) for each in found["recalled"]] == [("tea.md", 2)]
    assert [(each["path"], each["replaced_by"]) for each in found["contradicting"]] == [
        ("old.md", "new.md"),
        ("tea.md", None),
    ]


def test_a_note_that_became_weak_in_the_period_fades(shop: Vault) -> None:
    shop.brain("remember", "oolong tea", "--vault", shop.folder, "--now", "2026-11-01")
    faded = digest(shop, "--since", "2026-11-03", "--until", "2026-11-21")["fading"]
    assert paths(faded) == ["tea.md"]
    assert faded[0]["before"] >= 0.3 > faded[0]["after"]
    assert digest(shop, "--since", "2026-11-20", "--until", "2026-11-21")["fading"] == []


def test_it_reads_as_markdown(shop: Vault) -> None:
    text = shop.brain("report", "--week", "--vault", shop.folder).out
    assert text.startswith(
        "# 2026-11-14 to 2026-11-21\n\n## New (1)\n\n- [New \\[rule\\]](new.md) (note)\n"
    )
    assert "- [ ] Tell everybody ([New \\[rule\\]](new.md))" in text
    assert (
        "[Old rule](old.md) is replaced by [New \\[rule\\]](new.md), but still active" in text
    )


def test_a_quiet_week_has_one_line(vault: Vault) -> None:
    assert "Nothing happened." in vault.brain("report", "--week", "--vault", vault.folder).out
    assert (
        json.loads(vault.brain("report", "--week", "--json", "--vault", vault.folder).out)[
            "new"
        ]
        == []
    )


def test_an_invalid_period_is_refused(vault: Vault) -> None:
    for options in (
        ("--week", "--html"),
        ("--since", "2026-02-01", "--until", "2026-01-01"),
        ("--since", "soon"),
    ):
        assert vault.brain("report", "--week", *options, "--vault", vault.folder).code == 2


def test_a_file_name_that_is_not_utf8_is_linked_by_its_bytes(vault: Vault) -> None:
    file = vault.note("tea.md", "- [ ] Ask Priya\n", date="2026-11-18")
    os.rename(file, os.path.join(os.fsencode(vault.folder), b"caf\xe9.md"))
    answer = vault.brain("report", "--week", "--vault", vault.folder)
    assert (answer.code, answer.err) == (0, "")
    assert "(caf%E9.md)" in answer.out
    assert [each["text"] for each in digest(vault)["tasks"]] == ["Ask Priya"]
