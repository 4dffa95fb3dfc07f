"""The real clients run brain's hooks against a model that answers one text; skipped where a client
is not installed (npm has them all).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fake_models import fake_models

if TYPE_CHECKING:
    from conftest import Vault

pytestmark = pytest.mark.exhaustive
PROMPT = "how do we replay a dead letter queue?"
SAID = "Replays now stop at 500. The runbook is not updated yet."
NOTE = "Group by error, then replay in small batches."
# Each client by its agent: the program and its words, before the prompt.
CLIENTS = {
    "claude": ["claude", "--model", "claude-sonnet-4-5", "-p"],
    "codex": [
        *("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"),
        "--dangerously-bypass-approvals-and-sandbox",
    ],
    "gemini": ["gemini", "-m", "gemini-2.5-flash", "-p"],
    "opencode": ["opencode", "run"],
    "vscode": ["copilot", "--allow-all-tools", "-p"],
}


def prepared(agent: str, home: Path, folder: Path, address: str) -> Mapping[str, str]:
    """Write what a client wants to know of its model; return its environment."""
    match agent:
        case "claude":
            return {
                "ANTHROPIC_BASE_URL": address,
                "ANTHROPIC_API_KEY": "none",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            }
        case "codex":
            (home / ".codex").mkdir(parents=True)
            (home / ".codex" / "config.toml").write_text(
                'model = "fake"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "fake"\n'
                f'base_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"\n'
                f'[projects."{folder}"]\ntrust_level = "trusted"\n'
            )
            return {"FAKE_KEY": "none"}
        case "gemini":
            (home / ".gemini").mkdir(parents=True)
            auth: Any = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
            (home / ".gemini" / "settings.json").write_text(json.dumps(auth))
            trusted = json.dumps({str(folder): "TRUST_FOLDER"})
            (home / ".gemini" / "trustedFolders.json").write_text(trusted)
            return {"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": "none"}
        case "opencode":
            options: Any = {"baseURL": f"{address}/v1", "apiKey": "none"}
            provider: Any = {"npm": "@ai-sdk/openai-compatible", "options": options}
            models = {"models": {"fake": {"name": "fake"}}}
            settings = {"provider": {"fake": {**provider, **models}}, "model": "fake/fake"}
            (folder / "opencode.json").write_text(json.dumps({**settings, "autoupdate": False}))
            return {}
    (home / ".copilot").mkdir(parents=True)
    trusting = {"trusted_folders": [str(folder)], "trustedFolders": [str(folder)]}
    (home / ".copilot" / "config.json").write_text(json.dumps(trusting))
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{address}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "fake",
        "COPILOT_OFFLINE": "true",
    }


@pytest.mark.parametrize("agent", CLIENTS)
def test_a_client_is_told_what_answers_its_prompt_and_its_session_becomes_a_note(
    agent: str, vault: Vault, tmp_path: Path
) -> None:
    program, *words = CLIENTS[agent]
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    vault.note("replay.md", f"# Replay a dead letter queue\n\n{NOTE}\n")
    folder = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", folder], check=True)
    script = tmp_path / "bin" / "brain"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m brain_cli "$@"\n')
    script.chmod(0o755)
    home = vault.brain.home
    path = f"{script.parent}{os.pathsep}{os.environ['PATH']}"
    asked = ("--vault", vault.folder, "hooks", "agent", agent, "--write", "--yes")
    assert vault.brain(*asked, cwd=folder, env={"PATH": path}).code == 0
    with fake_models(SAID) as (address, bodies):
        environ = vault.brain.environ(HOME=str(home), PATH=path)
        environ |= prepared(agent, home, folder, address)
        done = subprocess.run(
            [program, *words, PROMPT],
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert SAID in done.stdout, done.stderr
    assert any(NOTE in body for body in bodies)
    assert vault.brain("capture", "--flush", "--vault", vault.folder).code == 0
    [note] = (vault.folder / "handoff").glob("*.md")
    assert f"- {PROMPT}\n" in note.read_text()
    assert "- The runbook is not updated yet.\n" in note.read_text()
