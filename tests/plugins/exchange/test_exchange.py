"""Memories of other programs become notes once, and exported notes come back as they were."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Answer, Vault, one_sentence
from examples import in_ci

from brain_cli.plugins.exchange import database

SECRET = "ghp_" + "a1B2c3D4e5" * 4


@pytest.fixture
def claude_mem(tmp_path: Path) -> Path:
    """A database with the tables and columns that claude-mem's migrations make."""
    path = tmp_path / "claude-mem.db"
    with sqlite3.connect(path) as db:
        db.executescript(
            """
            CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT,
              project TEXT, user_prompt TEXT, started_at TEXT, started_at_epoch INTEGER);
            CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT,
              type TEXT, created_at TEXT, created_at_epoch INTEGER, title TEXT, subtitle TEXT, facts TEXT,
              narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT);
            CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT,
              investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT,
              notes TEXT, created_at TEXT, created_at_epoch INTEGER);
            """
        )
        db.execute(
            "INSERT INTO sdk_sessions VALUES (1, 'agent-7', 'own-7', 'shop', 'x', '2026-11-01', 0)"
        )
        facts = json.dumps(["The key is made once per intent.", f"The token was {SECRET}"])
        db.execute(
            "INSERT INTO observations VALUES (1, 'own-7', 'shop', NULL, 'bugfix', '2026-11-02T09:00:00.000Z',"
            " 1793610000000, 'Retry lost its key', 'Payments', ?, 'The retry made a new key.', ?, ?, ?)",
            (facts, '["idempotency", "error handling"]', '["src/a.py"]', '["src/pay.py"]'),
        )
        db.execute(
            "INSERT INTO observations (id, memory_session_id, project, text, type, created_at, created_at_epoch)"
            " VALUES (2, 'own-7', 'app', 'An old one. It has no title.', 'discovery', '2025-01-01', 1735689600000)"
        )
        db.execute(
            "INSERT INTO session_summaries VALUES (1, 'own-7', 'shop', 'Stop the double charge', 'The logs', NULL,"
            " 'The key is kept', 'Test refunds', NULL, '[\"src/pay.py\"]', NULL, '2026-11-02', 1793613600000)"
        )
    return path


@pytest.fixture
def clawmem(tmp_path: Path) -> Path:
    """A database with the tables and columns of ClawMem's store."""
    path = tmp_path / "index.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(
            """
            CREATE TABLE content (hash TEXT PRIMARY KEY, doc TEXT, created_at TEXT);
            CREATE TABLE documents (id INTEGER PRIMARY KEY, collection TEXT, path TEXT, title TEXT, hash TEXT,
              created_at TEXT, modified_at TEXT, active INTEGER, domain TEXT, workstream TEXT, tags TEXT,
              content_type TEXT, confidence REAL, access_count INTEGER, pinned INTEGER, snoozed_until TEXT,
              observation_type TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT);
            CREATE TABLE session_log (session_id TEXT PRIMARY KEY, started_at TEXT, ended_at TEXT, handoff_path TEXT,
              machine TEXT, files_changed TEXT, summary TEXT);
            INSERT INTO content VALUES ('h1', '---
            type: research
            ---
            # Ranking

            BM25 is enough.', '');
            """.replace("            ", "")
        )
        rows = [
            ("notes", "ranking.md", "Ranking", "h1", 1, "decision", 0.8, 1, '["search"]'),
            ("notes", "gone.md", "Gone", "h1", 0, "note", 0.5, 0, None),
            ("_clawmem", "obs/1.md", "Cache evicts nothing", "none", 1, "note", 0.5, 0, None),
        ]
        db.executemany(
            "INSERT INTO documents (collection, path, title, hash, active, content_type, confidence, pinned, tags,"
            " created_at, modified_at, narrative) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '2026-10-01', '2026-10-02',"
            " 'The image cache never evicts.')",
            rows,
        )
        db.execute(
            "INSERT INTO session_log VALUES ('s1', '2026-10-01T08:00:00Z', '2026-10-01T09:00:00Z', NULL, NULL,"
            " '[\"a.py\"]', 'Moved the cache.')"
        )
    return path


def imported(vault: Vault, source: str, path: Path, *options: object) -> Answer:
    return vault.brain("import", source, path, "--vault", vault.folder, *options)


def notes(vault: Vault) -> dict[str, str]:
    return {
        str(path.relative_to(vault.folder)): path.read_text()
        for path in sorted(vault.folder.rglob("*.md"))
    }


