"""Compare brain with other programs that find notes: what a question, an index and a check for
changes cost, on one vault in one run, and how often each has the right note first.

    python tools/other_programs.py VAULT QUESTIONS [--rounds N] [--qmd COMMAND] [--brain PROGRAM]

QUESTIONS has one JSON object a line, with a `query` and its `answers` (each with a `path`); those
without an answer are left out. Programs that are not installed are left out, too. Each command is
a process of its own; the figures are medians of processor time in milliseconds. The programs take
turns, so that a busy moment meets all of them. Prints JSON as docs/measured/ keeps it.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import platform
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

# The least that can answer: a full-text table, and a look at the files for what has changed.
FTS5 = """
import os, re, sqlite3, sys
vault, database, *question = sys.argv[1:]
table = sqlite3.connect(database)
table.execute("CREATE VIRTUAL TABLE IF NOT EXISTS notes USING fts5(path UNINDEXED, text, tokenize='porter unicode61')")
table.execute("CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, time REAL)")
known = dict(table.execute("SELECT path, time FROM files"))
with table:
    for folder, folders, names in os.walk(vault):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".md") and known.get(path) != (modified := os.stat(path).st_mtime):
                if path in known:
                    table.execute("DELETE FROM notes WHERE path = ?", (path,))
                text = open(path, encoding="utf-8", errors="replace").read()
                table.execute("INSERT INTO notes VALUES (?, ?)", (path, text))
                table.execute("REPLACE INTO files VALUES (?, ?)", (path, modified))
words = " OR ".join(f'"{word}"' for word in re.findall(r"\\w+", " ".join(question)))
if words:
    for row in table.execute("SELECT path FROM notes WHERE notes MATCH ? ORDER BY bm25(notes) LIMIT 10", (words,)):
        print(*row)
