"""The history of the notes of a vault. A note keeps its history when it is renamed, by brain or by
another program.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import cached_property
from types import MappingProxyType

from brain_cli.history.log_reader import NO_HISTORY, HistorySnapshot
from brain_cli.history.usage import NO_ENTRY, Kinds
from brain_cli.index.note_table import NoteTable
from brain_cli.types import Usage


class NoteHistory:
    """Looks up the history of each note of a note table, by note id. `kinds` are those of the
    configuration.
    """

    def __init__(
        self,
        history: HistorySnapshot,
        note_table: NoteTable,
        kinds: Kinds = MappingProxyType({}),
    ) -> None:
        self._history = history
        self._note_table = note_table
        self.kinds = kinds

    def of(self, note_table: NoteTable) -> NoteHistory:
        """Return the history of the notes of another table, such as the candidates of one query."""
        return (
            self
            if note_table is self._note_table
            else NoteHistory(self._history, note_table, self.kinds)
        )

    @property
    def began(self) -> float | None:
        """The time at which the history begins (seconds since the epoch); None if it is empty."""
        return self._history.complete.began

    def usage(self, note_id: int) -> Usage:
        return self._history.usage(self._history_path(note_id))

    def shown_together(self, note_id: int) -> list[int]:
        """Return the notes that some recall showed together with this one."""
        # Called for every note that activation reaches; most have no joint recalls.
        settled = self._history.settled
        if not settled.joint:
            return []
        found = map(self._note_known_as, settled.shown_together(self._history_path(note_id)))
        return [other for other in found if other is not None]

    def co_recalls(self, note_id: int, candidates: Container[int]) -> int:
        """Return the number of past recalls that showed a note together with another of these
        candidates.
        """
        settled = self._history.settled
        entry = settled.entries.get(self._history_path(note_id), NO_ENTRY)
        recalls = (settled.joint[number] for number in entry.joint)
        together = (filter(None, map(self._note_known_as, paths)) for paths in recalls)
        return sum(
            any(each in candidates for each in notes if each != note_id) for notes in together
        )

    def _history_path(self, note_id: int) -> str:
        path: str = self._note_table.value("path", note_id)
        return self._moved.get(path, path) if self._moved else path

    def _note_known_as(self, path: str) -> int | None:
        return self._note_table.ids.get(self._moved_to.get(path, path))

    @cached_property
    def _moved(self) -> dict[str, str]:
        """The moved notes (path → path in the history), recognized by their content."""
        return self._note_table.moved(self._history.complete.paths())

    @cached_property
    def _moved_to(self) -> dict[str, str]:
        return {old: path for path, old in self._moved.items()}


def no_history(note_table: NoteTable) -> NoteHistory:
    """Return an empty history."""
    return NoteHistory(NO_HISTORY, note_table)


def linked(note_table: NoteTable, note_history: NoteHistory, note_id: int) -> Iterable[int]:
    """Return the neighbours of a note: linked in either direction, or shown together."""
    together = note_history.shown_together(note_id)
    neighbours = note_table.neighbours(note_id)
    return {*neighbours, *together} if together else neighbours
