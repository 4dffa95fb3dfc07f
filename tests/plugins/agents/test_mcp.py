"""`brain mcp`, asked by the official SDK's client: mostly in this process, and over stdio where
that is the point.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from conftest import Vault
from hostile_heads import HOSTILE_HEADS

from brain_cli.index import session

# Imported by the tests themselves: it takes longer to import than most files of tests take to run.
pytestmark = pytest.mark.skipif(
    not find_spec("mcp"), reason="the client of the Model Context Protocol is not installed"
)


@pytest.fixture
def shop(vault: Vault) -> Vault:
    vault.note(
        "cart.md",
        "# Cart expiry\n\nCarts expire after seven days of silence.\n",
        date="2026-11-01",
    )
    vault.note(
        "mail.md", "# Mail\n\nA mail goes out before a [[cart]] expires.\n", date="2026-11-02"
    )
    return vault


def talk(vault: Vault, conversation: Callable[[Any], Awaitable[Any]]) -> Any:
    """Hold a conversation of the SDK's client with a server in this process."""
    import anyio
    import mcp
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    from brain_cli.plugins.agents.mcp_server import server

    async def answer(asked: Any, replies: Any) -> None:
        found = server(str(vault.folder))
        async for each in asked:
            line = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            if reply := found.reply(line.encode()):
                await replies.send(
                    SessionMessage(
                        jsonrpc_message_adapter.validate_python(reply, by_name=False)
                    )
                )

    async def run() -> Any:
        send, asked = anyio.create_memory_object_stream[Any](9)
        replies, receive = anyio.create_memory_object_stream[Any](9)
        async with anyio.create_task_group() as group, send, asked, replies, receive:
            group.start_soon(answer, asked, replies)
            async with mcp.ClientSession(receive, send) as session:
                await session.initialize()
                found = await conversation(session)
            group.cancel_scope.cancel()
            return found

    with vault.brain.surroundings():
        return asyncio.run(asyncio.wait_for(run(), 60))


def talk_over_stdio(vault: Vault, conversation: Callable[[Any], Awaitable[Any]]) -> Any:
    """Start the server, hold a conversation with it, and end it."""
    import mcp
    from mcp.client.stdio import stdio_client

    async def run() -> Any:
        command = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "brain_cli", "mcp", "--vault", str(vault.folder)],
            env=vault.brain.environ(),
            cwd=str(vault.brain.home),
        )
        async with (
            stdio_client(command) as (read, write),
            mcp.ClientSession(read, write) as session,
        ):
            await session.initialize()
            return await conversation(session)

    return asyncio.run(asyncio.wait_for(run(), 60))


@pytest.mark.exhaustive
@pytest.mark.parametrize("version", ["legacy", "auto", "2026-07-28"])
def test_clients_of_every_version_of_the_protocol_are_answered(
    shop: Vault, version: str
) -> None:
    import mcp
    from mcp.client.stdio import stdio_client

    words = ["-m", "brain_cli", "mcp", "--vault", str(shop.folder)]
    command = mcp.StdioServerParameters(
        command=sys.executable, args=words, env=shop.brain.environ()
    )

    async def run() -> None:
        async with mcp.Client(stdio_client(command), mode=version) as client:
            assert client.protocol_version == {"legacy": "2025-11-25"}.get(
                version, "2026-07-28"
            )
            assert len((await client.list_tools()).tools) == 14
            assert (
                (await client.list_resource_templates())
                .resource_templates[0]
                .uri_template.startswith("brain://")
            )
            found = await client.call_tool(
                "remember", {"query": "when do carts expire", "limit": "1", "more": None}
            )
            assert not found.is_error

    asyncio.run(asyncio.wait_for(run(), 60))


