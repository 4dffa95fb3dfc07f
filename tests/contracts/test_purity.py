"""Search, ranking and formulas call nothing that reads a clock or a file, or writes to a terminal.

import-linter forbids the modules for this; these are the calls that need no import.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IMPURE_NAMES = {"open", "print", "input", "breakpoint", "exec", "eval", "__import__"}
IMPURE_METHODS = {"now", "today", "utcnow"}


def pure_modules() -> list[Path]:
    """Return the files of the modules that the contract of import-linter names."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    [names] = [each["source_modules"] for each in contracts if "no clock" in each["name"]]
    paths = [ROOT / name.replace(".", "/") for name in names]
    return [
        file
        for path in paths
        for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")])
    ]


def impure_calls(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in IMPURE_NAMES:
                yield called.id
            if (
                isinstance(called, ast.Attribute)
                and called.attr in IMPURE_METHODS
                and ast.unparse(called.value).startswith("date")
            ):
                yield called.attr


def test_all_of_search_ranking_and_the_choice_of_the_answer_are_pure_modules() -> None:
    names = {file.relative_to(ROOT / "brain_cli").as_posix() for file in pure_modules()}
    assert {
        "search/bm25.py",
        "ranking/top_k.py",
        "ranking/scorers/blend.py",
        "ranking/__init__.py",
    } <= names


@pytest.mark.parametrize(
    "file", pure_modules(), ids=lambda file: file.relative_to(ROOT / "brain_cli").as_posix()
)
def test_a_pure_module_calls_nothing_impure(file: Path) -> None:
    assert list(impure_calls(file.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    ["open(path)", "print(1)", "datetime.now(UTC)", "date.today()", "datetime.datetime.now()"],
)
def test_an_impure_call_is_recognized(source: str) -> None:
    assert list(impure_calls(source))
