"""Observations become notes: noise stays out, secrets stay out, what matters stays in, and nothing
is lost.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import Brain, Vault
from examples import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from stream import stream
from texts import any_text

from brain_cli.library.vault import open_vault
from brain_cli.plugins.agents.capture import flush
from brain_cli.plugins.agents.intake import Spool, capture, from_line, to_line, without_secrets
from brain_cli.plugins.agents.note_store import NoteStore
from brain_cli.plugins.agents.observation import (
    Observation,
    ignored,
    observed_use,
    read_payload,
)

START = 1_790_000_000.0


def payload(tool: str = "Bash", **more: Any) -> dict[str, Any]:
    return {
        "session_id": "s1",
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": {"command": "make deploy", "description": "Deploy the shop"},
        "tool_response": {
            "stderr": "error: the second region refused after four minutes and twelve seconds"
        },
        **more,
    }


def stored(vault: Vault, *observations: Observation, now: float = START + 99_999) -> None:
    """Make notes of observations, in this process."""
    state = vault.folder.parent / "state"
    spool = Spool(str(state / "spool"))
    for each in observations:
        spool.append(without_secrets(each))
    with vault.brain.surroundings():
        store = NoteStore(open_vault(str(vault.folder), None))
        assert not flush(spool, lambda _: store, now)


def read(document: object) -> Observation | None:
    return read_payload(json.dumps(document).encode(), at=START, folder="/", vault="")


def observed(
    tool: str = "Bash",
    command: str = "make deploy",
    response: str = "error: the region refused",
) -> Observation:
    return Observation("id", START, tool, command, response)


def notes_of(vault: Vault) -> list[str]:
    """Make notes of what waits; return the texts of all notes."""
    assert vault.brain("capture", "--flush", env={"BRAIN_VAULT": str(vault.folder)}).code == 0
    return [path.read_text() for path in sorted(vault.folder.rglob("*.md"))]


def captured(vault: Vault, text: str, *options: str, window_ms: int = 100) -> str:
    environ = {"BRAIN_VAULT": str(vault.folder), "BRAIN_BATCH_WINDOW_MS": str(window_ms)}
    answer = vault.brain.process("capture", *options, stdin=text, env=environ)
    assert answer.code == 0
    return answer.err


def test_a_session_becomes_one_note_however_many_tools_it_uses(vault: Vault) -> None:
    for _ in range(3):
        assert captured(vault, json.dumps(payload(cwd=str(vault.folder)))) == ""
    [note] = notes_of(vault)
    assert note.count("- `make deploy` fails: error: the second region refused") == 1
    assert "session: s1" in note
    assert [path.parent.name for path in vault.folder.rglob("*.md")] == ["handoff"]


def test_a_skipped_tool_leaves_nothing_behind(vault: Vault) -> None:
    for tool in ("TodoRead", "TodoWrite", "LS"):
        assert captured(vault, json.dumps(payload(tool, cwd=str(vault.folder)))) == ""
    assert not list(vault.brain.state.rglob("*"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We chose Kafka instead of RabbitMQ.", "decision"),
        ("Decision: carts live in Redis.", "decision"),
        ("Preference: tests before code.", "preference"),
        ("Run it with --replace to fix the fixed-window limiter.", "observation"),
    ],
)
def test_plain_text_is_of_the_kind_that_its_author_says(
    vault: Vault, text: str, kind: str
) -> None:
    stored(vault, Observation("1", START, response=text))
    [note] = vault.folder.rglob("*.md")
    assert f"type: {kind}" in note.read_text()


IGNORED: list[object] = [
    None,
    [],
    7,
    "a text in quotes",
    {},
    {"hook_event_name": "Notification", "message": "The agent waits for your answer."},
    {
        "hook_event_name": "SubagentStop",
        "session_id": "s",
        "last_assistant_message": "The search is over.",
    },
    {"hook_event_name": "SessionStart", "source": "startup"},
    {"hook_event_name": "SomethingNew", "tool_name": "Bash", "tool_response": "x" * 100},
]


@pytest.mark.parametrize("document", IGNORED, ids=str)
def test_unknown_events_and_other_values_are_ignored(document: object) -> None:
    assert read(document) is None


@pytest.mark.parametrize("text", ["garbage", "\x00\x01\x02 \x03\x04", "\ufffd\ufffd \ufffd"])
def test_garbage_is_ignored(text: str) -> None:
    assert read_payload(text.encode(), at=START, folder="/", vault="") is None


@pytest.mark.parametrize(
    "use",
    [
        observed_use("mcp__brain__remember", {"query": "why redis"}, "x" * 90),
        observed_use("mcp__plugin_brain_brain__context", {}, "x" * 90),
        observed_use("Bash", {"command": "brain remember why redis"}, "x" * 90),
        observed_use(
            "Bash",
            {"command": "cd /shop && BRAIN_VAULT=~/notes ~/.local/bin/brain why redis | head"},
            "x" * 90,
        ),
        observed_use("shell", {"command": "uv run brain remember redis"}, "x" * 90),
    ],
    ids=lambda use: f"{use.tool} {use.input}",
)
def test_an_agents_own_recalls_are_never_captured(use: Observation) -> None:
    assert ignored(use)


def test_a_command_whose_name_only_contains_brain_is_captured() -> None:
    assert not ignored(observed_use("Bash", {"command": "make brainstorm"}, "x" * 90))


def test_an_order_to_remember_becomes_a_note_at_once(vault: Vault) -> None:
    for prompt in (
        "From now on, name branches after the ticket.",
        "remember: decision: we keep cents as integers",
    ):
        stored(
            vault,
            Observation(prompt, START, session="s", event="UserPromptSubmit", prompt=prompt),
        )
    stored(
        vault,
        Observation(
            "2",
            START,
            session="s",
            event="UserPromptSubmit",
            prompt="do you remember the ticket?",
        ),
    )
    texts = sorted(path.read_text() for path in vault.folder.rglob("*.md"))
    assert len(texts) == 2
    assert any(
        "type: preference" in text and "# name branches after the ticket" in text
        for text in texts
    )
    assert any(
        "type: decision" in text and "# we keep cents as integers" in text for text in texts
    )


def test_an_answer_that_took_time_gets_a_note_with_its_prose(vault: Vault) -> None:
    prose = "The driver retries a statement three times. It gives up after thirty seconds, which nobody can configure."
    web = observed_use(
        "WebFetch",
        {"url": "https://example.org", "prompt": "How does the driver retry?"},
        {"result": prose},
    )
    helper = observed_use(
        "Task",
        {"description": "Find callers", "prompt": "…"},
        {"content": [{"type": "text", "text": prose}]},
    )
    links = observed_use(
        "WebSearch",
        {"query": "driver retries"},
        [{"title": "Driver", "url": "https://example.org"}],
    )
    for number, each in enumerate((web, helper, links)):
        stored(vault, each._replace(id=str(number), at=START, session="s"))
    assert sorted(path.name for path in (vault.folder / "inbox").iterdir()) == [
        "2026-09-21-find-callers.md",
        "2026-09-21-how-does-the-driver-retry.md",
    ]


def test_the_users_answer_to_a_question_becomes_a_decision(vault: Vault) -> None:
    """Claude Code's hooks get the answers in a table."""
    given = {"questions": [{"question": "Which store?", "options": [{"label": "Redis"}]}]}
    asked = payload(
        "AskUserQuestion",
        tool_input=given,
        tool_response={"answers": {"Which store?": "Redis, for speed"}},
    )
    observation = read(asked)
    assert observation
    stored(vault, observation)
    [note] = [path.read_text() for path in (vault.folder / "inbox").iterdir()]
    assert "type: decision" in note
    assert "Which store? Redis, for speed" in note


