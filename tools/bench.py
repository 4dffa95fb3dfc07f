"""`python tools/bench.py`: time whole processes on a vault, in turns, so that a busy moment meets
all of them.

The vault that it makes is the same one every time, of words as unevenly common as real ones.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import re
import select
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from brain_cli.cli.flags import JsonOption
from brain_cli.errors import OK, BrainError, UsageError
from brain_cli.plugins.evaluation.eval import as_evaluated, evaluated
from brain_cli.plugins.evaluation.measures import markdown, table
from brain_cli.streams import write, write_json
from brain_cli.vault.walk import walk

NOTES = 1_000
ROUNDS = 9
PYTHON = "python -c pass"
FULL = "brain index --full"
WARM = "brain remember, with the watcher"
WAIT_SECONDS = 60.0

# One process that asks a full-text table for any of the words, as a small program would.
ASK_FTS5 = """
import sqlite3, sys
words = " OR ".join(f'"{word}"' for word in sys.argv[2].split())
for row in sqlite3.connect(sys.argv[1]).execute(
    "SELECT path, bm25(notes) FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT 10", (words,)
):
    print(*row)
"""
SEED = 20261121
VOCABULARY = 12_000
FRAGMENTS_PER_NOTE = (6, 10)
SENTENCES_PER_FRAGMENT = (2, 5)
KINDS = ("decision", "learning", "insight", "experience", "observation", "note")
FOLDERS = ("decisions", "learnings", "journal", "projects", "people", "incidents")
# What everybody writes about comes first and most often; behind it a long tail of names that hardly
# anybody does.
COMMON_WORDS = """
queue order payment invoice driver carrier booking window deploy service topic partition index cache latency budget
customer contract price release retry timeout backup schema migration review meeting plan roadmap goal risk switch
table query lock worker cluster broker event message handler gateway token session cookie certificate key secret
alert dashboard metric trace log incident cause fix rollback feature flag test fixture branch commit merge pull
request response header payload field column row record report export import file folder path name address phone
mail letter office desk chair window kitchen coffee train station ticket hotel garden tree river mountain winter
summer morning evening week month quarter year budget salary team lead manager engineer designer analyst partner
"""
SYLLABLES = """
b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sk st t tr v w z
a e i o u ai ea ee io ou
n r l st nd ck m t x sk rn
"""
SENTENCES = """
The {} of the {} was slower than the {} we had before.
We moved the {} to another {} because the {} kept failing.
After the {} nobody looked at the {} for a {}.
Ask {} before you change the {}: the {} depends on it.
If the {} grows, the {} needs a second {} and a larger {}.
It took a {} to see that the {} and the {} were the same {}.
In the end a smaller {} did what the {} could not.
{} wants the {} by the end of the {}, with a {} for each {}.
There is no {} without a {}; that is what the {} taught us.
What we agreed on: one {} per {}, and the {} stays where it is.
""".strip().splitlines()
COMMON = COMMON_WORDS.split()
ONSETS, VOWELS, CODAS = (line.split() for line in SYLLABLES.strip().splitlines())


class Run(NamedTuple):
    """One process: seconds by the clock and of the processor, and the most memory it
    held, in KiB.
    """

    seconds: float
    cpu_seconds: float
    peak_kib: int


class Timed(NamedTuple):
    """Medians of one command in milliseconds, by the clock and of the processor, and how many times
    an empty Python.
    """

    clock_ms: float
    cpu_ms: float
    multiple: float


class Speed(NamedTuple):
    """The medians of one vault by name, and the most memory of a full build and of the watcher, in
    MiB.
    """

    notes: int
    commands: dict[str, Timed]
    full_peak_mib: float
    watcher_mib: float


def command(
    folder: Annotated[str | None, typer.Argument(metavar="[DIR]", hidden=True)] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="DIR",
            help="Also ask a judged set, as `brain eval` does; repeat it for more.",
        ),
    ] = None,
    notes: Annotated[
        int,
        typer.Option(
            "--notes",
            metavar="N",
            min=10,
            help="The size of the vault that is made without DIR.",
        ),
    ] = NOTES,
    rounds: Annotated[
        int, typer.Option("--rounds", metavar="N", min=1, help="How often each command is run.")
    ] = ROUNDS,
    json: JsonOption = False,
) -> int:
    """Time brain beside other programs, on a copy of DIR or on a vault made for it.

    Each command is a process of its own, in turns with the others. Figures are medians:
    milliseconds by the clock and of the processor, and multiples of `python -c pass` in the same
    run, which hold on other machines too. ripgrep and an FTS5 table of SQLite are asked the same
    questions. A judged set is asked as by `brain eval`.

    Examples:
      python tools/bench.py
      python tools/bench.py ~/notes --rounds 5
      python tools/bench.py --set questions --json > figures.json
    """
    if folder is not None and not os.path.isdir(folder):
        raise UsageError(f"There is no folder {folder}.", "Name a folder of notes, or none.")
    asked = {each: evaluated(each) for each in sets or ()}
    with tempfile.TemporaryDirectory(prefix="brain-bench-") as home:
        vault = Path(home, "notes")
        if folder is None:
            write_vault(vault, notes)
        else:
            shutil.copytree(folder, vault, symlinks=True, ignore_dangling_symlinks=True)
        found = speed(vault, Path(home), rounds)
    if json:
        commands = {name: each._asdict() for name, each in found.commands.items()}
        recall = [as_evaluated(name, each) for name, each in asked.items()]
        load = round(os.getloadavg()[0], 1)
        write_json(
            {"load": load, "speed": {**found._asdict(), "commands": commands}, "recall": recall}
        )
    else:
        tables = (
            f"{name}\n\n{table(each.summaries, each.floor)}" for name, each in asked.items()
        )
        write("\n".join([_table(found), *tables]))
    return OK


def _table(found: Speed) -> str:
    rows = [(f"{found.notes:,} notes", "ms", "ms CPU", f"× {PYTHON}")]
    for name, each in found.commands.items():
        rows.append(
            (name, f"{each.clock_ms:.0f}", f"{each.cpu_ms:.0f}", f"{each.multiple:.1f}")
        )
    rows.append(("most memory of a full build", f"{found.full_peak_mib:.0f} MiB", "", ""))
    rows.append(("memory of the watcher", f"{found.watcher_mib:.0f} MiB", "", ""))
    return markdown(rows)


def speed(vault: Path, home: Path, rounds: int) -> Speed:
    """Run every command `rounds` times. One note after the other gets a line more, so the vault is
    a copy.
    """
    bench = _Bench(vault, home)
    full = bench.run(*bench.brain, "index", "--full")
    cases = bench.cases()
    for case in cases.values():
        case()  # the first run reads the program from the disk
    runs: defaultdict[str, list[Run]] = defaultdict(list)
    for _ in range(rounds):
        for name, case in cases.items():
            runs[name].append(case())
    with bench.watcher() as watcher:
        bench.recall()
        runs[WARM] = [bench.recall() for _ in range(rounds)]
        watcher_mib = _memory_mib(watcher.pid)
    runs[FULL] = [full]
    clock = statistics.median(run.seconds for run in runs[PYTHON])
    cpu = statistics.median(run.cpu_seconds for run in runs[PYTHON])
    commands = {
        name: _timed(each, clock if name == WARM else None, cpu) for name, each in runs.items()
    }
    return Speed(len(bench.files), commands, full.peak_kib / 1024, watcher_mib)


def _timed(runs: Sequence[Run], empty_clock: float | None, empty_cpu: float) -> Timed:
    """Two processes work on a recall with the watcher, so the clock alone says what it takes
    (`empty_clock`).
    """
    clock = statistics.median(run.seconds for run in runs)
    cpu = statistics.median(run.cpu_seconds for run in runs)
    return Timed(
        clock * 1_000, cpu * 1_000, clock / empty_clock if empty_clock else cpu / empty_cpu
    )


class _Bench:
    """A vault, a home without settings, and the processes that are measured."""

    def __init__(self, vault: Path, home: Path) -> None:
        self.files = [vault / file.path for file in walk(str(vault), print)]
        self.brain = [sys.executable, "-m", "brain_cli"]
        self._vault, self._home = vault, home
        self._questions = _questions(self.files)
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("BRAIN_", "XDG_", "PYTHONDONTWRITEBYTECODE"))
        }
        self._environment = {**kept, "HOME": str(home), "BRAIN_VAULT": str(vault)}

    def run(self, *command: str) -> Run:
        """Run a command to its end; BrainError if it fails (1 is “nothing found”, for brain as for
        ripgrep).
        """
        started = time.perf_counter()
        null = subprocess.DEVNULL
        process = subprocess.Popen(
            command, env=self._environment, cwd=self._home, stdin=null, stdout=null, stderr=null
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise BrainError(
                f"{command[0]} ended with {process.returncode}.",
                f"Try it: {' '.join(command[:4])}",
            )
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)

    def recall(self, *options: str) -> Run:
        return self.run(*self.brain, "remember", next(self._questions), "--no-touch", *options)

    def cases(self) -> dict[str, Callable[[], Run]]:
        """Return what is measured, in the order of the table."""
        database = self._fts5()
        found = {
            PYTHON: lambda: self.run(sys.executable, "-c", "pass"),
            "brain --help": lambda: self.run(*self.brain, "--help"),
            "brain remember": self.recall,
            "brain remember --json": lambda: self.recall("--json"),
            "brain index, nothing changed": lambda: self.run(*self.brain, "index"),
            "brain index, one note changed": self._changed,
            "SQLite FTS5, any of the words": lambda: self.run(
                sys.executable, "-c", ASK_FTS5, database, next(self._questions)
            ),
        }
        if shutil.which("rg"):
            found["ripgrep, any of the words"] = lambda: self.run(
                "rg", "-i", "-c", next(self._questions).replace(" ", "|"), str(self._vault)
            )
        return found

    def _changed(self) -> Run:
        """Append a line to the next note, and let the index take it in."""
        self.files.append(self.files.pop(0))
        with self.files[-1].open("a", encoding="utf-8") as note:
            note.write("\nOne more line about the queue and what became of it.\n")
        return self.run(*self.brain, "index")

    def _fts5(self) -> str:
        """Put the sections of the same notes into SQLite."""
        path = self._home / "fts5.sqlite"
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.execute(
                "CREATE VIRTUAL TABLE notes USING fts5(path, text, tokenize='porter unicode61')"
            )
            texts = ((str(file), file.read_text("utf-8", "replace")) for file in self.files)
            rows = ((path, section) for path, text in texts for section in text.split("\n#"))
            database.executemany("INSERT INTO notes VALUES (?, ?)", rows)
        return str(path)

    @contextlib.contextmanager
    def watcher(self) -> Iterator[subprocess.Popen[bytes]]:
        """Run a watcher for as long as the block does."""
        watcher = subprocess.Popen(
            [*self.brain, "index", "--watch"],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            assert watcher.stdout
            select.select([watcher.stdout], [], [], WAIT_SECONDS)
            yield watcher
        finally:
            watcher.terminate()
            watcher.wait(WAIT_SECONDS)


def _questions(files: Sequence[Path]) -> Iterator[str]:
    """Yield questions without end: three words of a line that no other note has, in any order."""
    chance = random.Random(SEED)
    texts = [file.read_text("utf-8", "replace").splitlines() for file in files]
    counted = Counter(line for text in texts for line in set(text))
    while True:
        line = chance.choice(chance.choice(texts) or [""])
        words = re.findall(r"[^\W\d_]{4,}", line.casefold())
        if counted[line] == 1 and "http" not in line and len(words) >= 3:
            yield " ".join(chance.sample(words, 3))


def _memory_mib(process_id: int) -> float:
    """Return the memory that a process holds; 0 where the system does not say."""
    status = Path(f"/proc/{process_id}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next(
        (int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0
    )


class MadeWords:
    """A vocabulary after Zipf: the word of rank r is drawn in proportion to 1 / r."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        words = dict.fromkeys(COMMON)
        while len(words) < VOCABULARY:
            words[self._invented()] = None
        self.ranked = list(words)
        self._weights = list(
            itertools.accumulate(1 / rank for rank in range(1, len(words) + 1))
        )

    def _invented(self) -> str:
        syllables = (
            self._chance.choice(ONSETS) + self._chance.choice(VOWELS)
            for _ in range(self._chance.choice((2, 2, 3)))
        )
        return "".join(syllables) + self._chance.choice(CODAS)

    def draw(self, count: int) -> list[str]:
        return self._chance.choices(self.ranked, cum_weights=self._weights, k=count)

    def sentence(self) -> str:
        form = self._chance.choice(SENTENCES)
        text = form.format(*self.draw(form.count("{}")))
        return text[0].upper() + text[1:]


