"""The vectors of a vault that another plugin keeps with notes elsewhere, and the codes with which
it finds them there.

A code has a bit for the sign of each component: of a question's vector, or of the sum of four
passages of a note. The codes of near vectors differ in few bits, so any database finds the notes
near to a question.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence

from brain_cli.answer.retriever import AskedVector, VectorsToKeep
from brain_cli.index.note_table import NoteTable
from brain_cli.library.vault import Vault
from brain_cli.plugins.meaning.models import by_languages
from brain_cli.plugins.meaning.search import is_question, model_in
from brain_cli.plugins.meaning.settings import ModelError
from brain_cli.plugins.meaning.vectors import name_of_rows, note_keys
from brain_cli.vault.analyzer import Word

# So many passages share a code: of the three nearest notes, 94 % are among the 60 with the nearest
# codes, 80 % if all passages of a note share one, and 96 % if each has its own, which takes three
# times as long to compare.
PASSAGES = 4


def vectors(vault: Vault, note_table: NoteTable) -> VectorsToKeep | None:
    """Return the vectors of a vault; None without a model."""
    model = model_in(vault)
    if not model:
        return None
    store = model.store

    def read(note_ids: Iterable[int]) -> Iterator[tuple[int, Sequence[str], bytes]]:
        known = store.notes()
        matrix = store.matrix()
        keys = note_keys(note_table)
        for note_id in note_ids:
            if rows := known.get(keys[note_id]):
                parts = (
                    rows[start : start + PASSAGES] for start in range(0, len(rows), PASSAGES)
                )
                codes = [_code(matrix.total(part)) for part in parts]
                yield note_id, codes, matrix.rows(rows)

    return VectorsToKeep(name_of_rows(model.name), store.stamp, read)


def asked(
    vault: Vault,
    text: str,
    words: Sequence[Word],
    languages: Sequence[str],
    *,
    doubtful: bool,
) -> AskedVector | None:
    """Return the code of a question, or of words that are `doubtful`; None without a model that can
    be used.
    """
    model = model_in(vault, lambda: by_languages(languages))
    if not (model and text and (doubtful or is_question(text, words))):
        return None
    # The search by meaning says why a model cannot be used.
    with contextlib.suppress(ModelError):
        vector = model.loaded().query(text).vector
        return AskedVector(name_of_rows(model.name), _code(vector))
    return None


def _code(vector: Iterable[float]) -> str:
    return "".join("1" if component > 0 else "0" for component in vector)
