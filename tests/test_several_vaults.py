"""Several vaults are asked as one: their notes are ranked together, and each result says its
vault.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from conftest import Answer, Brain

NOTES = {
    "notes/kafka.md": "# Kafka\n\nWe chose Kafka for the order events. See [[outbox]].\n",
    "notes/outbox.md": "# Outbox\n\nThe outbox sends order events twice at most.\n",
    "notes/readme.md": "# Notes\n\nMine alone.\n",
    "docs/retry.md": "---\ntags: [queue]\n---\n# Retry\n\nThe queue retries order events for a day.\n",
    "docs/boiler.md": "# Boiler\n\nThe pump of the boiler sticks in winter.\n",
    "docs/readme.md": "# Docs\n\nOf the team.\n",
}


class Shelf(NamedTuple):
    """Two vaults beside each other, in a folder that is asked as one vault for comparison."""

    folder: Path
    brain: Brain

    def ask(self, *words: str, **more: object) -> Answer:
        both = ("--vault", self.folder / "notes", "--vault", self.folder / "docs")
        return self.brain(*words, *both, **more)  # type: ignore[arg-type]


@pytest.fixture
def shelf(tmp_path: Path, brain: Brain) -> Shelf:
    for path, text in NOTES.items():
        file = tmp_path / "shelf" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Shelf(tmp_path / "shelf", brain)


@pytest.mark.parametrize("query", ["order events", "boiler pump", "kafka", "zeppelin"])
def test_the_answer_is_that_of_one_vault_with_both_folders(query: str, shelf: Shelf) -> None:
    found = shelf.ask("remember", query, "--json", "--no-touch").json
    alone = shelf.brain("remember", query, "--json", "--no-touch", "--vault", shelf.folder).json
    assert (found["claim"], found["strategy"]) == (alone["claim"], alone["strategy"])
    places = [str(Path(each["vault"], each["path"])) for each in found["results"]]
    assert places == [str(shelf.folder / each["path"]) for each in alone["results"]]
    certainties = [[each["certainty"] for each in one["results"]] for one in (found, alone)]
    assert certainties[0] == pytest.approx(certainties[1], abs=0.05)


def test_every_format_says_the_vault_of_a_note(shelf: Shelf) -> None:
    plain = shelf.ask("remember", "order events").out
    assert str(shelf.folder / "docs/retry.md") in plain
    assert str(shelf.folder / "notes/kafka.md") in plain
    rows = shelf.ask("remember", "boiler", "--format", "{vault} {path}", "-n", "1").out
    assert rows.startswith(f"{shelf.folder / 'docs'} {shelf.folder / 'docs/boiler.md'}")
    assert "docs/" in shelf.ask("remember", "boiler", "--format", "rich").out
    [line] = shelf.ask("remember", "boiler", "--format", "jsonl", "-n", "1").out.splitlines()
    assert json.loads(line)["vault"] == str(shelf.folder / "docs")
    assert json.loads(line)["path"] == "boiler.md"


def test_a_filter_holds_for_each_vault(shelf: Shelf) -> None:
    found = shelf.ask("remember", "events", "--tag", "queue", "--json", "--no-touch").json
    assert [each["path"] for each in found["results"]] == ["retry.md"]
    by_path = shelf.ask("remember", "--path", "boiler.md", "--json", "--no-touch").json
    assert [each["path"] for each in by_path["results"]] == ["boiler.md"]


def test_a_batch_asks_all_of_them(shelf: Shelf) -> None:
    lines = '{"id": 1, "query": "boiler"}\n{"id": 2, "query": "outbox"}\n'
    done = shelf.ask("remember", "--batch", "-", "--no-touch", stdin=lines)
    first = [json.loads(line)["results"][0] for line in done.out.splitlines()]
    assert [each["path"] for each in first] == ["boiler.md", "outbox.md"]
    assert [Path(each["vault"]).name for each in first] == ["docs", "notes"]


def test_the_setting_names_the_vaults_of_a(shelf: Shelf) -> None:
    assert shelf.brain("-a", "boiler").code == 2
    both = f"{shelf.folder / 'notes'},{shelf.folder / 'docs'}"
    env = {"BRAIN_VAULTS": both}
    assert "docs/boiler.md" in shelf.brain("-a", "boiler", env=env).out
    assert "notes/outbox.md" in shelf.brain("-a", "related", "kafka", env=env).out
    newest = shelf.brain("recent", "--all-vaults", "--format", "paths", env=env).out
    assert len(newest.splitlines()) == len(NOTES)
    assert "The pump" in shelf.brain("-a", "show", "boiler", env=env).out


def test_an_a_behind_words_is_one_of_another_program(shelf: Shelf) -> None:
    done = shelf.brain("git", "commit", "-a", "--vault", shelf.folder)
    assert "No setting names the vaults" not in done.err


def test_a_recall_is_recorded_where_the_note_is(shelf: Shelf) -> None:
    shelf.ask("remember", "boiler")
    for vault, counted in ("docs", 1), ("notes", 0):
        folder = shelf.folder / vault
        found = shelf.brain("remember", "pump boiler kafka", "--json", "--vault", folder).json
        assert sum(each["recalled"] for each in found["results"]) == counted


def test_a_name_in_two_vaults_is_asked_about(shelf: Shelf) -> None:
    done = shelf.ask("show", "readme.md")
    assert done.code == 2
    assert "Name one with --vault DIR." in done.err


@pytest.mark.parametrize("words", [("add", "New"), ("pin", "boiler"), ("index",), ("status",)])
def test_a_command_of_one_vault_says_so(words: tuple[str, ...], shelf: Shelf) -> None:
    before = sorted(shelf.folder.rglob("*"))
    done = shelf.ask(*words, stdin="")
    assert done.code == 2
    assert "This command works on one vault." in done.err
    assert sorted(shelf.folder.rglob("*")) == before


def test_a_vault_that_is_named_twice_is_one(shelf: Shelf) -> None:
    twice = [shelf.folder / "docs"] * 2
    done = shelf.brain(
        "remember", "boiler", *(word for each in twice for word in ("--vault", each))
    )
    assert done.out.count("boiler.md") == 1
