"""A payload may hold anything: the hook answers, and no observation holds up the others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from examples import in_ci, sized
from growth import assert_linear

from brain_cli.library.vault import open_vault
from brain_cli.plugins.agents.capture import flush
from brain_cli.plugins.agents.handoff import handoff
from brain_cli.plugins.agents.intake import Spool, without_secrets
from brain_cli.plugins.agents.note_store import NoteStore
from brain_cli.plugins.agents.observation import read_payload
from brain_cli.plugins.agents.session import AGENT, USER, Transcript, Turn

if TYPE_CHECKING:
    from conftest import Vault

START = 1_790_000_000.0
WORDS = "error: word " * 40
DID = {"command": "make", "description": "Make it"}
USED = {"session_id": "s1", "tool_name": "Bash", "tool_input": DID, "tool_response": WORDS}
END = {"hook_event_name": "SessionEnd", "session_id": "../../../x"}
ODD: dict[str, dict[str, Any]] = {
    "null characters": {**USED, "cwd": "/tmp/a\0b", "tool_name": "a\0b", "session_id": "\0"},
    "half a character": {
        **USED,
        "cwd": "/\ud800",
        "tool_response": f"\ud800 {WORDS}",
        "session_id": "\udfff",
    },
    "escape sequences": {**USED, "tool_name": "\x1b]0;owned\x07", "session_id": "\u202e"},
    "a file elsewhere": {
        **USED,
        "tool_name": "Write",
        "tool_input": {"file_path": "../../\0etc/passwd", "content": WORDS},
    },
    "other types": {
        **USED,
        "cwd": [1],
        "tool_input": 7,
        "session_id": {},
        "transcript_path": 1.5,
    },
    "an endless transcript": {**END, "transcript_path": "/dev/zero"},
    "a transcript with a null character": {**END, "transcript_path": "/tmp/a\0b"},
    "a folder as a transcript": {**END, "transcript_path": "/"},
}


def notes_of(vault: Vault, *payloads: dict[str, Any]) -> dict[str, str]:
    """Keep payloads as a hook does, and make notes of them; return the notes by path."""
    spool = Spool(str(vault.folder.parent / "spool"))
    for number, payload in enumerate(payloads):
        observation = read_payload(
            json.dumps(payload).encode(), at=START + 10 * number, folder="", vault=""
        )
        assert observation, payload
        spool.append(without_secrets(observation))
    with vault.brain.surroundings():
        store = NoteStore(open_vault(str(vault.folder), None))
        flush(spool, lambda _: store, START + 99_999)
    return {
        path.relative_to(vault.folder).as_posix(): path.read_text()
        for path in vault.folder.rglob("*.md")
    }


@pytest.mark.parametrize("name", ODD)
def test_an_odd_payload_does_not_hold_up_the_others(vault: Vault, name: str) -> None:
    used = {
        **USED,
        "session_id": "s2",
        "tool_input": {"command": "make deploy", "description": "Deploy the shop"},
    }
    notes = notes_of(vault, ODD[name], used)
    assert sum("`make deploy` fails" in text for text in notes.values()) == 1
    assert {path.name for path in vault.folder.iterdir()} == {"handoff"}


def test_a_transcript_that_is_a_pipe_is_not_waited_for(vault: Vault) -> None:
    os.mkfifo(vault.folder.parent / "pipe")
    assert notes_of(vault, {**END, "transcript_path": str(vault.folder.parent / "pipe")}) == {}


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        ("[1, 2", None),
        ('{"a": ' + "[" * 100_000, "The payload is nested too deeply"),
        (
            '{"tool_name": "Bash", "tool_response": ' + "[" * 900 + "]" * 900 + "}",
            "The payload is nested too deeply",
        ),
        ('{"tool_input": ' + "9" * 5_000 + "}", "The payload has a number that is too long"),
        ('{"tool_input": nothing}', "The payload is not valid JSON: Expecting value"),
    ],
)
def test_a_payload_that_cannot_be_read_is_explained_in_one_sentence(
    vault: Vault, payload: str, why: str | None
) -> None:
    answer = vault.brain("capture", "--vault", vault.folder, stdin=payload)
    assert answer.code == 0
    assert len(answer.err.splitlines()) == 1
    assert (why or "It becomes a note in") in answer.err


HOOKS = [["capture"], ["context", "--hook"]]


@pytest.mark.parametrize("hook", [in_ci(HOOKS[0]), HOOKS[1]], ids=["capture", "context"])
def test_a_hook_reads_no_endless_payload(vault: Vault, hook: list[str]) -> None:
    program = (
        "import resource, runpy, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (700_000_000, 700_000_000))\n"
        f"sys.argv = ['brain', *{hook!r}]\n"
        "runpy.run_module('brain_cli', run_name='__main__')\n"
    )
    with open("/dev/zero", "rb") as endless:
        done = subprocess.run(
            [sys.executable, "-c", program],
            stdin=endless,
            env=vault.brain.environ(BRAIN_VAULT=str(vault.folder)),
            capture_output=True,
            check=False,
            timeout=60,
        )
    assert done.returncode == 0, done.stderr
    assert (done.stdout, b"Error" in done.stderr) == (b"", False)


@pytest.mark.exhaustive
def test_a_payload_that_is_too_long_is_kept_aside_in_part(vault: Vault) -> None:
    answer = vault.brain(
        "capture",
        "--vault",
        vault.folder,
        stdin='{"tool_response": "' + "x" * 16_800_000 + '"}',
    )
    assert (answer.code, "The payload is longer than 16 MB" in answer.err) == (0, True)
    [kept] = (vault.brain.state / "capture" / "aside").iterdir()
    assert kept.stat().st_size <= 1_000_000


BROKEN_PROMPTS = {
    "half an object": '{"prompt": "tea"',
    "a list": "[1]",
    "deep nesting": '{"prompt": ' + "[" * 100_000,
    "no text": '{"prompt": ["tea"]}',
    "a null character in the folder": '{"prompt": "tea", "cwd": "/tmp/a\\u0000b"}',
    "a long number": '{"prompt": ' + "9" * 5_000 + "}",
    "an empty prompt": '{"prompt": "", "hook_event_name": "UserPromptSubmit"}',
    "bytes": "\x00\udcff",
}


@pytest.mark.parametrize("name", BROKEN_PROMPTS)
def test_broken_input_at_the_prompt_hook_prints_nothing(vault: Vault, name: str) -> None:
    vault.note(
        "tea.md", "# Tea\n\nGreen tea is steeped at 80 degrees.\n", type="decision", pinned=True
    )
    raw = BROKEN_PROMPTS[name].encode("utf-8", "surrogateescape")
    answer = vault.brain("context", "--hook", "--vault", vault.folder, stdin=raw)
    assert (answer.code, answer.out, answer.err) == (0, "", "")


def test_a_prompt_with_half_a_character_is_answered(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n\nGreen tea is steeped at 80 degrees.\n", type="decision")
    answer = vault.brain(
        "context", "--hook", "--vault", vault.folder, stdin='{"prompt": "green tea \\ud800"}'
    )
    assert (answer.code, "bug" in answer.err) == (0, False)


def test_a_failure_of_the_prompt_hook_is_one_sentence_and_no_exit_code(vault: Vault) -> None:
    vault.note("tea.md", "# Tea\n")
    (vault.brain.state / "capture" / "new").mkdir(parents=True)
    (vault.brain.state / "capture" / "new" / "1").write_text("{}")
    # The lock of the spool cannot be opened.
    (vault.brain.state / "capture" / "flush.lock").mkdir()
    answer = vault.brain(
        "context", "--hook", "--vault", vault.folder, stdin='{"prompt": "tea"}'
    )
    assert (answer.code, len(answer.err.splitlines())) == (0, 1)


def test_titles_and_names_of_a_payload_are_cut_before_they_are_searched_for_secrets() -> None:
    long = "word " * 1_000_000
    raw = json.dumps(
        {**USED, "session_id": long, "tool_name": long, "tool_input": {"description": long}}
    ).encode()
    found = read_payload(raw, at=START, folder="", vault="")
    assert found
    assert max(map(len, (found.title, found.tool, found.session, found.event))) <= 2_000


@pytest.mark.exhaustive
def test_a_transcript_of_empty_lines_takes_time_by_its_length() -> None:
    def drafted(text: str) -> None:
        handoff(
            Transcript((Turn(USER, "Never stop it."), Turn(AGENT, f"It stops.{text}"))),
            "s",
            "",
            START,
        )

    assert_linear(drafted, lambda n: "\n" * n, sized(50_000, everyday=20_000))


@pytest.mark.exhaustive
def test_a_transcript_of_many_uses_takes_time_by_their_number(vault: Vault) -> None:
    count = 0

    def flushed(uses: list[dict[str, Any]]) -> None:
        nonlocal count
        count += 1
        notes_of(vault, *({**each, "session_id": f"s{count}"} for each in uses))

    assert_linear(flushed, lambda n: [USED] * n, sized(200, everyday=100))


def test_the_folder_of_an_observation_keeps_its_spaces(vault: Vault) -> None:
    folder = vault.folder.parent / "my  project\nof two lines "
    (folder / ".git").mkdir(parents=True)
    [note] = notes_of(vault, {**USED, "cwd": str(folder)}).values()
    assert "my  project" in note


def test_a_handoff_takes_time_by_the_length_of_its_session() -> None:
    def talk(count: int) -> Transcript:
        causes = (
            f"The root cause was disk{n} lock{n} port{n} host{n} date{n}." for n in range(count)
        )
        said = (
            (Turn(USER, f"Report {n} comes later."), Turn(AGENT, cause))
            for n, cause in enumerate(causes)
        )
        return Transcript(tuple(turn for pair in said for turn in pair))

    assert_linear(lambda transcript: handoff(transcript, "s", "", START), talk, 1_000)
