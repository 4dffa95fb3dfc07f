"""The examples of the README and the docs work: questions, recipes, and the files that add something to brain."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import copy_with_index

if TYPE_CHECKING:
    from conftest import Brain, Vault

ROOT = Path(__file__).parents[2]
README, RECIPES, REFERENCE, CONTRIBUTING = (
    (ROOT / page).read_text(encoding="utf-8")
    for page in ("README.md", "docs/recipes.md", "docs/reference.md", "docs/contributing.md")
)


def section(page: str, title: str) -> str:
    """Return the text below a heading of the second level."""
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def block(text: str, mark: str = "") -> str:
    """Return the first code block after a mark, without its fence."""
    found = re.search(rf"{re.escape(mark)}.*?^```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert found, mark
    return found[1]


def recipe(name: str) -> str:
    return block(README + RECIPES, f"<!-- recipe: {name} -->")


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed")


class Shell:
    """A home with `notes` in it, and `brain` on the path."""

    def __init__(self, brain: Brain, sample: Vault) -> None:
        self.home = brain.home
        self.notes = copy_with_index(sample, brain.home / "notes", brain).folder
        program = self.home / ".local" / "bin" / "brain"
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m brain_cli "$@"\n')
        program.chmod(0o755)
        path = f"{program.parent}:{os.environ['PATH']}"
        self.environ = brain.environ(BRAIN_VAULT=str(self.notes), PATH=path, PYTHONPATH=str(ROOT), EDITOR="echo")

    def __call__(self, script: str, cwd: Path | None = None, **changes: str) -> str:
        """Run a script and return its output. The first command that fails makes the script fail."""
        return self.run(["sh", "-ec", script], cwd, **changes)

    def run(self, command: list[str], cwd: Path | None = None, **changes: str) -> str:
        done = subprocess.run(
            command,
            cwd=cwd or self.home,
            env={**self.environ, **changes},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def remember_long_ago(self) -> None:
        """Let the history begin long ago: only time that brain has seen is idle time."""
        self("brain remember outbox --now 2024-01-01")


@pytest.fixture
def shell(brain: Brain, sample: Vault) -> Shell:
    return Shell(brain, sample)


@pytest.mark.parametrize(
    ("page", "title"), [(README, "Ask"), (REFERENCE, "Asking"), (REFERENCE, "A memory that lives")]
)
def test_every_command_of_a_section_finds_or_does_something(page: str, title: str, shell: Shell) -> None:
    shell.remember_long_ago()
    for command in block(section(page, title)).splitlines():
        assert shell(command), command


@needs("fzf")
def test_fzf_chooses_a_memory(shell: Shell) -> None:
    chosen = shell(f"{recipe('fzf')}\nrecall outbox", FZF_DEFAULT_OPTS="--filter 'polling table'")
    assert re.match(r"\+\d+ notes/decisions/outbox-by-polling\.md\n", chosen)


@needs("vim")
def test_vim_makes_a_quickfix_list_of_the_answers(shell: Shell) -> None:
    if "+quickfix" not in shell("vim --version"):
        pytest.skip("this vim has no quickfix list")
    (shell.home / "recipe.vim").write_text(recipe("vim"))
    steps = ["Remember replay a dead letter queue", "cc 1", "put =expand('%') . ':' . line('.')", ".w place", "qa!"]
    shell.run(["vim", "-Nu", "NONE", "-i", "NONE", "-es", "-S", "recipe.vim", *(f"+{step}" for step in steps)])
    assert (shell.home / "place").read_text() == "notes/how-to/replay-dead-letters.md:10\n"


@needs("nvim")
@pytest.mark.parametrize(
    ("command", "opened"),
    [
        ("Brain replay a dead letter queue", "how-to/replay-dead-letters.md:10"),
        ("edit notes/incidents/dead-letter-queue-overflow.md | BrainRelated", "handoff/2026-11-20-on-call.md:1"),
    ],
)
def test_neovim_opens_what_is_chosen(shell: Shell, command: str, opened: str) -> None:
    (shell.home / "recipe.lua").write_text(recipe("nvim"))
    choose_first = "lua vim.ui.select = function(items, _, chosen) chosen(items[1]) end"
    steps = ["luafile recipe.lua", choose_first, command, "call writefile([expand('%:p') . ':' . line('.')], 'place')"]
    shell.run(["nvim", "--headless", "-u", "NONE", "-i", "NONE", *(f"+{step}" for step in steps), "+qa!"])
    assert (shell.home / "place").read_text() == f"{shell.notes}/{opened}\n"


@needs("nvim")
def test_neovim_keeps_the_selected_lines(shell: Shell) -> None:
    (shell.home / "recipe.lua").write_text(recipe("nvim"))
    (shell.home / "text.txt").write_text("first\nThe valve sticks in winter.\nlast\n")
    steps = ["+luafile recipe.lua", "+2BrainKeep A sticking valve", "+qa!"]
    shell.run(["nvim", "--headless", "-u", "NONE", "-i", "NONE", "text.txt", *steps])
    [kept] = [file for file in shell.notes.rglob("*.md") if "The valve sticks" in file.read_text()]
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
    assert shell.run(["emacs", "-Q", "--batch", "-l", "recipe.el", "--eval", jump]) == "replay-dead-letters.md:10"


@needs("git")
def test_a_hook_makes_a_note_of_every_commit(shell: Shell) -> None:
    project = shell.home / "harbour"
    shell(f"git init -q {project}")
    hook = project / ".git" / "hooks" / "post-commit"
    hook.write_text(recipe("hook"))
    hook.chmod(0o755)
    who = "-c user.name=Mara -c user.email=mara@example.org -c commit.gpgsign=false"
    shell(f"git {who} commit -q --allow-empty -m 'Count the gulls' -m 'They were 12.'", cwd=project)
    shell(f"git {who} commit -q --allow-empty -m 'Feed the gulls'", cwd=project)
    note = (shell.notes / "progress" / "count-the-gulls.md").read_text()
    assert "project: harbour" in note
    assert note.endswith("# Count the gulls\n\nThey were 12.\n")
    assert (shell.notes / "progress" / "feed-the-gulls.md").exists()
    shell(f"git {who} commit -q --allow-empty -m '--force'", cwd=project)
    assert (shell.notes / "progress" / "force.md").read_text().endswith("# --force\n")


def test_a_shell_shows_what_to_know(shell: Shell) -> None:
    assert shell(recipe("context")).startswith("- **")


@needs("jq")
def test_an_agent_keeps_what_it_learned(shell: Shell) -> None:
    (shell.home / "agent" / "memory").mkdir(parents=True)
    assert shell(recipe("agent")).endswith("learnings/deploys.md\n")
    assert "Deploys go through the queue since May.\n" in shell(recipe("agent").replace("brain add", "true"))


def test_cron_mails_the_faded_notes(shell: Shell) -> None:
    shell.remember_long_ago()
    command = recipe("cron").split(maxsplit=5)[5].partition(" | mail")[0]
    assert "Faded, to be archived" in shell(command, PATH="/usr/bin:/bin")


class Grown:
    """A copy of the program with the files and lines of docs/contributing.md added to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # The compiled files are copied too, and stay valid: compiling them again would take longer than the tests.
        shutil.copytree(ROOT / "brain_cli", root / "brain_cli")
        for path in re.findall(r"<!-- file: (\S+) -->", CONTRIBUTING):
            (root / path).write_text(block(CONTRIBUTING, f"<!-- file: {path} -->"), encoding="utf-8")
        for table, path in re.findall(r"<!-- line: (\w+) in (\S+) -->", CONTRIBUTING):
            line = block(CONTRIBUTING, f"<!-- line: {table} in {path} -->")
            text = (root / path).read_text(encoding="utf-8")
            grown, found = re.subn(rf"^({table}\b.*= \{{.*\n)", rf"\g<1>{line}", text, flags=re.MULTILINE)
            assert found == 1, table
            (root / path).write_text(grown, encoding="utf-8")


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Grown:
    return Grown(tmp_path_factory.mktemp("grown"))