def test_a_session_note_has_the_checks_that_fail_at_its_end_and_the_changed_files(
    vault: Vault,
) -> None:
    failed = "FAILED tests/pay.py::test_a - KeyError: 'ttl'\n1 failed"
    edit = {"file_path": "/shop/src/cache.py", "old_string": "a", "new_string": "ttl = 5"}
    patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/b.py\n+x\n*** End Patch\nEOF"
    lint = "error: unused variable in index.js, line 3"
    uses = [
        observed_use("Bash", {"command": "pytest tests/pay"}, failed),
        observed_use("Edit", edit, "updated"),
        observed_use("Bash", {"command": patch}, "Success"),
        observed_use("Bash", {"command": "pytest -q"}, "31 passed in 2.10s"),
        observed_use("Bash", {"command": "npm run lint"}, lint),
        observed_use("Bash", {"command": 'grep "a\\|b" src | head'}, "error: in a comment"),
    ]
    stored(
        vault,
        *(
            each._replace(id=str(n), at=START + n, session="s", folder="/shop")
            for n, each in enumerate(uses)
        ),
    )
    [note] = [path.read_text() for path in vault.folder.rglob("*.md")]
    assert "\nfiles: [src/cache.py, src/b.py]\n" in note
    assert note.endswith(f"## Left open\n\n- `npm run lint` fails: {lint}\n")


