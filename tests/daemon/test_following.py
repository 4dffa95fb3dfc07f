"""The daemon follows the vault: one save, a thousand files at once, a vault that is moved away and
back.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples import in_ci, sized
from watching import until, watching

from brain_cli.daemon.watcher import RESCAN_SECONDS, is_on_network

if TYPE_CHECKING:
    from conftest import Vault

# Until then a change is found by its event, or not at all.
BEFORE_RESCAN = RESCAN_SECONDS - 5
NEW_FILES = sized(1_000, everyday=300)
EITHER_WAY = pytest.mark.parametrize(
    "options", [[], in_ci(["--poll", "0.2"])], ids=["events", "polling"]
)


@EITHER_WAY
def test_a_note_is_recalled_as_soon_as_it_is_saved(vault: Vault, options: list[str]) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault, *options) as watched:
        assert watched.paths("leek") == ["soup.md"]
        watched.note("rice.md", "# Rice\n\nWith saffron.\n")
        until(lambda: watched.paths("saffron") == ["rice.md"], BEFORE_RESCAN)
        watched.note("deep/er/new.md", "# New\n\nWith turmeric.\n")
        until(lambda: watched.paths("turmeric") == ["deep/er/new.md"], BEFORE_RESCAN)
        (vault.folder / "rice.md").unlink()
        until(lambda: watched.paths("saffron") == [], BEFORE_RESCAN)


@pytest.mark.exhaustive
@EITHER_WAY
def test_a_save_by_rename_is_recalled(vault: Vault, options: list[str]) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault, *options) as watched:
        for number, word in enumerate(("saffron", "turmeric", "cumin")):
            temporary = vault.folder / (".soup.swp", "soup.md~", "soup.tmp")[number]
            temporary.write_text(f"# Soup\n\nWith {word}.\n")
            temporary.rename(vault.folder / "soup.md")
            until(lambda word=word: watched.paths(word) == ["soup.md"], BEFORE_RESCAN)  # type: ignore[misc]


@pytest.mark.exhaustive
def test_many_new_files_take_a_few_refreshes(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        before = watched.refreshes()
        for number in range(NEW_FILES):
            watched.note(
                f"{number % 20}/{number}.md",
                f"# Rice {number}\n\nWith saffron number {number}.\n",
            )
        until(lambda: len(watched.paths("saffron", "-n", 2_000)) == NEW_FILES)
        assert watched.refreshes() - before <= 4


@pytest.mark.exhaustive
def test_changes_made_while_no_daemon_ran_are_found(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        assert watched.stop() == 0
    watched.note("rice.md", "# Rice\n\nWith saffron.\n")
    (vault.folder / "soup.md").unlink()
    with watching(vault) as watched:
        assert watched.paths("saffron") == ["rice.md"]
        assert watched.paths("leek") == []


@pytest.mark.exhaustive
def test_a_vault_that_is_moved_away_and_back_is_followed_again(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        away = vault.folder.with_name("away")
        vault.folder.rename(away)
        gone = watched.ask("remember", "leek")
        assert gone.code == 3
        assert b"does not exist" in gone.err
        (away / "rice.md").write_text("# Rice\n\nWith saffron.\n")
        away.rename(vault.folder)
        until(lambda: watched.paths("saffron") == ["rice.md"])
        assert watched.paths("leek") == ["soup.md"]
        watched.note("corn.md", "# Corn\n\nWith cumin.\n")
        until(lambda: watched.paths("cumin") == ["corn.md"])


@pytest.mark.exhaustive
def test_another_folder_in_place_of_the_vault_is_followed(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        vault.folder.rename(vault.folder.with_name("away"))
        vault.folder.mkdir()
        watched.note("rice.md", "# Rice\n\nWith saffron.\n")
        until(lambda: (watched.paths("saffron"), watched.paths("leek")) == (["rice.md"], []))
        watched.note("corn.md", "# Corn\n\nWith cumin.\n")
        until(lambda: watched.paths("cumin") == ["corn.md"])


@pytest.mark.exhaustive
def test_files_that_are_not_notes_cause_no_refresh(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        note_table = next(vault.brain.cache.rglob("catalogue-*.jsonl"))
        before = note_table.stat().st_ino
        for name in (
            "photo.jpg",
            ".git/HEAD",
            ".obsidian/workspace.json",
            "node_modules/a/readme.md",
        ):
            watched.note(name, "leek")
        watched.note("rice.md", "# Rice\n\nWith saffron.\n")
        until(lambda: watched.paths("saffron") == ["rice.md"])
        assert watched.refreshes() == 2
        assert before
        assert watched.paths("leek") == ["soup.md"]


@pytest.mark.exhaustive
def test_a_deleted_index_is_rebuilt_for_the_next_answer(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        shutil.rmtree(vault.brain.cache)
        assert watched.paths("leek") == ["soup.md"]
        shown = watched.ask("remember", "leek", "--format", "paths", cwd=vault.folder)
        assert (shown.code, shown.out, shown.err) == (0, b"soup.md\n", b"")


@pytest.mark.exhaustive
def test_an_index_that_another_process_rebuilds_is_reopened(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        assert watched.paths("leek") == ["soup.md"]
        assert watched.ask("index", "--full").code == 0
        assert watched.ask("remember", "leek", "--no-touch").warm
        assert watched.paths("leek") == ["soup.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_the_warning_about_an_unreadable_folder_is_repeated_for_each_recall(
    vault: Vault,
) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    closed = vault.note("closed/rice.md", "# Rice\n\nWith leek.\n").parent
    closed.chmod(0)
    try:
        with watching(vault) as watched:
            assert b"closed: it cannot be read" in watched.ask("remember", "leek").err
            assert (
                watched.ask("remember", "leek").answer
                == watched.ask("remember", "leek", cold=True).answer
            )
    finally:
        closed.chmod(0o700)


MOUNTS = """/dev/sda1 / ext4 rw 0 0
server:/home {root}/far nfs4 rw 0 0
secret {root}/near fuse.gocryptfs rw 0 0
box {root}/far/local tmpfs rw 0 0
"""


def test_a_network_folder_is_recognized_by_its_mount(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS.format(root=tmp_path))
    far = ("far", "far/notes", "far/local/notes", "near", "farther")
    assert [is_on_network(str(tmp_path / name), str(mounts)) for name in far] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert not is_on_network(str(tmp_path), str(tmp_path / "none"))


@pytest.mark.exhaustive
def test_the_daemon_survives_a_refresh_that_raises(vault: Vault) -> None:
    vault.note("soup.md", "# Soup\n\nWith leek.\n")
    with watching(vault) as watched:
        [index] = (vault.brain.cache / "brain").iterdir()
        (index / "lock").unlink()
        (index / "lock").symlink_to("nowhere/lock")
        watched.note("rice.md", "# Rice\n\nWith saffron.\n")
        until(
            lambda: (
                "The index could not be refreshed: FileNotFoundError"
                in watched.said.read_text()
            )
        )
        (index / "lock").unlink()
        watched.note("hostile.md", f"+++\nx = 0x{'F' * 5_000}\n+++\nWith turmeric.\n")
        until(lambda: watched.paths("turmeric") == ["hostile.md"])
        assert watched.paths("saffron") == ["rice.md"]
        assert watched.process.poll() is None


@pytest.mark.parametrize("option", ["--poll", "--idle"])
def test_options_of_watching_do_not_begin_to_watch(vault: Vault, option: str) -> None:
    answer = vault.brain("index", option, "1", "--vault", vault.folder)
    assert answer.code == 2
    assert "brain index --watch" in answer.err
