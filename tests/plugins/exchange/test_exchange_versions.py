"""The databases of claude-mem and ClawMem are read in every version of their tables, with the odd
rows that occur.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Answer, Vault

Table = Mapping[str, object]

# The columns that a version of claude-mem added to `observations`, in the order of its migrations.
FIRST = ("project", "text", "type", "created_at", "created_at_epoch")
HIERARCHICAL = (
    "title",
    "subtitle",
    "facts",
    "narrative",
    "concepts",
    "files_read",
    "files_modified",
)
LATER = (
    "prompt_number",
    "discovery_tokens",
    "content_hash",
    "generated_by_model",
    "relevance_count",
)
LATEST = ("merged_into_project", "agent_type", "agent_id", "metadata")
VERSIONS = {
    4: ("sdk_session_id", *FIRST),
    8: ("sdk_session_id", *FIRST, *HIERARCHICAL),
    17: ("memory_session_id", *FIRST, *HIERARCHICAL, *LATER),
    30: ("memory_session_id", *FIRST, *HIERARCHICAL, *LATER, *LATEST),
}
OBSERVATION: Table = {
    "sdk_session_id": "own",
    "memory_session_id": "own",
    "project": "shop",
    "text": "The retry lost its key. It made a new one.",
    "type": "bugfix",
    "created_at": "2025-11-02T09:00:00.000Z",
    "created_at_epoch": 1_762_074_000_000,
    "facts": '["The key is made once.", null, 7]',
    "concepts": '["gotcha", "error handling"]',
    "files_modified": '["src/pay.py"]',
    "merged_into_project": "shop-main",
    "metadata": '{"source": "test"}',
}


def table(
    database: sqlite3.Connection, name: str, columns: tuple[str, ...], *rows: Table
) -> None:
    """Add rows to a table, which is made if it does not exist."""
    listed = ", ".join(columns)
    database.execute(
        f"CREATE TABLE IF NOT EXISTS {name} (id INTEGER PRIMARY KEY AUTOINCREMENT, {listed})"
    )
    for row in rows:
        marks = ", ".join("?" * len(columns))
        database.execute(
            f"INSERT INTO {name} ({listed}) VALUES ({marks})",
            [row.get(each) for each in columns],
        )


def claude_mem(path: Path, version: int, *observations: Table) -> Path:
    with closing(sqlite3.connect(path)) as database, database:
        is_renamed = version >= 17
        ids = (
            ("content_session_id", "memory_session_id")
            if is_renamed
            else ("claude_session_id", "sdk_session_id")
        )
        names = (*ids, "project", "user_prompt", "started_at", "started_at_epoch", "status")
        table(
            database, "sdk_sessions", names, {ids[0]: "agent", ids[1]: "own", "project": "shop"}
        )
        table(database, "observations", VERSIONS[version], *observations)
        parts = (
            "request",
            "investigated",
            "learned",
            "completed",
            "next_steps",
            "files_read",
            "files_edited",
            "notes",
        )
        summary = {
            ids[1]: "own",
            "project": "shop",
            "request": "Stop the double charge",
            "created_at_epoch": 1_762_074_000,
        }
        table(
            database,
            "session_summaries",
            (ids[1], "project", *parts, "created_at", "created_at_epoch"),
            summary,
        )
        prompts = (ids[0], "prompt_number", "prompt_text", "created_at", "created_at_epoch")
        table(database, "user_prompts", prompts, {"prompt_text": "not a memory"})
    return path


def imported(vault: Vault, source: str, path: Path) -> Answer:
    answer = vault.brain("import", source, path, "--vault", vault.folder, "--json")
    assert answer.code == 0, answer.err
    return answer


def notes(vault: Vault) -> list[str]:
    return [path.read_text() for path in sorted(vault.folder.rglob("*.md"))]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_of_claude_mem_is_read_with_its_sessions(
    vault: Vault, tmp_path: Path, version: int
) -> None:
    database = claude_mem(tmp_path / "claude-mem.db", version, OBSERVATION)
    assert imported(vault, "claude-mem", database).json["new"] == 2
    observation = next(note for note in notes(vault) if "type: bugfix" in note)
    told = [
        "session: agent",
        "date: 2025-11-02T09:00:00Z",
        "It made a new one.",
        "# The retry lost its key.",
    ]
    told += [
        "files: [src/pay.py]",
        "tags: [gotcha, error-handling]",
        "- The key is made once.\n- 7\n",
    ] * (version >= 8)
    told += ["project: shop-main"] * (version >= 30)
    for words in told:
        assert words in observation
    assert all("session: agent" in note for note in notes(vault))


def test_a_newer_version_of_the_same_database_brings_only_what_is_new(
    vault: Vault, tmp_path: Path
) -> None:
    imported(vault, "claude-mem", claude_mem(tmp_path / "old.db", 8, OBSERVATION))
    again = imported(
        vault, "claude-mem", claude_mem(tmp_path / "new.db", 30, OBSERVATION, OBSERVATION)
    ).json
    assert (again["new"], again["known"]) == (1, 2)


ODD: list[Table] = [
    {},
    {"title": "", "text": "  ", "facts": "null", "concepts": "{}", "files_read": "not json"},
    {
        "title": "../../etc/passwd",
        "project": "../..",
        "type": "a: b\n- c",
        "created_at_epoch": -1,
    },
    {"title": "x" * 5_000, "narrative": "line\x00line\u2028line", "created_at_epoch": 10**18},
    {
        "title": "---",
        "narrative": "---\ntitle: no\n---\n# No",
        "facts": '["a", ["b"], {"c": 1}]',
    },
    {
        "title": "日本語 “quoted” #tag",
        "concepts": "one, two",
        "created_at": "yesterday",
        "project": "a/b\\c",
    },
    {"title": 7, "text": b"bytes \xff", "type": 3, "project": 4.5},
]


@pytest.mark.parametrize("source", ["claude-mem", "clawmem"])
def test_odd_rows_become_notes_in_the_vault_and_only_once(
    vault: Vault, tmp_path: Path, source: str
) -> None:
    path = tmp_path / "odd.db"
    rows = [{"memory_session_id": "own", "project": "shop", **row} for row in ODD]
    if source == "claude-mem":
        claude_mem(path, 30, *rows)
    else:
        renamed = [
            {**row, "path": f"{number}.md", "collection": row["project"]}
            for number, row in enumerate(rows)
        ]
        clawmem(path, *renamed)
    first = imported(vault, source, path).json
    assert (first["unusable"], first["different"]) == (0, 0)
    assert first["new"] >= len(ODD)
    before = notes(vault)
    assert len(before) == first["new"]
    assert all(
        path.is_relative_to(vault.folder / "imported") for path in vault.folder.rglob("*.md")
    )
    again = imported(vault, source, path).json
    assert (again["new"], again["known"]) == (0, first["new"])
    assert notes(vault) == before
    assert vault.brain("doctor", "--vault", vault.folder).code == 0


DOCUMENTS = (
    *(
        "collection",
        "path",
        "title",
        "hash",
        "created_at",
        "modified_at",
        "active",
        "domain",
        "workstream",
        "tags",
    ),
    *(
        "content_type",
        "review_by",
        "confidence",
        "access_count",
        "content_hash",
        "quality_score",
        "pinned",
    ),
    *(
        "snoozed_until",
        "observation_type",
        "facts",
        "narrative",
        "concepts",
        "files_read",
        "files_modified",
    ),
    *(
        "skill_name",
        "obs_quality_score",
        "failure_reason",
        "amem_keywords",
        "amem_tags",
        "amem_context",
    ),
    *("invalidated_at", "invalidated_by", "superseded_by"),
)


def clawmem(path: Path, *documents: Table) -> Path:
    with closing(sqlite3.connect(path)) as database, database:
        table(
            database,
            "documents",
            DOCUMENTS,
            *({"active": 1, "confidence": 0.5, **row} for row in documents),
        )
        database.execute(
            "CREATE TABLE content (hash TEXT PRIMARY KEY, doc TEXT NOT NULL, created_at TEXT NOT NULL)"
        )
        database.execute(
            "INSERT INTO content VALUES ('h', 'We poll the outbox.', '2026-01-01')"
        )
        columns = (
            "observation",
            "proof_count",
            "status",
            "invalidated_at",
            "created_at",
            "collection",
        )
        table(
            database,
            "consolidated_observations",
            columns,
            {"observation": "Retries need one key.", "status": "active", "collection": "shop"},
            {
                "observation": "No longer so.",
                "status": "active",
                "invalidated_at": "2026-02-01",
            },
        )
        table(database, "entity_nodes", ("entity_id", "name"), {"name": "not a memory"})
    return path


def test_clawmem_says_which_memories_are_no_longer_right(vault: Vault, tmp_path: Path) -> None:
    common: Table = {
        "collection": "shop",
        "hash": "h",
        "created_at": "2026-01-02",
        "amem_tags": '["events"]',
    }
    old = {
        **common,
        "path": "old.md",
        "title": "Poll",
        "superseded_by": 2,
        "invalidated_at": "2026-01-03",
    }
    imported(
        vault,
        "clawmem",
        clawmem(tmp_path / "c.db", old, {**common, "path": "new.md", "title": "Push"}),
    )
    shown = vault.brain("show", "Poll", "--json", "--vault", vault.folder).json
    assert (shown["properties"]["superseded_by"], shown["properties"]["status"]) == (
        "Push",
        "superseded",
    )
    assert any(
        "type: learning" in note and "Retries need one key." in note for note in notes(vault)
    )
    assert not any("No longer so." in note for note in notes(vault))
    assert "tags: [events]" in notes(vault)[0]
