"""Change the formulas in one place at a time, and see whether a test notices.

`python tools/torture/mutations.py [WORD …]`

Each mutant has one comparison, operator, number, text or branch exchanged. It stands in for its
module in a process of its own, which runs the tests; a mutant that they do not notice is printed.
With words, only files whose path contains one are mutated.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import os
import sys
from collections.abc import Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
FORMULA_TESTS = [
    f"tests/ranking/{name}.py"
    for name in (
        "test_score_cases",
        "test_scorer_settings",
        "test_score_ledger",
        "test_scorer_contract",
    )
]
# By place, the tests that have to notice a change there; `*` stands for the name of the file.
TARGETS = {
    "brain_cli/ranking/scorers": [
        FORMULA_TESTS[0],
        "tests/ranking/test_*_formula.py",
        *FORMULA_TESTS[1:],
    ],
    "brain_cli/ranking/__init__.py": ["tests/answer/test_strategy.py"],
    "brain_cli/files.py": ["tests/vault/test_regular_file.py"],
    "brain_cli/types.py": FORMULA_TESTS,
    "brain_cli/history/usage.py": [
        "tests/history/test_strength.py",
        "tests/history/test_usage.py",
        "tests/ranking/test_brain_formula.py",
    ],
}
SECONDS = 900
OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
FUNCTIONS = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "plus": "times",
    "times": "plus",
}


def main(words: list[str]) -> int:
    survived = total = 0
    for place, wanted in TARGETS.items():
        path = ROOT / place
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            name = file.relative_to(ROOT).as_posix()
            if words and not any(word in name for word in words):
                continue
            tests = [
                test
                for each in wanted
                if (ROOT / (test := each.replace("*", file.stem))).exists()
            ]
            assert not is_noticed(name, file.read_text(), tests), (
                "the tests fail without a change"
            )
            made = list(mutants(file.read_text()))
            for line, what, mutant in made:
                total += 1
                if not is_noticed(name, mutant, tests):
                    survived += 1
                    print(f"{name}:{line}: {what} is not noticed", flush=True)
            print(f"{name}: {len(made)} mutants", flush=True)
    print(
        f"{total - survived} of {total} mutants were noticed: {100 * (total - survived) / max(1, total):.1f} %"
    )
    return 1 if survived else 0


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield each mutant of a module: the line, what was changed, and the whole text."""
    tree = ast.parse(source)
    for number, node in enumerate(_mutable(tree)):
        mutated = copy.deepcopy(tree)
        place = next(each for at, each in enumerate(_mutable(mutated)) if at == number)
        before = ast.unparse(place)
        _change(place)
        yield (
            getattr(node, "lineno", 0),
            f"{before} → {ast.unparse(place)}",
            ast.unparse(mutated),
        )


def _mutable(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run; annotations, decorators, docstrings and imports for types do not."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_beside_the_point(child):
                if _can_change(child):
                    yield child
                yield from _mutable(child)


def _is_beside_the_point(node: ast.AST) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_typing = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    return is_text or is_typing or isinstance(node, ast.Import | ast.ImportFrom)


def _can_change(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return type(node.ops[0]) in OPERATORS
    if isinstance(node, ast.BinOp | ast.BoolOp):
        return type(node.op) in OPERATORS
    if isinstance(node, ast.Constant):
        # A text with spaces is a message for people.
        return isinstance(node.value, int | float) or (
            isinstance(node.value, str) and " " not in node.value
        )
    if isinstance(node, ast.Call):
        return _called(node) in FUNCTIONS
    is_negation = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub)
    return is_negation or isinstance(node, ast.IfExp | ast.If)


def _called(node: ast.Call) -> str:
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def _change(node: ast.AST) -> None:
    if isinstance(node, ast.Compare):
        node.ops[0] = OPERATORS[type(node.ops[0])]()  # type: ignore[call-overload]
    elif isinstance(node, ast.BinOp | ast.BoolOp):
        node.op = OPERATORS[type(node.op)]()  # type: ignore[assignment]
    elif isinstance(node, ast.Constant):
        node.value = _other(node.value)
    elif isinstance(node, ast.Call):
        name = "id" if isinstance(node.func, ast.Name) else "attr"
        setattr(node.func, name, FUNCTIONS[_called(node)])
    elif isinstance(node, ast.IfExp):
        node.body, node.orelse = node.orelse, node.body
    elif isinstance(node, ast.If):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
        if isinstance(node.op, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value}x"
    return value + 1 if isinstance(value, int) else value * 1.1 + 0.001


class MutantFinder(MetaPathFinder, Loader):
    """Import one module from a text instead of its file."""

    def __init__(self, name: str, source: str) -> None:
        self._file = str(ROOT / name)
        self._name = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self._source = source

    def find_spec(
        self, fullname: str, _path: object, _target: object = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        folder = [os.path.dirname(self._file)] if self._file.endswith("__init__.py") else None
        return spec_from_file_location(
            fullname, self._file, loader=self, submodule_search_locations=folder
        )

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._source, self._file, "exec"), module.__dict__)


def is_noticed(name: str, source: str, tests: list[str]) -> bool:
    """Run tests in a copy of this process, which has pytest in memory; return whether one fails or
    hangs.
    """
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            os._exit(_run(MutantFinder(name, source), tests))
        os._exit(1)
    _, status = os.waitpid(child, 0)
    return status != 0


def _run(finder: MutantFinder, tests: list[str]) -> int:
    import signal

    import pytest

    signal.alarm(SECONDS)
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    sys.meta_path.insert(0, finder)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    options = [
        "-x",
        "-q",
        "-n0",
        "-p",
        "no:cacheprovider",
        "--hypothesis-seed=1",
        "-o",
        "addopts=",
    ]
    # One after the other: most mutants are noticed by the first of them.
    return next((code for test in tests if (code := int(pytest.main([*options, test])))), 0)


if __name__ == "__main__":
    import hypothesis  # noqa: F401 - in memory before the forks
    import pytest  # noqa: F401

    sys.exit(main(sys.argv[1:]))
