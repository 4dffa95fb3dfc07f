"""Several vaults as one: their notes are candidates of one ranking, each at `NAME/path`, where NAME
is its vault's folder.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from itertools import accumulate, chain
from pathlib import PurePath
from typing import Any, NamedTuple, TypeVar

from brain_cli.errors import UsageError
from brain_cli.extension import OFF, switches_besides
from brain_cli.history.log import Event
from brain_cli.history.log_reader import HistorySnapshot
from brain_cli.history.usage import Fold
from brain_cli.index import Index
from brain_cli.index.note_rows import Columns, NoteRow, NoteRows
from brain_cli.index.note_table import Anchors, NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.note import note_and_section
from brain_cli.library.vault import RecallSession, Vault
from brain_cli.types import Fragment, NoteMetadata

Answer = TypeVar("Answer")


class VaultPart(NamedTuple):
    """The notes of one vault among those of several: its name there, and where the numbers of its
    notes and fragments begin.
    """

    name: str
    snapshot: Snapshot
    first_note: int
    first_fragment: int

    @property
    def rows(self) -> NoteRows:
        return self.snapshot.note_table.rows

    def value(self, field: str, value: Any) -> Any:
        """Return a value of a row as it is among those of several vaults."""
        match field:
            case "note_id":
                return self.first_note + value
            case "neighbours" | "successors":
                return [self.first_note + each for each in value]
            case "path":
                return f"{self.name}/{value}"
        return value


class JoinedRows(NoteRows):
    """The rows of all notes of several vaults."""

    def __init__(self, parts: Sequence[VaultPart]) -> None:
        super().__init__(Columns(), {})
        self._parts = parts

    def part(self, note_id: int) -> VaultPart:
        """Return the part that has a note."""
        return next(each for each in reversed(self._parts) if note_id > each.first_note)

    def column(self, field: str) -> dict[int, Any]:
        return {
            part.first_note + note_id: part.value(field, value)
            for part in self._parts
            for note_id, value in part.rows.column(field).items()
        }

    def field_values(self, field: str) -> Sequence[Any]:
        return [
            part.value(field, value)
            for part in self._parts
            for value in part.rows.field_values(field)
        ]

    def value(self, field: str, note_id: int) -> Any:
        part = self.part(note_id)
        return part.value(field, part.rows.value(field, note_id - part.first_note))

    def filled(self, field: str) -> frozenset[int]:
        return frozenset(
            part.first_note + note_id for part in self._parts for note_id in part.rows.filled(field)
        )

    def _all(self) -> dict[int, NoteRow]:
        return {note_id: self[note_id] for note_id in self}

    def __getitem__(self, note_id: int) -> NoteRow:
        part = self.part(note_id)
        row = part.rows[note_id - part.first_note]
        return NoteRow(*map(part.value, NoteRow._fields, row))

    def __contains__(self, note_id: object) -> bool:
        return isinstance(note_id, int) and any(
            note_id - part.first_note in part.rows for part in self._parts
        )

    def __iter__(self) -> Iterator[int]:
        for part in self._parts:
            yield from (part.first_note + note_id for note_id in part.rows)

    def __len__(self) -> int:
        return sum(len(part.rows) for part in self._parts)


class JoinedAnchors(Anchors):
    """The words of the links to each note of several vaults."""

    def __init__(self, parts: Sequence[VaultPart]) -> None:
        super().__init__()
        self._parts = parts

    def links(self, term: str) -> dict[int, int]:
        return {
            part.first_note + note_id: count
            for part in self._parts
            for note_id, count in part.snapshot.note_table.anchors.links(term).items()
        }


class JoinedIndex:
    """The postings of several vaults, as `Index` states them."""

    generation = 0

    def __init__(self, parts: Sequence[VaultPart]) -> None:
        self._parts = parts
        self.note_ids: Sequence[int] = [
            note_id and part.first_note + note_id
            for part in parts
            for note_id in part.snapshot.index.note_ids
        ]
        self.lengths: Sequence[int] = [*chain(*(part.snapshot.index.lengths for part in parts))]

    def postings(self, field: str, term: str) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        for part in self._parts:
            for numbers, weights in part.snapshot.index.postings(field, term):
                yield [part.first_fragment + number for number in numbers], weights

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:
        return self._terms(lambda index: index.terms_with_prefix(field, prefix))

    def similar_terms(self, field: str, term: str, edits: int) -> Iterator[str]:
        return self._terms(lambda index: index.similar_terms(field, term, edits))

    def _terms(self, of: Callable[[Index], Iterator[str]]) -> Iterator[str]:
        return iter(sorted({term for part in self._parts for term in of(part.snapshot.index)}))

    def fragment(self, number: int) -> Fragment:
        part = next(each for each in reversed(self._parts) if number >= each.first_fragment)
        return part.snapshot.index.fragment(number - part.first_fragment)

    def close(self) -> None:
        """Leave the indexes open: each is closed where it was opened."""


class JoinedSnapshot(Snapshot):
    """One state of several vaults."""

    def __init__(self, snapshots: Mapping[str, Snapshot]) -> None:
        tables = [each.note_table for each in snapshots.values()]
        first_notes = accumulate((each.next_id for each in tables), initial=0)
        sizes = (len(each.index.note_ids) for each in snapshots.values())
        first_fragments = accumulate(sizes, initial=0)
        self.parts = [
            VaultPart(name, snapshot, note, fragment)
            for (name, snapshot), note, fragment in zip(
                snapshots.items(), first_notes, first_fragments, strict=False
            )
        ]
        self._rows = JoinedRows(self.parts)
        boilerplate = frozenset(chain(*(each.boilerplate for each in tables)))
        anchors = JoinedAnchors(self.parts)
        table = NoteTable(rows=self._rows, boilerplate=boilerplate, anchors=anchors)
        super().__init__(table, JoinedIndex(self.parts))

    def as_shown(self, metadata: NoteMetadata, note_id: int) -> NoteMetadata:
        return metadata._replace(path=f"{self._rows.part(note_id).name}/{metadata.path}")


def joined_fold(folds: Mapping[str, Fold]) -> Fold:
    """Return the histories of several vaults as one; each keeps the numbers of its joint recalls,
    between those of the others.
    """
    found = Fold()
    for place, (name, fold) in enumerate(folds.items()):
        for path, entry in fold.entries.items():
            own = found.entries[f"{name}/{path}"] = copy(entry)
            own.joint = [len(folds) * number + place for number in entry.joint]
        for number, paths in fold.joint.items():
            found.joint[len(folds) * number + place] = [f"{name}/{path}" for path in paths]
        found.first_at = min(found.first_at, fold.first_at)
    return found


class JoinedSession:
    """The sessions of several vaults, which are brought up to date one after the other."""

    def __init__(self, sessions: Mapping[str, RecallSession]) -> None:
        self._sessions = sessions

    @property
    def behind(self) -> int:
        return sum(each.behind for each in self._sessions.values())

    def ask(
        self, question: Callable[[Snapshot], Answer], *, tells_staleness: bool = False
    ) -> Answer:
        """Answer from one state of each vault."""

        def ask(open_ones: Mapping[str, Snapshot], *names: str) -> Answer:
            if not names:
                return question(JoinedSnapshot(open_ones))
            name, *others = names
            return self._sessions[name].ask(
                lambda snapshot: ask({**open_ones, name: snapshot}, *others),
                tells_staleness=tells_staleness,
            )

        return ask({}, *self._sessions)


class JoinedVault(Vault):
    """Several folders of notes as one vault, which is only read. The ranking's settings are the
    user's. Plugins see none of its notes.
    """

    @property
    def files(self) -> str:
        return ""

    @property
    def roots(self) -> dict[str, str]:
        return {name: each.folder for name, each in self._named.items()}

    @property
    def _named(self) -> dict[str, Vault]:
        return dict(zip(names_of([each.folder for each in self.parts]), self.parts, strict=True))

    def session(self, *, touch: bool) -> RecallSession:
        return JoinedSession(
            {name: each.session(touch=touch) for name, each in self._named.items()}
        )

    def histories(self) -> Callable[[float], HistorySnapshot]:
        at = {name: each.histories() for name, each in self._named.items()}

        def history_at(now: float) -> HistorySnapshot:
            found = {name: each(now) for name, each in at.items()}
            settled = joined_fold({name: each.settled for name, each in found.items()})
            complete = joined_fold({name: each.complete for name, each in found.items()})
            return HistorySnapshot(settled, complete)

        return history_at

    def record(self, events: list[Event]) -> None:
        """Add events to the history of each vault, with its own notes."""
        for name, vault in self._named.items():
            own = []
            for event in events:
                notes = [(split(each.path, self.roots), each) for each in event.notes]
                mine = [each._replace(path=path) for (root, path), each in notes if root == name]
                own += [event._replace(notes=mine)] if mine else []
            if own:
                vault.record(own)

    def holding(self, argument: str) -> Vault:
        """Return the one vault that has the named note; UsageError if none or several have."""
        found = []
        for vault in self.parts:
            with contextlib.suppress(UsageError):
                note_and_section(vault, argument)
                found.append(vault)
        if len(found) > 1:
            folders = " and ".join(each.folder for each in found)
            raise UsageError(f"“{argument}” is in {folders}.", "Name one with --vault DIR.")
        return found[0] if found else self.parts[0]

    def body(self, path: str) -> str:
        name, own = split(path, self.roots)
        return self._named[name].body(own)

    def at(self, as_of: str | None) -> Vault:
        parts = tuple(each.at(as_of) for each in self.parts)
        return self.replaced(parts=parts, now=parts[0].now)


def joined(vault: Vault, parts: Sequence[Vault]) -> Vault:
    """Return several vaults as one, with the settings of `vault`; one alone as it is."""
    distinct = {each.folder: each for each in parts}
    if len(distinct) == 1:
        return parts[0]
    of_plugins = {**vault.config.of_plugins, **dict.fromkeys(switches_besides(), OFF)}
    config = vault.config._replace(of_plugins=of_plugins)
    return JoinedVault.of(vault, parts=tuple(distinct.values()), config=config)


def names_of(folders: Sequence[str]) -> list[str]:
    """Return a name for each folder: as many of its last parts as distinguish it from others."""
    names = [""]
    count = 0
    while len({*names}) < len(folders):
        count += 1
        names = ["/".join(PurePath(each).parts[-count:]) for each in folders]
    return names


def split(path: str, names: Mapping[str, object]) -> tuple[str, str]:
    """Return the name of the vault at which a path begins, and the path in it."""
    name = next(each for each in names if path.startswith(f"{each}/"))
    return name, path.removeprefix(f"{name}/")
