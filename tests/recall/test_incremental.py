"""An index that followed the notes step by step answers as one that was built from scratch."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Vault

NAMES = ("tea", "soup", "deep/bread", "archive/rice")
WORDS = ("green", "leek", "rye", "milk", "[[tea]]", "[[bread]]", "#food", "\n\n## Later\n\n", "\n- salt\n")
LONG_AGO = 1_700_000_000
QUERIES = ("green tea", "leek soup with rye", "milk food", "bread")
EDIT = st.tuples(
    st.sampled_from(["write", "delete", "rename", "touch", "recall"]),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12),
)


def everything(vault: Vault) -> list[object]:
    """All that an answer consists of, but for the time it took."""
    documents = [vault.remember(query, "--scorer", "clawmem") for query in QUERIES]
    return [{key: value for key, value in each.items() if key != "elapsed_ms"} for each in documents]


def apply(vault: Vault, action: str, name: str, other: str, words: list[str], step: int) -> None:
    file, target = vault.folder / f"{name}.md", vault.folder / f"{other}.md"
    if action == "recall":
        vault.remember(QUERIES[step % len(QUERIES)])
    elif action == "write":
        vault.note(f"{name}.md", f"# {name.title()} {step}\n\n{' '.join(words)}\n")
        # A change shows in the file's time or in its size.
        os.utime(file, (LONG_AGO + step, LONG_AGO + step))
    elif file.exists():
        if action == "delete":
            file.unlink()
        elif action == "rename":
            target.parent.mkdir(exist_ok=True)
            file.rename(target)
        else:
            file.touch()


@settings(max_examples=20, deadline=None)
@given(st.lists(EDIT, min_size=3, max_size=12))
def test_any_sequence_of_edits_leaves_the_answers_of_a_full_build(
    new_vault: Callable[[], Vault], edits: list[tuple[str, str, str, list[str]]]
) -> None:
    vault = new_vault()
    vault.note("always.md", "# Always\n\nGreen tea with milk, and [[soup]].\n")
    vault.remember("tea")
    for step, (action, name, other, words) in enumerate(edits):
        apply(vault, action, name, other, words, step)
    followed = everything(vault)
    shutil.rmtree(vault.brain.cache)
    assert followed == everything(vault)


def test_deleting_notes_and_adding_them_again_leaves_every_relevance_as_it_was(sample: Vault, vault: Vault) -> None:
    shutil.copytree(sample.folder, vault.folder, dirs_exist_ok=True)
    before = vault.relevances("event-driven design")
    kept = vault.folder.parent / "kept"
    for folder in ("projects", "learnings", "incidents"):
        shutil.move(vault.folder / folder, kept)
        assert vault.relevances("event-driven design") != before
        shutil.move(kept, vault.folder / folder)
    assert vault.relevances("event-driven design") == before
    assert vault.brain("index", "--full", "--vault", vault.folder).code == 0
    assert vault.relevances("event-driven design") == before
