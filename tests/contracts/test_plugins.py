"""Without its folder and its line in the table, a plugin is gone from the help, and everything else works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from brain_cli.cli import verbs
from brain_cli.plugins import BUNDLED, plugin_named

ROOT = Path(__file__).parents[2]
NAMES = "|".join(BUNDLED)
# The table that is generated from the plugins' own words.
GENERATED = "option_table.py"
# What shows within a minute that the core and each plugin work.
CORE = ("ranking", "search", "cli/test_add.py", "cli/test_quick.py", "cli/test_doctor.py", "cli/test_help.py")
OF_PLUGIN = {
    "agents": "test_surfacing.py",
    "exchange": "test_exchange.py",
    "meaning": "test_by_meaning.py",
    "report": "test_digest.py",
    "evaluation": "test_score_command.py",
    "team": "test_scope.py",
    "lsp": "test_lsp.py",
}


def test_the_core_names_no_plugin_outside_the_table() -> None:
    core = [
        file
        for file in sorted((ROOT / "brain_cli").rglob("*.py"))
        if file.name != GENERATED and file.relative_to(ROOT / "brain_cli").parts[:-1][:1] != ("plugins",)
    ]
    assert [file.name for file in core if re.search(rf"plugins[./]({NAMES})\b", file.read_text("utf-8"))] == []


def test_no_plugin_names_another() -> None:
    for name in BUNDLED:
        others = "|".join(each for each in BUNDLED if each != name)
        files = sorted((ROOT / "brain_cli" / "plugins" / name).rglob("*.py"))
        assert [file.name for file in files if re.search(rf"plugins[./]({others})\b", file.read_text("utf-8"))] == []


def test_every_plugin_has_tests_of_its_own() -> None:
    assert all((ROOT / "tests" / "plugins" / name).is_dir() for name in BUNDLED)
    assert set(OF_PLUGIN) == set(BUNDLED)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", BUNDLED)
def test_a_plugin_can_be_left_out(name: str, tmp_path: Path) -> None:
    for folder in ("brain_cli", "tests", "docs", "sample_vault"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, tmp_path)
    left_out(name, tmp_path)
    help_text = run(tmp_path, "-m", "brain_cli", "help", "all")
    listed = set(re.findall(r"^│ ([a-z]+) ", help_text, re.MULTILINE))
    assert listed == verbs().keys() - plugin_named(name).verbs.keys()
    others = [f"tests/plugins/{each}/{file}" for each, file in OF_PLUGIN.items() if each != name]
    run(tmp_path, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *(f"tests/{each}" for each in CORE), *others)


def left_out(name: str, root: Path) -> None:
    """Delete a plugin's folders and its line in the table, and make the generated table anew."""
    shutil.rmtree(root / "brain_cli" / "plugins" / name)
    shutil.rmtree(root / "tests" / "plugins" / name)
    table = root / "brain_cli" / "plugins" / "__init__.py"
    text, found = re.subn(rf'^    "{name}",\n', "", table.read_text("utf-8"), flags=re.MULTILINE)
    assert found == 1
    table.write_text(text, "utf-8")
    run(root, "tests/docs/option_table.py")


def run(root: Path, *arguments: str) -> str:
    environ = {**os.environ, "PYTHONPATH": str(root), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=root, env=environ, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
    return done.stdout
