"""Measure a shared memory of made notes on a PostgreSQL server of its own.

    python tools/shared_memory.py load FOLDER --notes 150000 [--logins 500] [--vaults 40] [--minutes
    40] python tools/shared_memory.py finish FOLDER                 if the loading was interrupted
    python tools/shared_memory.py tops FOLDER FILE [--questions 500] python tools/shared_memory.py
    ask FOLDER [--clients 20] [--seconds 60] python tools/shared_memory.py write FOLDER python
    tools/shared_memory.py stop FOLDER

`load` makes a server in a folder, on loopback and as an ordinary user, and fills it until the time
is over. The words of the notes follow Zipf's law. The rows are those that `brain index` would send,
made without a parser, so that a million fragments take minutes. `tops` and `ask` ask as members,
under row level security, by words and by meaning (codes around made topics; no model runs). For
each recall they print the processor time of client and server beside the time on the clock, because
other work on the machine delays only that one. `tops` writes the first ten notes of each question
to a file, or compares them with those in it. `ask` has several clients at once. `write` sends and
updates a vault by the writer of the program.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import pwd
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy
import psycopg
import Stemmer

from brain_cli.answer.recall import recall
from brain_cli.answer.retriever import AskedVector
from brain_cli.errors import UnreachableError
from brain_cli.index import PreparedNote
from brain_cli.index.note_rows import NoteRecord, NoteRow, record_line
from brain_cli.index.note_table import NoteTable
from brain_cli.plugins.team.note import SharedNotes
from brain_cli.plugins.team.patience import QUESTION
from brain_cli.plugins.team.question import UnaskedSnapshot
from brain_cli.plugins.team.reading import Reader
from brain_cli.plugins.team.schema import RIGHTS
from brain_cli.plugins.team.store import Store
from brain_cli.ranking.scorers import load_scorer
from brain_cli.ranking.top_k import RankingOptions
from brain_cli.search.query import Query
from brain_cli.types import NoteMetadata, Session
from brain_cli.vault.clock import Clock

NOW = 1.79e9
SEED = 7
PORT = 5981
VOCABULARY = 60_000
TOPICS = 2_000
BITS = 384
MODEL = "made"
KIND_OF = {False: "words", True: "meaning"}
FRAGMENTS = (3, 11)
WORDS = (15, 55)
KINDS = ("note", "decision", "learning", "handoff", "meeting")
SETTINGS = {
    "shared_buffers": "2GB",
    "maintenance_work_mem": "1GB",
    "max_wal_size": "8GB",
    "max_connections": "200",
    "effective_cache_size": "8GB",
    "fsync": "off",
}
COLUMNS = (
    *("note_id", "vault_id", "archived", "pinned", "at", "lengths", "language", "path", "kind"),
    *(
        "path_key",
        "content_hash",
        "version",
        "former_paths",
        "neighbours",
        "properties",
        "keys",
    ),
    *("places", "record", "texts"),
)
SYLLABLES = [f"{onset}{vowel}" for onset in "bdfgklmnprtvz" for vowel in "aiou"]


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Return words that are their own stems, and their sums of probabilities by Zipf's law."""
    chance = random.Random(SEED)
    stem = Stemmer.Stemmer("english").stemWord
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        word = "".join(chance.choices(SYLLABLES, k=chance.choice((2, 3, 3, 4)))) + "k"
        if stem(word) == word:
            words[word] = None
    return list(words), list(accumulate(1 / (rank + 2.7) ** 1.05 for rank in range(VOCABULARY)))


