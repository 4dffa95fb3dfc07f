"""An answer of the daemon has every note that was saved before the question, or says that it may
lack some.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from examples import sized
from watching import Watched, until, watching

from brain_cli.daemon.client import answer_of

if TYPE_CHECKING:
    from conftest import Vault

# The tests beside this one wait for its load.
QUESTIONS = sized(70, everyday=40)


@pytest.fixture
def watched(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    for number in range(100):
        vault.note(f"{number}.md", f"# Note {number}\n\nWith leek.\n")
    with watching(vault) as watched:
        for name, value in vault.brain.environ(**watched.env).items():
            monkeypatch.setenv(name, value)
        yield watched


@pytest.fixture
def busy() -> Iterator[None]:
    """Keep the machine busy: with more processes than it has cores."""
    load = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(2 * (os.cpu_count() or 1))
    ]
    yield
    for process in load:
        process.kill()
        process.wait()


def asked(watched: Watched, word: str) -> tuple[list[str], bool] | None:
    """Return the paths of an answer and whether it says that it lacks changes; None if the daemon
    declines.
    """
    folder = str(watched.vault.folder)
    found = answer_of(
        ["remember", word, "--json", "--no-touch", "--vault", folder], folder, os.environ
    )
    if found is None:
        return None
    answer = json.loads(found[1])
    return [result["path"] for result in answer["results"]], answer["stale"]


@pytest.mark.exhaustive
@pytest.mark.usefixtures("busy")
def test_no_answer_lacks_a_note_just_saved_without_saying_so(watched: Watched) -> None:
    answered = 0
    for number in range(QUESTIONS):
        word = f"saffron{number}"
        path = (f"{number}.md", f"new-{number}.md", f"folder-{number}/a/b.md")[number % 3]
        watched.note(path, f"# Rice\n\nWith {word}.\n")
        if answer := asked(watched, word):
            answered += 1
            assert answer == ([path], False) or answer[1]
        (watched.vault.folder / path).unlink()
        if answer := asked(watched, word):
            answered += 1
            assert answer == ([], False) or answer[1]
    assert answered > QUESTIONS


@pytest.mark.exhaustive
def test_a_note_in_a_folder_that_was_moved_into_the_vault_is_found_after_its_next_change(
    watched: Watched,
) -> None:
    elsewhere = watched.vault.folder.parent / "elsewhere" / "deep"
    elsewhere.mkdir(parents=True)
    (elsewhere / "rice.md").write_text("# Rice\n\nWith saffron.\n")
    elsewhere.parent.rename(watched.vault.folder / "moved")
    assert asked(watched, "saffron") == (["moved/deep/rice.md"], False)
    watched.note("moved/deep/rice.md", "# Rice\n\nWith turmeric.\n")
    assert asked(watched, "turmeric") == (["moved/deep/rice.md"], False)


@pytest.mark.exhaustive
def test_a_rule_of_obsidian_holds_for_the_next_answer(watched: Watched) -> None:
    watched.note("old/rice.md", "# Rice\n\nWith saffron.\n")
    watched.note(".obsidian/app.json", "{}")
    assert asked(watched, "saffron") == (["old/rice.md"], False)
    watched.note(".obsidian/app.json", '{"userIgnoreFilters": ["old/"]}')
    assert asked(watched, "saffron") == ([], False)


@pytest.mark.exhaustive
def test_polling_scans_for_every_question(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault, "--poll", "60") as watched:
        for name, value in vault.brain.environ(**watched.env).items():
            monkeypatch.setenv(name, value)
        for number in range(5):
            watched.note(f"{number}.md", f"# Rice\n\nWith saffron{number}.\n")
            assert asked(watched, f"saffron{number}") == ([f"{number}.md"], False)


@pytest.mark.exhaustive
def test_of_two_daemons_that_share_an_index_the_first_ends(watched: Watched) -> None:
    shutil.rmtree(watched.vault.brain.cache)
    with watching(watched.vault) as second:
        until(lambda: (watched.process.poll() is None) != (second.process.poll() is None))


@pytest.mark.exhaustive
def test_a_daemon_whose_cache_was_deleted_keeps_others_out(watched: Watched) -> None:
    shutil.rmtree(watched.vault.brain.cache)
    until(lambda: list(watched.vault.brain.cache.glob("brain/*/watcher")))
    second = watched.vault.brain.process(
        "index", "--watch", "--vault", watched.vault.folder, env=watched.env
    )
    assert (second.code, "already being watched" in second.err) == (3, True)