def test_the_memories_of_claude_mem_become_notes_with_all_that_it_knows(
    vault: Vault, claude_mem: Path
) -> None:
    answer = imported(vault, "claude-mem", claude_mem, "--json")
    assert (answer.code, answer.json["new"], answer.json["known"]) == (0, 3, 0)
    found = notes(vault)
    assert set(found) == {
        "imported/claude-mem/shop/2026-11-02-retry-lost-its-key.md",
        "imported/claude-mem/app/2025-01-01-an-old-one.md",
        "imported/claude-mem/shop/2026-11-02-handoff-stop-the-double-charge.md",
    }
    observation = found["imported/claude-mem/shop/2026-11-02-retry-lost-its-key.md"]
    for words in (
        "type: bugfix",
        "project: shop",
        "session: agent-7",
        "files: [src/pay.py, src/a.py]",
        "tags: [idempotency, error-handling]",
        'source_id: "claude-mem:observation:1:',
        "# Retry lost its key",
        "The retry made a new key.",
        "- The key is made once per intent.",
    ):
        assert words in observation
    assert SECRET not in observation
    handoff = found["imported/claude-mem/shop/2026-11-02-handoff-stop-the-double-charge.md"]
    assert "type: handoff" in handoff
    assert "## Left open\n\nTest refunds" in handoff


def test_the_documents_of_clawmem_become_notes_and_inactive_ones_do_not(
    vault: Vault, clawmem: Path
) -> None:
    assert imported(vault, "clawmem", clawmem, "--json").json["new"] == 3
    found = notes(vault)
    ranking = found["imported/clawmem/notes/2026-10-01-ranking.md"]
    for words in ("type: research", "tags: [search]", "BM25 is enough."):
        assert words in ranking
    shown = vault.brain("show", "Ranking", "--json", "--vault", vault.folder).json
    assert (shown["pinned"], shown["properties"]["confidence"]) == (True, "0.8")
    assert (
        "The image cache never evicts."
        in found["imported/clawmem/2026-10-01-cache-evicts-nothing.md"]
    )
    assert "type: handoff" in found["imported/clawmem/2026-10-01-handoff-moved-the-cache.md"]


@pytest.mark.parametrize("source", ["claude-mem", "clawmem"])
def test_an_imported_note_is_not_imported_again_even_if_moved_and_changed(
    vault: Vault, source: str, request: pytest.FixtureRequest
) -> None:
    database = request.getfixturevalue(source.replace("-", "_"))
    imported(vault, source, database)
    first = next(vault.folder.rglob("*.md"))
    first.write_text(first.read_text() + "\nMy own words.\n")
    first.rename(vault.folder / "moved.md")
    before = notes(vault)
    again = imported(vault, source, database, "--json").json
    assert (again["new"], again["known"]) == (0, 3)
    assert notes(vault) == before


def test_a_dry_run_lists_and_writes_nothing(vault: Vault, claude_mem: Path) -> None:
    answer = imported(vault, "claude-mem", claude_mem, "--dry-run")
    assert "shop/2026-11-02-retry-lost-its-key.md  Retry lost its key" in answer.out
    assert "3 notes would be made." in answer.out
    assert notes(vault) == {}


@pytest.mark.exhaustive
def test_exported_notes_come_back_byte_by_byte(
    vault: Vault, new_vault: Callable[[], Vault], tmp_path: Path
) -> None:
    vault.note(
        "a.md",
        "# A\n\nText with “é”, [[b]] and a tab\t.\n",
        type="decision",
        tags=["x"],
        pinned="true",
    )
    vault.note("deep/b.md", "no title\r\n\r\nand CRLF", date="2026-01-01")
    (vault.folder / "latin.md").write_bytes(b"# Caf\xe9\n")
    vault.note("archive/old.md", "# Old\n")
    exported = vault.brain.process("export", "--jsonl", "--archived", "--vault", vault.folder)
    assert [line["path"] for line in exported.lines] == [
        "a.md",
        "archive/old.md",
        "deep/b.md",
        "latin.md",
    ]
    assert exported.lines[0]["kind"] == "decision"
    (tmp_path / "notes.jsonl").write_text(exported.out)
    other = new_vault()
    assert imported(other, "jsonl", tmp_path / "notes.jsonl", "--json").json["new"] == 4
    for path in vault.folder.rglob("*.md"):
        assert (other.folder / path.relative_to(vault.folder)).read_bytes() == path.read_bytes()
    again = imported(other, "jsonl", tmp_path / "notes.jsonl", "--json").json
    assert (again["new"], again["known"]) == (0, 4)
    assert (
        other.brain.process("export", "--jsonl", "--archived", "--vault", other.folder).out
        == exported.out
    )
    (other.folder / "a.md").write_text("# Mine\n")
    changed = imported(other, "jsonl", tmp_path / "notes.jsonl", "--json").json
    assert (changed["new"], changed["different"]) == (0, 1)
    assert (other.folder / "a.md").read_text() == "# Mine\n"
    assert (
        exported.out
        == other.brain.process("export", "--jsonl", "--archived", "--vault", vault.folder).out
    )


