"""Requests at the edges of what a command does: odd notes, odd settings, and forms that are asked
for seldom.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import Brain, Vault

from brain_cli.plugins.agents import SKIPPED_TOOLS
from brain_cli.plugins.agents.intake import skipped_tools


@pytest.fixture
def tea(vault: Vault) -> Vault:
    vault.note("c.md", "# Tea\n\nTea is green.\n", tags=["drink"], date="2026-11-01")
    return vault


def configured(vault: Vault, text: str) -> None:
    vault.brain.config.parent.mkdir(parents=True, exist_ok=True)
    vault.brain.config.write_text(text)


def test_the_models_are_listed_as_lines_and_as_json(tea: Vault) -> None:
    lines = tea.brain("model", "--vault", tea.folder).out.splitlines()
    assert [line.split()[0] for line in lines] == ["minilm", "e5-small"]
    assert sum("recommended for this vault" in line for line in lines) == 1
    models = tea.brain("model", "--json", "--vault", tea.folder).json["models"]
    assert not any(model["installed"] for model in models)
    answer = tea.brain("model", "remove", "minilm", "--json", "--vault", tea.folder)
    assert answer.json["removed"] is False


def test_two_memories_of_one_title_and_day_are_two_notes_and_a_trial_writes_none(
    tea: Vault, tmp_path: Path
) -> None:
    lines = [
        {"id": str(n), "title": "Soup", "text": f"Soup {n}.", "date": "2024-01-01"}
        for n in range(2)
    ]
    file = tmp_path / "m.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    for options, written in ((["--dry-run"], 0), ([], 2)):
        answer = tea.brain("import", "jsonl", file, *options, "--json", "--vault", tea.folder)
        assert answer.json["new"] == 2
        assert len(list(tea.folder.rglob("*soup*.md"))) == written
    for line in lines:
        line["id"] += "again"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert (
        tea.brain("import", "jsonl", file, "--dry-run", "--json", "--vault", tea.folder).json[
            "new"
        ]
        == 2
    )
    assert len(list(tea.folder.rglob("*soup*.md"))) == 2


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ('skip_tools = ["Oven"]', ("Oven",)),
        ("limit = 3", SKIPPED_TOOLS),
        ("skip_tools = 5", SKIPPED_TOOLS),
    ],
)
def test_the_user_names_the_tools_that_are_never_captured(
    tea: Vault, text: str, tools: tuple[str, ...]
) -> None:
    configured(tea, f"{text}\n")
    assert skipped_tools({"XDG_CONFIG_HOME": str(tea.brain.home / "config")}) == tools


def test_a_hook_never_waits_for_settings_that_are_a_pipe(tea: Vault) -> None:
    tea.brain.config.parent.mkdir(parents=True)
    os.mkfifo(tea.brain.config)
    assert skipped_tools({"XDG_CONFIG_HOME": str(tea.brain.home / "config")}) == SKIPPED_TOOLS
    assert tea.brain.process("capture", stdin="We chose Redis.").code == 0


def test_a_payload_that_is_no_object_is_set_aside(tea: Vault) -> None:
    answer = tea.brain(
        "capture", "--strict", "--vault", tea.folder, stdin='{"tool_name": "x"} []'
    )
    assert answer.code == 3
    assert list((tea.brain.state / "capture" / "aside").iterdir())


def test_commits_outside_a_repository_are_one_sentence(tea: Vault) -> None:
    answer = tea.brain("capture", "git", "--vault", tea.folder)
    assert answer.code == 3
    assert "git repository" in answer.err


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tea -gre*", []),
        ('newest "green"', ["c"]),
        ("past month", ["c"]),
        ("today", []),
        ("TEA OR nothing", ["c"]),
    ],
)
def test_odd_queries_are_answered(tea: Vault, query: str, expected: list[str]) -> None:
    assert tea.order(query) == expected


def test_odd_frontmatter_is_read(tea: Vault) -> None:
    tea.note("odd.md", '---\nx: [{a: b}, ~]\ny: ~\ntags: ["", "#", "#leaf"]\n---\n# Leaf\n')
    assert tea.order("tag:leaf") == ["odd"]


def test_a_name_that_some_systems_reserve_gets_a_longer_one(tea: Vault) -> None:
    assert (
        tea.brain("add", "con", "--json", "--vault", tea.folder)
        .json["path"]
        .endswith("con-note.md")
    )


def test_a_note_without_any_date_that_counts_is_still_found(tea: Vault) -> None:
    tea.note("undated.md", "# Milk\n\nWhite.\n")
    configured(tea, 'dates = ["frontmatter"]\n')
    assert tea.order("milk") == ["undated"]


@pytest.mark.parametrize(
    ("make", "name", "said"),
    [
        (os.mkfifo, "pipe.md", "is not a regular file"),
        (lambda path: path.symlink_to("c.md"), "link.md", "is a symbolic link"),
    ],
)
def test_the_doctor_says_why_a_file_is_no_note(
    tea: Vault, make: object, name: str, said: str
) -> None:
    make(tea.folder / name)  # type: ignore[operator]
    assert said in tea.brain("doctor", "why", name, "--vault", tea.folder).out


def test_an_empty_name_names_no_note(tea: Vault) -> None:
    assert tea.brain("show", " ", "--vault", tea.folder).code == 2


@pytest.mark.parametrize("pattern", ["[\\", "[", "[a", "a\\", "[!", "[z-a].md"])
def test_an_odd_ignore_pattern_hides_nothing_else(tea: Vault, pattern: str) -> None:
    (tea.folder / ".gitignore").write_text(f"{pattern}\n")
    assert tea.order("tea") == ["c"]


@pytest.mark.parametrize("command", [["explain", "c.md", "tea"], ["related", "c.md"]])
def test_a_note_that_is_ignored_is_not_in_the_index(tea: Vault, command: list[str]) -> None:
    (tea.folder / ".brainignore").write_text("c.md\n")
    answer = tea.brain(*command, "--vault", tea.folder)
    assert answer.code == 3
    assert "c.md" in answer.err


def test_context_uses_the_readme_branch_and_files_of_the_folder(
    tea: Vault, tmp_path: Path
) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "green-tea", shop], check=True)
    (shop / "README.md").write_text("Text before.\n\n# Tea shop\n")
    (shop / "deep").mkdir()
    (shop / "deep" / "tea.py").write_text("print()\n")
    os.mkfifo(shop / "pipe")
    assert tea.brain("context", "--vault", tea.folder, cwd=shop).code in (0, 1)
    (shop / "README.md").unlink()
    assert tea.brain("context", "--vault", tea.folder, cwd=shop).code in (0, 1)


def test_links_of_a_moved_note_are_kept_if_possible(tea: Vault) -> None:
    links = "[u](https://x.y/z.md) [e]() [n](nowhere.md) [s](#Tea) [r](./c.md) [a](/c.md) [[c]] [f](data.csv) [[none]]"
    (tea.folder / "data.csv").write_text("1\n")
    tea.note(
        "deep/moving.md",
        f"# Moving\n\n{links.replace('./c.md', '../c.md').replace('data.csv', '../data.csv')}\n",
    )
    before = (tea.folder / "deep/moving.md").read_text()
    assert tea.brain("archive", "deep/moving.md", "--vault", tea.folder).code == 0
    [moved] = tea.folder.glob("archive/**/moving.md")
    text = moved.read_text()
    for kept in ("(https://x.y/z.md)", "[e]()", "[n](nowhere.md)", "[[c]]", "[[none]]"):
        assert kept in text
    assert tea.brain("undo", "--json", "--vault", tea.folder).json["restored"]
    assert (tea.folder / "deep/moving.md").read_text() == before


def test_a_note_changed_since_it_was_archived_is_moved_back_with_its_change(tea: Vault) -> None:
    tea.note("d.md", "# D\n\n[[c]]\n")
    tea.brain("archive", "c.md", "--vault", tea.folder)
    [archived] = tea.folder.glob("archive/**/c.md")
    archived.write_text(archived.read_text() + "More.\n")
    answer = tea.brain("undo", "--vault", tea.folder)
    assert answer.code == 0
    assert (tea.folder / "c.md").read_text().endswith("More.\n")


def test_a_note_deleted_since_it_was_archived_is_reported(tea: Vault) -> None:
    tea.brain("archive", "c.md", "--vault", tea.folder)
    for archived in tea.folder.glob("archive/**/c.md"):
        archived.unlink()
    answer = tea.brain("undo", "--vault", tea.folder)
    assert "archive/c.md changed since" in answer.err


def test_an_opened_note_is_reported_as_json(tea: Vault) -> None:
    answer = tea.brain("open", "c.md", "--json", "--vault", tea.folder, env={"VISUAL": "true"})
    assert answer.json["path"] == "c.md"


def test_no_editor_is_one_sentence(tea: Vault, tmp_path: Path) -> None:
    answer = tea.brain("open", "c.md", "--vault", tea.folder, env={"PATH": str(tmp_path)})
    assert answer.code == 3
    assert "No editor was found." in answer.err


def test_tables_and_infinite_limits_are_shown_as_toml(brain: Brain) -> None:
    brain.config.parent.mkdir(parents=True)
    brain.config.write_text(
        "[profile.quick]\nlimit = 2\n[scorers.brain]\n[kinds.leaf]\nstrength = 0.5\n"
    )
    answer = brain("config", "--profile", "quick")
    assert answer.code == 0
    assert "limit = 2" in answer.out


def test_a_pinned_note_is_pinned_once(tea: Vault) -> None:
    for _ in range(2):
        assert tea.brain("pin", "c.md", "--memory", "off", "--vault", tea.folder).code == 0
    assert (tea.folder / "c.md").read_text().count("pinned") == 1


def test_the_agents_hooks_are_printed_as_json_alone(tea: Vault) -> None:
    answer = tea.brain("hooks", "agent", "--json", "--vault", tea.folder)
    assert "hooks" in json.loads(answer.out)
    assert answer.err == ""


def test_a_command_line_whose_options_exclude_all_notes_is_asked_again_as_words(
    vault: Vault,
) -> None:
    vault.note("port.md", "# Free a port\n\n`lsof -t -i:3000 | xargs kill` frees it.\n")
    vault.note("tea.md", "# Tea\n\nNo milk.\n")
    answer = vault.brain(
        "remember", "lsof -t -i:3000", "--format", "paths", "--vault", vault.folder
    )
    assert answer.out.strip().endswith("port.md")
    assert "-i:3000 can be an option of a program" in answer.err
    assert vault.brain("remember", "tea -mil*", "--vault", vault.folder).code == 1
    assert vault.brain("remember", "lsof NOT kill", "--vault", vault.folder).code == 1
