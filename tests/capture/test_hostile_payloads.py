"""A payload may hold anything: the hook answers, and no observation holds up the others."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from brain_cli.capture.flush import flush
from brain_cli.capture.note_store import NoteStore
from brain_cli.capture.payload import read_payload
from brain_cli.capture.secrets import without_secrets
from brain_cli.capture.spool import Spool

if TYPE_CHECKING:
    from conftest import Vault

START = 1_790_000_000.0
WORDS = "word " * 40
USED = {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": WORDS}
END = {"hook_event_name": "SessionEnd", "session_id": "../../../x"}
ODD: dict[str, dict[str, Any]] = {
    "null characters": {**USED, "cwd": "/tmp/a\0b", "tool_name": "a\0b", "session_id": "\0"},
    "half a character": {**USED, "cwd": "/\ud800", "tool_response": f"\ud800 {WORDS}", "session_id": "\udfff"},
    "escape sequences": {**USED, "tool_name": "\x1b]0;owned\x07", "session_id": "\u202e"},
    "a file elsewhere": {
        **USED,
        "tool_name": "Write",
        "tool_input": {"file_path": "../../\0etc/passwd", "content": WORDS},
    },
    "other types": {**USED, "cwd": [1], "tool_input": 7, "session_id": {}, "transcript_path": 1.5},
    "an endless transcript": {**END, "transcript_path": "/dev/zero"},
    "a transcript with a null character": {**END, "transcript_path": "/tmp/a\0b"},
    "a folder as a transcript": {**END, "transcript_path": "/"},
}


def notes_of(vault: Vault, *payloads: dict[str, Any]) -> dict[str, str]:
    """Keep payloads as a hook does, and make notes of them; return the notes by path."""
    spool = Spool(str(vault.folder.parent / "spool"))
    store = NoteStore(str(vault.folder), "inbox", str(vault.folder.parent / "recent.json"))
    for number, payload in enumerate(payloads):
        observation = read_payload(json.dumps(payload).encode(), at=START + 10 * number, folder="", vault="")
        assert observation
        spool.append(without_secrets(observation))
    flush(spool, lambda _: store, START + 99_999, 3.0)
    return {path.relative_to(vault.folder).as_posix(): path.read_text() for path in vault.folder.rglob("*.md")}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_payload_does_not_hold_up_the_others(vault: Vault, name: str) -> None:
    notes = notes_of(vault, ODD[name], {**USED, "tool_input": {"description": "Deploy the shop"}})
    assert sum("deploy-the-shop" in path for path in notes) == 1
    assert {path.name for path in vault.folder.iterdir()} == {"inbox"}


def test_a_transcript_that_is_a_pipe_is_not_waited_for(vault: Vault) -> None:
    os.mkfifo(vault.folder.parent / "pipe")
    assert notes_of(vault, {**END, "transcript_path": str(vault.folder.parent / "pipe")}) == {}


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        ("[1, 2", None),
        ('{"a": ' + "[" * 100_000, "The payload is nested too deeply"),
        ('{"tool_response": ' + "[" * 900 + "]" * 900 + "}", "The payload is nested too deeply"),
        ('{"tool_input": ' + "9" * 5_000 + "}", "The payload has a number that is too long"),
        ('{"tool_input": nothing}', "The payload is not valid JSON: Expecting value"),
    ],
)
def test_a_payload_that_cannot_be_read_is_explained_in_one_sentence(
    vault: Vault, payload: str, why: str | None
) -> None:
    answer = vault.brain("capture", "--vault", vault.folder, stdin=payload)
    assert answer.code == 0
    assert len(answer.err.splitlines()) == (why is not None)
    assert (why or "") in answer.err


def test_the_folder_of_an_observation_keeps_its_spaces(vault: Vault) -> None:
    folder = vault.folder.parent / "my  project\nof two lines "
    (folder / ".git").mkdir(parents=True)
    [note] = notes_of(vault, {**USED, "cwd": str(folder)}).values()
    assert "my  project" in note
