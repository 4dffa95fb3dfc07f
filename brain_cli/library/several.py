"""Several vaults as one: their notes are candidates of one ranking, each at `NAME/path`, where NAME
is its vault's folder.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, count, product
from typing import Any, NamedTuple, TypeVar

from brain_cli.errors import UsageError
from brain_cli.extension import OFF, switches_besides
from brain_cli.history.log import Event
from brain_cli.history.log_reader import HistorySnapshot
from brain_cli.history.usage import Fold
from brain_cli.index.note_rows import Columns, NoteRows
from brain_cli.index.note_table import Anchors, NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.names import note_and_section, note_or_number
from brain_cli.library.vault import Vault
from brain_cli.types import Fragment, NoteMetadata

Answer = TypeVar("Answer")


class VaultPart(NamedTuple):
    """The notes of one of several vaults: its name there, and how many notes and fragments come
    before its own.
    """

    name: str
    snapshot: Snapshot
    first_note: int
    first_fragment: int

    @property
    def rows(self) -> NoteRows:
        return self.snapshot.note_table.rows

    def value(self, field: str, value: Any) -> Any:
        """Return a value of a row as it is in the joined table."""
        match field:
            case "note_id":
                return self.first_note + value
            case "neighbours" | "successors":
                return [self.first_note + each for each in value]
            case "path":
                return f"{self.name}/{value}"
        return value


class JoinedColumns(Columns):
    """The columns of the rows of several vaults, one after the other."""

    def __init__(self, parts: Sequence[VaultPart]) -> None:
        super().__init__()
        self._parts = parts

    def part(self, name: str, default: Any = ()) -> Any:  # noqa: ARG002 - every column is there
        if name not in self._decoded:
            self._decoded[name] = [
                part.value(name, value)
                for part in self._parts
                for value in part.rows.field_values(name)
            ]
        return self._decoded[name]

    def value(self, field: str, index: int) -> Any:
        note_id = self.part("note_id")[index]
        part = self.part_of(note_id)
        return part.value(field, part.rows.value(field, note_id - part.first_note))

    def part_of(self, note_id: int) -> VaultPart:
        return next(each for each in reversed(self._parts) if note_id > each.first_note)


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
        note_ids: list[int] = []
        lengths: list[int] = []
        for part in parts:
            own = part.snapshot.index
            note_ids += [note_id and part.first_note + note_id for note_id in own.note_ids]
            lengths += own.lengths
        self.note_ids: Sequence[int] = note_ids
        self.lengths: Sequence[int] = lengths

    def postings(
        self, field: str, term: str
    ) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        for part in self._parts:
            for numbers, weights in part.snapshot.index.postings(field, term):
                yield [part.first_fragment + number for number in numbers], weights

    def terms_with_prefix(self, field: str, prefix: str) -> Iterator[str]:
        indexes = (part.snapshot.index for part in self._parts)
        found = (each.terms_with_prefix(field, prefix) for each in indexes)
        return iter(sorted({*chain.from_iterable(found)}))

    def fragment(self, number: int) -> Fragment:
        part = next(each for each in reversed(self._parts) if number >= each.first_fragment)
        return part.snapshot.index.fragment(number - part.first_fragment)

    def close(self) -> None:
        """Leave the indexes open: each is closed where it was opened."""


class JoinedSnapshot(Snapshot):
    """One state of several vaults."""

    def __init__(self, snapshots: Mapping[str, Snapshot]) -> None:
        self.parts: list[VaultPart] = []
        boilerplate: set[str] = set()
        first_note = 0
        first_fragment = 0
        for name, snapshot in snapshots.items():
            self.parts.append(VaultPart(name, snapshot, first_note, first_fragment))
            boilerplate |= snapshot.note_table.boilerplate
            self.behind += snapshot.behind
            first_note += snapshot.note_table.next_id
            first_fragment += len(snapshot.index.note_ids)
        self._columns = JoinedColumns(self.parts)
        table = NoteTable(
            rows=NoteRows(self._columns, {}),
            boilerplate=frozenset(boilerplate),
            anchors=JoinedAnchors(self.parts),
        )
        super().__init__(table, JoinedIndex(self.parts))

    def shown(self, note_id: int) -> NoteMetadata:
        metadata = super().shown(note_id)
        return metadata._replace(path=f"{self._columns.part_of(note_id).name}/{metadata.path}")


def joined_fold(folds: Mapping[str, Fold]) -> Fold:
    """Return the histories of several vaults as one, in which the numbers of their joint recalls
    alternate.
    """
    found = Fold()
    for place, (name, fold) in enumerate(folds.items()):
        for path, entry in fold.entries.items():
            own = found.entries[f"{name}/{path}"] = entry.copied()
            own.joint = [len(folds) * number + place for number in entry.joint]
        for number, paths in fold.joint.items():
            found.joint[len(folds) * number + place] = [f"{name}/{path}" for path in paths]
        found.first_at = min(found.first_at, fold.first_at)
    return found


class JoinedVault(Vault):
    """Several folders of notes as one vault, which is only read. The ranking's settings are the
    user's. Of the plugins, only those that find more notes see its notes.
    """

    @property
    def _named(self) -> dict[str, Vault]:
        return dict(zip(self.roots, self.parts, strict=True))

    def ask(
        self,
        question: Callable[[Snapshot], Answer],
        *,
        touch: bool = True,
        tells_staleness: bool = False,
    ) -> Answer:
        """Answer from one state of each vault; they are brought up to date one after the other."""

        def ask(open_ones: Mapping[str, Snapshot], *vaults: tuple[str, Vault]) -> Answer:
            if not vaults:
                return question(JoinedSnapshot(open_ones))
            (name, vault), *others = vaults
            return vault.ask(
                lambda snapshot: ask({**open_ones, name: snapshot}, *others),
                touch=touch,
                tells_staleness=tells_staleness,
            )

        return ask({}, *self._named.items())

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
        for event, (name, vault) in product(events, self._named.items()):
            notes = [
                each._replace(path=each.path.removeprefix(f"{name}/"))
                for each in event.notes
                if each.path.startswith(f"{name}/")
            ]
            if notes:
                vault.record([event._replace(notes=notes)])

    def holding(self, argument: str) -> Vault:
        """Return the one vault that has the named note, or that with a number in the last answer;
        UsageError if none or several have.
        """
        found: list[Vault] = []
        for finds in (note_and_section, note_or_number):
            for vault in self.parts if not found else ():
                with contextlib.suppress(UsageError):
                    finds(vault, argument)
                    found.append(vault)
        if len(found) > 1:
            folders = " and ".join(each.folder for each in found)
            raise UsageError(f"“{argument}” is in {folders}.", "Name one with --vault DIR.")
        return found[0] if found else self.parts[0]

    def body(self, path: str) -> str:
        name = next(each for each in self._named if path.startswith(f"{each}/"))
        return self._named[name].body(path.removeprefix(f"{name}/"))

    def at(self, as_of: str | None) -> Vault:
        parts = tuple(each.at(as_of) for each in self.parts)
        return self.replaced(parts=parts, now=parts[0].now)


def joined(vault: Vault, parts: Sequence[Vault]) -> Vault:
    """Return several vaults as one, with the settings of `vault`; one alone as it is."""
    distinct = {each.folder: each for each in parts}
    if len(distinct) == 1:
        return parts[0]
    of_plugins = {
        **vault.config.of_plugins,
        **dict.fromkeys(switches_besides("retriever"), OFF),
    }
    config = vault.config._replace(of_plugins=of_plugins)
    roots = dict(zip(names_of([*distinct]), distinct, strict=True))
    return JoinedVault.of(
        vault, files="", parts=tuple(distinct.values()), roots=roots, config=config
    )


def names_of(folders: Sequence[str]) -> list[str]:
    """Return a name for each folder: as many of its last parts as distinguish it from others."""
    names = (["/".join(each.split("/")[-parts:]) for each in folders] for parts in count(1))
    return next(each for each in names if len({*each}) == len(folders))