def test_without_a_transcript_the_last_messages_make_the_handoff(vault: Vault) -> None:
    end = {
        "hook_event_name": "Stop",
        "session_id": "s",
        "last_user_message": "never deploy on Fridays",
        "last_assistant_message": "The pipeline refuses Fridays now. The docs are not updated yet.",
    }
    observation = read(end)
    assert observation
    stored(vault, observation)
    [note] = [path.read_text() for path in vault.folder.rglob("*.md")]
    assert "## Decided\n\n- never deploy on Fridays" in note
    assert "## Left open\n\n- The docs are not updated yet." in note


def test_the_prompts_of_an_agent_without_a_transcript_are_turns_of_its_session(
    vault: Vault,
) -> None:
    fields = {
        "conversation_id": "s",
        "cursor_version": "2.4",
        "workspace_roots": [str(vault.folder)],
    }
    for event in (
        {
            "hook_event_name": "beforeSubmitPrompt",
            "prompt": "Add VAT rates. Please always use pnpm here, never npm.",
        },
        {"hook_event_name": "afterAgentResponse", "text": "The rates are integers now."},
        {"hook_event_name": "beforeSubmitPrompt", "prompt": "again: pnpm, not npm!"},
        {"hook_event_name": "afterAgentResponse", "text": "The lock file is right again."},
    ):
        vault.brain("capture", "--vault", vault.folder, stdin=json.dumps({**fields, **event}))
    [note] = notes_of(vault)
    assert "# Handoff: Add VAT rates." in note
    asked = (
        "- Add VAT rates. Please always use pnpm here, never npm.\n- again: pnpm, not npm!\n"
    )
    assert f"## Asked\n\n{asked}" in note
    assert "## Decided\n\n- Please always use pnpm here, never npm.\n" in note


def test_a_prompt_that_a_transcript_has_is_not_kept_twice(vault: Vault) -> None:
    prompt = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "s",
        "prompt": "Add VAT rates.",
    }
    for transcript_path, kept in (("", 1), ("/t.jsonl", 1), (None, 2)):
        vault.brain("capture", stdin=json.dumps({**prompt, "transcript_path": transcript_path}))
        assert len([*(vault.brain.state / "capture" / "new").iterdir()]) == kept


