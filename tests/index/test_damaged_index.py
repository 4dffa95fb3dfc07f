"""The index is a cache: whatever happens to its files, the next recall rebuilds it and answers
correctly.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from brain_cli.index.directory import IndexDirectory

if TYPE_CHECKING:
    from conftest import Answer, Brain, Vault

QUERY = "green tea with milk"
# Whoosh looks for a missing file of these for some seconds before it gives up.
SLOW_TO_MISS = (".trm", ".pst")


@pytest.fixture
def tea(vault: Vault) -> Vault:
    """Notes of different lengths, so that a lost length would show in the relevances."""
    vault.note("tea.md", "# Tea\n\nGreen tea or black tea.\n\n## Milk\n\nNever with milk.\n")
    vault.note("soup.md", "# Soup\n\nGreen soup.\n" + "Leek and potato, salt and pepper. " * 40)
    vault.note("bread.md", "# Bread\n\nSour, with milk, beside [[tea]].\n")
    vault.brain("index", "--vault", vault.folder)
    return vault


def index_folder(brain: Brain) -> Path:
    [folder] = (brain.cache / "brain").iterdir()
    return folder


def index_files(brain: Brain) -> list[Path]:
    """The files an answer is read from; locks have no content."""
    files = [path for path in index_folder(brain).rglob("*") if path.is_file()]
    return sorted(path for path in files if "lock" not in path.name.lower())


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def overwritten(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(path.stat().st_size))


def one_byte_flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def deleted(path: Path) -> None:
    path.unlink()


def made_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def kind_of(path: Path) -> str:
    """The part of a file's name that says what it holds; the rest is chance."""
    return next(
        kind
        for kind in (
            "current",
            "catalogue",
            ".toc",
            ".trm",
            ".pst",
            "stored",
            "length",
            "note_id",
            ".seg",
            "",
        )
        if kind in path.name
    )


