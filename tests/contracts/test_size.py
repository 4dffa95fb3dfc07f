"""The product stays small: lines per package, files, and modules that a plain recall imports (`size.toml`)."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Vault

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "brain_cli"
BARS = tomllib.loads(Path(__file__).with_name("size.toml").read_text(encoding="utf-8"))
FILES = sorted(PACKAGE.rglob("*.py"))
OUR_MODULES = """
import atexit, sys
atexit.register(lambda: print(*sorted(m for m in sys.modules if m.startswith("brain_cli.")), file=sys.stderr))
from brain_cli.__main__ import main
main()
"""


def test_no_package_has_more_lines_than_its_bar() -> None:
    lines: Counter[str] = Counter()
    for file in FILES:
        parts = file.relative_to(PACKAGE).parts
        depth = 2 if parts[0] == "plugins" else 1
        package = "/".join(parts[:-1][:depth]) or "top level"
        lines[package] += file.read_text(encoding="utf-8").count("\n")
    over = {name: count for name, count in lines.items() if count > BARS["lines"].get(name, 0)}
    assert not over, "give a new package a row in size.toml; raising a number is a decision with a note"
    assert sum(lines.values()) <= BARS["all"]["lines"]


def test_the_product_has_no_more_files_than_its_bar() -> None:
    assert len(FILES) <= BARS["all"]["files"]


def test_no_two_classes_have_the_same_name() -> None:
    """One name, one thing: a reader who meets the name knows which class is meant."""
    files: dict[str, list[str]] = {}
    for file in FILES:
        for name in re.findall(r"^ *class (\w+)[(:]", file.read_text(encoding="utf-8"), re.MULTILINE):
            files.setdefault(name, []).append(str(file.relative_to(PACKAGE)))
    assert not {name: found for name, found in files.items() if len(found) > 1}


def test_a_plain_recall_imports_few_of_our_modules(sample: Vault) -> None:
    sample.brain("index", "--vault", sample.folder)
    done = subprocess.run(
        [sys.executable, "-c", OUR_MODULES, "remember", "why did we leave REST"],
        capture_output=True,
        text=True,
        env=sample.brain.environ(BRAIN_VAULT=str(sample.folder)),
        check=True,
    )
    assert done.stdout
    assert len(done.stderr.split()) <= BARS["recall"]["modules"]