def test_a_session_in_which_nothing_was_decided_leaves_no_note(vault: Vault) -> None:
    uses = [
        observed_use(
            "Edit",
            {"file_path": "/shop/README.md", "old_string": "a", "new_string": "b"},
            "updated",
        ),
        observed_use(
            "Bash",
            {"command": 'git commit -m "fix typo"', "description": "Commit"},
            "2 files changed",
        ),
        observed_use(
            "Bash",
            {"command": "pytest -q", "description": "Run the tests"},
            "12 passed in 0.31 s",
        ),
    ]
    told = Observation(
        "end",
        START + 9,
        "",
        session="s",
        event="Stop",
        prompt="fix the typo",
        response="It is fixed.",
    )
    stored(
        vault,
        *(each._replace(id=str(n), at=START + n, session="s") for n, each in enumerate(uses)),
        told,
    )
    assert not [*vault.folder.rglob("*.md")]


def test_the_error_at_the_end_of_a_long_output_is_kept() -> None:
    found = without_secrets(
        observed(response="begins\n" + "noise\n" * 20_000 + "error: no space left")
    )
    assert found.response.startswith("begins\n")
    assert found.response.endswith("error: no space left")
    assert len(found.response) < 8_100
    use = observed_use("Bash", {"command": "make"}, "noise\n" * 20_000 + "error: no space left")
    assert use.response.endswith("error: no space left")


def test_a_response_without_text_has_none_and_its_nested_texts_are_joined() -> None:
    assert (
        observed_use("Bash", {}, {"stdout": "", "stderr": "", "interrupted": False}).response
        == ""
    )
    found = {
        "query": "x",
        "results": [{"content": [{"title": "T", "url": "https://t"}]}, "Tides are regular."],
    }
    assert observed_use("WebSearch", {}, found).response == "Tides are regular."


def test_what_is_captured_has_the_stated_time(vault: Vault) -> None:
    vault.brain(
        "capture",
        "--vault",
        vault.folder,
        "--now",
        "2026-01-02",
        stdin="Carts are kept in Redis for speed.",
    )
    vault.brain("capture", "--flush", "--vault", vault.folder)
    assert [path.name[:10] for path in vault.folder.rglob("*.md")] == ["2026-01-02"]


@pytest.mark.exhaustive
def test_broken_json_is_kept_aside_and_can_be_read_again(vault: Vault) -> None:
    said = captured(vault, "{broken")
    assert said.startswith("brain: The payload is not valid JSON")
    [aside] = (vault.brain.state / "capture" / "aside").iterdir()
    aside.write_text(json.dumps(payload()))
    environ = {"BRAIN_VAULT": str(vault.folder), "BRAIN_BATCH_WINDOW_MS": "100"}
    again = vault.brain.process("capture", "--retry", "--json", env=environ)
    assert (again.code, again.json["read"], again.json["left"]) == (0, 1, 0)
    assert len(notes_of(vault)) == 1


def test_where_the_disk_is_full_a_payload_that_is_lost_is_said_to_be(
    vault: Vault, tmp_path: Path
) -> None:
    state = tmp_path / "full"
    # No folder can be made where a file is: the writing fails as on a full disk.
    state.write_text("")
    text = "We keep carts in Redis because Postgres polling was slow."
    environ = {"BRAIN_VAULT": str(vault.folder), "XDG_STATE_HOME": str(state)}
    failed = vault.brain.process("capture", stdin=text, env=environ)
    assert (failed.code, len(failed.err.splitlines())) == (0, 1)
    assert "could not be kept" in failed.err


def test_a_broken_payload_fails_only_when_strict(vault: Vault) -> None:
    assert (
        vault.brain.process(
            "capture", "--strict", "--vault", vault.folder, stdin="{broken"
        ).code
        == 3
    )


@pytest.mark.parametrize(
    "observation",
    [
        observed("TodoWrite"),
        observed("Read"),
        observed("LS"),
        observed("Probe", response="short"),
        observed(command="git status"),
        observed(command="cd src && ls -la"),
        observed(
            "Grep", "pattern: legacy_payment_provider_with_a_long_name", "No matches found"
        ),
        observed("Glob"),
    ],
)
def test_noise_is_ignored(observation: Observation) -> None:
    assert ignored(observation)


