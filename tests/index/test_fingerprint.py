"""The fingerprint of an index covers every source that decides what is indexed."""

from __future__ import annotations

import ast
from pathlib import Path

import brain_cli
from brain_cli.index.damage import SOURCES

PACKAGE = Path(brain_cli.__file__).parent
# A note is read by the one, its words are weighed by the other, for every engine.
FIRST = {"index/note_reader.py", "index/field_weights.py"}
# What a reader of notes imports and what decides nothing about their content: where files are and
# how they are opened and written, the shape of an engine, errors and the version.
OTHERS = {
    "errors.py",
    "extension.py",
    "files.py",
    "index/__init__.py",
    "index/damage.py",
    "index/sync_plan.py",
    "paths.py",
    "record.py",
    "vault/atomic_write.py",
    "vault/walk.py",
    "version.py",
}


def imported(module: str) -> set[str]:
    """Return our own modules that one imports, also within functions."""
    tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
    names = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for name in (node.module, *(f"{node.module}.{each.name}" for each in node.names))
    }
    paths = (name.removeprefix("brain_cli.").replace(".", "/") for name in names)
    files = {file for path in paths for file in (f"{path}.py", f"{path}/__init__.py")}
    return {file for file in files if (PACKAGE / file).is_file()}


def test_every_source_that_decides_what_is_indexed_is_in_the_fingerprint() -> None:
    found: set[str] = set()
    open_modules = set(FIRST)
    while open_modules:
        module = open_modules.pop()
        found.add(module)
        open_modules |= imported(module) - OTHERS - found
    assert found == set(SOURCES)
