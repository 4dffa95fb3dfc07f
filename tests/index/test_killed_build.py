"""A large refresh is committed in portions: killed, it goes on where it was, and answers say what
they lack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from brain_cli.index import sync, sync_plan
from brain_cli.index.directory import IndexDirectory, index_directory_of, read_note_table

if TYPE_CHECKING:
    from conftest import Vault

PORTION = 5


@pytest.fixture
def large(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A vault of four portions."""
    monkeypatch.setattr(sync_plan, "PORTION_NOTES", PORTION)
    for number in range(4 * PORTION):
        vault.note(
            f"{number:02}.md",
            f"# Note {number}\n\nWith leek, and [[{(number + 7) % 20:02}]].\n",
        )
    return vault


def directory_of(vault: Vault) -> IndexDirectory:
    return index_directory_of(str(vault.folder), str(vault.brain.cache))


def refreshed(
    vault: Vault, *, end_at: int = 1_000, full: bool = False
) -> tuple[sync.Refreshed | None, list[int]]:
    """Refresh the index; stop, as Ctrl-C does, once so many notes are read. Return the outcome and
    the progress.
    """
    steps: list[int] = []

    def progress(done: int, total: int) -> None:
        assert total <= 4 * PORTION
        steps.append(done)
        if done == end_at:
            raise KeyboardInterrupt

    notes = sync.IndexedVault(str(vault.folder), ("archive", "_archived"))
    try:
        return sync.refresh(notes, directory_of(vault), print, progress, full=full), steps
    except KeyboardInterrupt:
        return None, steps


def indexed(vault: Vault) -> int:
    table = read_note_table(directory_of(vault))
    return len(table.rows) if table else 0


def test_a_first_index_that_is_killed_goes_on(large: Vault) -> None:
    refreshed(large, end_at=12)
    assert indexed(large) == 2 * PORTION
    done, steps = refreshed(large)
    assert done
    assert (done.added, done.notes, len(steps)) == (10, 20, 10)
    assert refreshed(large)[0] == sync.Refreshed(notes=20, fragments=20)


def test_an_answer_from_a_part_says_how_many_notes_it_lacks(
    large: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain_cli.index import session

    assert large.brain("remember", "leek", "--vault", large.folder).code == 0
    for number in range(10):
        large.note(f"new-{number}.md", "# New\n\nWith leek.\n")
    monkeypatch.setattr(session, "RECALL_LIMIT", session.RECALL_LIMIT._replace(notes=3))
    refreshed(large, end_at=6)
    answer = large.remember("leek")
    assert (answer["stale"], answer["behind"]) == (True, 5)


def test_an_index_made_in_portions_answers_as_one_made_at_once(large: Vault) -> None:
    refreshed(large, end_at=12)
    refreshed(large)
    in_portions = large.remember("leek", "-n", 20)["results"]
    refreshed(large, full=True)
    assert large.remember("leek", "-n", 20)["results"] == in_portions


def test_a_rebuilt_index_replaces_the_old_one_as_a_whole(large: Vault) -> None:
    refreshed(large)
    refreshed(large, end_at=12, full=True)
    assert indexed(large) == 20


def test_moved_notes_of_several_portions_stay_the_same_notes(large: Vault) -> None:
    refreshed(large)
    (large.folder / "moved").mkdir()
    for number in range(20):
        (large.folder / f"{number:02}.md").rename(large.folder / "moved" / f"{number:02}.md")
    done, _ = refreshed(large)
    assert done
    assert (done.renamed, done.added, done.removed, done.notes) == (20, 0, 0, 20)


def test_a_new_note_does_not_wait_for_a_merge_of_the_large_parts_of_an_index(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain_cli.index.engines import _whoosh_writer

    def indexed_with(*names: str) -> set[str]:
        for name in names:
            vault.note(f"{name}.md", f"# Note {name}\n\nWith leek.\n")
        assert vault.brain("index", "--vault", vault.folder).code == 0
        return {path.name for path in vault.brain.cache.rglob("*.trm")}

    monkeypatch.setattr(sync_plan, "PORTION_NOTES", 10)
    monkeypatch.setattr(_whoosh_writer, "MAX_SEGMENTS", 4)
    monkeypatch.setattr(_whoosh_writer, "SMALL_FRAGMENTS", 1)
    large = indexed_with(*map(str, range(40)))
    small = [indexed_with(f"new-{number}") - large for number in range(6)][-1]
    assert len(large) == 4
    assert large <= indexed_with(), "the large parts are still there"
    assert len(small) == 1, "the small ones are merged"