@pytest.mark.parametrize(
    "observation",
    [
        observed(),
        observed(response="4 passed"),
        observed(command="ls > files.txt"),
        observed("", "", "a thought"),
    ],
)
def test_an_observation_that_is_not_noise_is_kept(observation: Observation) -> None:
    assert not ignored(observation)


# Put together here, so that no scanner takes a made secret for a real one.
SECRETS = [
    "AKIA" + "ABCDEFGHIJKLMNOP",
    "ghp_" + "a1B2c3D4e5" * 4,
    "sk-" + "abcdEFGH1234" * 3,
    "xoxb-" + "1234567890-abcdefghij",
    "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0.abcdefghijk",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIabcdef\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize("secret", SECRETS)
@given(before=any_text(30), after=any_text(30))
@settings(max_examples=30, deadline=None)
def test_no_token_reaches_the_spool(secret: str, before: str, after: str) -> None:
    found = without_secrets(observed(response=f"{before} {secret} {after}"))
    assert secret not in to_line(found).decode()
    assert secret not in found.response


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password = hunter2hunter2", "hunter2hunter2"),
        ('{"api_key": "0123456789abcdef"}', "0123456789abcdef"),
        ("curl -H 'Authorization: Bearer abcdef0123456789'", "abcdef0123456789"),
        ("postgres://app:s3cretpw@db/shop", "s3cretpw"),
        ("mysql --password=s3cretpw shop", "s3cretpw"),
    ],
)
def test_named_secrets_are_replaced(text: str, secret: str) -> None:
    assert secret not in without_secrets(observed(response=text)).response


def test_every_value_of_an_env_file_is_a_secret() -> None:
    read = without_secrets(
        observed(
            command="cat config/.env.production",
            response="REGION=eu-west\nexport PLAIN=harmless",
        )
    )
    assert "eu-west" not in read.response
    assert "harmless" not in read.response
    example = without_secrets(observed(command="cat .env.example", response="REGION=eu-west"))
    assert "eu-west" in example.response


observations = st.lists(
    st.builds(
        Observation,
        id=st.uuids().map(str),
        at=st.floats(0, 100),
        tool=st.sampled_from(["Read", "Edit", ""]),
        session=st.sampled_from(["a", "b"]),
    ),
    max_size=40,
)


@given(observations)
def test_a_line_of_the_spool_reads_back_as_it_was(found: list[Observation]) -> None:
    assert [from_line(to_line(each)) for each in found] == found


HOOKS = sized(50, everyday=10)


def test_many_hooks_at_once_lose_nothing_and_store_nothing_twice(vault: Vault) -> None:
    def one(number: int) -> None:
        said = {
            "stdout": f"error: region {number}: the deployment took {number * 7} seconds in all"
        }
        given = {"command": f"make {number}", "description": "Measure it"}
        captured(
            vault,
            json.dumps(payload(session_id=f"s{number}", tool_response=said, tool_input=given)),
        )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(HOOKS)))
    text = "\n".join(notes_of(vault))
    assert [text.count(f"error: region {number}:") for number in range(HOOKS)] == [1] * HOOKS


def test_a_flush_killed_anywhere_is_completed_by_the_next(vault: Vault, tmp_path: Path) -> None:
    spool = Spool(str(tmp_path / "spool"))
    spool.append(Observation("a", START, response="The cache never evicts images."))
    spool.append(observed()._replace(session="s", title="Deploy the shop"))
    kept = {path: path.read_bytes() for path in (tmp_path / "spool" / "new").iterdir()}
    with vault.brain.surroundings():
        store = NoteStore(open_vault(str(vault.folder), None))
        flush(spool, lambda _: store, START + 10)
        once = {path.name: path.read_bytes() for path in vault.folder.rglob("*.md")}
        assert len(once) == 2
        # This is the state after the process died before it removed the files, then with an index that lacks
        # the notes.
        for is_indexed in (True, False):
            for path, raw in kept.items():
                path.write_bytes(raw)
            if not is_indexed:
                shutil.rmtree(store.vault.index_directory.folder)
            flush(spool, lambda _: store, START + 10)
            assert {path.name: path.read_bytes() for path in vault.folder.rglob("*.md")} == once