def test_the_server_starts_without_packages_of_others() -> None:
    slow = "{'asyncio', 'inspect', 'mcp', 'pydantic', 'whoosh', 'yaml', 'rich'}"
    program = (
        f"import sys, brain_cli.plugins.agents.mcp_server; print({slow} & set(sys.modules))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "set()"


def call(vault: Vault, tool: str, **arguments: object) -> dict[str, Any]:
    async def conversation(session: Any) -> Any:
        return await session.call_tool(tool, arguments)

    result = talk(vault, conversation)
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    return found


def test_an_undo_of_the_user_leaves_what_an_agent_changed(shop: Vault) -> None:
    shop.brain("pin", "--vault", shop.folder, "cart")
    call(shop, "feedback", note="cart.md", useful=True)
    call(shop, "archive", note="mail.md")
    listed = shop.brain("undo", "--vault", shop.folder, "--list").out
    assert "archive (by an agent)  mail.md → archive/mail.md" in listed
    assert "feedback (by an agent)  cart.md" in listed
    assert shop.brain("undo", "--vault", shop.folder).out == "undid: pin cart.md\n"
    assert shop.brain("undo", "--vault", shop.folder).code == 3
    number = shop.brain("undo", "--vault", shop.folder, "--list", "--json").json["changes"][0][
        "number"
    ]
    assert shop.brain("undo", "--vault", shop.folder, str(number)).code == 0
    assert (shop.folder / "mail.md").exists()


@pytest.mark.exhaustive
def test_every_tool_says_whether_it_only_reads(shop: Vault) -> None:
    async def conversation(session: Any) -> Any:
        return (await session.list_tools()).tools

    tools = {tool.name: tool.annotations for tool in talk_over_stdio(shop, conversation)}
    reading = {name for name, annotations in tools.items() if annotations.read_only_hint}
    assert reading == {"remember", "context", "recent", "show", "related", "status"}
    assert {name for name, annotations in tools.items() if annotations.destructive_hint} == {
        *("archive", "edit", "move", "undo"),
    }
    assert all(annotations.title for annotations in tools.values())


@pytest.mark.parametrize("limit", [2, 2.0, "2", "2.0"])
def test_numbers_in_any_form_are_understood_and_unknown_parameters_named(
    shop: Vault, limit: object
) -> None:
    async def conversation(session: Any) -> Any:
        asked = {"limit": limit, "task_progress": "- [ ] ask", "_client": {"id": 1}}
        return await session.call_tool("recent", asked)

    answer = talk(shop, conversation)
    assert not answer.is_error
    assert len(answer.structured_content["notes"]) == 2
    assert answer.structured_content["ignored_parameters"] == ["task_progress", "_client"]


def test_every_parameter_is_bounded(shop: Vault) -> None:
    async def conversation(session: Any) -> Any:
        tools = (await session.list_tools()).tools
        wrong = [
            await session.call_tool("remember", {"question": "x"}),
            await session.call_tool("remember", {"query": "carts", "limit": 0}),
            await session.call_tool("context", {"profile": "fastest"}),
        ]
        return (
            tools,
            wrong,
            await session.call_tool("remember", {"query": "carts", "since": "soon"}),
        )

    tools, wrong, since = talk(shop, conversation)
    assert all(answer.is_error for answer in wrong)
    texts = [answer.content[0].text for answer in wrong]
    assert texts[0].startswith("`query` is missing; the parameters are query, more, limit")
    assert texts[1:] == [
        "`limit` must be at least 1",
        "`profile` must be one of speed, balanced, deep",
    ]
    assert "--since" not in since.content[0].text
    texts = [
        tool.name + (tool.description or "") + json.dumps(tool.input_schema) for tool in tools
    ]
    assert sum(map(len, texts)) <= 6_500


def test_the_text_of_a_result_is_compact_and_a_recall_is_recorded_only_on_request(
    shop: Vault,
) -> None:
    async def conversation(session: Any) -> Any:
        return await session.call_tool(
            "remember", {"query": "when do carts expire", "kind": "note"}
        )

    result = talk(shop, conversation)
    assert json.loads(result.content[0].text) == result.structured_content
    assert "\n" not in result.content[0].text
    assert result.structured_content["results"][0]["kind"] == "note"
    assert not any('"shown"' in file.read_text() for file in shop.brain.state.rglob("*.jsonl"))


def test_a_question_is_answered_with_passages_and_their_locations(shop: Vault) -> None:
    found = call(shop, "remember", query="when do carts expire")
    assert "seven days" in found["passages"][0]["text"]
    assert found["results"][0]["path"] == "cart.md"


def test_several_questions_are_answered_in_one_call_within_one_budget(shop: Vault) -> None:
    asked = {
        "query": "when do carts expire",
        "more": ["is there a mail", "how does sourdough rise"],
    }
    found = call(shop, "remember", **asked)
    assert "seven days" in found["passages"][0]["text"]
    mail, bread = found["more"]
    assert mail["results"][0]["path"] == "mail.md"
    assert "sourdough" in bread["unknown"]
    short = call(shop, "remember", **asked, budget_chars=90)
    assert (
        sum(len(each["text"]) for one in (short, *short["more"]) for each in one["passages"])
        <= 90
    )


def test_words_that_no_note_has_are_named(shop: Vault) -> None:
    assert "sourdough" in " ".join(
        call(shop, "remember", query="how does sourdough expire")["unknown"]
    )


def test_a_note_is_added_once_and_found_at_once(shop: Vault) -> None:
    added = call(
        shop, "add", title="Refunds take three days", text="The bank decides.", kind="learning"
    )
    assert "The bank decides." in (shop.folder / added["path"]).read_text()
    again = call(
        shop, "add", title="Refunds take three days", text="The bank decides.", kind="learning"
    )
    assert (added["changed"], again["changed"], again["path"]) == (True, False, added["path"])
    assert (
        call(shop, "remember", query="how long do refunds take")["results"][0]["path"]
        == added["path"]
    )


def test_a_new_decision_names_its_files_and_the_one_that_it_may_replace(shop: Vault) -> None:
    shop.note(
        "redis.md", "# Keep carts in Redis\n\nFor now.\n", type="decision", date="2026-11-01"
    )
    new = {"title": "Keep carts in PostgreSQL", "text": "They are there.", "kind": "decision"}
    assert call(shop, "add", **new)["may_replace"] == ["redis.md"]
    more = {"topics": ["carts"], "files": ["src/cart.py"], "supersedes": ["redis.md"]}
    added = call(shop, "add", **{**new, "title": "Keep carts in PostgreSQL for good"}, **more)
    assert added["may_replace"] == []
    text = (shop.folder / added["path"]).read_text()
    for line in ("files: [src/cart.py]", "topics: [carts]", "supersedes: [redis.md]"):
        assert line in text


def test_a_prompt_briefs_the_agent(shop: Vault) -> None:
    shop.note("handoff/one.md", "# Handoff: carts\n\n## Left open\n\n- The mail is missing.\n",
              type="handoff", date="2026-11-20")  # fmt: skip

    async def conversation(session: Any) -> Any:
        names = [prompt.name for prompt in (await session.list_prompts()).prompts]
        return names, (await session.get_prompt("brief_me")).messages[0].content.text

    names, text = talk(shop, conversation)
    assert names == ["brief_me"]
    assert "- Handoff: carts (handoff/one.md): - The mail is missing." in text


def test_the_users_model_answers_an_agent_too(sample: Vault) -> None:
    sample.brain.config.parent.mkdir(parents=True, exist_ok=True)
    sample.brain.config.write_text("[synthesize]\ncommand = 'echo Nothing was paid twice.'\n")
    found = call(sample, "remember", query="duplicate payments")
    sample.brain.config.unlink()
    assert (found["strategy"], found["synthesis"]) == ("synthesize", "Nothing was paid twice.")
    assert found["passages"]


@pytest.mark.exhaustive
def test_notes_are_shown_listed_related_rated_and_archived(shop: Vault) -> None:
    assert "seven days" in call(shop, "show", note="Cart expiry")["text"]
    assert "cart.md" in str(call(shop, "recent"))
    assert "mail.md" in str(call(shop, "related", note="cart.md"))
    call(shop, "feedback", note="cart.md", useful=True)
    call(shop, "archive", note="mail.md")
    assert (shop.folder / "archive" / "mail.md").exists()
    assert call(shop, "restore", note="archive/mail.md")["changed"]
    assert (shop.folder / "mail.md").exists()


@pytest.mark.exhaustive
def test_the_results_of_every_tool_are_typed_and_the_budget_is_kept(shop: Vault) -> None:
    async def conversation(session: Any) -> Any:
        return (await session.list_tools()).tools

    schemas = {tool.name: tool.output_schema for tool in talk(shop, conversation)}
    assert all("properties" in schema for schema in schemas.values())
    assert set(schemas["related"]["properties"]) == {"path", "related"}
    known = call(shop, "context", prompt="when do carts expire")
    assert known["notes"][0]["path"] == "cart.md"
    cut = call(shop, "context", prompt="when do carts expire", budget_chars=20)
    assert cut["notes"] == []
    [passage] = call(shop, "remember", query="when do carts expire", budget_chars=5)["passages"]
    assert (passage["text"], passage["path"]) == ("Carts", "cart.md")


def test_a_recall_through_mcp_keeps_an_absolute_score(shop: Vault) -> None:
    scores = [
        each["score"] for each in call(shop, "remember", query="before carts expire")["results"]
    ]
    assert len(scores) == 2
    kept = call(shop, "remember", query="before carts expire", min_score=sum(scores) / 2)[
        "results"
    ]
    assert [each["score"] for each in kept] == [max(scores)]


@pytest.mark.exhaustive
def test_all_that_one_client_recalls_is_one_session(shop: Vault) -> None:
    shop.note("bread.md", "# Sourdough\n\nIt proves overnight.\n", date="2026-11-02")

    async def conversation(session: Any) -> Any:
        for query in ("sourdough proves overnight", "carts expire after seven days of silence"):
            await session.call_tool("remember", {"query": query, "limit": 1, "record": True})

    talk_over_stdio(shop, conversation)
    lines = [
        json.loads(line)
        for file in shop.brain.state.rglob("*.jsonl")
        for line in file.read_text().splitlines()
    ]
    sessions = {line["session"] for line in lines if line["event"] == "shown"}
    assert len(sessions) == 1
    later = shop.remember("sourdough overnight carts", "--now", "2026-11-21T12:00:00Z")[
        "results"
    ]
    assert {each["path"]: each["signals"]["co_recalls"] for each in later}.items() >= {
        "bread.md": 1,
        "cart.md": 1,
    }.items()


def test_the_newest_notes_are_listed_as_resources(shop: Vault) -> None:
    shop.note("with space/é.md", "# Odd name\n", date="2026-11-03")

    async def conversation(session: Any) -> Any:
        listed = (await session.list_resources()).resources
        return {
            each.name: (await session.read_resource(each.uri)).contents[0].text
            for each in listed
        }

    found = talk(shop, conversation)
    assert set(found) == {"Odd name", "Mail", "Cart expiry"}
    assert "# Odd name" in found["Odd name"]


def test_no_tool_writes_outside_the_vault(shop: Vault, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n")
    (shop.folder / "link.md").symlink_to(tmp_path / "secret.md")

    async def conversation(session: Any) -> Any:
        for name in ("../secret.md", str(tmp_path / "secret.md"), "link.md"):
            for tool, more in (("append", {"text": "PWNED"}), ("archive", {}), ("show", {})):
                assert (await session.call_tool(tool, {"note": name, **more})).is_error, (
                    tool,
                    name,
                )
        await session.call_tool(
            "add", {"title": "../../outside", "text": "PWNED", "kind": "../../x"}
        )

    before = {path for path in tmp_path.rglob("*.md") if shop.folder not in path.parents}
    talk(shop, conversation)
    assert (tmp_path / "secret.md").read_text() == "# Secret\n"
    assert {
        path for path in tmp_path.rglob("*.md") if shop.folder not in path.parents
    } == before


@pytest.mark.exhaustive
def test_a_mistake_is_one_sentence_and_leaves_the_server_running(shop: Vault) -> None:
    async def conversation(session: Any) -> Any:
        return await session.call_tool("show", {"note": "nowhere"}), await session.call_tool(
            "show", {"note": "cart.md"}
        )

    failed, shown = talk_over_stdio(shop, conversation)
    assert failed.is_error
    assert "nowhere" in failed.content[0].text
    assert not shown.is_error


def test_a_note_is_a_resource_and_nothing_outside_the_vault_is(
    shop: Vault, tmp_path: Path
) -> None:
    from mcp import MCPError

    (tmp_path / "secret.md").write_text("# Secret\n")

    async def conversation(session: Any) -> Any:
        inside = await session.read_resource("brain://note/cart.md")
        with pytest.raises(MCPError):
            await session.read_resource("brain://note/../secret.md")
        return inside

    assert "seven days" in talk(shop, conversation).contents[0].text


def test_append_adds_the_text_that_it_is_given(shop: Vault) -> None:
    assert call(shop, "append", note="cart", text="Since June after ten.")["changed"]
    assert (shop.folder / "cart.md").read_text().endswith("\n\nSince June after ten.\n")


def test_no_tool_reads_or_writes_outside_the_vault(shop: Vault) -> None:
    outside = shop.folder.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# Precious\n")
    (shop.folder / "link.md").symlink_to("../outside/secret.md")
    for name in ("decisions", "archive", "inbox"):
        (shop.folder / name).symlink_to("../outside")

    notes = (
        "../outside/secret.md",
        "link.md",
        "decisions/secret.md",
        str(outside / "secret.md"),
        "/etc/passwd",
    )
    asked: list[tuple[str, dict[str, object]]] = [("archive", {"note": "cart"})]
    for note in notes:
        asked += [(tool, {"note": note}) for tool in ("show", "archive", "related")]
        asked += [
            ("append", {"note": note, "text": "owned"}),
            ("feedback", {"note": note, "useful": True}),
        ]
    for kind in ("decision", "../outside", "--path=../outside/x.md"):
        asked += [("add", {"title": f"../../outside/{kind}", "text": "owned", "kind": kind})]

    async def conversation(session: Any) -> Any:
        return [await session.call_tool(tool, arguments) for tool, arguments in asked]

    answers = talk(shop, conversation)
    assert not any("Precious" in str(answer) for answer in answers)
    assert {path.name: path.read_text() for path in outside.iterdir()} == {
        "secret.md": "# Precious\n"
    }


@pytest.mark.exhaustive
def test_hostile_notes_cost_no_tool_its_answer(shop: Vault) -> None:
    for number, head in enumerate(HOSTILE_HEADS.values()):
        shop.note(f"hostile/{number}.md", f"{head}\nCarts expire never.\n")
    assert call(shop, "remember", query="when do carts expire")["results"]
    assert call(shop, "recent", limit=50)["notes"]
    for number in range(len(HOSTILE_HEADS)):
        assert "Carts expire never." in call(shop, "show", note=f"hostile/{number}.md")["text"]
        call(shop, "related", note=f"hostile/{number}.md")
        assert call(shop, "append", note=f"hostile/{number}.md", text="Seen.")["changed"]
    call(shop, "context", prompt="cart expiry")
    hook = shop.brain(
        "context", "--hook", "--vault", shop.folder, stdin='{"prompt": "when do carts expire"}'
    )
    assert hook.code in (0, 1)
    assert "bug" not in hook.err


def test_an_answer_counts_the_changed_notes_that_it_lacks(
    shop: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(shop, "remember", query="when do carts expire")["behind"] == 0
    monkeypatch.setattr(session, "RECALL_LIMIT", session.RECALL_LIMIT._replace(notes=0))
    shop.note("new.md", "# New carts\n\nThey expire too.\n")
    assert call(shop, "remember", query="when do carts expire")["behind"] == 1


def wire(vault: Vault, replies: int, *lines: bytes) -> tuple[list[dict[str, Any]], str]:
    """Write lines to a server, as a client would; return so many replies, and its stderr."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    first = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    command = [sys.executable, "-m", "brain_cli", "mcp", "--vault", str(vault.folder)]
    started = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=vault.brain.environ(),
        cwd=vault.brain.home,
    )
    with started as server:
        assert server.stdin
        assert server.stdout
        assert server.stderr
        server.stdin.write(
            b"".join(
                line + b"\n"
                for line in (json.dumps(first).encode(), json.dumps(ready).encode(), *lines)
            )
        )
        server.stdin.flush()
        found = [json.loads(server.stdout.readline()) for _ in range(1 + replies)]
        server.stdin.close()
        return found[1:], server.stderr.read().decode()


def asking(number: object, method: str, **params: object) -> bytes:
    return json.dumps(
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    ).encode()


@pytest.mark.exhaustive
def test_a_line_that_is_no_message_is_answered_with_an_error_and_the_next_one_as_usual(
    shop: Vault,
) -> None:
    long = b'{"text":"' + b"x" * 3_000_000 + b'","id":6}'
    first = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":' + long + b"}"
    last = b'{"method":"tools/call","params":' + long + b',"jsonrpc":"2.0","id":"8"}'
    replies, errors = wire(
        shop, 6, first, last, long, b"{broken", b"[]", b"", asking(9, "tools/list")
    )
    assert [reply["id"] for reply in replies] == [7, "8", 6, None, None, 9]
    codes = [reply["error"]["code"] for reply in replies[:5]]
    assert codes == [-32600, -32600, -32600, -32700, -32600]
    assert "longer than" in replies[0]["error"]["message"]
    assert "tools" in replies[5]["result"]
    assert errors == ""


def test_a_wrong_request_is_answered_under_its_id_and_in_json(shop: Vault) -> None:
    wrong = [
        b'{"jsonrpc": "2.0", "id": %s, "method": "initialize", "params": 5}' % number
        for number in (b"3", b"NaN")
    ]
    replies, _ = wire(shop, 2, *wrong)
    assert [(reply["id"], reply["error"]["code"]) for reply in replies] == [
        (3, -32600),
        (None, -32700),
    ]


@pytest.mark.exhaustive
def test_half_of_a_character_gets_a_reply(shop: Vault) -> None:
    (shop.folder / os.fsdecode(b"caf\xe9.md")).write_text("# Espresso\n\nWith crema.\n")
    calls = [
        ("remember", {"query": "carts \ud800 expire"}),
        ("show", {"note": "\udfff"}),
        ("remember", {"query": "crema"}),
    ]
    calls.append(("add", {"title": "\ud83d\ude00 \ud83d", "text": "Grin \ude00."}))
    lines = [
        asking(number, "tools/call", name=name, arguments=given)
        for number, (name, given) in enumerate(calls)
    ]
    replies, _ = wire(shop, 5, *lines, asking(4, "resources/list"))
    found = {reply["id"]: reply for reply in replies}
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert "seven days" in str(found[0])
    assert found[1]["result"]["isError"]
    assert "crema" in str(found[2])
    assert (
        "\U0001f600"
        in (shop.folder / found[3]["result"]["structuredContent"]["path"]).read_text()
    )
    assert "Espresso" in str(found[4])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "uri", ["brain://note/nowhere.md", "brain://note/../secret.md", "brain://else/x", "%"]
)
def test_a_missing_resource_is_an_error_of_the_protocol(shop: Vault, uri: str) -> None:
    [reply], errors = wire(shop, 1, asking(1, "resources/read", uri=uri))
    assert reply["error"]["code"] == -32602
    assert errors == ""


def asked(shop: Vault, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Call tools in turn; return their results, or the messages of those that failed."""

    async def conversation(session: Any) -> list[Any]:
        answers = [await session.call_tool(name, given) for name, given in calls]
        return [
            each.content[0].text if each.is_error else each.structured_content
            for each in answers
        ]

    found: list[Any] = talk(shop, conversation)
    return found


def test_a_part_of_a_note_is_edited_and_the_edit_undone(shop: Vault) -> None:
    before = (shop.folder / "cart.md").read_bytes()
    found = asked(
        shop,
        ("edit", {"note": "cart", "old": "seven days", "new": "nine days"}),
        ("edit", {"note": "cart", "old": "e", "new": "x"}),
        ("edit", {"note": "cart", "old": "nowhere", "new": "x"}),
        ("edit", {"note": "cart", "new": "x"}),
        ("edit", {"note": "../cart", "old": "a", "new": "x"}),
        ("edit", {"note": "cart", "old": "---\ndate", "new": "date"}),
    )
    assert found[0] == {"path": "cart.md", "changed": True, "redacted": False}
    assert "occurs" in found[1]
    assert "occurs 0 times" in found[2]
    assert "Name the text to replace" in found[3]
    assert all(isinstance(each, str) for each in found[4:])
    after = (shop.folder / "cart.md").read_bytes()
    assert after == before.replace(b"seven days", b"nine days")
    [undone] = asked(shop, ("undo", {}))
    assert undone["undone"] == ["cart.md"]
    assert (shop.folder / "cart.md").read_bytes() == before


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_section_is_replaced_with_what_is_below_it(shop: Vault, end: str) -> None:
    text = "# Plan\n\nFirst.\n\n## Open\n\n- one\n\n### Later\n\n- two\n\n## Done\n\n- three\n"
    (shop.folder / "plan.md").write_bytes(text.replace("\n", end).encode())
    asked(
        shop,
        (
            "edit",
            {
                "note": "plan",
                "section": "Open",
                "new": "- four\n- key: " + "ghp_" + "aB3dE6gH9" * 4,
            },
        ),
    )
    wanted = "# Plan\n\nFirst.\n\n## Open\n\n- four\n- key: [redacted]\n\n## Done\n\n- three\n"
    assert (shop.folder / "plan.md").read_bytes() == wanted.replace("\n", end).encode()
    [missing] = asked(shop, ("edit", {"note": "plan", "section": "Nowhere", "new": "x"}))
    assert "no heading “Nowhere”" in missing


def test_several_notes_are_shown_moved_counted_and_what_an_agent_adds_has_no_secrets(
    shop: Vault,
) -> None:
    secret = "S3cr3t" + "ValueXyz9876"
    shown, status, moved, added, appended = asked(
        shop,
        ("show", {"note": "cart", "more": ["mail"]}),
        ("status", {}),
        ("move", {"note": "mail", "new": "letters/"}),
        ("add", {"title": "Key", "text": f"API_KEY={secret}"}),
        ("append", {"note": "cart", "text": "<private>mine</private> done"}),
    )
    assert [shown["path"], *(each["path"] for each in shown["more"])] == ["cart.md", "mail.md"]
    assert "no instructions" in shown["about"]
    assert status["notes"] == 2
    assert {"name": "note", "notes": 2} in status["kinds"]
    assert moved["path"] == "letters/mail.md"
    assert (added["redacted"], appended["redacted"]) == (True, True)
    assert secret not in (shop.folder / added["path"]).read_text()
    assert "mine" not in (shop.folder / "cart.md").read_text()