def test_an_export_says_how_many_archived_notes_it_left_out(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    vault.note("archive/old.md", "# Old\n")
    answer = vault.brain("export", "--jsonl", "--vault", vault.folder)
    assert (len(answer.lines), answer.err) == (
        1,
        "brain: 1 archived note was left out; add --archived.\n",
    )
    assert vault.brain("export", "--jsonl", "--archived", "--vault", vault.folder).err == ""


def test_an_export_for_which_there_is_no_space_leaves_no_file_and_can_be_repeated(
    vault: Vault, tmp_path: Path
) -> None:
    vault.note("tea.md", "Green.\n" * 1_000)
    vault.brain("index", "--vault", vault.folder)
    file, limits = tmp_path / "out" / "notes.jsonl", resource.getrlimit(resource.RLIMIT_FSIZE)
    assert (
        f"{file}: No such file"
        in vault.brain("export", "--out", file, "--vault", vault.folder).err
    )
    file.parent.mkdir()
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, limits[1]))
    try:
        answer = vault.brain("export", "--out", file, "--vault", vault.folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (answer.code, [*file.parent.iterdir()]) == (3, [])
    assert f"{file}: File too large" in answer.err
    for code in (0, 3):
        assert vault.brain("export", "--out", file, "--vault", vault.folder).code == code
        assert len(file.read_text()) > 5_000
    assert [*file.parent.iterdir()] == [file]


def test_exported_notes_of_any_name_come_back(
    vault: Vault, new_vault: Callable[[], Vault], tmp_path: Path
) -> None:
    names = [
        "back\\slash.md",
        "quote'\".md",
        "wild*?.md",
        "café.md",
        "tab\there.md",
        "-dash.md",
        " space.md",
    ]
    for name in names:
        vault.note(name, f"# {name!r}\n")
    (tmp_path / "notes.jsonl").write_text(
        vault.brain("export", "--jsonl", "--vault", vault.folder).out
    )
    other = new_vault()
    assert imported(other, "jsonl", tmp_path / "notes.jsonl", "--json").json["new"] == len(
        names
    )
    assert notes(other) == notes(vault)


def test_lines_of_another_program_become_notes(vault: Vault, tmp_path: Path) -> None:
    line = {"id": "7", "content": "We chose Redis. Carts are small.", "type": "decision", "created_at": "2026-05-01",
            "project": "shop", "tags": ["cache"], "confidence": 0.9}  # fmt: skip
    (tmp_path / "m.jsonl").write_text(json.dumps(line) + "\n\n")
    imported(vault, "jsonl", tmp_path / "m.jsonl")
    assert imported(vault, "jsonl", tmp_path / "m.jsonl", "--json").json["known"] == 1
    [note] = notes(vault).values()
    for words in (
        "# We chose Redis.",
        'confidence: "0.9"',
        "type: decision",
        'source_id: "jsonl:7:',
    ):
        assert words in note


@pytest.mark.parametrize(
    "path",
    ["../out.md", "/etc/out.md", "a/../../out.md", ".brain/config.toml", ".hidden.md", "x.py"],
)
def test_an_exported_line_writes_nothing_outside_the_vault_and_nothing_hidden(
    vault: Vault, tmp_path: Path, path: str
) -> None:
    (tmp_path / "m.jsonl").write_text(json.dumps({"path": path, "title": "X", "raw": "PWNED"}))
    answer = imported(vault, "jsonl", tmp_path / "m.jsonl", "--json")
    assert (answer.code, answer.json["unusable"]) == (3, 1)
    assert [each for each in vault.folder.rglob("*") if each.is_file()] == []


@pytest.mark.parametrize(
    ("source", "content", "said"),
    [
        ("claude-mem", "no database", "cannot be read"),
        ("jsonl", "\n{broken", "m:2 is not valid JSON"),
        ("jsonl", "[1]", "m:1 has neither a text nor a title"),
        ("mem0", "", "is not a source"),
    ],
)
def test_an_unreadable_source_is_reported_in_one_sentence(
    vault: Vault, tmp_path: Path, source: str, content: str, said: str
) -> None:
    (tmp_path / "m").write_text(content)
    answer = imported(vault, source, tmp_path / "m")
    assert answer.code in (2, 3)
    assert said in answer.err
    assert "Traceback" not in answer.err
    assert notes(vault) == {}


def test_a_database_that_is_open_elsewhere_is_read_and_not_changed(
    vault: Vault, claude_mem: Path
) -> None:
    other = sqlite3.connect(claude_mem)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("UPDATE observations SET title = 'Changed just now' WHERE id = 1")
    other.commit()
    imported(vault, "claude-mem", claude_mem)
    assert any("# Changed just now" in note for note in notes(vault).values())
    assert other.execute("SELECT count(*) FROM observations").fetchone() == (2,)
    other.close()


HOSTILE_LINES = {
    "half of a character": '{"title": "\\ud800", "text": "\\ud800"}',
    "a name that is too long": json.dumps({"raw": "# Tea\n", "path": f"{'y' * 300}.md"}),
    "folders without end": json.dumps({"raw": "# Tea\n", "path": f"{'y/' * 3_000}z.md"}),
    "a null character": json.dumps({"raw": "# Tea\n", "path": "a\0b.md"}),
}


@pytest.mark.parametrize("name", HOSTILE_LINES)
def test_a_line_that_cannot_become_a_note_is_named_and_costs_no_other(
    vault: Vault, tmp_path: Path, name: str
) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text(HOSTILE_LINES[name] + '\n{"title": "Soup", "text": "With leek."}\n')
    answer = vault.brain("import", "jsonl", lines, "--vault", vault.folder)
    assert (answer.code, answer.out) == (3, "1 note made.\n"), answer.err
    assert answer.err.startswith("brain: No note can be made of ")
    assert vault.order("leek") == ["soup"]


def test_a_view_of_a_strangers_database_is_not_computed(vault: Vault, tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "hostile.db")) as connection:
        endless = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS id, 'a' AS title FROM r"
        connection.execute(f"CREATE VIEW observations AS {endless}")
        connection.commit()
    answer = vault.brain(
        "import", "claude-mem", tmp_path / "hostile.db", "--vault", vault.folder
    )
    assert (answer.code, answer.out) == (0, "0 notes made.\n")


