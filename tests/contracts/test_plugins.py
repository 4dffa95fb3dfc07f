"""Without its folder and its line in the table, a plugin is gone from the help, and everything else
works.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from brain_cli.cli import verbs
from brain_cli.cli._app import command_named
from brain_cli.config.schema import all_settings
from brain_cli.extension import FOLDER, Plugin, added_settings, bundled, loaded

ROOT = Path(__file__).parents[2]
BUNDLED = tuple(
    sorted(each.name for each in Path(FOLDER).iterdir() if (each / "__init__.py").exists())
)
NAMES = "|".join(BUNDLED)
# What shows in seconds that the core and each plugin work. Import contracts keep plugins out of
# ranking and search.
CORE = (
    "ranking/test_scorer_contract.py", "ranking/test_order.py", "search/test_query_language.py",
    "cli/test_add.py", "cli/test_quick.py", "cli/test_doctor.py", "cli/test_help.py",
)  # fmt: skip
OF_PLUGIN = {
    "agents": "test_surfacing.py",
    "exchange": "test_exchange.py",
    "meaning": "test_by_meaning.py",
    "report": "test_digest.py",
    "evaluation": "test_score_command.py",
    "team": "test_scope.py",
    "lsp": "test_lsp.py",
}
# The pages in docs/ of the plugins that have another name there.
PAGES = {"agents": "capture", "exchange": "moving", "team": "shared-memory"}
VERBS_WITH_OPTIONS = sorted(
    {verb for plugin in bundled() for option in plugin.options for verb in option.verbs}
)
SETTINGS_OF_PLUGINS = list(added_settings())
# What is left of options and settings, printed as JSON by a copy without a plugin.
SEEN = f"""
import json, os, re, subprocess, sys
from pathlib import Path
sys.path[:0] = ["tests", "tests/docs"]
import doc_parts
from warm_program import WarmProgram
from brain_cli.cli import verbs
from brain_cli.cli._app import command_named
from brain_cli.config.schema import all_settings

def brain(*words, **environ):
    done = subprocess.run(["./brain", *words], env={{**os.environ, **environ}}, capture_output=True, text=True)
    return done.stdout + done.stderr

def completed(words):
    return re.findall(r'"([-\\w.]+)":', brain(_BRAIN_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS=words))

