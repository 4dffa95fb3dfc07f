"""The commands on notes of a shared memory, named `vault:path`: with a vault beside it, and without
any.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from conftest import Brain, Vault
from postgres_server import Server

from brain_cli.cli.common import CommonOptions


@pytest.fixture
def shared(vault: Vault, memory: str) -> str:
    """A memory with three notes of a vault called `notes`."""
    vault.note(
        "otters.md",
        "# Otters\n\nThey swim. See [[rivers]].\n\n## Food\n\nFish, mostly.",
        type="decision",
    )
    vault.note("rivers.md", "# Rivers\n\nThey flow past [[beavers]].")
    vault.note("beavers.md", "# Beavers\n\nThey build.")
    assert vault.brain("index", "--vault", vault.folder, "--memory", memory).code == 0
    return memory


@pytest.fixture(params=["without a vault", "beside another vault"])
def asker(request: pytest.FixtureRequest, tmp_path: Path, shared: str) -> Brain:
    """Another user's `brain`, whose configuration names the memory."""
    home = tmp_path / "asker"
    home.mkdir()
    brain = Brain(home, home / "cache")
    brain.config.parent.mkdir(parents=True)
    lines = [f'memory = "{shared}"']
    if request.param == "beside another vault":
        own = Vault(home / "own", brain)
        own.note("own.md", "# My own note\n\nNothing about animals.")
        lines.append(f'vault = "{own.folder}"')
    brain.config.write_text("\n".join(lines) + "\n")
    return brain


def test_show_prints_a_note_and_its_sections(asker: Brain) -> None:
    assert asker("show", "notes:otters.md").out == (
        "---\ntype: decision\n---\n# Otters\n\nThey swim. See [[rivers]].\n\n## Food\n\nFish, mostly.\n"
    )
    assert asker("show", "notes:otters.md#Food").out == "## Food\n\nFish, mostly.\n"
    assert asker("show", "notes:otters#food").out == "## Food\n\nFish, mostly.\n"
    assert asker("show", "notes:otters.md:9").out == "## Food\n\nFish, mostly.\n"
    document = asker("show", "notes:Otters", "--json").json
    assert (document["path"], document["kind"], document["title"]) == (
        "notes:otters.md",
        "decision",
        "Otters",
    )
    assert "no heading “Fur”" in asker("show", "notes:otters.md#Fur").err
    unknown = asker("show", "notes:cats.md")
    assert unknown.code == 2
    assert "no note “notes:cats.md” in the shared memory" in unknown.err


def test_related_follows_links_over_two_notes(asker: Brain) -> None:
    document = asker("related", "notes:otters.md", "--json").json
    assert document["path"] == "notes:otters.md"
    assert [each["way"] for each in document["related"]] == [
        ["notes:otters.md", "notes:rivers.md"],
        ["notes:otters.md", "notes:rivers.md", "notes:beavers.md"],
    ]


def test_recent_and_context_ask_the_memory(asker: Brain) -> None:
    listed = asker("recent").out
    assert [line.split("\t")[2] for line in listed.splitlines()] == [
        "notes:beavers.md",
        "notes:otters.md",
        "notes:rivers.md",
    ]
    context = asker("context", "--prompt", "how do otters swim", "--json").json
    assert [each["path"] for each in context["results"]][:1] == ["notes:otters.md"]


def test_feedback_and_pins_are_the_users_own(asker: Brain, shared: str) -> None:
    given = asker("feedback", "notes:otters.md", "useful")
    assert given.code == 0, given.err
    pinned = asker("pin", "notes:rivers.md", "--json").json
    assert (pinned["path"], pinned["pinned"], pinned["changed"]) == (
        "notes:rivers.md",
        True,
        True,
    )
    results = asker("remember", "otters rivers", "--json", "--explain", "--no-touch").json[
        "results"
    ]
    by_path = {each["path"]: each for each in results}
    assert by_path["notes:otters.md"]["signals"]["useful"] == 1
    assert by_path["notes:rivers.md"]["signals"]["useful"] == 0
    assert asker("show", "notes:rivers.md", "--json").json["pinned"]
    assert asker("unpin", "notes:rivers.md").code == 0
    assert not asker("show", "notes:rivers.md", "--json").json["pinned"]
    assert asker("feedback", "notes:otters.md", "useful", "--undo").code == 0