class Making:
    """Makes the notes of one vault as rows; each note has its own source of chance."""

    def __init__(self, vault_id: int, notes: int) -> None:
        self._vault_id, self._notes = vault_id, notes
        self._words, self._sums = vocabulary()
        self._topics = numpy.random.default_rng(SEED).integers(0, 2, (TOPICS, BITS))

    def row(self, number: int) -> tuple[dict[str, Any], int]:
        """Return one note as it is stored, and the number of its fragments."""
        chance = random.Random(f"{self._vault_id} {number}")
        title = chance.choices(self._words, cum_weights=self._sums, k=4)
        path = f"folder{number % 30}/note-{number}.md"
        at = NOW - chance.random() * 1e8
        lengths: list[int] = []
        bodies: list[dict[str, float]] = []
        texts: list[bytes] = []
        line = 8
        for section in range(chance.randint(*FRAGMENTS)):
            drawn = chance.choices(
                self._words, cum_weights=self._sums, k=chance.randint(*WORDS)
            )
            heading = [" ".join(title), *([" ".join(drawn[:2])] if section else [])]
            lines = [" ".join(drawn[start : start + 12]) for start in range(0, len(drawn), 12)]
            weights: dict[str, float] = {**Counter(drawn)}
            for word in drawn[:2] if section else title:
                weights[word] = weights.get(word, 0.0) + 2.0
            lengths.append(len(drawn) + 4)
            bodies.append(weights)
            fragment = {
                "trail": heading,
                "text": "\n".join(lines),
                "line": line,
                "text_line": line + 2,
                "above": f"\n# {heading[-1]}\n",
                "pieces": f"p0-{len(lines) - 1}",
            }
            texts.append(json.dumps(fragment, separators=(",", ":")).encode())
            line += len(lines) + 3
        tags = chance.choices(self._words[:300], k=2)
        about = dict.fromkeys(title, 6.0) | dict.fromkeys(tags, 3.0) | {"note": 1.5}
        others = range(max(0, number - 200), number)
        linked = chance.sample(others, min(len(others), int(chance.expovariate(1 / 2.4))))
        metadata = NoteMetadata(
            path,
            " ".join(title),
            at,
            kind=chance.choice(KINDS),
            tags=tuple(tags),
            properties={},
        )
        record = NoteRecord(metadata, [], f"{chance.getrandbits(256):064x}")
        row = NoteRow(
            note_id=number,
            path=path,
            size=4_000,
            mtime_ns=int(at * 1e9),
            content_hash=f"{chance.getrandbits(128):032x}",
            timestamp=at,
            dated_by="frontmatter",
            section_dates=[],
            kind=metadata.kind,
            language="english",
            fragments=len(lengths),
            length=sum(lengths),
            archived=False,
            pinned=False,
            snoozed_until=0.0,
            project="",
            tags=tags,
            successors=[],
            neighbours=[each for each in linked if each],
            line=record_line(record),
            name_terms=(f" {' '.join(title)} \n note {number} ", [20, 4]),
        )
        prepared = PreparedNote(lengths, bodies, [{} for _ in bodies], about, texts)
        ids = {each: (self._vault_id << 32) + each for each in (number, *linked)}
        table = NoteTable(rows={number: row})
        stored = SharedNotes(table, ids, {}, "").stored(row, prepared, ())
        return stored | {"vault_id": self._vault_id}, len(lengths)

    def codes(self, number: int, fragments: int) -> list[str]:
        """Return the codes of a note: of a topic, with a fifth of the bits turned."""
        chance = numpy.random.default_rng(SEED + number + 1_000_003 * self._vault_id)
        topic = self._topics[chance.integers(TOPICS)]
        found = []
        for _ in range(-(-fragments // 4)):
            bits = topic ^ (chance.random(BITS) < 0.2)
            found.append("".join(map(str, bits)))
        return found


def copied(connection: Any, table: str, columns: Sequence[str], rows: Iterator[Any]) -> None:
    with connection.cursor().copy(f"copy {table} ({', '.join(columns)}) from stdin") as copy:
        for row in rows:
            copy.write_row(row)


def fill(vault_id: int, notes: int, url: str, end: float) -> tuple[int, int]:
    """Store one vault; return how many notes and fragments there are when the time is over."""
    if time.time() > end:
        return 0, 0
    making = Making(vault_id, notes)
    counts = Counter[str]()
    vectors: list[tuple[object, ...]] = []
    kept: list[tuple[object, ...]] = []
    total = [0, 0]
    head = b"\0" * 4

    def rows() -> Iterator[tuple[object, ...]]:
        for number in range(1, notes + 1):
            stored, fragments = making.row(number)
            for term, place in stored["places"].items():
                counts[term] += int(place[1 : place.index(",")])
            total[0] += 1
            total[1] += fragments
            content = os.urandom(fragments * (len(head) + BITS))
            codes = making.codes(number, fragments)
            note_id = stored["note_id"]
            vectors.append((note_id, MODEL, vault_id, content))
            kept.extend((note_id, MODEL, vault_id, code) for code in codes)
            for name in ("places", "properties"):
                stored[name] = json.dumps(stored[name])
            yield tuple(stored[name] for name in COLUMNS)

    with psycopg.connect(url, autocommit=True) as connection:
        copied(connection, "brain.notes", COLUMNS, rows())
        columns = ("note_id", "model", "vault_id")
        copied(connection, "brain.vectors", (*columns, "content"), iter(vectors))
        copied(connection, "brain.codes", (*columns, "code"), iter(kept))
        terms = ((term, vault_id, count) for term, count in sorted(counts.items()))
        copied(connection, "brain.terms", ("term", "vault_id", "fragments"), terms)
    return total[0], total[1]


class Server:
    """A PostgreSQL server in a folder, run by an ordinary user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self._user = "postgres" if not os.geteuid() else ""

    def run(self, program: str, *arguments: object) -> None:
        become: Callable[[], None] | None = None
        if self._user:
            user = pwd.getpwnam(self._user)

            def become() -> None:
                os.setgid(user.pw_gid)
                os.setuid(user.pw_uid)

        with open("/dev/null", "wb") as nothing:
            subprocess.run(
                [
                    str(self._binaries / program),
                    "-D",
                    str(self.folder / "data"),
                    *map(str, arguments),
                ],
                check=True,
                stdout=nothing,
                preexec_fn=become,
                cwd="/tmp",
            )

    def make(self) -> None:
        self.folder.mkdir(parents=True)
        if self._user:
            shutil.chown(self.folder, self._user)
        self.run(
            "initdb", "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
        )
        self.start()
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute("create database memory")

    def start(self) -> None:
        options = f"-p {PORT} -k {self.folder} -c listen_addresses=127.0.0.1"
        options += "".join(f" -c {name}={value}" for name, value in SETTINGS.items())
        self.run("pg_ctl", "-w", "-l", self.folder / "log", "-o", options, "start")

    def url(self, database: str = "memory", user: str = "owner") -> str:
        return f"postgresql://{user}@127.0.0.1:{PORT}/{database}"


def load(server: Server, options: argparse.Namespace) -> None:
    """Make the logins, the groups and the vaults, and fill these on all cores."""
    started = time.time()
    end = started + 60 * options.minutes
    server.make()
    Store(server.url()).make_tables()
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute("create role brain_memory nologin")
        for group in range(10):
            connection.execute(f"create role group{group} nologin")
        for number in range(options.logins):
            connection.execute(f"create role member{number} login")
            connection.execute(f"grant brain_memory, group{number % 10} to member{number}")
        for statement in RIGHTS:
            connection.execute(statement)
        for number in range(options.vaults):
            # A quarter of the vaults is for groups.
            readers = [f"group{group}" for group in range(3)] if number % 4 == 3 else []
            connection.execute(
                "insert into brain.vaults (name, origin, owner, readers) values (%s, 'x', %s, %s)",
                (f"vault{number}", f"member{number}", readers),
            )
        for index in ("notes_keys", "notes_at", "notes_kind"):
            connection.execute(f"drop index brain.{index}")
        connection.execute(
            "alter table brain.vectors drop constraint vectors_note_id_vault_id_fkey"
        )
    share = options.notes // options.vaults
    arguments = [(number, share, server.url(), end) for number in range(1, options.vaults + 1)]
    with multiprocessing.Pool() as pool:
        counts = [0, 0]
        for notes, fragments in pool.starmap(fill, arguments, chunksize=1):
            counts[0] += notes
            counts[1] += fragments
    print(
        f"{counts[0]:,} notes, {counts[1]:,} fragments in {time.time() - started:.0f} s",
        flush=True,
    )
    finish(server, options)


def finish(server: Server, options: argparse.Namespace) -> None:
    """Make the indexes, the sums and the histories of a memory whose vaults are there."""
    events = f"""insert into brain.events (owner, id, line)
        select 'member' || m, m || '-' || e, json_build_object('id', m || '-' || e, 'at', 1.78e9,
            'event', 'shown', 'notes', '[]'::json)
        from generate_series(0, {options.logins - 1}) as m, generate_series(1, 200) as e"""
    sizes = """insert into brain.sizes
        select vault_id, language, count(*), sum(cardinality(lengths)),
            sum((select sum(each) from unnest(lengths) as each)) from brain.notes group by 1, 2"""
    with psycopg.connect(server.url(), autocommit=True) as connection:
        for statement in (
            "create index notes_keys on brain.notes using gin (keys) with (fastupdate = off)",
            "create index notes_at on brain.notes (at desc)",
            "create index notes_kind on brain.notes (kind, at desc)",
            sizes,
            events,
            "vacuum analyze",
        ):
            began = time.time()
            connection.execute(statement)
            print(f"{time.time() - began:6.0f} s {statement.split(' (')[0][:60]}", flush=True)
        print_sizes(connection)


def print_sizes(connection: Any) -> None:
    for name, size in connection.execute(
        """select relname, pg_total_relation_size(oid) from pg_class where relkind in ('r', 'i')
        and relnamespace = 'brain'::regnamespace and pg_total_relation_size(oid) > 1e6 order by 2 desc"""
    ):
        print(f"{size / 1e6:10,.0f} MB {name}")


def questions(count: int) -> list[str]:
    """Return questions of two to five words; most have a frequent and a rare one."""
    chance = random.Random(SEED + 1)
    words, sums = vocabulary()
    found = []
    for number in range(count):
        drawn = chance.choices(words, cum_weights=sums, k=chance.randint(1, 3))
        rare = words[int(10 ** chance.uniform(1.5, 4.5))]
        found.append(
            " ".join(
                dict.fromkeys([*drawn, rare, *([words[number % 40]] if number % 2 else [])])
            )
        )
    return found


def codes(count: int) -> list[str]:
    """Return the codes of questions: of topics, with a quarter of the bits turned."""
    chance = numpy.random.default_rng(SEED + 2)
    topics = numpy.random.default_rng(SEED).integers(0, 2, (TOPICS, BITS))
    return [
        "".join(map(str, topics[chance.integers(TOPICS)] ^ (chance.random(BITS) < 0.25)))
        for _ in range(count)
    ]


def server_seconds(pid: int) -> float:
    """Return the processor time of the process that serves a connection."""
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e9


class Asker:
    """A member who asks, with one connection as a daemon has it."""

    def __init__(self, server: Server, login: int, *, by_meaning: bool = False) -> None:
        self._store = Store(server.url(user=f"member{login}"))
        self._by_meaning = by_meaning
        self._options = RankingOptions(load_scorer("blend"))
        self._events = Path(tempfile.mkdtemp())

    def ask(self, question: str, code: str) -> tuple[list[str], dict[str, float]]:
        """Return the first ten notes, and the times in milliseconds."""
        self._store.begin()
        if self._store.connection.closed:
            self._store.close()
        pid = self._store.connection.info.backend_pid
        clock, own, theirs = time.perf_counter(), time.process_time(), server_seconds(pid)
        vector = AskedVector(MODEL, code) if self._by_meaning else None
        reader = Reader(self._store, self._events, lambda *_, **__: vector)
        found = UnaskedSnapshot(reader).about(Query(question), Clock(NOW))
        if self._by_meaning:
            found.vectors(MODEL)
        answer = recall(Query(question), Session(NOW), found, self._options)
        tops = [each.candidate.metadata.path for each in answer.results[:10]]
        reader.close()
        self._store.begin()
        self._store.connection.finish_reading()
        return tops, {
            "clock": 1_000 * (time.perf_counter() - clock),
            "client": 1_000 * (time.process_time() - own),
            "server": 1_000 * (server_seconds(pid) - theirs),
        }


def percentiles(values: Sequence[float]) -> str:
    ordered = sorted(values)
    half, most = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95))
    return f"p50 {half:7.1f}  p95 {most:7.1f}  mean {statistics.mean(ordered):7.1f}"


def ask_for(
    server: Server, login: int, seconds: float, by_meaning: bool
) -> list[dict[str, float]]:
    """Ask one question after another for some seconds; one that is given up counts as its limit."""
    asker = Asker(server, login, by_meaning=by_meaning)
    mine = list(zip(questions(400), codes(400), strict=True))
    random.Random(login).shuffle(mine)
    end = time.time() + seconds
    taken: list[dict[str, float]] = []
    while time.time() < end:
        try:
            taken.append(asker.ask(*mine[len(taken) % len(mine)])[1])
        except UnreachableError:
            taken.append({"clock": 1_000 * QUESTION.whole, "client": 0.0, "server": 0.0})
    return taken


def ask(server: Server, options: argparse.Namespace) -> None:
    """Print the times of several clients at once."""
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for by_meaning in (False, True):
        clients = [
            (server, login, options.seconds, by_meaning) for login in range(options.clients)
        ]
        with multiprocessing.Pool(options.clients) as pool:
            found = pool.starmap(ask_for, clients, chunksize=1)
        taken = [each for several in found for each in several]
        print_times(f"{options.clients} clients, by {KIND_OF[by_meaning]}", taken)
        print(f"    {len(taken) / options.seconds:.1f} recalls a second", flush=True)


def print_times(name: str, taken: Sequence[dict[str, float]]) -> None:
    print(f"{name}, {len(taken)} questions, ms:")
    for kind in ("clock", "client", "server"):
        print(f"    {kind:7} {percentiles([each[kind] for each in taken])}", flush=True)


def tops(server: Server, options: argparse.Namespace) -> None:
    """Ask with one client; print the times, and write the first ten notes of each question, or
    compare them.
    """
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    found: dict[str, list[list[str]]] = {}
    for by_meaning, kind in KIND_OF.items():
        asker = Asker(server, 20, by_meaning=by_meaning)
        asked = list(zip(questions(options.questions), codes(options.questions), strict=True))
        for each in asked[:5]:
            asker.ask(*each)
        answers = [asker.ask(*each) for each in asked]
        print_times(f"1 client, by {kind}", [taken for _, taken in answers])
        found[kind] = [notes for notes, _ in answers]
    if not options.file.exists():
        options.file.write_text(json.dumps(found))
        return
    for kind, before in json.loads(options.file.read_text()).items():
        pairs = list(zip(before, found[kind], strict=True))
        same = sum(one == other for one, other in pairs)
        sets = sum(set(one) == set(other) for one, other in pairs)
        print(f"by {kind}: the same ten in order {same}, as a set {sets} of {len(pairs)}")


def write(server: Server, options: argparse.Namespace) -> None:
    """Send a vault of 2,000 notes, then change 20 of them, by the writer of the program."""
    del options
    store = Store(server.url(user="member30"))
    target = store.vault(f"new{int(time.time())}", "new", join=True)
    ids = target.new_ids(2_000)
    making = Making(ids[0] >> 32, 2_000)
    rows = [making.row(number)[0] for number in range(1, 2_001)]
    for name, several in (("2,000 notes sent", rows), ("20 notes changed", rows[:20])):
        pid = store.primary.info.backend_pid
        began, theirs = time.time(), server_seconds(pid)
        for start in range(0, len(several), 500):
            target.write(several[start : start + 500])
        spent = server_seconds(pid) - theirs
        print(f"{name}: {time.time() - began:.2f} s, of the server's processor {spent:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    actions = {"load": load, "finish": finish, "ask": ask, "tops": tops, "write": write}
    parser.add_argument("action", choices=(*actions, "stop"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--notes", default=150_000, type=int)
    parser.add_argument("--logins", default=500, type=int)
    parser.add_argument("--vaults", default=40, type=int)
    parser.add_argument("--minutes", default=40.0, type=float)
    parser.add_argument("--questions", default=500, type=int)
    parser.add_argument("--clients", default=20, type=int)
    parser.add_argument("--seconds", default=60.0, type=float)
    options = parser.parse_args()
    server = Server(options.folder.resolve())
    if options.action == "stop":
        server.run("pg_ctl", "-m", "fast", "stop")
        return
    actions[options.action](server, options)


if __name__ == "__main__":
    main()
