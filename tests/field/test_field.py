"""What people really type, write and run, asked through the command line, cold and warm.

Each table beside this file has the right values for one subject. Its columns are separated by tabs,
a line that begins with # is a comment:

    kind    how    input    right

kind   names the kind of input; inputs of a kind fail together. The kind `note` is a note of the vault
       instead: its path, then its text, in which `\\n` is a line break. A folder with the name of the
       table is copied into the vault, too.
how    the words between `brain` and the input, `-` for none. Assignments before them, such as
       `TZ=Asia/Kolkata`, set the environment; the first word `terminal` runs it on a terminal.
input  as typed into a shell, quotes included.
right  conditions separated by `; `. Of the JSON document: `first PATH`, `only PATH…` (no other
       result, in any order), `has PATH…`, `lacks PATH…`, `nothing`, `claim NAME…` (one of them).
       Of the command as typed: `code N`, `says TEXT` and `silent TEXT` (in what it prints, with
       stderr), `prints TEXT` (on stdout), `prints nothing`.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from terminal import run_on_a_terminal
from watching import Watched, watching

from brain_cli.daemon.client import answer_of

if TYPE_CHECKING:
    from conftest import Vault

TABLES = sorted(Path(__file__).parent.glob("*.tsv"))


class Row(NamedTuple):
    """One line of a table."""

    kind: str
    how: str
    typed: str
    right: str


class Result(NamedTuple):
    """The exit code of a command and what it printed."""

    code: int
    out: str
    err: str


@pytest.mark.parametrize("table", TABLES, ids=[table.stem for table in TABLES])
@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
def test_every_input_has_its_right_answer(vault: Vault, table: Path, *, warm: bool) -> None:
    rows = _rows(table)
    _write_notes(vault, table, rows)
    with _brain(vault, warm=warm) as brain:
        wrong = [
            f"{row.kind}: brain {row.how} {row.typed}: not {condition}, but {seen}"
            for row in rows
            if row.kind != "note"
            for condition, seen in _unmet(brain, row)
        ]
    assert not wrong, "\n".join(wrong)


def _rows(table: Path) -> list[Row]:
    lines = table.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [Row(*[*row, "", ""][:4]) for row in rows]


def _write_notes(vault: Vault, table: Path, rows: list[Row]) -> None:
    if (folder := table.with_suffix("")).is_dir():
        shutil.copytree(folder, vault.folder, dirs_exist_ok=True)
    for row in rows:
        if row.kind == "note":
            vault.note(row.how, row.typed.replace("\\n", "\n") + "\n")


@contextlib.contextmanager
def _brain(vault: Vault, *, warm: bool) -> Iterator[Asked]:
    if not warm:
        yield Asked(vault)
        return
    with watching(vault) as watched:
        yield Asked(vault, watched)


class Asked:
    """`brain` on a vault, with the daemon of the vault if it has one."""

    def __init__(self, vault: Vault, watched: Watched | None = None) -> None:
        self._vault = vault
        self._watched = watched

    def __call__(self, how: str, typed: str, *options: str) -> Result:
        words = [word for word in how.split() if word != "-"]
        terminal = words[:1] == ["terminal"]
        environ = {"BRAIN_VAULT": str(self._vault.folder)}
        words = words[terminal:]
        while words and "=" in words[0] and not words[0].startswith("-"):
            name, _, value = words.pop(0).partition("=")
            environ[name] = value
        arguments = [*options, *words, *shlex.split(typed)]
        if self._watched:
            environ |= self._watched.env
        if terminal:
            code, out = run_on_a_terminal(self._vault, arguments, environ)
            return Result(code, out, "")
        if self._watched and (answer := self._warm(arguments, environ)):
            return answer
        shown = self._vault.brain(*arguments, cwd=self._vault.folder, env=environ)
        return Result(shown.code, shown.out, shown.err)

    def _warm(self, arguments: list[str], environ: dict[str, str]) -> Result | None:
        """Return the answer of the daemon; None if it does not run such a command."""
        with self._vault.brain.surroundings(self._vault.folder, environ):
            sent = self._vault.brain.environ(**environ)
            answer = answer_of(arguments, str(self._vault.folder), sent)
        return answer and Result(answer[0], answer[1].decode(), answer[2])


# The conditions on the JSON document, each with what it compares and how.
JSON_CONDITIONS = ("first", "only", "has", "lacks", "nothing", "claim")


def _unmet(brain: Asked, row: Row) -> Iterator[tuple[str, object]]:
    """Yield the conditions of a row that do not hold, each with what was seen instead."""
    conditions = [condition.partition(" ") for condition in row.right.split("; ")]
    assert all(name for name, _, _ in conditions), f"no right value: {row}"
    if any(name in JSON_CONDITIONS for name, _, _ in conditions):
        result = brain(row.how, row.typed, "--json")
        document = json.loads(result.out or "{}")
        for name, _, value in conditions:
            if name in JSON_CONDITIONS and not _holds_of_json(name, value.split(), document):
                yield f"{name} {value}", _seen(document) or result
    if any(name not in JSON_CONDITIONS for name, _, _ in conditions):
        result = brain(row.how, row.typed)
        for name, _, value in conditions:
            if name not in JSON_CONDITIONS and not _holds(name, value, result):
                yield f"{name} {value}", result


def _holds_of_json(name: str, values: list[str], document: dict[str, Any]) -> bool:
    if not document:
        return False
    paths = [result["path"] for result in document["results"]]
    match name:
        case "first":
            return paths[:1] == values
        case "only":
            return sorted(paths) == sorted(values)
        case "has":
            return set(values) <= set(paths)
        case "lacks":
            return set(values).isdisjoint(paths)
        case "claim":
            return document["claim"] in values
    return not paths


def _seen(document: dict[str, Any]) -> object:
    return document and (document["claim"], [each["path"] for each in document["results"]])


def _holds(name: str, value: str, result: Result) -> bool:
    match name:
        case "code":
            return result.code == int(value)
        case "says":
            return value in result.out + result.err
        case "silent":
            return value not in result.out + result.err
        case "prints":
            return not result.out if value == "nothing" else value in result.out
    raise ValueError(f"There is no condition “{name}”.")
