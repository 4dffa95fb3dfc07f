"""Every agent's hooks: its settings are kept, its payloads are understood, and it gets answers in
its own form.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from payloads import FAILED, LAST, OUTPUT, PROMPT, SESSIONS, AgentSession

from brain_cli.cli import verbs
from brain_cli.plugins.agents.agent_table import AGENTS

if TYPE_CHECKING:
    from conftest import Brain, Vault

SETTINGS: dict[str, dict[str, Any]] = {
    "claude": {
        "model": "large",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},
    },
    "codex": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}},
    "gemini": {
        "theme": "Ayu",
        "hooks": {"enabled": True, "AfterAgent": [{"hooks": [{"command": "say done"}]}]},
    },
    "cursor": {"version": 1, "hooks": {"stop": [{"command": "say done"}]}},
    "vscode": {"hooks": {"Stop": [{"type": "command", "command": "say done"}]}},
}


@pytest.mark.parametrize("agent", [each for each in AGENTS if not AGENTS[each].scripts])
def test_hooks_are_added_once_and_taken_out_again(
    agent: str, vault: Vault, tmp_path: Path
) -> None:
    project, row = tmp_path / "shop", AGENTS[agent]
    file = project / row.settings
    project.mkdir()
    for _ in range(2):
        assert (
            vault.brain(
                "--vault",
                vault.folder,
                "hooks",
                "agent",
                agent,
                "--write",
                "--yes",
                cwd=project,
            ).code
            == 0
        )
    written = file.read_text()
    for event in row.events:
        assert len(json.loads(written)["hooks"][event]) == 1
    assert written.count("BRAIN_DAEMON=auto") == sum(
        "context" in command for command in row.events.values()
    )
    words = ["capture", "--vault", str(vault.folder)]
    assert (" ".join(words) if row.events else json.dumps(words)[1:]) in written
    vault.brain("hooks", "agent", agent, "--undo", "--yes", cwd=project)
    assert not [*project.iterdir()]


@pytest.mark.parametrize("agent", SETTINGS)
def test_what_else_stands_in_the_settings_is_kept(
    agent: str, brain: Brain, tmp_path: Path
) -> None:
    file = tmp_path / AGENTS[agent].settings
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(SETTINGS[agent]))
    brain("hooks", "agent", agent, "--write", "--yes", cwd=tmp_path)
    both = json.loads(file.read_text())
    assert "say done" in json.dumps(both)
    assert set(AGENTS[agent].events) <= set(both["hooks"])
    brain("hooks", "agent", agent, "--undo", "--yes", cwd=tmp_path)
    assert json.loads(file.read_text()) == SETTINGS[agent]


@pytest.mark.parametrize("agent", AGENTS)
def test_hooks_are_printed_as_one_document_and_nothing_is_written(
    agent: str, brain: Brain, tmp_path: Path
) -> None:
    assert brain("hooks", "agent", agent, "--json", cwd=tmp_path).json
    answer = brain("hooks", "agent", agent, cwd=tmp_path)
    assert f"or let `brain hooks agent {agent} --write` do it." in answer.err
    printed = answer.out.replace('", "', " ")
    assert [
        words in printed for words in ("context --hook", "--hook --profile speed", "capture")
    ] == [agent != "windsurf", agent not in ("cursor", "windsurf"), True]
    assert not [*tmp_path.glob(f"{AGENTS[agent].settings.partition('/')[0]}*")]
    written = brain("hooks", "agent", agent, "--write", "--yes", cwd=tmp_path)
    assert ("do not commit it" in written.err) == (agent != "claude")


def test_hooks_that_are_scripts_are_added_once_and_taken_out_again(
    vault: Vault, tmp_path: Path
) -> None:
    folder = tmp_path / AGENTS["cline"].settings
    asked = ("--vault", vault.folder, "hooks", "agent", "cline", "--yes")
    for _ in range(2):
        assert vault.brain(*asked, "--write", cwd=tmp_path).code == 0
    assert {path.name for path in folder.iterdir()} == {*AGENTS["cline"].events}
    for path in folder.iterdir():
        assert os.access(path, os.X_OK)
        assert path.read_text().startswith("#!/bin/sh\n")
    vault.brain(*asked, "--undo", cwd=tmp_path)
    assert not [*tmp_path.glob(".clinerules")]


def test_hooks_of_all_projects_and_of_all_agents_are_written_and_taken_back(
    vault: Vault, tmp_path: Path
) -> None:
    home = vault.brain.home
    (home / ".codex").mkdir(parents=True)
    (home / ".gemini").mkdir()
    asked = ("--vault", vault.folder, "hooks", "agent", "--all", "--user", "--yes")
    environ = {"PATH": "/nowhere", "HOME": str(home)}
    assert vault.brain(*asked, "--write", cwd=tmp_path, env=environ).code == 0
    assert "context --hook" in (home / ".codex" / "hooks.json").read_text()
    assert "context --hook" in (home / ".gemini" / "settings.json").read_text()
    assert not (home / ".cursor").exists()
    assert not [*tmp_path.glob(".*/*hooks*")]
    assert vault.brain(*asked, "--undo", cwd=tmp_path, env=environ).code == 0
    assert not [*home.glob(".*/*.json")]


def test_hooks_in_a_file_that_others_get_too_move_to_the_private_one(
    vault: Vault, tmp_path: Path
) -> None:
    shared = tmp_path / ".claude" / "settings.json"
    shared.parent.mkdir()
    ours = {"type": "command", "command": "brain capture --vault /v", "timeout": 10}
    shared.write_text(json.dumps({"model": "large", "hooks": {"Stop": [{"hooks": [ours]}]}}))
    asked = ("--vault", vault.folder, "hooks", "agent", "--write", "--yes")
    assert vault.brain(*asked, cwd=tmp_path).code == 0
    assert json.loads(shared.read_text()) == {"model": "large"}
    assert "brain" in (tmp_path / ".claude" / "settings.local.json").read_text()


@pytest.mark.parametrize("daemon", [False, True])
def test_a_daemon_for_the_user_is_offered_once_hooks_are_written(
    vault: Vault, tmp_path: Path, daemon: bool
) -> None:
    terminal, inside = pty.openpty()
    os.write(terminal, b"y\ny\n" if daemon else b"y\nn\n")
    asked = subprocess.run(
        [sys.executable, "-m", "brain_cli", "hooks", "agent", "--write"],
        stdin=inside,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=vault.brain.environ(BRAIN_VAULT=str(vault.folder)),
    )
    os.close(inside)
    os.close(terminal)
    assert asked.returncode == 0
    assert "Let it answer you too (daemon = auto)?" in asked.stderr
    kept = vault.brain.config.read_text() if vault.brain.config.exists() else ""
    assert ('daemon = "auto"' in kept) == daemon


def test_a_plugin_of_the_users_is_not_replaced(brain: Brain, tmp_path: Path) -> None:
    file = tmp_path / AGENTS["opencode"].settings
    file.parent.mkdir(parents=True)
    file.write_text("export const Mine = async () => ({})\n")
    answer = brain("hooks", "agent", "opencode", "--write", "--yes", cwd=tmp_path)
    assert (answer.code, "a file of your own" in answer.err, file.read_text()[:6]) == (
        3,
        True,
        "export",
    )


def test_an_unknown_agent_is_named(brain: Brain, tmp_path: Path) -> None:
    answer = brain("hooks", "agent", "codx", cwd=tmp_path)
    assert (answer.code, "Did you mean “codex”?" in answer.err) == (2, True)


@pytest.mark.parametrize("agent", SESSIONS)
def test_a_session_of_each_agent_becomes_a_note(agent: str, vault: Vault) -> None:
    for payload in SESSIONS[agent].captured:
        assert (
            vault.brain("capture", "--vault", vault.folder, stdin=json.dumps(payload)).err == ""
        )
    vault.brain("capture", "--flush")
    note = (vault.folder / "handoff" / "session-s-1.md").read_text()
    assert "replay.py" in note
    # Windsurf says nothing of a command's output.
    assert (f"`pytest queue` fails: {FAILED}" in note) == (agent != "windsurf")
    # VS Code and Cline name neither the agent's nor the user's last message.
    assert ("The runbook is not updated yet." in note) == (agent not in ("vscode", "cline"))


def _said(answer: str, agent: str, event: str) -> str:
    """Return what an agent reads in the answer of its hook."""
    if agent in ("claude", "codex"):
        return answer
    document = json.loads(answer)
    if agent in ("cursor", "cline"):
        return str(document[AGENTS[agent].reply])
    assert document["additionalContext"] == document["hookSpecificOutput"]["additionalContext"]
    assert document["hookSpecificOutput"]["hookEventName"] == event
    return str(document["hookSpecificOutput"]["additionalContext"])


def _event(payload: dict[str, Any]) -> str:
    return str(
        payload.get("hook_event_name") or payload.get("hookEventName") or payload["hookName"]
    )


@pytest.mark.parametrize("agent", [each for each in SESSIONS if AGENTS[each].show])
def test_an_agent_gets_its_answer_in_its_own_form(
    agent: str, sample: Vault, tmp_path: Path
) -> None:
    session: AgentSession = SESSIONS[agent]
    (tmp_path / "orders" / ".git").mkdir(parents=True)
    for payload in (session.prompt, session.start):
        stdin = (
            json.dumps(payload)
            .replace("s-1", f"s-{agent}")
            .replace('"/shop"', f'"{tmp_path}/orders"')
        )
        answer = sample.brain("--vault", sample.folder, "context", "--hook", stdin=stdin)
        assert answer.code == 0
        found = _said(answer.out, agent, _event(payload))
        assert found.splitlines()[2].startswith("- **")
        assert ("Replay a dead letter queue" in found) == (payload is session.prompt)


@pytest.mark.parametrize("agent", SESSIONS)
def test_nothing_is_printed_where_nothing_is_known(agent: str, vault: Vault) -> None:
    vault.note("a.md", "# Nothing about it\n\nOnly this.\n")
    answer = vault.brain(
        "context",
        "--hook",
        stdin=json.dumps({**SESSIONS[agent].prompt, "prompt": "run the tests"}),
    )
    assert (answer.code, answer.out) == (0, "")


PLAYED = """
import { Brain } from "./brain.js"
const hooks = await Brain({ directory: process.argv[2] })
const sessionID = "s-1"
const message = { message: { id: "msg_1" }, parts: [{ type: "text", text: process.argv[3] }] }
await hooks["chat.message"]({ sessionID }, message)
const edit = { filePath: "/shop/replay.py", oldString: "limit = None", newString: "limit = 500" }
const done = { title: "", metadata: {} }
await hooks["tool.execute.after"]({ tool: "edit", sessionID, callID: "1", args: edit }, { ...done, output: "ok" })
const run = { tool: "bash", sessionID, callID: "2", args: { command: "pytest queue", description: "Test the replay" } }
await hooks["tool.execute.after"](run, { ...done, output: process.argv[4] })
await hooks["experimental.text.complete"]({ sessionID, messageID: "msg_2", partID: "p" }, { text: process.argv[5] })
await hooks.event({ event: { type: "session.idle", properties: { sessionID } } })
console.log(JSON.stringify(message.parts))
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_the_plugin_of_opencode_captures_and_answers(
    sample: Vault, vault: Vault, tmp_path: Path
) -> None:
    shutil.copytree(sample.folder / "how-to", vault.folder / "how-to")
    program = tmp_path / "bin" / "brain"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m brain_cli "$@"\n')
    program.chmod(0o755)
    environ = {
        **vault.brain.environ(),
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
    }
    vault.brain(
        "--vault", vault.folder, "hooks", "agent", "opencode", "--write", "--yes", cwd=tmp_path
    )
    folder = tmp_path / ".opencode" / "plugins"
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "play.mjs").write_text(PLAYED)
    played = subprocess.run(
        ["node", "play.mjs", tmp_path, PROMPT, OUTPUT, LAST],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert played.returncode == 0, played.stderr
    parts = json.loads(played.stdout)
    assert [part.get("synthetic", False) for part in parts] == [False, True]
    assert "Replay a dead letter queue" in parts[1]["text"]
    vault.brain("capture", "--flush")
    note = (vault.folder / "handoff" / "session-s-1.md").read_text()
    assert all(
        each in note for each in ("/shop/replay.py", FAILED, "The runbook is not updated yet.")
    )


def test_the_skill_names_commands_that_exist() -> None:
    skill = (Path(__file__).parents[3] / "docs" / "skill" / "SKILL.md").read_text()
    assert skill.startswith("---\nname: brain\ndescription: ")
    named = set(re.findall(r"\bbrain (\w+)(?= [\"'-]|`| PATH)", skill))
    assert named == {"remember", "show", "context", "recent", "add"} <= set(verbs())


def test_the_status_counts_what_the_hooks_did_in_the_last_week(
    vault: Vault, tmp_path: Path
) -> None:
    vault.note("replay.md", "# Replay a dead letter queue\n\nGroup by error, then replay.\n")
    for number, prompt in enumerate(
        (PROMPT, "run the tests", "remember: never deploy on Fridays")
    ):
        payload = {
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
            "session_id": str(number),
        }
        told = {**payload, "cwd": str(tmp_path)}
        vault.brain("context", "--hook", "--vault", vault.folder, stdin=json.dumps(told))
    vault.brain("capture", "--flush", "--vault", vault.folder)
    week = vault.brain("hooks", "status", "--json", cwd=tmp_path).json["week"]
    assert (week["prompts"], week["silent"], week["kept"]) == (3, 2, 1)
    assert week["brought_up"] >= 1
    line = vault.brain("hooks", "status", cwd=tmp_path).out
    assert line.startswith("last 7 days: 3 prompts, 2 of them silent;")
    log = next(vault.brain.state.rglob("week.jsonl"))
    log.write_text(log.read_text().replace('"at": 1', '"at": 0') + "torn")
    assert vault.brain("hooks", "status", cwd=tmp_path).code == 3
