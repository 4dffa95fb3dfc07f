"""Every code block of the README and the docs is run, generated, or says why it is not.

The line above a block says which: `run`, `recipe`, `file` or `line` with a name that a test asks
for; `not run` with a reason. What stands between cog's marks is generated, and another test
compares it.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from regenerate import PAGES
from shell import ROOT, Shell, run_block

if TYPE_CHECKING:
    from conftest import Brain, Vault

TESTS = (
    *sorted(Path(__file__).parent.glob("test_*.py")),
    ROOT / ".ci" / "run",
    *ROOT.glob("tests/shared/*.py"),
)
MARK = re.compile(r"<!-- (?P<how>[\w ]+?)(?:: (?P<what>.+?))? -->")


@pytest.fixture
def shell(brain: Brain, sample: Vault, warm_program: Path) -> Shell:
    return Shell(brain, sample, warm_program)


class Block(NamedTuple):
    """A code block: its page, the line of its fence, and the line above it."""

    page: str
    number: int
    above: str


def blocks() -> Iterator[Block]:
    """Yield the blocks that are not generated."""
    for page in PAGES:
        is_generated = is_open = False
        lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            is_generated = (is_generated or "[[[cog" in line) and "[[[end]]]" not in line
            if line.startswith("```"):
                is_open = not is_open
                if is_open and not is_generated:
                    yield Block(page, number, lines[number - 2])


@pytest.mark.parametrize("each", list(blocks()), ids=lambda each: f"{each.page}:{each.number}")
def test_a_block_is_run_or_says_why_not(each: Block) -> None:
    mark = MARK.fullmatch(each.above)
    assert mark, f"{each.page}:{each.number} has no mark: who runs it?"
    if mark["how"] == "not run":
        assert len(mark["what"].split()) > 2, "say why"
    elif mark["how"] not in (
        "file",
        "line",
        "plugin",
    ):  # `Grown` and test_others.py read all of these
        name = mark["what"] or mark["how"]
        quoted = re.compile(rf"""["']{re.escape(name)}["']|<!-- {re.escape(name)} -->""")
        assert any(quoted.search(test.read_text(encoding="utf-8")) for test in TESTS), (
            f"no test asks for {name}"
        )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "name", ["ask", "keep", "asking", "as it was", "a memory that lives", "report", "score"]
)
def test_every_command_finds_or_does_something(name: str, shell: Shell) -> None:
    shell.remember_long_ago()
    for command in run_block(name).splitlines():
        assert shell(command, shell.notes if name == "keep" else None), command


@pytest.mark.exhaustive
def test_an_observation_of_a_pipe_becomes_a_note(shell: Shell) -> None:
    shell(run_block("capture"))
    until = time.monotonic() + 60
    while not (found := list(shell.notes.glob("inbox/*.md"))) and time.monotonic() < until:
        time.sleep(0.1)  # a process in the background makes the note
    assert "We keep carts in Redis" in found[0].read_text()


@pytest.mark.exhaustive
def test_a_day_of_an_agent_goes_as_it_is_shown(shell: Shell) -> None:
    git = shell.home / "orders" / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    script = run_block("one day")
    printed = shell(script, git.parent)
    where = 0
    for expected in re.findall(r"^#> (.*)$", script, re.MULTILINE):
        assert expected in printed[where:], expected
        where = printed.index(expected, where)


@pytest.mark.exhaustive
def test_the_command_for_claude_code_starts_a_server(shell: Shell) -> None:
    shell.program(
        "claude", '[ "$1 $2 $3 $4" = "mcp add brain --" ] && shift 4 && exec "$@" </dev/null'
    )
    shell(run_block("claude mcp"))


@pytest.mark.exhaustive
def test_the_memories_of_other_programs_are_imported(shell: Shell) -> None:
    for path in (".claude-mem/claude-mem.db", ".cache/clawmem/index.sqlite"):
        (shell.home / path).parent.mkdir(parents=True)
        with sqlite3.connect(shell.home / path) as database:
            database.execute("CREATE TABLE observations (id INTEGER PRIMARY KEY, title TEXT)")
            database.execute("INSERT INTO observations (title) VALUES ('Carts in Redis')")
            database.execute("CREATE TABLE session_log (session_id TEXT, summary TEXT)")
            database.execute("INSERT INTO session_log VALUES ('s', 'Moved the cache')")
        database.close()
    session = shell.home / ".claude" / "projects" / "-shop" / "s.jsonl"
    session.parent.mkdir(parents=True)
    asked = {"role": "user", "content": "Retry the import. Never retry more than 5 times."}
    session.write_text(json.dumps({"type": "user", "sessionId": "s", "message": asked}))
    for name in ("from claude-mem", "from clawmem", "from transcripts"):
        shell(run_block(name))
    assert sorted(note.stem for note in shell.notes.glob("imported/*/*.md")) == [
        "carts-in-redis",
        "handoff-moved-the-cache",
        "handoff-retry-the-import",
    ]