def relevances(answer: Answer) -> dict[str, float]:
    if not answer.out:
        return {}
    return {
        each["path"].removesuffix(".md"): each["signals"]["relevance"]
        for each in answer.json["results"]
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize("damage", [emptied, cut_short, overwritten, deleted, made_a_folder])
def test_every_file_of_the_index_may_be_damaged(
    tea: Vault, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    before = tea.relevances(QUERY)
    folder, saved = index_folder(tea.brain), tmp_path / "saved"
    shutil.copytree(folder, saved, symlinks=True)
    wrong = []
    for file in index_files(tea.brain):
        if kind_of(file) == "length" or (damage is deleted and kind_of(file) in SLOW_TO_MISS):
            continue
        damage(file)
        answer = tea.brain("remember", QUERY, "--json", "--explain", "--vault", tea.folder)
        if answer.code or relevances(answer) != before or len(answer.err.splitlines()) > 1:
            wrong.append((kind_of(file), answer.code, answer.err))
        shutil.rmtree(folder)
        shutil.copytree(saved, folder, symlinks=True)
    assert wrong == []


@pytest.mark.parametrize("damage", [emptied, cut_short, overwritten])
def test_lengths_that_are_not_those_of_the_notes_are_noticed(
    tea: Vault, damage: Callable[[Path], None]
) -> None:
    before = tea.relevances(QUERY)
    damage(next(file for file in index_files(tea.brain) if kind_of(file) == "length"))
    assert tea.relevances(QUERY) == before


def test_a_rebuild_of_the_index_is_reported_once_in_one_line(tea: Vault) -> None:
    note_table = next(
        path for path in index_files(tea.brain) if path.name.startswith("catalogue")
    )
    note_table.write_text("{")
    answer = tea.brain("remember", QUERY, "--format", "paths", "--vault", tea.folder)
    assert answer.code == 0
    assert answer.err == "brain: The index was damaged, so it was rebuilt.\n"
    assert tea.brain("remember", QUERY, "--vault", tea.folder).err == ""


def spoilt(path: Path) -> None:
    """Overwrite the beginning of a file, as a disk may."""
    path.write_bytes(b"#" * 9 + path.read_bytes()[9:])


@pytest.mark.parametrize(
    "command",
    ["index", "status", "remember milk", "show tea", "related tea", "pin tea", "doctor"],
)
@pytest.mark.parametrize("edited", [False, True])
def test_a_damaged_note_table_is_noticed_by_its_reader(
    tea: Vault, command: str, edited: bool
) -> None:
    spoilt(next(path for path in index_files(tea.brain) if path.name.startswith("catalogue")))
    if edited:
        tea.note("rice.md", "# Rice\n\nWith [[tea]].\n")
    answer = tea.brain(*command.split(), "--vault", tea.folder)
    assert answer.code == (3 if command == "doctor" else 0), answer.err
    # `show` and `pin` are given a note by name, and need no index for that.
    assert "damaged" in answer.out + answer.err or command in ("show tea", "pin tea")


@pytest.mark.exhaustive
@pytest.mark.parametrize("damage", [emptied, cut_short, overwritten, deleted, made_a_folder])
def test_every_file_may_be_damaged_before_a_changed_note_is_taken_in(
    tea: Vault, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    folder, saved = index_folder(tea.brain), tmp_path / "saved"
    shutil.copytree(folder, saved, symlinks=True)
    wrong = []
    for number, file in enumerate(index_files(tea.brain)):
        if damage is deleted and kind_of(file) in SLOW_TO_MISS:
            continue
        damage(file)
        tea.note("tea.md", f"# Tea\n\nGreen tea, cup {number}, with milk.\n")
        answer = tea.brain("remember", QUERY, "--json", "--explain", "--vault", tea.folder)
        if answer.code or len(answer.err.splitlines()) > 1 or "tea" not in relevances(answer):
            wrong.append((kind_of(file), answer.code, answer.err))
        shutil.rmtree(folder)
        shutil.copytree(saved, folder, symlinks=True)
    assert wrong == []


def test_a_flipped_byte_never_costs_more_than_a_rebuild(tea: Vault, tmp_path: Path) -> None:
    folder, saved = index_folder(tea.brain), tmp_path / "saved"
    shutil.copytree(folder, saved, symlinks=True)
    for file in index_files(tea.brain):
        one_byte_flipped(file)
        answer = tea.brain("remember", QUERY, "--json", "--vault", tea.folder)
        assert answer.code in (0, 1), (file.name, answer.err)
        shutil.rmtree(folder)
        shutil.copytree(saved, folder, symlinks=True)


def test_an_index_of_another_version_is_rebuilt(tea: Vault) -> None:
    before = tea.relevances(QUERY)
    note_table = next(
        path for path in index_files(tea.brain) if path.name.startswith("catalogue")
    )
    note_table.write_bytes(note_table.read_bytes() + b"1")
    answer = tea.brain("remember", QUERY, "--json", "--vault", tea.folder)
    assert answer.code == 0
    assert (
        answer.err
        == "brain: The index was made by another version of brain, so it was rebuilt.\n"
    )
    assert tea.relevances(QUERY) == before


def test_leftovers_of_a_killed_refresh_do_not_disturb_the_next_one(tea: Vault) -> None:
    build = next(path for path in index_folder(tea.brain).iterdir() if path.is_dir())
    (build / "catalogue-7.jsonl").write_text("{}")
    (build / "MAIN_abcdefghijklmnop.trm").write_bytes(b"half a term file")
    (index_folder(tea.brain) / "build-0").mkdir()
    (index_folder(tea.brain) / "lock").touch()
    tea.note("rice.md", "# Rice\n\nWith milk.\n")
    answer = tea.brain(
        "remember", "rice", "--format", "paths", "--vault", tea.folder, cwd=tea.folder
    )
    assert (answer.code, answer.out, answer.err) == (0, "rice.md\n", "")


def test_a_folder_where_the_index_was_is_asked_as_if_it_had_never_been(tea: Vault) -> None:
    shutil.rmtree(index_folder(tea.brain))
    answer = tea.brain("remember", QUERY, "--format", "paths", "--vault", tea.folder)
    assert (answer.code, answer.err) == (0, "")


def test_a_changed_field_weight_rebuilds_the_index(
    tea: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain_cli.index import damage as rules
    from brain_cli.index.damage import fingerprint

    source = (Path(rules.PACKAGE) / rules.SOURCES[0]).read_text(encoding="utf-8")
    changed = tmp_path / "field_weights.py"
    changed.write_text(
        source.replace("HEADING_WEIGHT = ", "HEADING_WEIGHT = 5 + "), encoding="utf-8"
    )
    monkeypatch.setattr(rules, "SOURCES", (str(changed), *rules.SOURCES[1:]))
    fingerprint.cache_clear()
    try:
        answer = tea.brain("remember", QUERY, "--vault", tea.folder)
    finally:
        monkeypatch.undo()
        fingerprint.cache_clear()
    assert (
        answer.err
        == "brain: The index was made by another version of brain, so it was rebuilt.\n"
    )


def test_the_fingerprint_is_the_same_in_every_process(tea: Vault) -> None:
    program = "from brain_cli.index.damage import fingerprint; print(fingerprint())"
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=tea.brain.environ(PYTHONHASHSEED=seed),
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


@contextlib.contextmanager
def locked_for_a_moment(tea: Vault) -> Iterator[None]:
    """Hold the lock of the index for longer than a recall usually waits, as a process that builds
    it anew does.
    """
    lock = IndexDirectory(index_folder(tea.brain)).lock(0.0)
    lock.__enter__()
    release = threading.Timer(1.5, lambda: lock.__exit__(None, None, None))
    release.start()
    yield
    release.join()


@pytest.mark.exhaustive
def test_a_recall_waits_for_another_process_that_rebuilds_a_damaged_index(tea: Vault) -> None:
    before = tea.relevances(QUERY)
    next(
        path for path in index_files(tea.brain) if path.name.startswith("catalogue")
    ).write_text("{")
    with locked_for_a_moment(tea):
        assert tea.relevances(QUERY) == before


@pytest.mark.exhaustive
def test_a_recall_waits_for_another_process_that_takes_in_new_settings(tea: Vault) -> None:
    before = tea.relevances(QUERY)
    (tea.folder / ".brain").mkdir(exist_ok=True)
    (tea.folder / ".brain" / "config.toml").write_text('archive_folders = ["old"]\n')
    with locked_for_a_moment(tea):
        assert tea.relevances(QUERY) == before