"""


class Program(NamedTuple):
    """A program: how it indexes a vault, how it looks for changes, and how it answers one question
    with one path a line.
    """

    name: str
    index: list[str]
    update: list[str]
    ask: Callable[[str], list[str]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("vault", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--brain", default="brain")
    parser.add_argument("--qmd", default="qmd", help="how qmd is started, such as “node …/qmd”")
    given = parser.parse_args()
    vault = given.vault.resolve()
    lines = given.questions.read_text(encoding="utf-8").splitlines()
    questions = [each for each in map(json.loads, lines) if each["answers"]]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        programs = list(_programs(vault, home, given.brain, given.qmd))
        figures = _measured(programs, questions, home, vault, given.rounds)
    now = datetime.datetime.now(datetime.UTC)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    document = {
        "date": f"{now:%Y-%m-%d}",
        "commit": commit.stdout.strip(),
        "machine": f"{platform.system()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": round(os.getloadavg()[0], 1),
        "command": "python tools/other_programs.py VAULT QUESTIONS",
        "figures": figures,
    }
    print(json.dumps(document, ensure_ascii=False, indent=1))


def _programs(vault: Path, home: Path, brain: str, qmd: str) -> Iterator[Program]:
    script = home / "fts5.py"
    script.write_text(FTS5, encoding="utf-8")
    fts5 = [sys.executable, str(script), str(vault), str(home / "fts5.sqlite")]
    yield Program("FTS5 in 20 lines of Python", fts5, fts5, lambda question: [*fts5, question])
    index = [brain, "index", "--vault", str(vault)]
    yield Program(
        f"brain {_version(brain, '--version')}",
        index,
        index,
        lambda question: [
            *(brain, "remember", "--vault", str(vault), "--no-touch", "--format", "paths"),
            *("-n", "10", "--", question),
        ],
    )
    if shutil.which("recollindex"):
        settings = home / "recoll"
        settings.mkdir()
        settings.joinpath("recoll.conf").write_text(f"topdirs = {vault}\n", encoding="utf-8")
        settings.joinpath("mimemap").write_text(".md = text/plain\n", encoding="utf-8")
        at = ["-c", str(settings)]
        yield Program(
            f"recoll {_version('recollq', '--version')}",
            ["recollindex", *at],
            ["recollindex", *at],
            lambda question: ["recollq", *at, "-o", "-n", "10", "-b", _words(question)],
        )
    command = shlex.split(qmd)
    if shutil.which(command[0]) and (version := _version(*command, "--version")):
        yield Program(
            f"qmd {version}, by words",
            [*command, "collection", "add", str(vault), "--name", "vault"],
            [*command, "update"],
            lambda question: [*command, "search", "-n", "10", "--files", question],
        )


def _words(question: str) -> str:
    """Return the words of a question without signs, which the query language would read."""
    return " ".join(re.findall(r"\w+", question))


def _version(*command: str) -> str:
    with contextlib.suppress(OSError):
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        if found := re.search(r"\d+\.\d+(?:\.\d+)?", said.stdout + said.stderr):
            return found[0]
    return ""


def _homes(home: Path) -> dict[str, str]:
    """Return variables that lead every program to empty folders."""
    names = {
        "XDG_CACHE_HOME": "cache",
        "XDG_CONFIG_HOME": "config",
        "XDG_DATA_HOME": "data",
        "XDG_STATE_HOME": "state",
    }
    return {"HOME": str(home), **{key: str(home / name) for key, name in names.items()}}


class Run(NamedTuple):
    """What one process took, and what it printed."""

    cpu_ms: float
    clock_ms: float
    out: str


def _run(command: list[str], home: Path) -> Run:
    environ = {**os.environ, **_homes(home), "BRAIN_DAEMON": "off", "BRAIN_MEANING": "off"}
    # As users have it: without compiled modules, every run would compile them.
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as out:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.DEVNULL,
        )
        _, _, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        out.seek(0)
        printed = out.read().decode("utf-8", "replace")
    cpu_seconds = usage.ru_utime + usage.ru_stime
    return Run(cpu_seconds * 1_000, seconds * 1_000, printed)


def _measured(
    programs: list[Program],
    questions: list[dict[str, Any]],
    home: Path,
    vault: Path,
    rounds: int,
) -> dict[str, Any]:
    full = {each.name: _run(each.index, home) for each in programs}
    again: dict[str, list[Run]] = {each.name: [] for each in programs}
    asked: dict[str, list[Run]] = {each.name: [] for each in programs}
    python: list[Run] = []
    for question in questions[:rounds]:
        python.append(_run([sys.executable, "-c", "pass"], home))
        for each in programs:
            again[each.name].append(_run(each.update, home))
            asked[each.name].append(_run(each.ask(question["query"]), home))
    first = {each.name: _first(each, questions, home, vault) for each in programs}
    return {
        "notes": sum(1 for _ in vault.rglob("*.md")),
        "questions": len(questions),
        "python_ms": _median(python),
        "programs": [
            {
                "name": each.name,
                "ask_ms": _median(asked[each.name]),
                "unchanged_ms": _median(again[each.name]),
                "index_ms": round(full[each.name].cpu_ms, 1),
                "index_clock_ms": round(full[each.name].clock_ms, 1),
                "right_first": first[each.name],
            }
            for each in programs
        ],
    }


def _median(runs: list[Run]) -> float:
    return round(statistics.median(run.cpu_ms for run in runs), 1)


def _first(program: Program, questions: list[dict[str, Any]], home: Path, vault: Path) -> float:
    """Return the share of the questions for which the first note that is printed answers."""
    right = 0
    for question in questions:
        printed = _run(program.ask(question["query"]), home).out.splitlines()
        wanted = {answer["path"] for answer in question["answers"]}
        found = next((path for line in printed if (path := _path(line, vault))), "")
        right += _same(found) in set(map(_same, wanted))
    return round(right / len(questions), 3)


def _path(line: str, vault: Path) -> str:
    """Return the note of a line that a program printed; empty if it names none."""
    text = line.split(",qmd://vault/")[-1].split(",")[0] if "qmd://" in line else line
    text = text.removeprefix("file://").removeprefix(f"{vault}/").removeprefix("qmd://vault/")
    return text if text.endswith(".md") else ""


def _same(path: str) -> str:
    """Return a path without what qmd changes in it: capitals and signs."""
    return re.sub(r"[\W_]+", "-", path.casefold())


if __name__ == "__main__":
    main()