def test_a_repetition_within_the_hour_is_counted_on_the_note_that_is_there(
    vault: Vault,
) -> None:
    for number, minutes in enumerate((0, 10, 20, 90)):
        text = f"The staging database is slow on Mondays. Seen {number} times."
        stored(vault, Observation(str(number), START + minutes * 60, response=text))
    first, second = sorted(vault.folder.rglob("*.md"), key=lambda path: len(path.name))
    assert "duplicates: 3" in first.read_text().replace('"', "")
    assert "Seen 2 times" in first.read_text()
    assert "Seen 3 times" in second.read_text()


def test_a_day_of_an_agent_leaves_one_short_note(vault: Vault) -> None:
    uses = [
        read_payload(
            json.dumps(used.payload).encode(), at=START + used.at, folder="/shop", vault=""
        )
        for used in stream()
    ]
    stored(vault, *(each for each in uses if each and not ignored(each)))
    [note] = [path.read_text() for path in vault.folder.rglob("*.md")]
    assert "/shop/docs/" in note or "docs/" in note
    assert len(note.encode()) <= 4_000


def transcript(path: Path, *entries: tuple[str, object]) -> Path:
    lines = [
        json.dumps({"type": role, "message": {"role": role, "content": content}})
        for role, content in entries
    ]
    path.write_text("\n".join(lines) + "\n{torn")
    return path


def test_the_end_of_a_session_leaves_one_handoff_note(vault: Vault, tmp_path: Path) -> None:
    edit = {
        "type": "tool_use",
        "name": "Edit",
        "input": {"file_path": str(tmp_path / "src/pay.py")},
    }
    todo = {
        "type": "tool_use",
        "name": "TodoWrite",
        "input": {"todos": [{"content": "Test refunds", "status": "pending"}]},
    }
    said = {
        "type": "text",
        "text": "I decided to lock the row because retries overlap. The refund path is still missing a test.",
    }
    file = transcript(
        tmp_path / "t.jsonl",
        ("user", "Stop the double charge"),
        ("assistant", [edit, todo, said]),
    )
    end = {
        "hook_event_name": "Stop",
        "session_id": "s9",
        "transcript_path": str(file),
        "cwd": str(tmp_path),
    }
    captured(vault, json.dumps(end))
    notes_of(vault)
    captured(vault, json.dumps({**end, "hook_event_name": "SessionEnd"}))
    [note] = notes_of(vault)
    for words in (
        "type: handoff",
        "Stop the double charge",
        "lock the row because",
        "src/pay.py",
        "- Test refunds",
        "still missing",
    ):
        assert words in note


@pytest.mark.parametrize(
    ("program", "expected", "said"),
    [
        (
            "import sys; print('# By my model\\n', len(sys.stdin.read()) > 90)",
            "# By my model\n True",
            "",
        ),
        ("import sys; print(sys.stdin.read())", "user: Never deploy on Fridays.", ""),
        ("print('The token is ghp_' + 'a1B2c3D4e5' * 4)", "The token is [redacted]", ""),
        (
            "print()",
            "- Never deploy on Fridays.",
            "capture.command printed nothing; the note quotes",
        ),
        (
            "raise SystemExit(4)",
            "- Never deploy on Fridays.",
            "capture.command ended with 4; the note quotes",
        ),
    ],
)
def test_the_users_own_model_writes_the_handoff_or_the_session_is_quoted(
    vault: Vault, program: str, expected: str, said: str
) -> None:
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(program)}"
    vault.brain.config.parent.mkdir(parents=True, exist_ok=True)
    vault.brain.config.write_text(f"[capture]\ncommand = {json.dumps(command)}\n")
    end = {
        "hook_event_name": "Stop",
        "session_id": "s9",
        "last_user_message": "Never deploy on Fridays.",
    }
    vault.brain("capture", "--vault", vault.folder, stdin=json.dumps(end))
    flushed = vault.brain("capture", "--flush", "--vault", vault.folder)
    [note] = notes_of(vault)
    assert expected in note
    assert said in flushed.err
    assert "session: s9" in note


