"""With `daemon = "auto"` the first recall starts a daemon, which ends when it is idle."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from watching import until

if TYPE_CHECKING:
    from conftest import Vault

AUTO = {"BRAIN_DAEMON": "auto"}


@pytest.fixture
def tea(vault: Vault) -> Iterator[Vault]:
    vault.note("tea.md", "# Tea\n\nGreen tea.\n")
    yield vault
    vault.brain.process("index", "--stop")


def daemons(vault: Vault) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = vault.brain("index", "--status", "--json").json["daemons"]
    return found


def recall(vault: Vault, **env: str) -> str:
    return vault.brain.process(
        "remember", "tea", "--format", "paths", "--vault", vault.folder, env=env
    ).out


@pytest.mark.exhaustive
def test_the_first_recall_answers_and_starts_one_daemon(tea: Vault) -> None:
    assert recall(tea, **AUTO).endswith("tea.md\n")
    until(lambda: [each["vault"] for each in daemons(tea)] == [str(tea.folder)])
    [daemon] = daemons(tea)
    assert recall(tea, **AUTO).endswith("tea.md\n")
    assert daemons(tea) == [daemon]
    assert f"(pid {daemon['pid']})" in tea.brain.process("index", "--stop").out
    assert daemons(tea) == []
    assert tea.brain.process("index", "--status").code == 1


@pytest.mark.exhaustive
def test_the_prompt_of_an_agents_hook_starts_a_daemon_too(tea: Vault) -> None:
    payload = (
        '{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "is tea green"}'
    )
    hook = ("context", "--hook", "--vault", tea.folder)
    assert "Tea" in tea.brain.process(*hook, stdin=payload, env=AUTO).out
    until(lambda: [each["vault"] for each in daemons(tea)] == [str(tea.folder)])
    assert (
        "Tea" in tea.brain.process(*hook, stdin=payload.replace('"s"', '"other"'), env=AUTO).out
    )


@pytest.mark.exhaustive
def test_without_the_setting_a_recall_starts_no_daemon(tea: Vault) -> None:
    recall(tea)
    assert daemons(tea) == []


def test_a_vault_cannot_ask_for_a_daemon(tea: Vault) -> None:
    (tea.folder / ".brain").mkdir()
    (tea.folder / ".brain" / "config.toml").write_text('daemon = "auto"\n')
    assert (
        "A vault cannot set “daemon”"
        in tea.brain.process("remember", "tea", "--vault", tea.folder).err
    )


@pytest.mark.exhaustive
def test_the_daemon_ends_with_its_vault(tea: Vault) -> None:
    recall(tea, **AUTO)
    until(lambda: daemons(tea))
    shutil.rmtree(tea.folder)
    until(lambda: not daemons(tea))


@pytest.mark.exhaustive
def test_a_daemon_in_the_background_ends_with_its_vault(tea: Vault) -> None:
    tea.brain.process("index", "--watch", "--detach", "--vault", tea.folder)
    until(lambda: daemons(tea))
    shutil.rmtree(tea.folder)
    until(lambda: not daemons(tea))


@pytest.mark.exhaustive
def test_an_idle_daemon_ends(tea: Vault) -> None:
    recall(tea)
    started = tea.brain.process(
        "index", "--watch", "--detach", "--idle", "0.02", "--vault", tea.folder
    )
    assert "Watching" in started.out
    until(lambda: not daemons(tea))