def test_a_formula_is_one_file_and_a_line(shell: Shell, grown: Grown, brain: Brain) -> None:
    asked = "brain remember outbox -n 1 --scorer fading --explain --format plain --no-touch"
    published = shell(asked, PYTHONPATH=str(grown.root))
    assert re.search(r"\n\trelevance\t\+\t.*\n\tfreshness\t\*\t", published)
    brain.config.parent.mkdir(parents=True)
    brain.config.write_text("[scorers.fading]\nhalf_life_days = 1e9\n")
    assert "\tfreshness\t*\t1.0000\t" in shell(asked, PYTHONPATH=str(grown.root))
    asked = """echo '{"signals": {"relevance": 0.8, "age_days": 90}}' | brain score --scorer fading"""
    assert '"total": 0.4' in shell(asked, PYTHONPATH=str(grown.root))


def test_the_contract_tests_pick_a_formula_up(shell: Shell, grown: Grown) -> None:
    contract = str(ROOT / "tests" / "ranking" / "test_scorer_contract.py")
    quietly = ["-q", "-p", "no:cacheprovider", "--rootdir", str(grown.root), "-c", os.devnull]
    asked = [sys.executable, "-m", "pytest", *quietly, contract, "-k", "fading and (pinned or future)"]
    assert " passed" in shell.run(asked, cwd=grown.root, PYTHONPATH=str(grown.root))


def test_a_format_is_one_file_and_a_line(shell: Shell, grown: Grown) -> None:
    asked = "brain remember replay a dead letter queue -n 1 --format org"
    link = "- [[file:notes/how-to/replay-dead-letters.md::10][Replay a dead letter queue]]\n"
    assert shell(asked, PYTHONPATH=str(grown.root)) == link


def test_a_command_is_one_file_and_a_line(shell: Shell, grown: Grown) -> None:
    assert shell("brain tags grpc", PYTHONPATH=str(grown.root)).split()
    assert "Print the tags of a note." in shell("brain --help", PYTHONPATH=str(grown.root))


def test_a_filter_is_a_line(shell: Shell, grown: Grown) -> None:
    (shell.notes / "tasks.md").write_text("---\ntask: Review\n---\n\nThe outbox.\n")
    asked = "brain remember task:review outbox --format paths --no-touch"
    assert shell(asked, PYTHONPATH=str(grown.root)) == "notes/tasks.md\n"


# These examples need what a test cannot have: a person at a terminal, the network, or judged questions.
NOT_RUN = ("brain remember -i", "brain model install", "brain eval", "brain hooks install")


def test_every_example_of_the_help_runs(shell: Shell) -> None:
    from brain_cli.cli import COMMANDS
    from brain_cli.cli._examples import EXAMPLES

    assert set(COMMANDS) - set(EXAMPLES) == {"review", "mcp", "tune"}
    database = shell.home / ".claude-mem" / "claude-mem.db"
    database.parent.mkdir()
    sqlite3.connect(database).close()
    who = "-c user.name=Mara -c user.email=mara@example.org -c commit.gpgsign=false"
    shell(
        f"brain export --jsonl > notes/notes.jsonl; cd notes; git init -q; git {who} commit -q --allow-empty -m Begin"
    )
    for example in (each for examples in EXAMPLES.values() for each in examples):
        if not example.startswith(NOT_RUN):
            shell(example, cwd=shell.notes)
