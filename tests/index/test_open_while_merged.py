"""An index that is open stays whole: what a refresh merges away meanwhile is still there for who
reads it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from brain_cli.index.directory import IndexDirectory
from brain_cli.index.snapshot import open_snapshot

if TYPE_CHECKING:
    from conftest import Vault

REFRESHES = 12  # enough for small segments to be merged, and their files removed


def index_files(index_directory: IndexDirectory) -> set[Path]:
    return {path for path in index_directory.folder.rglob("MAIN_*") if path.suffix == ".col"}


def test_a_snapshot_outlives_the_files_it_was_opened_from(vault: Vault) -> None:
    for number in range(3):
        vault.note(f"{number}.md", f"# Tea {number}\n\nGreen tea.\n")
    vault.brain("index", "--vault", vault.folder)
    [folder] = (vault.brain.cache / "brain").iterdir()
    vault.note("later.md", "# Later\n\nSo that there are two segments.\n")
    vault.brain("index", "--vault", vault.folder)
    index_directory = IndexDirectory(folder)
    held, before = open_snapshot(index_directory), index_files(index_directory)
    for number in range(REFRESHES):
        vault.note(f"more-{number}.md", f"# More {number}\n\nBlack tea.\n")
        vault.brain("index", "--vault", vault.folder)
    assert before - index_files(index_directory), "nothing was merged away"
    texts = [held.index.fragment(number).text for number in range(len(held.index.note_ids))]
    assert sorted(texts) == ["Green tea."] * 3 + ["So that there are two segments."]
