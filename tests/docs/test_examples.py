"""The examples of the help and of docs/contributing.md work, and the files that add something to
brain.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from shell import CONTRIBUTING, ROOT, Shell, block

if TYPE_CHECKING:
    from conftest import Brain, Vault


@pytest.fixture
def shell(brain: Brain, sample: Vault, warm_program: Path) -> Shell:
    return Shell(brain, sample, warm_program)


class Grown:
    """A copy of the program with the files and lines of docs/contributing.md added to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # The compiled files are copied too, and stay valid: compiling them again would take longer than the
        # tests.
        shutil.copytree(ROOT / "brain_cli", root / "brain_cli")
        for path in re.findall(r"<!-- file: (\S+) -->", CONTRIBUTING):
            (root / path).write_text(
                block(CONTRIBUTING, f"<!-- file: {path} -->"), encoding="utf-8"
            )
        for table, path in re.findall(r"<!-- line: (\w+) in (\S+) -->", CONTRIBUTING):
            line = block(CONTRIBUTING, f"<!-- line: {table} in {path} -->")
            text = (root / path).read_text(encoding="utf-8")
            grown, found = re.subn(
                rf"^({table}\b.*= \{{.*\n)", rf"\g<1>{line}", text, flags=re.MULTILINE
            )
            assert found == 1, table
            (root / path).write_text(grown, encoding="utf-8")


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Grown:
    return Grown(tmp_path_factory.mktemp("grown"))


@pytest.mark.exhaustive
def test_a_formula_is_one_file_and_a_line(shell: Shell, grown: Grown, brain: Brain) -> None:
    asked = "brain remember outbox -n 1 --scorer fading --explain --format plain --no-touch"
    published = shell(asked, PYTHONPATH=str(grown.root))
    assert re.search(r"\n\trelevance\t\+\t.*\n\tfreshness\t\*\t", published)
    brain.config.parent.mkdir(parents=True)
    brain.config.write_text("[scorers.fading]\nhalf_life_days = 1e9\n")
    assert "\tfreshness\t*\t1.0000\t" in shell(asked, PYTHONPATH=str(grown.root))
    asked = """echo '{"signals": {"relevance": 0.8, "age_days": 90}}' | brain score --scorer fading"""
    assert '"total": 0.4' in shell(asked, PYTHONPATH=str(grown.root))


@pytest.mark.exhaustive
def test_the_contract_tests_pick_a_formula_up(shell: Shell, grown: Grown) -> None:
    contract = str(ROOT / "tests" / "ranking" / "test_scorer_contract.py")
    quietly = ["-q", "-p", "no:cacheprovider", "--rootdir", str(grown.root), "-c", os.devnull]
    asked = [sys.executable, "-m", "pytest", *quietly, contract, "-k", "pinned or fading"]
    assert " passed" in shell.run(asked, cwd=grown.root, PYTHONPATH=str(grown.root))


def test_a_format_is_one_file_and_a_line(shell: Shell, grown: Grown) -> None:
    asked = "brain remember replay a dead letter queue -n 1 --format org"
    link = "- [[file:notes/how-to/replay-dead-letters.md::12][Replay a dead letter queue]]\n"
    assert shell(asked, PYTHONPATH=str(grown.root)) == link


@pytest.mark.exhaustive
def test_a_command_is_one_file_and_a_line(shell: Shell, grown: Grown) -> None:
    assert shell("brain aliases grpc", PYTHONPATH=str(grown.root)).split()
    assert "Print the aliases of a note." in shell("brain help all", PYTHONPATH=str(grown.root))


def test_a_filter_is_a_line(shell: Shell, grown: Grown) -> None:
    (shell.notes / "by-mara.md").write_text("---\nauthor: Mara\n---\n\nThe outbox.\n")
    asked = "brain remember author:mara outbox --format paths --no-touch"
    assert shell(asked, PYTHONPATH=str(grown.root)) == "notes/by-mara.md\n"


# These need a person at a terminal, the network, a server, or judged questions, or leave something
# behind that runs.
NOT_RUN = (
    *(
        "brain remember -i",
        "brain model install",
        "brain eval",
        "brain hooks install",
        "brain index --watch",
    ),
    "brain team",
)


@pytest.mark.exhaustive
def test_every_example_of_the_help_runs(shell: Shell) -> None:
    from brain_cli.cli import verbs
    from brain_cli.cli._app import command_named

    examples = {
        name: str(command_named(name).help).partition("Examples:\n")[2].splitlines()
        for name in verbs()
    }
    assert {name for name, found in examples.items() if not found} == {"mcp", "tune", "lsp"}
    database = shell.home / ".claude-mem" / "claude-mem.db"
    database.parent.mkdir()
    sqlite3.connect(database).close()
    who = "-c user.name=Mara -c user.email=mara@example.org -c commit.gpgsign=false"
    shell(
        f"brain export --jsonl > notes/notes.jsonl; cd notes; git init -q; git {who} commit -q --allow-empty -m Begin"
    )
    for example in (each.strip() for found in examples.values() for each in found):
        if not example.startswith(NOT_RUN):
            no_daemon = " || [ $? -eq 1 ]" if example.startswith("brain index --stop") else ""
            if (
                "--out notes.jsonl" in example
            ):  # never over a file; until here, the file to import
                (shell.notes / "notes.jsonl").unlink()
            shell(f"{example}{no_daemon}", cwd=shell.notes)
            if example.startswith("brain mv"):  # the other examples name the note where it was
                shell("brain undo", cwd=shell.notes)
