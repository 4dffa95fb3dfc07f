"""What is measured: processes on one vault in a home of its own, one after the other."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from vaults import questions, write_vault

PYTHON = "python3 -c pass"
HELP = "brain --help"
RECALL = "recall: brain remember … --json"
UNCHANGED = "brain index, nothing changed"
CHANGED = "brain index, one note changed"
FTS5 = "SQLite FTS5, python3 and one query"
RIPGREP = "ripgrep, any of the words"
RECOLL = "recoll, any of the words"
# Its BM25 alone; the models of its other commands are not loaded.
QMD = "qmd search"

QUERY_FTS5 = """
import sqlite3, sys
words = " OR ".join(f'"{word}"' for word in sys.argv[2].split())
for row in sqlite3.connect(sys.argv[1]).execute(
    "SELECT path, bm25(notes) FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT 10", (words,)
):
    print(*row)
"""


class Run(NamedTuple):
    """One process: wall-clock and processor seconds, and the most memory it held (KiB)."""

    seconds: float
    cpu_seconds: float
    peak_kib: int


class Bench:
    """One vault in a home of its own, and the processes that are measured on it."""

    def __init__(self, root: Path, fragments: int) -> None:
        self.vault = root / "notes"
        self.notes = write_vault(self.vault, fragments)
        self.files = sorted(self.vault.rglob("*.md"))
        self._database = root / "fts5.sqlite"
        self.home = root
        self.questions = questions()
        self.brain = program()

    def environ(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("BRAIN_", "XDG_"))}
        return {**kept, "HOME": str(self.home), "BRAIN_VAULT": str(self.vault)}

    def run(self, *command: str) -> Run:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, env=self.environ(), cwd=self.home, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        # 1 is “nothing found”, for brain as for ripgrep.
        if process.returncode not in (0, 1):
            raise SystemExit(f"{command} ended with {process.returncode}")
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)

    def cases(self) -> dict[str, Callable[[], Run]]:
        """What is measured, by name, in the order of the table."""
        found = {
            PYTHON: lambda: self.run(sys.executable, "-c", "pass"),
            HELP: lambda: self.run(*self.brain, "--help"),
            RECALL: self.recall,
            UNCHANGED: lambda: self.run(*self.brain, "index"),
            CHANGED: self._changed,
            FTS5: lambda: self.run(sys.executable, "-c", QUERY_FTS5, str(self._database), next(self.questions)),
        }
        if shutil.which("rg"):
            found[RIPGREP] = lambda: self.run("rg", "-i", "-c", next(self.questions).replace(" ", "|"), str(self.vault))
        if shutil.which("recollindex") and shutil.which("recollq"):
            found[RECOLL] = self._recoll()
        if shutil.which("qmd"):
            self.run("qmd", "collection", "add", str(self.vault), "--name", "notes")
            found[QMD] = lambda: self.run("qmd", "search", next(self.questions))
        return found

    def _recoll(self) -> Callable[[], Run]:
        """Index the vault with recoll, and return a query of it."""
        folder = self.home / "recoll"
        folder.mkdir()
        (folder / "recoll.conf").write_text(
            f"topdirs = {self.vault}\nloglevel = 1\nidxloglevel = 1\n", encoding="utf-8"
        )
        self.run("recollindex", "-c", str(folder))
        return lambda: self.run("recollq", "-c", str(folder), "-o", "-n", "10", next(self.questions))

    def recall(self) -> Run:
        return self.run(*self.brain, "remember", next(self.questions), "--json")

    def _changed(self) -> Run:
        """Append a line to the next note, and let the index take it in."""
        file = self.files.pop(0)
        self.files.append(file)
        with file.open("a", encoding="utf-8") as note:
            note.write("\nOne more line about the queue and what became of it.\n")
        return self.run(*self.brain, "index")

    def full(self) -> Run:
        return self.run(*self.brain, "index", "--full")

    def fragments(self) -> int:
        told = subprocess.run(
            [*self.brain, "index", "--json"], env=self.environ(), cwd=self.home, capture_output=True, check=True
        )
        return int(json.loads(told.stdout)["fragments"])

    def build_fts5(self) -> float:
        """Put the same notes into SQLite; return the processor seconds it took."""
        started = time.process_time()
        with sqlite3.connect(self._database) as database:
            database.execute("CREATE VIRTUAL TABLE notes USING fts5(path, text, tokenize='porter unicode61')")
            rows = ((str(file), section) for file in self.files for section in file.read_text().split("\n#"))
            database.executemany("INSERT INTO notes VALUES (?, ?)", rows)
        database.close()
        return time.process_time() - started


def program() -> list[str]:
    """Return `brain` as it is installed beside this Python."""
    installed = Path(sys.executable).with_name("brain")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "brain_cli"]