def write_vault(folder: Path, notes: int) -> None:
    """Write this number of notes, of eight fragments on average, into a folder and its
    subfolders.
    """
    chance = random.Random(SEED)
    words = MadeWords(chance)
    stems: list[str] = []
    for number in range(notes):
        count = chance.randint(*FRAGMENTS_PER_NOTE)
        stem = f"{'-'.join(words.draw(3))}-{number}"
        file = folder / chance.choice(FOLDERS) / f"{stem}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(_lines(chance, words, count, stems)), encoding="utf-8")
        stems.append(stem)


def _lines(
    chance: random.Random, words: MadeWords, fragments: int, stems: list[str]
) -> Iterator[str]:
    yield "---"
    yield f"type: {chance.choice(KINDS)}"
    yield f"date: 202{chance.randint(3, 6)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    yield f"tags: [{', '.join(words.draw(2))}]"
    yield "---"
    yield f"# {' '.join(words.draw(4)).capitalize()}"
    yield from _section(chance, words, stems)
    for _ in range(fragments - 1):
        yield ""
        yield f"## {' '.join(words.draw(2)).capitalize()}"
        yield from _section(chance, words, stems)


def _section(chance: random.Random, words: MadeWords, stems: list[str]) -> Iterator[str]:
    yield ""
    yield " ".join(words.sentence() for _ in range(chance.randint(*SENTENCES_PER_FRAGMENT)))
    if stems and chance.random() < 0.3:
        yield f"See [[{chance.choice(stems)}]]."


if __name__ == "__main__":
    try:
        typer.run(command)
    except BrainError as error:
        sys.exit(f"{error.message} {error.hint}")
