"""Start-up is a feature: what each command imports is pinned, because an import is what it costs."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from examples import in_ci

from brain_cli.render.formats import AUTO, FORMATS

if TYPE_CHECKING:
    from conftest import Vault

SAY_MODULES = """
import atexit, sys
atexit.register(lambda: print("\\n".join(sorted(sys.modules)), file=sys.stderr))
from brain_cli.__main__ import main
main()
"""


def modules_of(sample: Vault, *arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", SAY_MODULES, *arguments],
        capture_output=True,
        text=True,
        env=sample.brain.environ(BRAIN_VAULT=str(sample.folder)),
        check=True,
    )
    assert done.stdout
    return set(done.stderr.split())


# Typer prints its help with rich and needs none of these.
NO_HELP = "numpy yaml frontmatter watchdog asyncio urllib.request multiprocessing"
# Heavy modules that no short command needs, and what only full builds, other commands and terminals
# need.
HEAVY = f"rich markdown_it {NO_HELP}"
PARSING = "click typer shutil subprocess tempfile"
WRITING = "brain_cli.index.sync_apply brain_cli.index.sync_apply brain_cli.index.note_reader whoosh.writing"
# What an answer in plain lines needs nothing of.
QUOTING = "brain_cli.answer.passages brain_cli.answer.screen_rows html"
BY_MEANING = "brain_cli.plugins.meaning.models brain_cli.plugins.meaning.by_meaning"
UNUSED = "hashlib"
OTHERS = "whoosh.fields whoosh.filedb whoosh.reading brain_cli.cli.index"
# What an index that is up to date needs nothing of.
ANSWERING = "brain_cli.cli.remember brain_cli.answer.results brain_cli.ranking brain_cli.search"


@pytest.mark.parametrize(
    ("command", "unneeded"),
    [
        in_ci(["--help"], f"{NO_HELP} whoosh Stemmer brain_cli.index brain_cli.cli.remember"),
        in_ci(["--version"], f"{HEAVY} whoosh Stemmer brain_cli.index"),
        in_ci(["remember", "--help"], f"{NO_HELP} whoosh Stemmer"),
        (
            ["index"],
            f"{HEAVY} {PARSING} inspect {WRITING} {ANSWERING} whoosh Stemmer dataclasses threading",
        ),
        (
            ["remember", "event-driven design", "--format", "plain"],
            f"{HEAVY} {PARSING} {WRITING} {QUOTING} {BY_MEANING} {UNUSED} {OTHERS} pathspec",
        ),
        in_ci(
            ["remember", "event-driven design", "--json"],
            f"{HEAVY} {PARSING} {WRITING} {BY_MEANING} {UNUSED} {OTHERS}",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_imports_nothing_that_it_does_not_need(
    sample: Vault, command: list[str], unneeded: str
) -> None:
    loaded = modules_of(sample, *command)
    assert "brain_cli.cli.boundary" in loaded
    assert not loaded.intersection(unneeded.split())


@pytest.mark.exhaustive
def test_the_help_names_every_format_and_imports_none(sample: Vault) -> None:
    told = " ".join(sample.brain("remember", "--help", env={"COLUMNS": "200"}).out.split())
    assert f"NAME {', '.join((AUTO, *FORMATS))}; or a template" in told
    assert not modules_of(sample, "remember", "--help").intersection(FORMATS.values())


def test_a_formula_is_tried_without_importing_anything_of_an_index(sample: Vault) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SAY_MODULES, "score"],
        input='{"scorer": "clawdbot", "signals": {"relevance": 1}}\n',
        capture_output=True,
        text=True,
        env=sample.brain.environ(),
        check=True,
    )
    assert '"total": 1.0' in done.stdout
    assert not set(done.stderr.split()).intersection(
        ("rich", "whoosh", "brain_cli.index", "brain_cli.answer", "yaml")
    )
