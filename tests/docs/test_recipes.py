"""The recipes of the README and of docs/recipes.md work."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from shell import Shell, needs, recipe

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Brain, Vault


@pytest.fixture
def shell(brain: Brain, sample: Vault, warm_program: Path) -> Shell:
    return Shell(brain, sample, warm_program)


@needs("fzf")
def test_fzf_chooses_a_memory(shell: Shell) -> None:
    chosen = shell(
        f"{recipe('fzf')}\nrecall outbox", FZF_DEFAULT_OPTS="--filter 'polling table'"
    )
    assert re.match(r"\+\d+ notes/decisions/outbox-by-polling\.md\n", chosen)


@needs("vim")
def test_vim_makes_a_quickfix_list_of_the_answers(shell: Shell) -> None:
    if "+quickfix" not in shell("vim --version"):
        pytest.skip("this vim has no quickfix list")
    (shell.home / "recipe.vim").write_text(recipe("vim"))
    steps = [
        "Remember replay a dead letter queue",
        "cc 1",
        "put =expand('%') . ':' . line('.')",
        ".w place",
        "qa!",
    ]
    shell.run(
        [
            "vim",
            "-Nu",
            "NONE",
            "-i",
            "NONE",
            "-es",
            "-S",
            "recipe.vim",
            *(f"+{step}" for step in steps),
        ]
    )
    assert (shell.home / "place").read_text() == "notes/how-to/replay-dead-letters.md:12\n"


@needs("nvim")
@pytest.mark.parametrize(
    ("command", "opened"),
    [
        ("Brain replay a dead letter queue", "how-to/replay-dead-letters.md:12"),
        (
            "edit notes/incidents/dead-letter-queue-overflow.md | BrainRelated",
            "handoff/2026-11-20-on-call.md:1",
        ),
    ],
)
def test_neovim_opens_what_is_chosen(shell: Shell, command: str, opened: str) -> None:
    (shell.home / "recipe.lua").write_text(recipe("nvim"))
    choose_first = "lua vim.ui.select = function(items, _, chosen) chosen(items[1]) end"
    steps = [
        "luafile recipe.lua",
        choose_first,
        command,
        "call writefile([expand('%:p') . ':' . line('.')], 'place')",
    ]
    shell.run(
        [
            "nvim",
            "--headless",
            "-u",
            "NONE",
            "-i",
            "NONE",
            *(f"+{step}" for step in steps),
            "+qa!",
        ]
    )
    assert (shell.home / "place").read_text() == f"{shell.notes}/{opened}\n"


@needs("nvim")
def test_neovim_keeps_the_selected_lines(shell: Shell) -> None:
    (shell.home / "recipe.lua").write_text(recipe("nvim"))
    (shell.home / "text.txt").write_text("first\nThe valve sticks in winter.\nlast\n")
    steps = ["+luafile recipe.lua", "+2BrainKeep A sticking valve", "+qa!"]
    shell.run(["nvim", "--headless", "-u", "NONE", "-i", "NONE", "text.txt", *steps])
    [kept] = [
        file for file in shell.notes.rglob("*.md") if "The valve sticks" in file.read_text()
    ]
    assert "A sticking valve" in kept.read_text()
    assert "first" not in kept.read_text()


def test_obsidian_runs_a_command_that_answers(shell: Shell) -> None:
    command = recipe("obsidian").replace("{{vault_path}}", str(shell.notes))
    assert "gRPC" in shell(command.replace("{{_question}}", "why did we leave REST"))


def test_the_editor_link_of_obsidian_is_a_setting(shell: Shell) -> None:
    config = shell.home / "config" / "brain" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(recipe("obsidian-links"))
    assert "obsidian://open?path={path}" in shell("brain config")


@needs("emacs")
def test_emacs_makes_a_list_of_the_answers(shell: Shell) -> None:
    (shell.home / "recipe.el").write_text(recipe("emacs"))
    jump = """(progn
      (brain "replay a dead letter queue")
      (while (get-buffer-process "*grep*") (accept-process-output nil 0.1))
      (with-current-buffer "*grep*" (goto-char 1) (compilation-next-error 1) (compile-goto-error))
      (set-buffer (window-buffer (selected-window)))
      (princ (format "%s:%s" (file-name-nondirectory buffer-file-name) (line-number-at-pos))))"""
    assert (
        shell.run(["emacs", "-Q", "--batch", "-l", "recipe.el", "--eval", jump])
        == "replay-dead-letters.md:12"
    )


@pytest.mark.exhaustive
@needs("git")
def test_a_hook_makes_a_note_of_every_commit(shell: Shell) -> None:
    project = shell.home / "harbour"
    shell(f"git init -q {project}")
    hook = project / ".git" / "hooks" / "post-commit"
    hook.write_text(recipe("hook"))
    hook.chmod(0o755)
    who = "-c user.name=Mara -c user.email=mara@example.org -c commit.gpgsign=false"
    shell(
        f"git {who} commit -q --allow-empty -m 'Count the gulls' -m 'They were 12.'",
        cwd=project,
    )
    shell(f"git {who} commit -q --allow-empty -m 'Feed the gulls'", cwd=project)
    note = (shell.notes / "progress" / "count-the-gulls.md").read_text()
    assert "project: harbour" in note
    assert note.endswith("# Count the gulls\n\nThey were 12.\n")
    assert (shell.notes / "progress" / "feed-the-gulls.md").exists()
    shell(f"git {who} commit -q --allow-empty -m '--force'", cwd=project)
    assert (shell.notes / "progress" / "force.md").read_text().endswith("# --force\n")


def test_a_shell_shows_what_to_know(shell: Shell) -> None:
    assert shell(recipe("context")).splitlines()[2].startswith("- **")


@needs("jq")
def test_an_agent_keeps_what_it_learned(shell: Shell) -> None:
    (shell.home / "agent" / "memory").mkdir(parents=True)
    written, answer = shell(recipe("agent")).split("\n", 1)
    assert written.endswith("learnings/deploys.md")
    assert "Deploys go through the queue since May.\n" in answer


def test_cron_mails_the_faded_notes(shell: Shell) -> None:
    shell.remember_long_ago()
    command = recipe("cron").split(maxsplit=5)[5].partition(" | mail")[0]
    assert ".md" in shell(command, PATH="/usr/bin:/bin")


def test_several_vaults_are_asked_in_one_question(shell: Shell) -> None:
    work = shell.home / "work" / "docs"
    work.mkdir(parents=True)
    (work / "grpc.md").write_text("# gRPC at work\n\nWhy gRPC: it is faster.\n")
    found = shell(f"{recipe('vaults').strip()} --format paths")
    assert str(work / "grpc.md") in found or "work/docs/grpc.md" in found
    assert "notes/decisions/" in found