DAMAGING_LINES: dict[str, str | bytes] = {
    "half of a character in the text of a note": '{"raw": "# Tea \\ud800", "path": "tea.md"}',
    "half of a character in a path": '{"raw": "# Tea", "path": "\\ud800.md"}',
    "half of a character in a project": '{"title": "Tea", "text": "Tea", "project": "\\ud800"}',
    "half of a character in an id": '{"title": "Tea", "text": "Tea", "id": "\\ud800"}',
    "a time of 400 digits": f'{{"title": "Tea", "text": "Tea", "date": {"9" * 400}}}',
    "a time of 5,000 digits": f'{{"title": "Tea", "text": "Tea", "date": {"9" * 5_000}}}',
    "an endless time": '{"title": "Tea", "text": "Tea", "date": 1e999}',
    "a text of 400 digits": f'{{"title": "Tea", "text": {"9" * 400}, "confidence": {"9" * 400}}}',
    "a linked folder": '{"raw": "# Tea", "path": "linked/tea.md"}',
    "a note that is a folder": '{"raw": "# Tea", "path": "folder.md/tea.md"}',
    "a folder that is a note": '{"raw": "# Tea", "path": "note.md/tea.md"}',
    "broken JSON": '{"title": "Tea"',
    "no JSON object": "[1]",
    "bytes that are not UTF-8": b'{"title": "\xff"}',
    "a depth of 100,000": "[" * 100_000,
}


