"""`brain init` makes a folder a vault, and overwrites nothing."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Brain, Vault


def test_the_folder_is_found_from_inside_afterwards(vault: Vault, brain: Brain) -> None:
    vault.note("deep/down/tea.md", "# Tea\n")
    assert brain("review", cwd=vault.folder / "deep" / "down").code == 3
    answer = brain("init", cwd=vault.folder)
    made = [vault.folder / ".brain", vault.folder / ".brain" / "config.toml"]
    assert (answer.code, answer.out) == (0, "".join(f"Made {path}\n" for path in made))
    assert brain("remember", "tea", cwd=vault.folder / "deep" / "down").code == 0


def test_an_option_names_the_folder_and_overrides_the_environment(
    vault: Vault, brain: Brain
) -> None:
    assert brain("init", "--vault", vault.folder, env={"BRAIN_VAULT": "/nowhere"}).code == 0
    assert (vault.folder / ".brain").is_dir()
    assert not (brain.home / ".brain").exists()


def test_a_clone_is_a_vault_too(vault: Vault, brain: Brain, tmp_path: Path) -> None:
    vault.note("tea.md", "# Tea\n")
    (vault.folder / ".brain").mkdir()  # as former versions left it
    assert brain("init", cwd=vault.folder).code == 0
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "one")):
        subprocess.run([*git, *words], cwd=vault.folder, check=True)
    subprocess.run([*git, "clone", "-q", vault.folder, tmp_path / "clone"], check=True)
    assert brain("pin", "tea", cwd=tmp_path / "clone").code == 0
    assert "Made" not in brain("init", cwd=tmp_path / "clone").out


def test_an_existing_file_is_not_overwritten(vault: Vault, brain: Brain) -> None:
    settings = vault.folder / ".brain" / "config.toml"
    settings.parent.mkdir()
    settings.write_text("limit = 3\n")
    answer = brain("init", "--json", cwd=vault.folder)
    assert answer.json == {"version": 1, "vault": str(vault.folder), "made": []}
    assert settings.read_text() == "limit = 3\n"
    assert "nothing to do" in brain("init", cwd=vault.folder).out


def test_the_history_so_far_goes_with_the_vault(vault: Vault, brain: Brain) -> None:
    vault.note("tea.md", "# Tea\nGreen tea, in the morning.\n")
    brain("remember", "green tea", "--vault", vault.folder)
    (before,) = brain.state.rglob("*.jsonl")
    answer = brain("init", "--history", "--vault", vault.folder)
    (after,) = (vault.folder / ".brain" / "history").iterdir()
    assert answer.code == 0
    assert str(after) in answer.out
    assert after.read_bytes() == before.read_bytes()
    assert "1 recall of 1 note" in brain("status", "--vault", vault.folder).out
    assert brain("init", "--history", "--vault", vault.folder).err == ""


def test_a_missing_folder_is_not_created(brain: Brain) -> None:
    answer = brain("init", "--vault", brain.home / "nowhere")
    assert answer.code == 3
    assert not (brain.home / "nowhere").exists()


def test_an_existing_file_of_that_name_is_an_error_in_a_sentence(
    vault: Vault, brain: Brain
) -> None:
    (vault.folder / ".brain").write_text("")
    answer = brain("init", "--vault", vault.folder)
    assert (answer.code, answer.out) == (3, "")
    assert "cannot be made" in answer.err


def test_the_home_folder_is_a_vault_only_if_it_is_named(brain: Brain) -> None:
    refused = brain("init", cwd=brain.home)
    assert refused.code == 2
    assert "your home folder" in refused.err
    assert brain("init", "--vault", brain.home).code == 0


def test_nothing_is_created_through_a_link_out_of_the_vault(
    vault: Vault, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (vault.folder / ".brain").symlink_to(tmp_path / "elsewhere")
    answer = vault.brain("init", "--history", "--vault", vault.folder)
    assert answer.code == 3
    assert ".brain is a link to" in answer.err
    assert not list((tmp_path / "elsewhere").iterdir())
