"""A stored note links the notes that it names, and only those that an exact name fits."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import Vault

NOTES = {
    "decisions/grpc-over-rest.md": "---\naliases: [gRPC]\n---\n# Switch to gRPC\n",
    "queue/lag.md": "# Consumer lag\n",
    "queue/lag-alert.md": "# Consumer lag alert\n",
    "a/steps.md": "# Release steps\n",
    "b/steps.md": "# Release steps\n",
    "old/plan.md": "---\narchived: true\n---\n# Tariff plan\n",
    "how-to.md": "# How to\n",
    "index.md": "# Orders\n",
    "journals/2026_08_07.md": "- A day.\n",
}


@pytest.fixture
def named(vault: Vault) -> Vault:
    for path, text in NOTES.items():
        vault.note(path, text)
    return vault


def head(text: str) -> str:
    return text.split("---\n")[1]


@pytest.mark.parametrize(
    ("text", "related"),
    [
        ("It follows from switch to grpc, of course.", ["decisions/grpc-over-rest"]),
        ("It follows from `gRPC`.", ["decisions/grpc-over-rest"]),
        ("It is told in decisions/grpc-over-rest.md.", ["decisions/grpc-over-rest"]),
        (
            "See queue/lag: the *consumer\nlag* alert is new.",
            ["queue/lag", "queue/lag-alert"][:1],
        ),
        ("The consumer lag alert fires.", ["queue/lag-alert"]),
        ("The consumer lag, then the consumer lag alert.", ["queue/lag", "queue/lag-alert"]),
        ("See [[grpc-over-rest]], where we switch to gRPC.", []),
        ("See [the choice](decisions/grpc-over-rest.md), where we switch to gRPC.", []),
        ("The release steps are two notes, the tariff plan is archived.", []),
        ("We know how to use gRPC, `grpc` and orders since 2026-08-07.", []),
        ("Consumer lagging and consumer lags are other words.", []),
    ],
)
def test_an_added_note_links_what_it_names(named: Vault, text: str, related: list[str]) -> None:
    answer = named.brain(
        "add", "Timeouts are two seconds", "--json", "--vault", named.folder, stdin=text
    )
    note = (named.folder / answer.json["path"]).read_text()
    links = ", ".join(f'"[[{each}]]"' for each in related)
    assert (f"related: [{links}]\n" in head(note)) if related else ("related" not in head(note))
    assert note.endswith(f"\n{text}\n")


def test_at_most_five_notes_are_linked_and_none_that_is_linked_otherwise(named: Vault) -> None:
    for letter in "abcdef":
        named.note(f"{letter}.md", f"# Shard plan {letter}\n")
    text = ", ".join(f"shard plan {letter}" for letter in "abcdef")
    named.brain(
        "add",
        "Shards",
        "--vault",
        named.folder,
        "--path",
        "s.md",
        "--supersedes",
        "a",
        stdin=text,
    )
    assert '"[[b]]", "[[c]]", "[[d]]", "[[e]]", "[[f]]"]' in (named.folder / "s.md").read_text()
    own = "---\nrelated: [x]\n---\nshard plan a\n"
    named.brain("add", "Own", "--vault", named.folder, "--path", "own.md", stdin=own)
    assert "related: [x]\n" in (named.folder / "own.md").read_text()


def test_files_of_the_repository_that_a_text_names_are_kept_with_it(
    named: Vault, tmp_path: Path
) -> None:
    shop = tmp_path / "shop"
    (shop / "queue").mkdir(parents=True)
    (shop / "queue" / "replay.py").write_text("limit = 500\n")
    subprocess.run(["git", "init", "-q", str(shop)], check=True)
    text = "Retries end in `queue/replay.py`, not in queue/gone.py or ../home, e.g. in 3.14 s."
    environ = {"BRAIN_VAULT": str(named.folder)}
    named.brain("add", "Retries", "--path", "retries.md", stdin=text, cwd=shop, env=environ)
    assert "files: [queue/replay.py]\n" in head((named.folder / "retries.md").read_text())
    named.brain(
        "add",
        "Again",
        "--path",
        "again.md",
        "--file",
        "own.py",
        stdin=f"Again, {text}",
        cwd=shop,
        env=environ,
    )
    assert "files: [own.py]\n" in head((named.folder / "again.md").read_text())
    named.brain(
        "capture",
        stdin=f"We switch to gRPC. {text}",
        cwd=shop,
        env={**environ, "PWD": str(shop)},
    )
    named.brain("capture", "--flush", env=environ)
    [note] = (named.folder / "inbox").glob("*.md")
    assert "files: [queue/replay.py]\n" in head(note.read_text())
    assert 'related: ["[[decisions/grpc-over-rest]]"]\n' in head(note.read_text())


def test_a_handoff_links_what_its_session_named_and_never_itself(named: Vault) -> None:
    environ = {"BRAIN_VAULT": str(named.folder)}
    for order in (
        "Never retry; read the consumer lag first.",
        "Always read the consumer lag alert, never the old one.",
    ):
        stop = {
            "hook_event_name": "Stop",
            "session_id": "s1",
            "cwd": str(named.folder),
            "last_user_message": order,
        }
        named.brain("capture", stdin=json.dumps(stop), env=environ)
        named.brain("capture", "--flush", env=environ)
    [note] = (named.folder / "handoff").glob("*.md")
    assert 'related: ["[[queue/lag]]", "[[queue/lag-alert]]"]\n' in head(note.read_text())
