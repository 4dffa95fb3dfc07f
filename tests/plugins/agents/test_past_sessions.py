"""`brain import transcripts`: sessions of the past become notes once, each by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from brain_cli.plugins.agents.session import AGENT, USER, Turn
from brain_cli.plugins.agents.transcript import transcript_of

if TYPE_CHECKING:
    from conftest import Vault

ASKED = "Give the importer a retry. Never retry more than 5 times."
LAST = "The root cause was a timeout of 0 s. The runbook is not updated yet."
TIME = "2026-11-02T09:00:00.000Z"
CHANGE = {"file_path": "/shop/importer.py", "old_string": "a = 1", "new_string": "a = 2"}


def _text(text: str, kind: str = "text") -> list[dict[str, str]]:
    return [{"type": kind, "text": text}]


def _claude_code() -> list[dict[str, Any]]:
    here = {"sessionId": "s-1", "cwd": "/gone/shop", "timestamp": TIME, "isSidechain": False}
    use = {"type": "tool_use", "id": "t1", "name": "Edit", "input": CHANGE}
    return [
        {"type": "summary", "summary": "Retries", "leafUuid": "u"},
        {**here, "type": "user", "message": {"role": "user", "content": ASKED}},
        {**here, "type": "assistant", "message": {"role": "assistant", "content": [use]}},
        {
            **here,
            "type": "user",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}],
            },
        },
        {**here, "type": "assistant", "message": {"role": "assistant", "content": _text(LAST)}},
    ]


def _codex() -> list[dict[str, Any]]:
    def item(**payload: Any) -> dict[str, Any]:
        return {"timestamp": TIME, "type": "response_item", "payload": payload}

    patch = "*** Begin Patch\n*** Update File: importer.py\n@@\n-a = 1\n+a = 2\n*** End Patch"
    return [
        {
            "timestamp": TIME,
            "type": "session_meta",
            "payload": {"id": "s-1", "timestamp": TIME, "cwd": "/gone/shop"},
        },
        item(
            type="message",
            role="user",
            content=_text("<environment_context>x</environment_context>", "input_text"),
        ),
        item(type="message", role="user", content=_text(ASKED, "input_text")),
        item(type="custom_tool_call", name="apply_patch", call_id="c1", input=patch),
        item(type="custom_tool_call_output", call_id="c1", output="Success"),
        item(type="message", role="assistant", content=_text(LAST, "output_text")),
        {
            "timestamp": TIME,
            "type": "event_msg",
            "payload": {"type": "agent_message", "message": LAST},
        },
    ]


def _openclaw() -> list[dict[str, Any]]:
    def message(**said: Any) -> dict[str, Any]:
        return {
            "type": "message",
            "id": "a1",
            "parentId": None,
            "timestamp": TIME,
            "message": said,
        }

    edit = {"path": "/shop/importer.py", "oldText": "a = 1", "newText": "a = 2"}
    call = {"type": "toolCall", "id": "c1", "name": "edit", "arguments": edit}
    return [
        {"type": "session", "version": 3, "id": "s-1", "timestamp": TIME, "cwd": "/gone/shop"},
        {
            "type": "model_change",
            "id": "b",
            "parentId": None,
            "timestamp": TIME,
            "modelId": "m",
        },
        message(role="user", content=_text(f"[Telegram Ann +2m 2026-11-02 09:00 UTC] {ASKED}")),
        message(role="assistant", content=[{"type": "thinking", "thinking": "hm"}, call]),
        message(
            role="toolResult",
            toolCallId="c1",
            toolName="edit",
            content=_text("ok"),
            isError=False,
        ),
        message(role="assistant", content=_text(LAST)),
    ]


def _chatgpt(session: str = "s-1") -> dict[str, Any]:
    def node(name: str, parent: str | None, role: str, text: str) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [text]}
        return {
            "id": name,
            "parent": parent,
            "message": {"author": {"role": role}, "content": content, "metadata": {}},
        }

    nodes = [
        {"id": "root", "parent": None, "message": None},
        node("a", "root", "user", ASKED),
        node(
            "b",
            "a",
            "assistant",
            "A first answer that the user had written anew. Always use ftp.",
        ),
        node("c", "a", "assistant", LAST),
    ]
    return {
        "title": "Retries of the importer",
        "create_time": 1793609990.5,
        "update_time": 1793610000.5,
        "conversation_id": session,
        "current_node": "c",
        "mapping": {each["id"]: each for each in nodes},
    }


def _claude() -> dict[str, Any]:
    said = [
        {"sender": "human", "text": ASKED, "content": _text(ASKED), "created_at": TIME},
        {"sender": "assistant", "text": "", "content": _text(LAST), "created_at": TIME},
    ]
    return {
        "uuid": "s-1",
        "name": "Retries of the importer",
        "updated_at": TIME,
        "chat_messages": said,
    }


def _written(folder: Path, name: str, content: object, *, lines: bool) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    documents = content if isinstance(content, list) else [content]
    file.write_text(
        "".join(f"{json.dumps(each)}\n" for each in documents) if lines else json.dumps(content)
    )
    return file


TRANSCRIPTS = {"claude-code": _claude_code(), "codex": _codex(), "openclaw": _openclaw()}
EXPORTS = {"chatgpt": [_chatgpt()], "claude": [_claude()]}


@pytest.mark.parametrize("source", [*TRANSCRIPTS, *EXPORTS])
def test_a_session_becomes_one_note(source: str, vault: Vault, tmp_path: Path) -> None:
    content = TRANSCRIPTS.get(source) or EXPORTS[source]
    name = "rollout.jsonl" if source in TRANSCRIPTS else "conversations.json"
    file = _written(tmp_path / "old", name, content, lines=source in TRANSCRIPTS)
    for made in ("1 note made.", "0 notes made; 1 known already."):
        assert (
            vault.brain("--vault", vault.folder, "import", "transcripts", file).out.strip()
            == made
        )
    (note,) = (vault.folder / "imported").rglob("*.md")
    text = note.read_text()
    assert "date: 2026-11-02T09:00:00Z" in text
    assert "session: s-1" in text
    assert "## Asked\n\n- Give the importer a retry. Never retry more than 5 times.\n" in text
    assert "## Decided\n\n- Never retry more than 5 times.\n" in text
    assert "## Outcome\n\n- The root cause was a timeout of 0 s.\n" in text
    assert "## Left open\n\n- The runbook is not updated yet." in text
    assert "ftp" not in text
    if source in TRANSCRIPTS:
        assert "project: shop" in text
        assert "importer.py" in text
        assert "Telegram" not in text
    else:
        assert "# Retries of the importer" in text


@pytest.mark.parametrize(
    ("folder", "file"),
    [
        ("C:\\work\\app", "C:\\work\\app\\src\\a.py"),
        ("c:\\Users\\Ann Lee\\app\\", "src\\a.py"),
        ("D:/code/app", "D:/code/app/src/a.py"),
        ("\\\\server\\share\\app", "\\\\server\\share\\app\\src\\a.py"),
        ("\\\\wsl$\\Ubuntu\\home\\ann\\app", "src/a.py"),
        ("/gone/app/", "/gone/app/src/a.py"),
    ],
)
def test_the_project_of_a_folder_that_is_gone_is_its_name(
    vault: Vault, tmp_path: Path, folder: str, file: str
) -> None:
    entries = json.loads(json.dumps(_claude_code()).replace('"/gone/shop"', json.dumps(folder)))
    entries[2]["message"]["content"][0]["input"] = {**CHANGE, "file_path": file}
    source = _written(tmp_path, "s.jsonl", entries, lines=True)
    vault.brain("--vault", vault.folder, "import", "transcripts", source)
    (note,) = (vault.folder / "imported").rglob("*.md")
    assert "\nproject: app\n" in note.read_text()
    assert "\nfiles: [src/a.py]\n" in note.read_text()


def test_a_broken_record_is_a_line_and_the_others_are_imported(
    vault: Vault, tmp_path: Path
) -> None:
    folder = tmp_path / "old"
    _written(
        folder,
        "conversations.json",
        [{"title": "no messages"}, 7, _chatgpt("s-2")],
        lines=False,
    )
    (folder / "broken.jsonl").write_text("not JSON\n")
    (folder / "conversations-2.json").write_text("[{")
    (folder / "settings.json").write_text("{}")
    _written(folder, "deep/good.jsonl", ["half a record", *_claude_code()], lines=True)
    answer = vault.brain("--vault", vault.folder, "import", "transcripts", folder)
    assert (answer.code, answer.out.strip()) == (3, "2 notes made.")
    assert answer.err.count("\n") == 4 + len(["To undo: …"])
    for problem in (
        "json:1 is not a conversation",
        "json:2 is not a conv",
        "broken.jsonl has no line",
        "2.json is not valid",
    ):
        assert problem in answer.err


def test_a_session_that_was_captured_is_not_imported_again(
    vault: Vault, tmp_path: Path
) -> None:
    vault.note(
        "handoff/session-s-1.md", "# Handoff: Retries\n\nAll.\n", type="handoff", session="s-1"
    )
    file = _written(tmp_path, "s.jsonl", _claude_code(), lines=True)
    assert (
        vault.brain("--vault", vault.folder, "import", "transcripts", file).out.strip()
        == "0 notes made; 1 known already."
    )


def test_no_transcripts_are_an_error_in_a_sentence(vault: Vault, tmp_path: Path) -> None:
    answer = vault.brain("--vault", vault.folder, "import", "transcripts", tmp_path / "none")
    assert (answer.code, "none does not exist." in answer.err) == (3, True)


CURSOR: list[dict[str, Any]] = [
    {"role": "user", "message": {"content": _text(f"<user_query>\n{ASKED}\n</user_query>")}},
    {"role": "assistant", "message": {"content": _text(LAST)}},
]
VS_CODE: list[dict[str, Any]] = [
    {"type": "session.start", "data": {"sessionId": "s-1"}, "timestamp": TIME},
    {"type": "user.message", "data": {"content": ASKED, "attachments": []}, "timestamp": TIME},
    {
        "type": "assistant.message",
        "data": {"messageId": "m", "content": LAST},
        "timestamp": TIME,
    },
]


@pytest.mark.parametrize("entries", [CURSOR, VS_CODE], ids=["cursor", "vscode"])
def test_the_transcript_that_a_hook_names_is_read(entries: list[dict[str, Any]]) -> None:
    assert transcript_of(entries).turns == [Turn(USER, ASKED), Turn(AGENT, LAST)]
