"""The project of the working folder, found in real git repositories, and its effect on the order of
notes.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Vault


@pytest.fixture(scope="module")
def two_projects(new_vault: Callable[[], Vault]) -> Vault:
    """The same note in two projects, and one in none."""
    vault = new_vault()
    for path, head in (
        ("a-orders", {"project": "orders"}),
        ("b-tide", {"project": "Tide-Clock"}),
        ("c-none", {}),
    ):
        vault.note(f"{path}.md", f"# {path}\n\nHow we deploy.\n", date="2026-11-01", **head)
    return vault


def git(folder: Path, *arguments: str) -> None:
    identity = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        "-c",
        "init.defaultBranch=main",
    ]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "begin")
    return folder


def contexts(
    vault: Vault, *options: object, cwd: Path | None = None
) -> dict[str, float | None]:
    results = vault.remember("deploy", *options, cwd=cwd)["results"]
    return {
        result["path"].removesuffix(".md"): result["signals"]["context"] for result in results
    }


HERE = {"a-orders": 0.0, "b-tide": 1.0, "c-none": 0.0}
NOWHERE = {"a-orders": None, "b-tide": None, "c-none": None}


def test_the_repository_of_the_working_folder_is_the_project(
    two_projects: Vault, tmp_path: Path
) -> None:
    assert contexts(two_projects, cwd=repository(tmp_path / "tide-clock")) == HERE


def test_a_subfolder_belongs_to_its_repository(two_projects: Vault, tmp_path: Path) -> None:
    below = repository(tmp_path / "tide-clock") / "orders" / "src"
    below.mkdir(parents=True)
    assert contexts(two_projects, cwd=below) == HERE


def test_a_worktree_has_the_name_of_its_main_repository(
    two_projects: Vault, tmp_path: Path
) -> None:
    main = repository(tmp_path / "tide-clock")
    git(main, "worktree", "add", "-b", "feature", str(tmp_path / "elsewhere" / "orders"))
    assert contexts(two_projects, cwd=tmp_path / "elsewhere" / "orders") == HERE


def test_a_worktree_of_a_bare_repository_has_its_name(
    two_projects: Vault, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "--bare", str(repository(tmp_path / "origin")), "tide-clock.git")
    git(
        tmp_path / "tide-clock.git",
        "worktree",
        "add",
        "-b",
        "feature",
        str(tmp_path / "orders"),
    )
    assert contexts(two_projects, cwd=tmp_path / "orders") == HERE


def test_a_submodule_is_a_project_of_its_own(two_projects: Vault, tmp_path: Path) -> None:
    inner, outer = repository(tmp_path / "tide-clock"), repository(tmp_path / "orders")
    git(
        outer,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        str(inner),
        "libraries/tide-clock",
    )
    assert contexts(two_projects, cwd=outer / "libraries" / "tide-clock") == HERE


def test_outside_any_repository_the_folders_name_counts_if_a_note_carries_it(
    two_projects: Vault, tmp_path: Path
) -> None:
    for name, expected in (("tide-clock", HERE), ("kitchen", NOWHERE)):
        (tmp_path / name).mkdir()
        assert contexts(two_projects, cwd=tmp_path / name) == expected


def test_the_option_wins_over_the_folder(two_projects: Vault, tmp_path: Path) -> None:
    folder = repository(tmp_path / "orders")
    assert contexts(two_projects, "--project", "TIDE-CLOCK", cwd=folder) == HERE
    assert contexts(two_projects, "--project", "", cwd=folder) == NOWHERE


def test_context_is_a_bonus_and_never_a_filter(two_projects: Vault) -> None:
    found = two_projects.order("deploy", "--project", "Tide-Clock", "--scorer", "brain")
    assert found[0] == "b-tide"
    assert len(found) == 3


def steps(document: dict[str, Any]) -> set[str]:
    return {step["name"] for result in document["results"] for step in result["steps"]}


def test_a_factor_that_no_candidate_has_is_left_out_for_all(two_projects: Vault) -> None:
    assert not {"context", "spreading"} & steps(two_projects.remember("deploy"))
    assert not {"context", "spreading"} & steps(
        two_projects.remember("deploy", "--project", "kitchen")
    )


def test_a_factor_that_one_candidate_has_is_counted_for_all(two_projects: Vault) -> None:
    document = two_projects.remember("deploy", "--project", "orders")
    for result in document["results"]:
        assert "context" in {step["name"] for step in result["steps"]}


def test_links_between_candidates_bring_in_spreading(vault: Vault) -> None:
    vault.note("a.md", "# A\n\nDeploy, see [[b]].\n")
    vault.note("b.md", "# B\n\nDeploy.\n")
    vault.note("c.md", "# C\n\nDeploy.\n")
    signals = {
        each["path"]: each["signals"]["spreading"]
        for each in vault.remember("deploy")["results"]
    }
    assert signals["a.md"] > 0
    assert signals["b.md"] > 0
    assert signals["c.md"] == 0


def test_topics_and_task_of_the_session_count_when_they_are_given(vault: Vault) -> None:
    vault.note("a.md", "# A\n\nDeploy.\n", tags=["kafka", "outbox"])
    vault.note("b.md", "# B\n\nDeploy.\n", topics=["kafka"])
    vault.note("c.md", "# C\n\nDeploy.\n", task="debugging")
    assert contexts(vault, "--topics", "Kafka") == {"a": 0.5, "b": 1.0, "c": 0.0}
    assert contexts(vault, "--task", "Debugging") == {"a": 0.0, "b": 0.0, "c": 1.0}
