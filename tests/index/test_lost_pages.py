"""A page of an index that the disk has lost is noticed, and never taken for an answer."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from examples import sized
from test_damaged_index import index_files, index_folder

from brain_cli.index import damage

if TYPE_CHECKING:
    from conftest import Vault

PAGE = 4096
QUERY = "green tea with milk"


@pytest.fixture
def tea(vault: Vault) -> Vault:
    """Notes in several segments, one of them with deleted fragments, and posting lists of more than
    a page.
    """
    for number in range(60):
        vault.note(
            f"{number:03}.md",
            f"# Tea {number}\n\nGreen tea, cup {number}, word{number}a word{number}b.\n" * 3,
        )
    vault.brain("index", "--vault", vault.folder)
    vault.note("milk.md", "# Milk\n\nWith green tea.\n")
    vault.note("007.md", "# Coffee\n\nBlack, with milk.\n")
    vault.brain("index", "--vault", vault.folder)
    return vault


def zero_page(file: Path, page: int) -> bool:
    """Fill a page with zeros and keep the file's time; return whether that changes anything."""
    status = file.stat()
    content = bytearray(file.read_bytes())
    lost = content[page * PAGE : (page + 1) * PAGE]
    if not any(lost):
        return False
    content[page * PAGE : (page + 1) * PAGE] = bytes(len(lost))
    with open(file, "r+b") as opened:
        opened.write(content)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    return True


def answered(vault: Vault) -> list[dict[str, Any]]:
    answer = vault.brain(
        "remember", QUERY, "-n", 100, "--json", "--explain", "--no-touch", "--vault", vault.folder
    )
    assert answer.code == 0, answer.err
    results: list[dict[str, Any]] = answer.json["results"]
    return results


def pages_of(vault: Vault) -> list[tuple[Path, int]]:
    """Return the pages of the index: of each file all in CI, every eighth every day."""
    files = [(file, file.stat().st_size) for file in index_files(vault.brain)]
    return [
        (file, page)
        for file, size in files
        for page in range(0, -(-size // PAGE), sized(1, everyday=8))
    ]


@pytest.mark.exhaustive
def test_no_page_of_zeros_gives_a_wrong_answer_after_a_restart(
    tea: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, folder, saved = answered(tea), index_folder(tea.brain), tmp_path / "saved"
    shutil.copytree(folder, saved)
    monkeypatch.setattr(damage, "_boot_id", lambda: "after the restart")
    pages = pages_of(tea)
    assert len(pages) > 10
    wrong = [
        (file.name, page)
        for file, page in pages
        if zero_page(file, page) and _differs(tea, good, folder, saved)
    ]
    assert wrong == []


def _differs(vault: Vault, good: list[dict[str, Any]], folder: Path, saved: Path) -> bool:
    """Return whether the answer from a damaged index is wrong; put the good index back."""
    try:
        return answered(vault) != good
    finally:
        shutil.rmtree(folder)
        shutil.copytree(saved, folder)


def test_a_file_that_has_changed_is_checked_without_a_restart(tea: Vault) -> None:
    good = answered(tea)
    postings = next(file for file in index_files(tea.brain) if file.suffix == ".pst")
    zero_page(postings, 0)
    os.utime(postings)
    assert answered(tea) == good


@pytest.mark.exhaustive
def test_a_damaged_segment_is_not_merged_into_a_good_one(
    tea: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in [file for file in index_files(tea.brain) if file.suffix == ".pst"]:
        zero_page(file, 0)
    monkeypatch.setattr(damage, "_boot_id", lambda: "after the restart")
    tea.note("rice.md", "# Rice\n\nWith milk.\n")
    after = {result["path"]: result["score"] for result in answered(tea)}
    tea.brain("index", "--full", "--vault", tea.folder)
    assert after == {result["path"]: result["score"] for result in answered(tea)}


def test_an_index_that_has_not_changed_is_read_only_once(
    tea: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    checksum = damage._checksum

    def counted(path: str) -> int:
        read.append(path)
        return checksum(path)

    monkeypatch.setattr(damage, "_checksum", counted)
    answered(tea)
    assert read == []
    monkeypatch.setattr(damage, "_boot_id", lambda: "after the restart")
    answered(tea)
    assert len(read) > 10
    read.clear()
    answered(tea)
    assert read == []


def test_checksums_of_older_generations_are_removed(tea: Vault) -> None:
    [found] = [file for file in index_files(tea.brain) if file.name.startswith("checksums")]
    assert json.loads(found.read_bytes().partition(b"\n")[2])["files"]