program = WarmProgram(Path.cwd())
seen = {{
    "options": {{verb: [each for param in command_named(verb).params for each in param.opts] for verb in verbs()}},
    "settings": list(all_settings()),
    "completed": {{verb: completed(f"brain {{verb}} --") for verb in {VERBS_WITH_OPTIONS!r} if verb in verbs()}},
    "offered": completed("brain config get "),
    "reference": doc_parts.settings(),
    "unknown": {{name: brain("config", "get", name) for name in {SETTINGS_OF_PLUGINS!r}}},
}}
program.stop()
print(json.dumps(seen))
"""


def test_the_core_names_no_plugin() -> None:
    files = sorted((ROOT / "brain_cli").rglob("*.py"))
    core = [file for file in files if "plugins" not in file.relative_to(ROOT).parts[:-1]]
    assert [
        file.name
        for file in core
        if re.search(rf"plugins[./]({NAMES})\b", file.read_text("utf-8"))
    ] == []
    settings = "|".join(SETTINGS_OF_PLUGINS)
    named = rf"of_plugins\W+({settings})\b|BRAIN_({settings.upper()})\b|--({settings})\b"
    assert [file.name for file in core if re.search(named, file.read_text("utf-8"))] == []


def test_no_plugin_names_another() -> None:
    for name in BUNDLED:
        others = "|".join(each for each in BUNDLED if each != name)
        files = sorted((ROOT / "brain_cli" / "plugins" / name).rglob("*.py"))
        assert [
            file.name
            for file in files
            if re.search(rf"plugins[./]({others})\b", file.read_text("utf-8"))
        ] == []


@pytest.mark.parametrize("plugin", BUNDLED)
def test_every_plugin_has_a_page(plugin: str) -> None:
    assert (ROOT / "docs" / f"{PAGES.get(plugin, plugin)}.md").is_file()


def test_every_plugin_has_tests_of_its_own() -> None:
    assert all((ROOT / "tests" / "plugins" / name).is_dir() for name in BUNDLED)
    assert set(OF_PLUGIN) == set(BUNDLED)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", BUNDLED)
def test_a_folder_can_be_deleted_and_the_commands_of_the_core_still_answer(
    name: str, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "brain_cli", tmp_path / "brain_cli")
    shutil.copytree(ROOT / "sample_vault", tmp_path / "sample_vault")
    shutil.rmtree(tmp_path / "brain_cli" / "plugins" / name)
    asked = ("--vault", "sample_vault")
    assert "gRPC" in run(
        tmp_path, "-m", "brain_cli", "remember", "why did we leave REST", *asked
    )
    for command in ("status", "doctor", "help"):
        assert run(tmp_path, "-m", "brain_cli", command, *(asked if command != "help" else ()))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", BUNDLED)
def test_a_plugin_can_be_left_out(name: str, tmp_path: Path) -> None:
    copy_without([name], tmp_path)
    help_text = run(tmp_path, "-m", "brain_cli", "help", "all")
    listed = set(re.findall(r"^  ([a-z]+)  ", help_text, re.MULTILINE))
    assert listed == verbs().keys() - plugin_named(name).verbs.keys()
    check_options_and_settings(name, listed, json.loads(run(tmp_path, "-c", SEEN)))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", BUNDLED)
def test_a_plugin_needs_no_other(name: str, tmp_path: Path) -> None:
    copy_without([each for each in BUNDLED if each != name], tmp_path)
    run_tests(tmp_path, f"plugins/{name}/{OF_PLUGIN[name]}")


@pytest.mark.exhaustive
def test_the_core_needs_no_plugin(tmp_path: Path) -> None:
    copy_without(BUNDLED, tmp_path)
    run_tests(tmp_path, *CORE)


def check_options_and_settings(name: str, left: set[str], seen: dict[str, Any]) -> None:
    """Check that the options and settings of a plugin are gone from help, completion and reference,
    and no others.
    """
    plugin = plugin_named(name)
    for verb in left:
        gone = {option.parameter for option in plugin.options if verb in option.verbs}
        params = [param for param in command_named(verb).params if param.name not in gone]
        assert set(seen["options"][verb]) == {each for param in params for each in param.opts}
        if verb in VERBS_WITH_OPTIONS:
            offered = {
                each for each in seen["completed"][verb] if not each.startswith("--no-")
            } - {"--help"}
            options = {
                each
                for param in params
                if not getattr(param, "hidden", False)
                for each in param.opts
            }
            assert offered == {
                each
                for each in options
                if each.startswith("--") and not each.startswith("--no-")
            }
    declared = loaded(plugin.settings) if plugin.settings else {}
    kept = all_settings().keys() - declared.keys()
    assert set(seen["settings"]) == kept
    assert set(re.findall(r"^\| `([\w.]+)`", seen["reference"], re.MULTILINE)) == kept
    assert set(seen["offered"]) == {each for each in kept if each.islower()}
    for setting in declared:
        assert f"There is no setting “{setting}”" in seen["unknown"][setting]


def plugin_named(name: str) -> Plugin:
    plugin: Plugin = loaded(f"brain_cli.plugins.{name}:PLUGIN")
    return plugin


def copy_without(names: Sequence[str], root: Path) -> None:
    """Copy the repository without the folders of these plugins."""
    for folder in ("brain_cli", "tests", "docs", "sample_vault"):
        shutil.copytree(ROOT / folder, root / folder)
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, root)
    for name in names:
        shutil.rmtree(root / "brain_cli" / "plugins" / name)
        shutil.rmtree(root / "tests" / "plugins" / name)


def run_tests(root: Path, *files: str) -> None:
    options = ("-q", "-x", "-n", "0", "-p", "no:cacheprovider")
    run(root, "-m", "pytest", *options, *(f"tests/{each}" for each in files))


def run(root: Path, *arguments: str) -> str:
    # The tests of a copy run few examples: the tests of this repository run all of them.
    environ = {
        **os.environ,
        "PYTHONPATH": str(root),
        "COLUMNS": "200",
        "HYPOTHESIS_PROFILE": "everyday",
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
    return done.stdout
