"""A package with an entry point of the group `brain.plugins` adds verbs, formats, filters and
sources of imports.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Vault

PAGE = (Path(__file__).parents[2] / "docs" / "contributing.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- plugin: (\S+) -->\n```\w+\n(.*?)```", PAGE, re.DOTALL))

LOUD = """
from brain_cli.config.schema import LIMIT, Setting
from brain_cli.extension import ASK, AddedOption, Plugin, Verb

SETTINGS = {"loudness": Setting(LIMIT, "How loud.", default=1)}
PLUGIN = Plugin(
    verbs={"shout": Verb("Shout.", ASK, "brain_shout")},
    settings="brain_shout:SETTINGS",
    options=(AddedOption("loudness", "--loudness N", "How loud.", ("shout", "show")),),
)


def command(options, note):
    print(options.open_vault().config.of_plugins["loudness"], options.added["loudness"])
    return 0
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder of installed packages, with the example of docs/contributing.md as pip would install
    it.
    """
    folder = tmp_path / "packages"
    about = folder / "brain_shout-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "brain_shout.py").write_text(FILES["brain_shout.py"])
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: brain-shout\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[brain.plugins]\nshout = brain_shout:PLUGIN\n")
    return folder


def check(vault: Vault, packages: Path) -> None:
    vault.note("kafka.md", "---\nauthor: mara\n---\n# Kafka\n\nWe use Kafka for orders.\n")
    vault.note("other.md", "# Kafka again\n\nMore about Kafka and orders.\n")
    memories = packages.parent / "lines.txt"
    memories.write_text("Redis keeps the sessions.\n")

    def brain(*arguments: str) -> str:
        done = vault.brain.process(
            *arguments, "--vault", str(vault.folder), env={"PYTHONPATH": str(packages)}
        )
        assert done.code == 0, done.err
        return done.out

    assert brain("shout", "kafka.md") == "KAFKA.MD\n"
    assert brain("remember", "kafka", "--format", "shout").split("\n")[0] in (
        "KAFKA",
        "KAFKA AGAIN",
    )
    assert brain("remember", "author:mara kafka", "--format", "paths").endswith("/kafka.md\n")
    brain("import", "lines", str(memories))
    assert (
        brain("remember", "redis sessions", "--format", "shout")
        == "REDIS KEEPS THE SESSIONS.\n"
    )
    listed = vault.brain.process("help", "all", env={"PYTHONPATH": str(packages)})
    assert "Print the path of a note in capitals." in listed.out


@pytest.mark.exhaustive
def test_a_package_adds_to_every_table(vault: Vault, packages: Path) -> None:
    check(vault, packages)


def test_a_package_adds_a_setting_and_an_option(vault: Vault, packages: Path) -> None:
    (packages / "brain_shout.py").write_text(LOUD)
    vault.note("kafka.md", "# Kafka\n")
    vault.brain.config.parent.mkdir(parents=True)
    vault.brain.config.write_text("loudness = 3\n")

    def brain(*arguments: str) -> str:
        done = vault.brain.process(
            *arguments, "--vault", str(vault.folder), env={"PYTHONPATH": str(packages)}
        )
        assert done.code == 0, done.err
        return done.out

    assert brain("shout", "kafka.md") == "3 None\n"
    assert brain("shout", "kafka.md", "--loudness", "4") == "4 4\n"
    assert brain("config", "get", "loudness") == "3\n"
    assert brain("remember", "kafka", "--format", "paths").endswith("/kafka.md\n")
    assert "--loudness" in brain("show", "--help")
    assert vault.brain.process("config").code == 2, "without the package its setting is unknown"


def test_the_example_has_at_most_forty_lines() -> None:
    assert sum(text.count("\n") for text in FILES.values()) <= 40


@pytest.mark.exhaustive
def test_a_plugin_that_cannot_be_imported_adds_nothing_and_is_named(
    vault: Vault, packages: Path
) -> None:
    (packages / "brain_shout.py").write_text("import nothing_of_this_name\n")
    helped = vault.brain.process("--help", env={"PYTHONPATH": str(packages)})
    assert helped.code == 0
    assert helped.err == "brain: The plugin shout cannot be loaded: ModuleNotFoundError.\n"


@pytest.mark.exhaustive
def test_the_example_is_installed_by_pip(vault: Vault, tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "installed"
    source.mkdir()
    for name, text in FILES.items():
        (source / name).write_text(text)
    quietly = ["-q", "--no-deps", "--no-build-isolation", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "pip", "install", *quietly, str(source)], check=True)
    check(vault, target)