@pytest.mark.parametrize("is_dry", [False, in_ci(True)])
@pytest.mark.parametrize("name", DAMAGING_LINES)
def test_each_line_is_imported_whatever_the_one_before_it_holds(
    vault: Vault, tmp_path: Path, name: str, is_dry: bool
) -> None:
    (tmp_path / "outside").mkdir()
    (vault.folder / "linked").symlink_to(tmp_path / "outside")
    (vault.folder / "folder.md").mkdir()
    vault.note("note.md", "# Mine\n")
    line = DAMAGING_LINES[name]
    lines = tmp_path / "lines.jsonl"
    lines.write_bytes(
        (line if isinstance(line, bytes) else line.encode())
        + b'\n{"title": "Soup", "text": "Leek."}\n'
    )
    answer = imported(vault, "jsonl", lines, *["--dry-run"] * is_dry)
    assert "Traceback" not in answer.err
    assert "bug" not in answer.err
    assert answer.code in (0, 3)
    assert (answer.code == 3) == bool(answer.err.partition("brain: To undo: ")[0])
    assert f"{2 if answer.code == 0 else 1} note" in answer.out
    assert list((tmp_path / "outside").iterdir()) == []
    if not is_dry:
        assert vault.order("leek") == ["soup"]


def test_only_regular_files_are_read(vault: Vault, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for source in ("jsonl", "claude-mem", "clawmem"):
        for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero"), tmp_path / "missing"):
            answer = imported(vault, source, path)
            assert (answer.code, one_sentence(answer.err)) == (3, True), answer.err


def test_a_generated_column_of_a_strangers_database_is_not_computed(
    vault: Vault, claude_mem: Path
) -> None:
    with contextlib.closing(sqlite3.connect(claude_mem)) as connection:
        huge = "GENERATED ALWAYS AS (hex(zeroblob(450000000))) VIRTUAL"
        connection.execute(f"ALTER TABLE observations ADD COLUMN project2 TEXT {huge}")
        connection.execute("ALTER TABLE session_summaries RENAME COLUMN learned TO other")
        connection.execute(f"ALTER TABLE session_summaries ADD COLUMN learned TEXT {huge}")
        connection.commit()
    assert imported(vault, "claude-mem", claude_mem, "--json").json["new"] == 3


def test_a_value_that_is_too_large_costs_its_own_memory_alone(
    vault: Vault, claude_mem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "MAX_VALUE_BYTES", 100_000)
    with contextlib.closing(sqlite3.connect(claude_mem)) as connection:
        connection.execute(
            "UPDATE observations SET narrative = hex(zeroblob(100000)) WHERE id = 1"
        )
        connection.commit()
    answer = imported(vault, "claude-mem", claude_mem)
    assert (answer.code, answer.out) == (3, "2 notes made.\n")
    assert "claude-mem.db: row 1 of observations" in answer.err


def test_a_database_that_takes_too_long_is_given_up(
    vault: Vault, claude_mem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "MAX_STEPS", 10)
    monkeypatch.setattr(database, "STEPS_BETWEEN_CHECKS", 10)
    answer = imported(vault, "claude-mem", claude_mem)
    assert answer.code == 3
    assert "too long to read" in answer.err
    assert notes(vault) == {}


@pytest.mark.parametrize("source", ["claude-mem", "clawmem"])
def test_the_memories_of_a_second_machine_are_not_those_of_the_first(
    vault: Vault, source: str, request: pytest.FixtureRequest
) -> None:
    """Both machines have counted from 1, and the second has the same paths."""
    first = request.getfixturevalue(source.replace("-", "_"))
    second = first.with_name("second.db")
    shutil.copy(first, second)
    with contextlib.closing(sqlite3.connect(second)) as connection:
        if source == "claude-mem":
            for table in ("observations", "session_summaries"):
                connection.execute(
                    f"UPDATE {table} SET created_at_epoch = created_at_epoch + 86400000"
                )
        else:
            connection.execute("UPDATE documents SET created_at = '2026-10-09'")
            connection.execute("UPDATE session_log SET session_id = 's2'")
        connection.commit()
    assert imported(vault, source, first, "--json").json["new"] == 3
    assert imported(vault, source, second, "--json").json["new"] == 3
    assert imported(vault, source, second, "--json").json["known"] == 3
    moved = first.rename(first.with_name("moved.db"))
    assert imported(vault, source, moved, "--json").json["known"] == 3


def test_the_lines_of_two_files_with_the_same_ids_are_two_memories(
    vault: Vault, tmp_path: Path
) -> None:
    for name, date in (("one", "2026-05-01"), ("two", "2026-05-02")):
        line = {"id": "7", "content": f"The {name}.", "created_at": date}
        (tmp_path / name).write_text(json.dumps(line) + "\n")
        assert imported(vault, "jsonl", tmp_path / name, "--json").json["new"] == 1
        assert imported(vault, "jsonl", tmp_path / name, "--json").json["known"] == 1