def test_a_vault_cannot_name_the_program_that_writes_handoffs(vault: Vault) -> None:
    (vault.folder / ".brain").mkdir(exist_ok=True)
    (vault.folder / ".brain" / "config.toml").write_text(
        "[capture]\ncommand = 'touch stolen'\n"
    )
    end = {
        "hook_event_name": "Stop",
        "session_id": "s9",
        "last_user_message": "Never deploy on Fridays.",
    }
    vault.brain("capture", "--vault", vault.folder, stdin=json.dumps(end))
    flushed = vault.brain("capture", "--flush", "--vault", vault.folder)
    assert "A vault cannot set “capture.command”" in flushed.err
    assert not [*vault.folder.parent.rglob("stolen")]


def test_a_handoff_quotes_requests_in_full_and_invents_nothing(
    vault: Vault, tmp_path: Path
) -> None:
    entries = [
        {
            "type": "user",
            "isCompactSummary": True,
            "message": {"role": "user", "content": "This goes on from before."},
        },
        {
            "type": "user",
            "isSidechain": True,
            "message": {"role": "user", "content": "Helper, search the callers."},
        },
        {
            "type": "user",
            "message": {"role": "user", "content": "The mail is late. Send it on day five."},
        },
        {
            "type": "assistant",
            "message": {
                "role": "assistant",
                "content": "| decided | table |\n|---|---|\n\n# Decided heading\n\n**Decided:** a constant, "
                "because nobody sets it.\nThe helper `_later` works fine now.",
            },
        },
    ]
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(map(json.dumps, entries)))
    end = {
        "hook_event_name": "SessionEnd",
        "session_id": "s",
        "transcript_path": str(file),
        "cwd": str(tmp_path),
    }
    captured(vault, json.dumps(end))
    [note] = notes_of(vault)
    assert "## Asked\n\n- The mail is late. Send it on day five.\n" in note
    assert "## Outcome\n\n- Decided: a constant, because nobody sets it.\n" in note
    assert not any(
        words in note
        for words in ("goes on from before", "Helper, search", "table", "heading", "**")
    )


def test_a_handoff_that_somebody_changed_is_not_written_over(
    vault: Vault, tmp_path: Path
) -> None:
    said: list[tuple[str, object]] = [
        ("user", "Never charge twice"),
        ("assistant", "The row is locked now."),
    ]
    file = transcript(tmp_path / "t.jsonl", *said)
    end = {
        "hook_event_name": "Stop",
        "session_id": "s",
        "transcript_path": str(file),
        "cwd": str(tmp_path),
    }
    captured(vault, json.dumps(end))
    notes_of(vault)
    [path] = vault.folder.rglob("*.md")
    path.write_text(path.read_text() + "\nMy own words.\n")
    transcript(
        file, *said, ("user", "never test it on staging"), ("assistant", "The test passes now.")
    )
    captured(vault, json.dumps(end))
    first, second = sorted(notes_of(vault), key=lambda text: "on staging" in text)
    assert "My own words." in first
    assert "never test it on staging" in second


def test_the_values_of_an_env_file_that_is_edited_are_secrets() -> None:
    change = {
        "file_path": "/shop/.env",
        "old_string": "PLAIN=one",
        "new_string": "PLAIN=harmless",
    }
    found = read_payload(
        json.dumps(payload("Edit", tool_input=change)).encode(), at=START, folder="/", vault=""
    )
    assert found
    assert "harmless" not in without_secrets(found).input