def test_the_library_opens_the_memory_as_a_vault(
    asker: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in asker.environ().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(asker.home)
    vault = CommonOptions((), None, json=False, reads=True).open_any_vault()
    part = vault.show("notes:otters#food")
    assert (part.metadata.path, part.text) == ("notes:otters.md", "## Food\n\nFish, mostly.\n")
    assert vault.status().states["memory"].notes == 3
    [pinned] = vault.pin(["notes:rivers.md"])
    assert (pinned.path, pinned.changed, pinned.is_shared) == ("notes:rivers.md", True, True)
    assert vault.rate(["notes:rivers.md"], "useful") == ["notes:rivers.md"]


@pytest.mark.exhaustive
def test_an_agent_reads_rates_and_writes_the_memory_over_mcp(asker: Brain) -> None:
    mcp = pytest.importorskip("mcp", reason="the client of the protocol is not installed")
    from mcp.client.stdio import stdio_client

    async def talk() -> list[Any]:
        words = ["-m", "brain_cli", "mcp"]
        command = mcp.StdioServerParameters(
            command=sys.executable, args=words, env=asker.environ(), cwd=str(asker.home)
        )
        async with (
            stdio_client(command) as (read, write),
            mcp.ClientSession(read, write) as session,
        ):
            await session.initialize()
            calls = {
                "remember": {"query": "otters swim"},
                "show": {"note": "notes:otters.md"},
                "related": {"note": "notes:otters.md"},
                "recent": {"limit": 1},
                "feedback": {"note": "notes:otters.md", "useful": True},
                "append": {"note": "notes:otters.md", "text": "They play."},
                "archive": {"note": "notes:otters.md"},
                "restore": {"note": "notes:otters.md"},
                "add": {"title": "Badgers", "text": "They dig."},
            }
            return [
                await session.call_tool(tool, arguments) for tool, arguments in calls.items()
            ]

    answers = asyncio.run(asyncio.wait_for(talk(), 240))
    assert not any(each.is_error for each in answers), answers
    remembered, shown, related, recent, *changed = (each.structured_content for each in answers)
    assert remembered["results"][0]["path"] == "notes:otters.md"
    assert shown["text"].lstrip().startswith("# Otters")
    assert related["related"][0]["path"] == "notes:rivers.md"
    assert recent["notes"][0]["path"].startswith("notes:")
    assert [each["path"] for each in changed[:4]] == ["notes:otters.md"] * 4
    assert changed[4]["path"].endswith("badgers.md")


def test_frontmatter_filters_a_recall(asker: Brain) -> None:
    found = asker("remember", "they", "--where", "type=decision", "--json").json["results"]
    assert [result["path"] for result in found] == ["notes:otters.md"]


def test_the_view_opens_the_texts_of_the_notes(shared: str, server: Server) -> None:
    database = urlsplit(shared).path.lstrip("/")
    texts = server.sql(
        database, "select text from brain.text where vault = 'notes' and path = 'otters.md'"
    )
    assert any("swim" in str(text) for (text,) in texts), texts


@pytest.mark.exhaustive
def test_an_explanation_ranks_no_note_that_a_recall_does_not_fetch(
    vault: Vault, memory: str, brain: Brain
) -> None:
    for number in range(310):
        vault.note(f"a-{number:03}.md", f"# Otters {number}\n\nAn otter swims.\n")
    # The best one for brain, but the server orders notes with the same words by their ids.
    vault.note("z.md", f"# Otters\n\n{'An otter swims. ' * 9}\n")
    assert brain("index", "--vault", vault.folder, "--memory", memory).code == 0
    asked = ("otter", "--memory", memory)
    shown = brain("remember", *asked, "-n", 1, "--no-touch", "--format", "paths").out
    assert shown == "notes:a-000.md\n"
    said = brain("explain", "notes:z.md", *asked, "--json").json
    assert (said["rank"], said["first"], said["matched"]) == (None, "notes:a-000.md", ["otter"])
    assert said["reason"].startswith("other notes fit better")
    assert brain("explain", "notes:a-000.md", *asked, "--json").json["rank"] == 1
