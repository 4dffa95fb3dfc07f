"""Observations become notes: noise stays out, secrets stay out, what matters stays in, and nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import Brain, Vault
from examples import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from stream import MATTERS, OBSERVATIONS, stream
from texts import any_text

from brain_cli.plugins.agents.flush import batches, flush
from brain_cli.plugins.agents.noise import noise
from brain_cli.plugins.agents.note_store import NoteStore
from brain_cli.plugins.agents.observation import Observation, from_line, to_line
from brain_cli.plugins.agents.observed_secrets import without_secrets
from brain_cli.plugins.agents.payload import read_payload
from brain_cli.plugins.agents.spool import Spool

START = 1_790_000_000.0


def payload(tool: str = "Bash", **more: Any) -> dict[str, Any]:
    return {
        "session_id": "s1",
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": {"command": "make deploy", "description": "Deploy the shop"},
        "tool_response": {"stdout": "deployed to the second region in four minutes and twelve seconds"},
        **more,
    }


def observed(tool: str = "Bash", command: str = "make deploy", response: str = "x" * 60) -> Observation:
    return Observation("id", START, tool, command, response)


def notes_of(vault: Vault, wait_seconds: float = 20.0, at_least: int = 1) -> list[str]:
    """Wait until the background process has written notes; return their texts."""
    until = time.monotonic() + wait_seconds
    while time.monotonic() < until:
        found = sorted(vault.folder.rglob("*.md"))
        pending = vault.brain.state / "capture" / "pending.jsonl"
        if len(found) >= at_least and not pending.read_bytes():
            break
        time.sleep(0.05)
    return [path.read_text() for path in sorted(vault.folder.rglob("*.md"))]


def captured(vault: Vault, text: str, *options: str, window_ms: int = 100) -> str:
    environ = {"BRAIN_VAULT": str(vault.folder), "BRAIN_BATCH_WINDOW_MS": str(window_ms)}
    answer = vault.brain.process("capture", *options, stdin=text, env=environ)
    assert answer.code == 0
    return answer.err


def test_a_tool_use_becomes_a_note_in_the_inbox(vault: Vault) -> None:
    assert captured(vault, json.dumps(payload(cwd=str(vault.folder)))) == ""
    [note] = notes_of(vault)
    assert "# Deploy the shop" in note
    assert "make deploy" in note
    assert "session: s1" in note
    assert [path.parent.name for path in vault.folder.rglob("*.md")] == ["inbox"]


def test_plain_text_is_an_observation_too_and_its_words_say_its_kind(vault: Vault) -> None:
    captured(vault, "We chose Kafka instead of RabbitMQ.")
    [note] = notes_of(vault)
    assert "type: decision" in note


def test_broken_json_is_kept_aside_and_can_be_read_again(vault: Vault) -> None:
    said = captured(vault, "{broken")
    assert said.startswith("brain: The payload is not valid JSON")
    [aside] = (vault.brain.state / "capture" / "aside").iterdir()
    aside.write_text(json.dumps(payload()))
    environ = {"BRAIN_VAULT": str(vault.folder), "BRAIN_BATCH_WINDOW_MS": "100"}
    again = vault.brain.process("capture", "--retry", "--json", env=environ)
    assert (again.code, again.json["read"], again.json["left"]) == (0, 1, 0)
    assert len(notes_of(vault)) == 1


def test_where_the_disk_is_full_a_payload_is_kept_in_memory_for_another_time(vault: Vault, tmp_path: Path) -> None:
    runtime, state = tmp_path / "run", tmp_path / "full"
    runtime.mkdir(mode=0o700)
    # No folder can be made where a file is: the writing fails as on a full disk.
    state.write_text("")
    text = "We keep carts in Redis because Postgres polling was slow."
    environ = {"BRAIN_VAULT": str(vault.folder), "XDG_RUNTIME_DIR": str(runtime), "BRAIN_BATCH_WINDOW_MS": "100"}
    failed = vault.brain.process("capture", stdin=text, env={**environ, "XDG_STATE_HOME": str(state)})
    assert (failed.code, len(failed.err.splitlines())) == (0, 1)
    assert str(runtime) in failed.err
    still = vault.brain.process("capture", "--retry", "--json", env={**environ, "XDG_STATE_HOME": str(state)})
    assert still.json["left"] == 1
    assert vault.brain.process("capture", "--retry", "--json", env=environ).json["left"] == 0
    [note] = notes_of(vault)
    assert text in note


def test_a_broken_payload_fails_only_when_strict(vault: Vault) -> None:
    assert vault.brain.process("capture", "--strict", "--vault", vault.folder, stdin="{broken").code == 3


@pytest.mark.parametrize(
    ("observation", "why"),
    [
        (observed("TodoWrite"), "skipped tool"),
        (observed("LS"), "skipped tool"),
        (observed(response="short"), "fewer than 50"),
        (observed(command="git status"), "shows a state"),
        (observed(command="cd src && ls -la"), "shows a state"),
        (observed("Grep", "pattern: legacy_payment_provider_with_a_long_name", "No matches found"), "empty"),
        (observed("Glob"), "only lists"),
    ],
)
def test_noise_is_named(observation: Observation, why: str) -> None:
    assert why in (noise(observation) or "")


@pytest.mark.parametrize("observation", [observed(), observed(command="ls > files.txt"), observed("", "", "a thought")])
def test_an_observation_that_is_not_noise_is_kept(observation: Observation) -> None:
    assert noise(observation) is None


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
        observed(command="cat config/.env.production", response="REGION=eu-west\nexport PLAIN=harmless")
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
def test_batching_loses_nothing_and_keeps_the_order(found: list[Observation]) -> None:
    grouped = batches(found)
    assert sorted(each.id for batch in grouped for each in batch) == sorted(each.id for each in found)
    for batch in grouped:
        assert len({(each.tool, each.session) for each in batch}) == 1
        assert all(0 <= later.at - each.at <= 3.0 for each, later in pairwise(batch))


@given(observations)
def test_a_line_of_the_spool_reads_back_as_it_was(found: list[Observation]) -> None:
    assert [from_line(to_line(each)) for each in found] == found


HOOKS = sized(50, everyday=20)


def test_many_hooks_at_once_lose_nothing_and_store_nothing_twice(vault: Vault) -> None:
    def one(number: int) -> None:
        said = {"stdout": f"measured region {number}: the deployment took {number * 7} seconds in all"}
        captured(
            vault,
            json.dumps(payload(session_id=f"s{number}", tool_response=said, tool_input={"command": f"make {number}"})),
        )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(HOOKS)))
    text = "\n".join(notes_of(vault, 60))
    assert [text.count(f"measured region {number}:") for number in range(HOOKS)] == [1] * HOOKS


def test_a_flush_killed_anywhere_is_completed_by_the_next(vault: Vault, tmp_path: Path) -> None:
    spool = Spool(str(tmp_path / "spool"))
    store = NoteStore(str(vault.folder), "inbox", str(tmp_path / "recent.json"))
    spool.append(Observation("a", START, response="The cache never evicts images."))
    kept = (tmp_path / "spool" / "pending.jsonl").read_bytes()
    flush(spool, lambda _: store, START + 10, 3.0)
    once = {path.name: path.read_bytes() for path in vault.folder.rglob("*.md")}
    # This is the state after the process died before it removed the line.
    (tmp_path / "spool" / "pending.jsonl").write_bytes(kept)
    flush(spool, lambda _: store, START + 10, 3.0)
    assert {path.name: path.read_bytes() for path in vault.folder.rglob("*.md")} == once
    # And before it remembered the note.
    (tmp_path / "spool" / "pending.jsonl").write_bytes(kept)
    (tmp_path / "recent.json").unlink()
    flush(spool, lambda _: store, START + 10, 3.0)
    assert {path.name: path.read_bytes() for path in vault.folder.rglob("*.md")} == once


def test_a_repetition_within_the_hour_is_counted_on_the_note_that_is_there(vault: Vault, tmp_path: Path) -> None:
    spool = Spool(str(tmp_path / "spool"))
    store = NoteStore(str(vault.folder), "inbox", str(tmp_path / "recent.json"))
    for number, minutes in enumerate((0, 10, 20, 90)):
        text = f"The staging database is slow on Mondays. Seen {number} times."
        spool.append(Observation(str(number), START + minutes * 60, response=text))
    flush(spool, lambda _: store, START + 99_999, 3.0)
    first, second = sorted(vault.folder.rglob("*.md"), key=lambda path: len(path.name))
    assert "duplicates: 3" in first.read_text().replace('"', "")
    assert "Seen 2 times" in first.read_text()
    assert "Seen 3 times" in second.read_text()


def test_a_day_of_an_agent_leaves_far_fewer_notes_and_all_that_matters(vault: Vault, tmp_path: Path) -> None:
    spool = Spool(str(tmp_path / "spool"))
    store = NoteStore(str(vault.folder), "inbox", str(tmp_path / "recent.json"))
    for used in stream():
        raw = json.dumps(used.payload).encode()
        observation = read_payload(raw, at=START + used.at, folder="/shop", vault="")
        if observation and not noise(observation):
            spool.append(without_secrets(observation))
    flush(spool, lambda _: store, START + 99_999, 3.0)
    texts = [path.read_text() for path in vault.folder.rglob("*.md")]
    assert len(texts) <= 0.6 * OBSERVATIONS
    lost = [words for _, words in MATTERS if not any(words in text for text in texts)]
    assert lost == []


def transcript(path: Path, *entries: tuple[str, object]) -> Path:
    lines = [json.dumps({"type": role, "message": {"role": role, "content": content}}) for role, content in entries]
    path.write_text("\n".join(lines) + "\n{torn")
    return path


def test_the_end_of_a_session_leaves_one_handoff_note(vault: Vault, tmp_path: Path) -> None:
    edit = {"type": "tool_use", "name": "Edit", "input": {"file_path": str(tmp_path / "src/pay.py")}}
    todo = {
        "type": "tool_use",
        "name": "TodoWrite",
        "input": {"todos": [{"content": "Test refunds", "status": "pending"}]},
    }
    said = {
        "type": "text",
        "text": "I decided to lock the row because retries overlap. The refund path is still missing a test.",
    }
    file = transcript(tmp_path / "t.jsonl", ("user", "Stop the double charge"), ("assistant", [edit, todo, said]))
    end = {"hook_event_name": "Stop", "session_id": "s9", "transcript_path": str(file), "cwd": str(tmp_path)}
    captured(vault, json.dumps(end))
    notes_of(vault)
    captured(vault, json.dumps({**end, "hook_event_name": "SessionEnd"}))
    [note] = notes_of(vault)
    for words in (
        "type: handoff",
        "Stop the double charge",
        "lock the row because",
        "src/pay.py",
        "Test refunds",
        "still missing",
    ):
        assert words in note


def test_a_handoff_quotes_requests_in_full_and_invents_nothing(vault: Vault, tmp_path: Path) -> None:
    entries = [
        {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": "This goes on from before."}},
        {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "Helper, search the callers."}},
        {"type": "user", "message": {"role": "user", "content": "The mail is late. Send it on day five."}},
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
    end = {"hook_event_name": "SessionEnd", "session_id": "s", "transcript_path": str(file), "cwd": str(tmp_path)}
    captured(vault, json.dumps(end))
    [note] = notes_of(vault)
    assert "- The mail is late. Send it on day five.\n" in note
    assert "- Decided: a constant, because nobody sets it.\n" in note
    assert not any(words in note for words in ("goes on from before", "Helper", "table", "heading", "**"))


def test_a_handoff_that_somebody_changed_is_not_written_over(vault: Vault, tmp_path: Path) -> None:
    said: list[tuple[str, object]] = [("user", "Stop the double charge"), ("assistant", "The row is locked now.")]
    file = transcript(tmp_path / "t.jsonl", *said)
    end = {"hook_event_name": "Stop", "session_id": "s", "transcript_path": str(file), "cwd": str(tmp_path)}
    captured(vault, json.dumps(end))
    notes_of(vault)
    [path] = vault.folder.rglob("*.md")
    path.write_text(path.read_text() + "\nMy own words.\n")
    transcript(file, *said, ("user", "And test it"), ("assistant", "The test passes now."))
    captured(vault, json.dumps(end))
    first, second = sorted(notes_of(vault, at_least=2), key=lambda text: "And test it" in text)
    assert "My own words." in first
    assert "And test it" in second


def test_an_edit_reads_as_a_difference_and_a_search_is_named_by_its_pattern(vault: Vault) -> None:
    folder = str(vault.folder)
    change = {"file_path": f"{folder}/pay.py", "old_string": "RETRIES = 3", "new_string": "RETRIES = 5\nWAIT = 2"}
    captured(vault, json.dumps(payload("Edit", tool_input=change, tool_response="The file was updated.", cwd=folder)))
    [edit] = notes_of(vault)
    assert "Edit `pay.py`:\n\n```diff\n- RETRIES = 3\n+ RETRIES = 5\n+ WAIT = 2\n```" in edit.replace(folder + "/", "")
    search = {"pattern": "idempotency_key", "path": folder, "output_mode": "content"}
    captured(
        vault,
        json.dumps(payload("Grep", tool_input=search, tool_response="pay.py:3: idempotency_key = ''", cwd=folder)),
    )
    grep = next(note for note in notes_of(vault, at_least=2) if "# Grep: idempotency_key" in note)
    assert "files:" not in grep


def test_a_note_gets_the_tags_of_the_vault_that_it_names(vault: Vault) -> None:
    vault.note("a.md", "# A\n", tags=["redis", "load-test", "poetry"])
    assert vault.brain("index", "--vault", vault.folder).code == 0
    captured(vault, "The load test shows that Redis evicts carts.")
    note = next(note for note in notes_of(vault, at_least=2) if "evicts" in note)
    assert "tags: [captured, load-test, redis]" in note


def test_the_values_of_an_env_file_that_is_edited_are_secrets() -> None:
    change = {"file_path": "/shop/.env", "old_string": "PLAIN=one", "new_string": "PLAIN=harmless"}
    found = read_payload(json.dumps(payload("Edit", tool_input=change)).encode(), at=START, folder="/", vault="")
    assert found
    assert "harmless" not in without_secrets(found).input


def test_an_empty_session_leaves_no_note(vault: Vault, tmp_path: Path) -> None:
    file = transcript(
        tmp_path / "t.jsonl", ("assistant", [{"type": "text", "text": "Hello, what can I do for you today?"}])
    )
    captured(vault, json.dumps({"hook_event_name": "SessionEnd", "session_id": "s", "transcript_path": str(file)}))
    vault.brain.process("capture", "--flush", env={"BRAIN_VAULT": str(vault.folder)})
    assert not list(vault.folder.rglob("*.md"))


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
    assert "1 observation could not become notes" in brain("doctor", "--vault", vault.folder).out
    # The inbox of this vault cannot be a folder.
    (vault.folder / "inbox").write_text("in the way")
    answer = brain("capture", "--flush", env={"BRAIN_VAULT": str(vault.folder)})
    assert "1 observation cannot become notes yet: " in answer.err
    (vault.folder / "inbox").unlink()
    assert brain("capture", "--flush", env={"BRAIN_VAULT": str(vault.folder)}).err == ""
    assert len(list(vault.folder.rglob("*.md"))) == 1


def test_old_observations_are_dropped_for_new_ones_when_the_spool_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain_cli.plugins.agents import spool as limits

    monkeypatch.setattr(limits, "MAX_PENDING_BYTES", 10_000)
    spool = Spool(str(tmp_path / "spool"))
    dropped = [spool.append(Observation(str(number), START + number, response="x" * 900)) for number in range(40)]
    kept = [observation.id for observation in spool.observations()]
    assert sum(map(len, map(to_line, spool.observations()))) <= 10_000
    assert kept == [str(number) for number in range(40 - len(kept), 40)]
    assert sum(dropped) == 40 - len(kept)


def test_dropped_observations_are_reported(brain: Brain) -> None:
    folder = brain.state / "capture"
    folder.mkdir(parents=True)
    line = to_line(observed(response="x" * 9_000))
    (folder / "pending.jsonl").write_bytes(line * (17_000_000 // len(line)))
    answer = brain.process("capture", stdin="One more thought without a home.")
    assert answer.code == 0
    assert "the 9" in answer.err
    assert "oldest were dropped" in answer.err
    assert (folder / "pending.jsonl").stat().st_size < 16_000_000


def test_old_unreadable_payloads_are_dropped_for_new_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from brain_cli.plugins.agents import spool as limits

    monkeypatch.setattr(limits, "MAX_ASIDE", 3)
    spool = Spool(str(tmp_path / "spool"))
    assert [spool.set_aside(b"{", str(number))[1] for number in range(5)] == [0, 0, 0, 1, 1]
    assert [Path(path).name for path in spool.aside()] == ["2", "3", "4"]
