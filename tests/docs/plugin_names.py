"""The names of the core that plugins use, for the page of plugins: cog calls `rooms`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "brain_cli"
PLUGINS = "brain_cli.plugins"


def rooms() -> str:
    """Return a table: each module of the core, and the names in it that the bundled plugins use."""
    used: dict[str, set[str]] = defaultdict(set)
    for file in (PACKAGE / "plugins").rglob("*.py"):
        for module, name in _imported(ast.parse(file.read_text(encoding="utf-8"))):
            used[module].add(name)
    rows = ["| module | names |", "| --- | --- |"]
    for module, names in sorted(used.items()):
        listed = ", ".join(f"`{name}`" for name in sorted(names))
        rows.append(f"| [{_short(module)}](../{_file(module)}) | {listed} |")
    return "\n".join(rows)


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the modules of the core that a file imports, with each name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        if node.module.startswith("brain_cli") and not node.module.startswith(PLUGINS):
            for each in node.names:
                submodule = f"{node.module}.{each.name}"
                is_module = _path(submodule) is not None
                yield (submodule, "the module") if is_module else (node.module, each.name)


def _path(module: str) -> Path | None:
    path = PACKAGE.parent / module.replace(".", "/")
    found = (path.with_suffix(".py"), path / "__init__.py")
    return next((each for each in found if each.is_file()), None)


def _file(module: str) -> str:
    path = _path(module)
    assert path, module
    return path.relative_to(PACKAGE.parent).as_posix()


def _short(module: str) -> str:
    return module.removeprefix("brain_cli.").replace(".", "/").replace("_", "\\_")


if __name__ == "__main__":
    print(rooms())
