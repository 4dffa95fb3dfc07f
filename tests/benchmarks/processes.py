"""What is measured: processes on one vault in a home of its own, one after the other."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from found_vault import write_found_vault
from vaults import SEED, questions, write_vault

from brain_cli.vault.walk import walk

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
RECOLL_INDEX = "recollindex, the first run"
QMD_INDEX = "qmd collection add"

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
    """One vault in a home of its own, and the processes that are measured on it.

    `size` is a number of fragments (10k), or of notes of a vault as they are found (found:6500), or names a folder of
    notes, of which a copy is measured.
    """

    def __init__(self, root: Path, size: str) -> None:
        self.vault = root / "notes"
        self.home = root
        self._database = root / "fts5.sqlite"
        self.brain = program()
        self.questions = self._write(size)
        self.files = [self.vault / file.path for file in walk(str(self.vault), print)]
        self.notes = len(self.files)
        # By name, the runs in which other programs read the vault for the first time.
        self.indexing: dict[str, Run] = {}

    def _write(self, size: str) -> Iterator[str]:
        """Write the vault, and return questions for it."""
        if os.path.isdir(size):
            shutil.copytree(size, self.vault, symlinks=True)
            return questions_of(self.vault)
        name, colon, count = size.rpartition(":")
        number = int(count[:-1]) * 1000 if count.endswith("k") else int(count)
        if colon and name == "found":
            write_found_vault(self.vault, number)
        else:
            write_vault(self.vault, number)
        return questions()

    def environ(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("BRAIN_", "XDG_"))}
        return {**kept, "HOME": str(self.home), "BRAIN_VAULT": str(self.vault)}

    def run(self, *command: str) -> Run:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            env=self.environ(),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
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
            self.indexing[QMD_INDEX] = self.run("qmd", "collection", "add", str(self.vault), "--name", "notes")
            found[QMD] = lambda: self.run("qmd", "search", next(self.questions))
        return found

    def _recoll(self) -> Callable[[], Run]:
        """Index the vault with recoll, and return a query of it."""
        folder = self.home / "recoll"
        folder.mkdir()
        (folder / "recoll.conf").write_text(
            f"topdirs = {self.vault}\nloglevel = 1\nidxloglevel = 1\n", encoding="utf-8"
        )
        self.indexing[RECOLL_INDEX] = self.run("recollindex", "-c", str(folder))
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
            texts = ((str(file), file.read_text("utf-8", "replace")) for file in self.files)
            rows = ((path, section) for path, text in texts for section in text.split("\n#"))
            database.executemany("INSERT INTO notes VALUES (?, ?)", rows)
        database.close()
        return time.process_time() - started


def questions_of(vault: Path) -> Iterator[str]:
    """Yield questions without end for any vault: three words of a line that no other note has."""
    chance = random.Random(SEED)
    texts = [file.read_text("utf-8", "replace").splitlines() for file in sorted(vault.rglob("*.md"))]
    counted = Counter(line for text in texts for line in set(text))
    while True:
        line = chance.choice(chance.choice(texts) or [""])
        words = re.findall(r"[a-z]{4,}", line.casefold())
        if counted[line] == 1 and "http" not in line and len(words) >= 3:
            yield " ".join(chance.sample(words, 3))


def program() -> list[str]:
    """Return `brain` as it is installed beside this Python."""
    installed = Path(sys.executable).with_name("brain")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "brain_cli"]
