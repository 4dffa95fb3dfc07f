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
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from brain_cli.cli import verbs
from brain_cli.cli._app import command_named
from brain_cli.config.schema import all_settings
from brain_cli.plugins import BUNDLED, declared, loaded, plugin_named, plugins

ROOT = Path(__file__).parents[2]
NAMES = "|".join(BUNDLED)
# The table that is generated from the plugins' own words.
GENERATED = "option_table.py"
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
    {verb for plugin in plugins() for names in plugin.options.values() for verb in names}
)
SETTINGS_OF_PLUGINS = [name for plugin in plugins() for name in declared(plugin)]
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


def test_the_core_names_no_plugin_outside_the_table() -> None:
    core = [
        file
        for file in sorted((ROOT / "brain_cli").rglob("*.py"))
        if file.name != GENERATED
        and file.relative_to(ROOT / "brain_cli").parts[:-1][:1] != ("plugins",)
    ]
    assert [
        file.name for file in core if re.search(rf"plugins[./]({NAMES})\b", file.read_text("utf-8"))
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
def test_a_plugin_can_be_left_out(name: str, tmp_path: Path) -> None:
    copy_without([name], tmp_path)
    help_text = run(tmp_path, "-m", "brain_cli", "help", "all")
    listed = set(re.findall(r"^│ ([a-z]+) ", help_text, re.MULTILINE))
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
        places = [place for place, names in plugin.options.items() if verb in names]
        gone = {each for place in places for each in signature(loaded(place)).parameters}
        params = [param for param in command_named(verb).params if param.name not in gone]
        assert set(seen["options"][verb]) == {each for param in params for each in param.opts}
        if verb in VERBS_WITH_OPTIONS:
            offered = {each for each in seen["completed"][verb] if not each.startswith("--no-")} - {
                "--help"
            }
            options = {
                each
                for param in params
                if not getattr(param, "hidden", False)
                for each in param.opts
            }
            assert offered == {
                each for each in options if each.startswith("--") and not each.startswith("--no-")
            }
    kept = all_settings().keys() - declared(plugin).keys()
    assert set(seen["settings"]) == kept
    assert set(re.findall(r"^\| `([\w.]+)`", seen["reference"], re.MULTILINE)) == kept
    assert set(seen["offered"]) == {each for each in kept if each.islower()}
    for setting in declared(plugin):
        assert f"There is no setting “{setting}”" in seen["unknown"][setting]


def copy_without(names: Sequence[str], root: Path) -> None:
    """Copy the repository without the folders of these plugins and their lines in the table.

    What is compiled is copied too, and stays valid. The generated table is made anew.
    """
    for folder in ("brain_cli", "tests", "docs", "sample_vault"):
        shutil.copytree(ROOT / folder, root / folder)
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, root)
    table = root / "brain_cli" / "plugins" / "__init__.py"
    for name in names:
        shutil.rmtree(root / "brain_cli" / "plugins" / name)
        shutil.rmtree(root / "tests" / "plugins" / name)
        text, found = re.subn(
            rf'^    "{name}",\n', "", table.read_text("utf-8"), flags=re.MULTILINE
        )
        assert found == 1
        table.write_text(text, "utf-8")
    run(root, "tests/docs/option_table.py")


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