@pytest.mark.exhaustive
def test_the_tutorial_works_with_notes_of_ones_own(shell: Shell) -> None:
    ask, explain, narrow, keep, script = (
        "tutorial, ask",
        "tutorial, explain",
        "tutorial, narrow",
        "tutorial, keep",
        "tutorial, script",
    )
    assert "REST" in shell(run_block(ask))
    for name in (explain, narrow):
        assert shell(run_block(name), shell.notes)
    kept = shell(run_block(keep), shell.notes)
    assert "Roll back by flag" in kept
    assert kept.splitlines()[-1].startswith("undid: add ")
    assert shell(run_block(script), shell.notes).endswith("unknown\n")


@pytest.mark.exhaustive
def test_the_notes_of_basic_memory_are_imported(shell: Shell) -> None:
    coffee = shell.home / "basic-memory" / "coffee"
    coffee.mkdir(parents=True)
    (coffee / "Coffee Brewing Methods.md").write_text(
        "---\ntitle: Coffee Brewing Methods\n---\n\n- requires [[Grinding]]\n"
    )
    (coffee / "Grinding.md").write_text("---\ntitle: Grinding\n---\n\n- [size] Fine\n")
    assert "Grinding" in shell(run_block("from basic-memory")).splitlines()[-1]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["from qmd", "from obsidian"])
def test_a_folder_of_another_program_answers(shell: Shell, name: str) -> None:
    assert shell(run_block(name))


def test_exported_notes_are_imported_elsewhere(shell: Shell) -> None:
    (shell.home / "other").mkdir()
    shell(run_block("export"))
    grpc = "decisions/grpc.md"
    assert (shell.home / "other" / grpc).read_bytes() == (shell.notes / grpc).read_bytes()


def test_a_digest_goes_into_a_mail_and_a_daily_note(shell: Shell) -> None:
    shell.program("mail", 'echo "$@" >mail; cat >>mail')
    (shell.notes / "journal").mkdir(exist_ok=True)
    shell(run_block("digest"))
    assert (
        "My notes this week me@example.org\n# 2026-11-14 to 2026-11-21\n"
        in (shell.home / "mail").read_text()
    )
    assert "# 2026-11-20 to 2026-11-21" in "".join(
        note.read_text() for note in shell.notes.glob("journal/*.md")
    )


@pytest.mark.parametrize("name", ["synthesize", "settings", "memory"])
def test_settings_are_read_as_they_are_shown(name: str, shell: Shell) -> None:
    config = shell.home / "config" / "brain" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(run_block(name))
    assert str(config) in shell("brain config")


def test_a_brainignore_leaves_out_what_it_says(shell: Shell) -> None:
    for path in ("templates/a.md", "drafts/b.md", "c.excalidraw.md"):
        (shell.notes / path).parent.mkdir(exist_ok=True)
        (shell.notes / path).write_text("# Note\n")
    (shell.notes / ".gitignore").write_text("drafts/\n")
    (shell.notes / ".brainignore").write_text(run_block("brainignore"))
    paths = shell("brain export --jsonl")
    assert "drafts/b.md" in paths
    assert "templates/a.md" not in paths
    assert "c.excalidraw.md" not in paths


@pytest.mark.exhaustive
def test_judged_sets_are_measured(shell: Shell) -> None:
    for name in ("conversations", "documentation"):
        folder = shell.home / name
        folder.mkdir()
        (folder / "vault").symlink_to(shell.notes)
        for questions in ("queries.jsonl", "queries.recency.jsonl"):
            (folder / questions).write_text(
                '{"qid": "q1", "query": "why grpc", "project": "orders"}\n'
            )
        for judged in ("qrels.tsv", "qrels.recency.tsv"):
            (folder / judged).write_text("q1\t0\tdecisions/grpc.md\t1\n")
    assert "blend" in shell(run_block("eval"))
