"""Measure the package: tokens by room, density, and whether imports keep to the floors.

    python tools/house.py [CHECKOUT]

tokens         of Python without comments and docstrings; lines can be folded, tokens cannot
density        tokens for each line that has code
wide           lines of more than 100 columns
circles        groups of files that import each other, also inside functions, but not for types
up             imports from a lower floor of `FLOORS` to a higher one, counted likewise
local imports  import statements of ours inside functions
borrowed       imports of a module with an underscore from another package
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

PACKAGE = "brain_cli"
MAX_COLUMNS = 100
FLOORS = (
    {
        "types",
        "record",
        "errors",
        "paths",
        "printable",
        "files",
        "pager",
        "version",
        "option_table",
        "process",
        "streams",
    }
    | {"extension"},
    {"config", "vault"},
    {"history"},
    {"index"},
    {"search"},
    {"ranking"},
    {"answer"},
    {"render", "daemon"},
    {"library"},
    {"cli"},
    {"plugins", "__main__", "__init__"},
)
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
BEFORE_A_DOCSTRING = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}


class Import(NamedTuple):
    """One import of a module of ours: `inside` a function, or `for_types` alone."""

    source: str
    target: str
    inside: bool
    for_types: bool


class House(NamedTuple):
    """The figures of one checkout; `rooms` has the tokens of each folder, a plugin is one."""

    rooms: Mapping[str, int]
    code_lines: int
    wide: int
    imports: tuple[Import, ...]
    modules: frozenset[str]

    @property
    def tokens(self) -> int:
        return sum(self.rooms.values())

    @property
    def core_tokens(self) -> int:
        return sum(
            count for room, count in self.rooms.items() if not room.startswith("plugins")
        )

    @property
    def density(self) -> float:
        return self.tokens / self.code_lines

    @property
    def local_imports(self) -> int:
        return sum(each.inside for each in self.imports)

    @property
    def up(self) -> set[str]:
        return {
            f"{each.source} -> {each.target}"
            for each in self._used()
            if _floor(each.target) > _floor(each.source)
        }

    @property
    def borrowed(self) -> set[str]:
        return {
            f"{each.source} -> {each.target}"
            for each in self._used()
            if _is_private(each.target) and _room(each.source) != _room(each.target)
        }

    @property
    def circles(self) -> list[set[str]]:
        graph: dict[str, set[str]] = {module: set() for module in self.modules}
        for each in self._used():
            graph[each.source].add(each.target)
        reached = {module: _reached(graph, module) for module in graph}
        groups: list[set[str]] = []
        for module in sorted(graph):
            group = {other for other in reached[module] if module in reached[other]}
            if len(group) > 1 and group not in groups:
                groups.append(group)
        return groups

    def _used(self) -> Iterator[Import]:
        """Yield the imports that run, but not those of the package itself."""
        for each in self.imports:
            if not each.for_types and each.target not in (each.source, PACKAGE):
                yield each


def measure(checkout: Path) -> House:
    """Measure the package in a checkout."""
    files = {_module(file, checkout): file for file in (checkout / PACKAGE).rglob("*.py")}
    rooms: dict[str, int] = defaultdict(int)
    code_lines = 0
    wide = 0
    imports: list[Import] = []
    for module, file in sorted(files.items()):
        text = file.read_text(encoding="utf-8")
        tokens, lines = _counted(text)
        rooms[_room(module)] += tokens
        code_lines += lines
        wide += sum(len(line) > MAX_COLUMNS for line in text.splitlines())
        imports += _imports(ast.parse(text), module, files)
    return House(
        rooms=dict(rooms),
        code_lines=code_lines,
        wide=wide,
        imports=tuple(imports),
        modules=frozenset(files),
    )


def _counted(text: str) -> tuple[int, int]:
    """Return the tokens of a file, and how many lines have one."""
    count = 0
    lines: set[int] = set()
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.NL):
            continue
        is_docstring = token.type == tokenize.STRING and before in BEFORE_A_DOCSTRING
        before = token.type
        if token.type not in NO_CODE and not is_docstring:
            count += 1
            lines.update(range(token.start[0], token.end[0] + 1))
    return count, len(lines)


def _imports(tree: ast.AST, module: str, known: Mapping[str, Path]) -> Iterator[Import]:
    yield from _below(tree, module, known, inside=False, for_types=False)


def _below(
    node: ast.AST, module: str, known: Mapping[str, Path], *, inside: bool, for_types: bool
) -> Iterator[Import]:
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    deep = inside or is_function
    for child in ast.iter_child_nodes(node):
        typed = for_types or (_is_type_checking(node) and child in getattr(node, "body", ()))
        for target in _targets(child, known):
            yield Import(source=module, target=target, inside=deep, for_types=typed)
        yield from _below(child, module, known, inside=deep, for_types=typed)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _targets(node: ast.AST, known: Mapping[str, Path]) -> Iterator[str]:
    """Yield the modules of ours that a statement imports."""
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names if each.name in known)
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for each in node.names:
            full = f"{node.module}.{each.name}"
            if full in known:
                yield full
            elif node.module in known:
                yield node.module


def _module(file: Path, checkout: Path) -> str:
    name = ".".join(file.relative_to(checkout).with_suffix("").parts)
    return name.removesuffix(".__init__")


def _room(module: str) -> str:
    """Return the folder of a module; a plugin is a room of its own."""
    parts = module.split(".")[1:]
    if len(parts) > 1 and parts[0] == "plugins":
        return "/".join(parts[:2])
    is_folder = parts and parts[0] in set().union(*FLOORS[1:])
    return parts[0] if is_folder and parts[0] != "__main__" else "ground"


def _floor(module: str) -> int:
    parts = module.split(".")
    room = parts[1] if len(parts) > 1 else "__init__"
    return next((number for number, rooms in enumerate(FLOORS) if room in rooms), 0)


def _is_private(module: str) -> bool:
    name = module.rpartition(".")[2]
    return name.startswith("_") and not name.startswith("__")


def _reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for other in graph[waiting.pop()]:
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def main() -> None:
    """Print the figures of a checkout."""
    house = measure(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print(f"{house.tokens:,} tokens (core {house.core_tokens:,}), density {house.density:.2f}")
    print(f"{house.wide} wide lines, {house.local_imports} local imports")
    for name in ("circles", "up", "borrowed"):
        found = getattr(house, name)
        print(f"{len(found)} {name}")
        for each in sorted(map(str, found)):
            print(f"    {each}")
    for room, count in sorted(house.rooms.items(), key=lambda item: -item[1]):
        print(f"{count:9,} {room}")


if __name__ == "__main__":
    main()
