"""`brain doctor why` gives the reason that a walk follows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain_cli.vault.walk import exclusion_of, walk

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Answer, Vault


def why(vault: Vault, name: str, *options: str) -> Answer:
    return vault.brain(
        "doctor", "why", name, *options, "--vault", vault.folder, cwd=vault.folder
    )


def test_a_note_is_reported_as_a_note(vault: Vault) -> None:
    vault.note("tea/green.md", "# Tea\n")
    assert why(vault, "tea/green.md") == (0, "tea/green.md is a note.\n", "")


def test_a_file_may_be_named_from_the_working_folder(vault: Vault) -> None:
    vault.note("tea/green.md", "# Tea\n")
    answer = vault.brain(
        "doctor", "why", "green.md", "--vault", vault.folder, cwd=vault.folder / "tea"
    )
    assert answer.out == "tea/green.md is a note.\n"


def test_an_ignored_file_names_the_pattern_with_file_and_line(vault: Vault) -> None:
    vault.note("drafts/tea.md", "# Tea\n")
    (vault.folder / ".gitignore").write_text("# build\n*.log\n\n/drafts/\n")
    answer = why(vault, "drafts/tea.md", "--json")
    assert answer.code == 1
    assert answer.json == {
        "version": 1,
        "path": "drafts/tea.md",
        "is_note": False,
        "rule": "ignored",
        "text": "drafts/tea.md is left out: its folder drafts is ignored by .gitignore, line 4: /drafts/.",
        "file": ".gitignore",
        "line": 4,
    }


def test_the_brainignore_of_the_nearest_folder_decides(vault: Vault) -> None:
    vault.note("work/tea.md", "# Tea\n")
    (vault.folder / ".gitignore").write_text("tea.md\n")
    (vault.folder / "work" / ".brainignore").write_text("!tea.md\n")
    assert why(vault, "work/tea.md").code == 0
    (vault.folder / "work" / ".brainignore").write_text("cup.md\ntea.*\n")
    assert "work/.brainignore, line 2: tea.*" in why(vault, "work/tea.md").out


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (".hidden.md", "it is hidden"),
        (".trash/tea.md", "its folder .trash is hidden"),
        ("node_modules/tea.md", "folders named node_modules"),
        ("tea.txt", "it is not Markdown"),
    ],
)
def test_other_rules_are_named(vault: Vault, path: str, reason: str) -> None:
    vault.note(path, "# Tea\n")
    assert reason in why(vault, path).out


def test_links_are_named(vault: Vault) -> None:
    vault.note("real/tea.md", "# Tea\n")
    (vault.folder / "linked.md").symlink_to("real/tea.md")
    (vault.folder / "away").symlink_to("real")
    assert "it is a symbolic link" in why(vault, "linked.md").out
    assert "its folder away is a symbolic link" in why(vault, "away/tea.md").out


def test_of_a_folder_the_notes_are_counted_or_the_rule_is_named(vault: Vault) -> None:
    for path in ("tea/green.md", "tea/black.md", "drafts/a.md"):
        vault.note(path, "# Tea\n")
    (vault.folder / ".brainignore").write_text("drafts/\n")
    assert (why(vault, "tea/").code, why(vault, "tea/").out) == (
        0,
        "tea is a folder with 2 notes.\n",
    )
    assert why(vault, ".").out == "The vault is a folder with 2 notes.\n"
    assert (
        why(vault, "drafts").out
        == "drafts is left out: it is ignored by .brainignore, line 1: drafts/.\n"
    )


def test_a_long_or_archived_note_is_a_note_with_a_limit(vault: Vault) -> None:
    vault.note("archive/tea.md", "# Tea\n")
    with vault.note("long.md", "# Long\n").open("ab") as file:
        file.truncate(65 << 20)
    assert "is a note; it is archived" in why(vault, "archive/tea.md").out
    assert "is a note; it is longer than" in why(vault, "long.md").out


def test_a_missing_file_and_one_outside_the_vault_are_wrong_usage(vault: Vault) -> None:
    (vault.folder.parent / "tea.md").touch()
    assert why(vault, "nothing.md").code == 2
    assert "is outside the vault" in why(vault, "../tea.md").err
    assert vault.brain("doctor", "whether", "--vault", vault.folder).code == 2


NAMES = st.sampled_from(
    ["a.md", "b.md", ".c.md", "d.txt", "x/a.md", "x/y/b.md", ".z/a.md", "node_modules/a.md"]
)
LINES = st.lists(
    st.sampled_from(["a.md", "!a.md", "x/", "/x/y", "*.md", "!b.md", "y", "!y/", "# x", ""]),
    max_size=5,
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
@given(st.sets(NAMES), LINES, LINES)
def test_the_reasons_agree_with_the_walk(
    tmp_path: Path, names: set[str], above: list[str], below: list[str]
) -> None:
    import tempfile

    with tempfile.TemporaryDirectory(dir=tmp_path) as vault:
        for name in [*names, "x/y/z.txt"]:
            os.makedirs(os.path.dirname(os.path.join(vault, name)), exist_ok=True)
            open(os.path.join(vault, name), "w").close()
        for folder, lines in (("", above), ("x", below)):
            with open(os.path.join(vault, folder, ".gitignore"), "w") as file:
                file.write("\n".join(lines))
        listed = {file.path for file in walk(vault, lambda *_: None)}
        assert listed == {name for name in names if exclusion_of(vault, name) is None}