@pytest.mark.exhaustive
def test_an_empty_session_leaves_no_note(vault: Vault, tmp_path: Path) -> None:
    file = transcript(
        tmp_path / "t.jsonl",
        ("assistant", [{"type": "text", "text": "Hello, what can I do for you today?"}]),
    )
    captured(
        vault,
        json.dumps(
            {"hook_event_name": "SessionEnd", "session_id": "s", "transcript_path": str(file)}
        ),
    )
    vault.brain.process("capture", "--flush", env={"BRAIN_VAULT": str(vault.folder)})
    assert not list(vault.folder.rglob("*.md"))


@pytest.mark.exhaustive
def test_without_a_vault_an_observation_waits(brain: Brain, vault: Vault) -> None:
    assert brain.process("capture", stdin="A thought without a home.").code == 0
    waiting = brain.process("capture", "--flush", "--json")
    assert waiting.json["waiting"] == 1
    brain.process("capture", "--flush", env={"BRAIN_VAULT": str(vault.folder)})
    assert len(list(vault.folder.rglob("*.md"))) == 1


def test_a_hook_imports_little(brain: Brain) -> None:
    environ = {**brain.environ(), "PYTHONPROFILEIMPORTTIME": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "brain_cli", "capture"],
        input=b"",
        capture_output=True,
        env=environ,
        check=True,
        cwd=brain.home,
    )
    loaded = {line.split("|")[-1].strip() for line in done.stderr.decode().splitlines()}
    assert not loaded & {
        "typer",
        "click",
        "whoosh",
        "subprocess",
        "tempfile",
        "brain_cli.cli",
        "brain_cli.index",
        "yaml",
    }


def test_a_flush_says_why_an_observation_waits_and_keeps_it(brain: Brain, vault: Vault) -> None:
    brain.process("capture", stdin="A thought without a home.")
    answer = brain("capture", "--flush")
    assert answer.code == 0
    assert "1 observation cannot become notes yet: There is no vault here." in answer.err
    assert (
        "1 observation could not become notes" in brain("doctor", "--vault", vault.folder).out
    )
    # The inbox of this vault cannot be a folder.
    (vault.folder / "inbox").write_text("in the way")
    answer = brain("capture", "--flush", env={"BRAIN_VAULT": str(vault.folder)})
    assert "1 observation cannot become notes yet: " in answer.err
    (vault.folder / "inbox").unlink()
    assert brain("capture", "--flush", env={"BRAIN_VAULT": str(vault.folder)}).err == ""
    assert len(list(vault.folder.rglob("*.md"))) == 1


def test_dropped_observations_are_reported(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain_cli.plugins.agents import intake as limits

    monkeypatch.setattr(limits, "MAX_PENDING", 1)
    for text in ("One thought without a home.", "One more thought without a home."):
        _, message = capture(text.encode(), {**brain.environ(), "PATH": ""}, "/")
    assert "the 1 oldest were dropped" in message


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (
            "We keep carts in Redis because polling was too slow for the shop.",
            "It becomes a note in {vault};",
        ),
        (json.dumps(payload()), "when its session ends"),
        (json.dumps(payload(tool_name="Read")), "Nothing was kept of this"),
    ],
)
def test_a_person_at_a_terminal_is_told_what_was_kept(
    vault: Vault, document: str, told: str
) -> None:
    reader, writer = os.openpty()
    environ = vault.brain.environ(BRAIN_VAULT=str(vault.folder))
    command = [sys.executable, "-m", "brain_cli", "capture"]
    subprocess.run(command, input=document.encode(), stderr=writer, env=environ, check=True)
    os.close(writer)
    shown = os.read(reader, 65_536).decode()
    os.close(reader)
    assert told.format(vault=vault.folder) in shown


def test_a_person_is_told_where_there_is_no_vault(vault: Vault) -> None:
    reader, writer = os.openpty()
    command = [sys.executable, "-m", "brain_cli", "capture"]
    subprocess.run(
        command,
        input=b"We keep carts in Redis.",
        stderr=writer,
        env=vault.brain.environ(),
        check=True,
    )
    assert b"Kept until there is a vault" in os.read(reader, 65_536)
