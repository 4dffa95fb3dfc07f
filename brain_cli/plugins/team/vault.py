"""The vault of a shared memory: its commands ask the server, on connections that a daemon keeps
open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from brain_cli.errors import AnswerFromFolderError, BrainError, UnreachableError, UsageError
from brain_cli.extension import FINE, LOOK, WRONG, Finding
from brain_cli.history.log import FEEDBACK, FEEDBACK_UNDONE, Event, History
from brain_cli.index.directory import IndexDirectory
from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import Snapshot
from brain_cli.library.names import note_and_section
from brain_cli.library.vault import Vault
from brain_cli.plugins.team.address import memory_name
from brain_cli.plugins.team.history import record_in_memory
from brain_cli.plugins.team.stores import address_of, first_found, using_store
from brain_cli.printable import counted, some_of
from brain_cli.streams import say

if TYPE_CHECKING:
    from brain_cli.library.edit import Changed
    from brain_cli.plugins.team.notes import TeamNote
    from brain_cli.plugins.team.store import Health

Answer = TypeVar("Answer")
LEFT_OUT = "Left out of the shared memory, because it cannot be read"
MAX_NAMED = 10


class TeamVault(Vault):
    """A shared memory at the configured address, and this user's history of it; its answers are
    never stale.

    Its part is the folder of notes whose notes have precedence, and which answers if the server
    cannot; it has none if there is no such folder, or if the command names the memory.
    """

    @property
    def index_directory(self) -> IndexDirectory:
        return IndexDirectory(Path(self.cache_home) / "brain" / memory_name(address_of(self)))

    @property
    def history(self) -> History:
        state = Path(self.state_home) / "brain"
        return History(state / memory_name(address_of(self)), state)

    def record(self, events: list[Event]) -> None:
        try:
            record_in_memory(self, events)
        except UnreachableError as error:
            say(f"{error.message} This was not recorded.")

    def find(self, argument: str) -> TeamNote:
        from brain_cli.plugins.team.notes import TeamNote

        return TeamNote(self, argument)

    def holding(self, argument: str) -> Vault:
        """Return the folder of notes if it has the note, else this memory. Without a colon, an
        argument cannot name a note of the memory.
        """
        for folder in self.parts:
            with suppress(UsageError):
                if ":" not in argument or note_and_section(folder, argument):
                    return folder
        return self

    def at(self, as_of: str | None) -> TeamVault:
        if as_of:
            raise UsageError("The notes of a shared memory are not kept as they were.")
        return self

    def body(self, path: str) -> str:
        return self.show(path).text

    def pin(self, arguments: Iterable[str], *, pinned: bool = True) -> list[Changed]:
        return self._each(
            arguments,
            lambda note: note.pin(pinned=pinned),
            lambda folder, names: folder.pin(names, pinned=pinned),
        )

    def archive(
        self, arguments: Iterable[str], *, archived: bool = True, by_status: bool = False
    ) -> list[Changed]:
        return self._each(
            arguments,
            lambda note: note.archive(archived=archived),
            lambda folder, names: folder.archive(names, archived=archived, by_status=by_status),
        )

    def rate(self, arguments: Iterable[str], verdict: str, *, given: bool = True) -> list[str]:
        event = FEEDBACK if given else FEEDBACK_UNDONE
        return self._each(
            arguments,
            lambda note: note.record(event, verdict),
            lambda folder, names: folder.rate(names, verdict, given=given),
        )

    def _each(
        self,
        arguments: Iterable[str],
        of_note: Callable[[TeamNote], Answer],
        of_folder: Callable[[Vault, list[str]], list[Answer]],
    ) -> list[Answer]:
        """Change the named notes of the memory one by one, then those of the folder together."""
        holding = {argument: self.holding(argument) for argument in arguments}
        own = [name for name, vault in holding.items() if vault is not self]
        done = [of_note(self.find(name)) for name in holding if name not in own]
        return done + (of_folder(self.parts[0], own) if own else [])

    def append(self, argument: str, title: str, text: str) -> str:
        return self.find(argument).append(title, text)

    def adding(self) -> AbstractContextManager[object]:
        return nullcontext()

    def add(self, paths: Iterable[str], raw: bytes) -> str:
        """Add a note to a vault on the server."""
        from brain_cli.plugins.team.written import add

        with using_store(self) as store:
            return add(self, store, paths, raw)

    def ask(
        self,
        question: Callable[[Snapshot], Answer],
        *,
        touch: bool = True,  # noqa: ARG002
        tells_staleness: bool = False,  # noqa: ARG002
    ) -> Answer:
        """Answer from one state of the memory, and of this user's history of it."""
        try:
            return self.ask_server(question)
        except UnreachableError as error:
            if self.parts:
                raise AnswerFromFolderError(error.message) from None
            raise

    def ask_server(self, question: Callable[[Snapshot], Answer]) -> Answer:
        """Answer like `ask`; UnreachableError if the server cannot."""
        # Imported here, because the driver is slow to load, and may be missing.
        with using_store(self) as store:
            from brain_cli.plugins.team.question import answered
            from brain_cli.plugins.team.reading import Reader

            reader = Reader(store, self.history.folder, partial(first_found, "asked", self))
            try:
                answer = answered(reader, question)
            finally:
                reader.close()
        for vault in sorted(reader.shown & reader.totals.stale.keys()):
            say(f"“{vault}” may be out of date: last sent by {reader.totals.stale[vault]}.")
        if reader.left_out:
            say(f"{LEFT_OUT}: {some_of(sorted(reader.left_out.values()), MAX_NAMED)}.")
        return answer


def team_vault(vault: Vault, *, is_named: bool) -> TeamVault:
    """Return the configured shared memory; the command names it, or the vault has precedence."""
    parts = (vault,) if vault.folder and not is_named else ()
    return TeamVault.of(vault, files="", parts=parts)


def status(vault: Vault, note_table: NoteTable) -> tuple[str, str | Health]:
    """Return the state of the shared memory for `brain status`."""
    try:
        with using_store(vault) as store:
            return "memory", store.health()
    except BrainError as error:
        return "memory", f"{error.message} {error.hint}".rstrip()


def checks(vault: Vault, note_table: NoteTable | None) -> Iterator[Finding]:
    """Check the server of the shared memory, and the rows that it has, for `brain doctor`."""
    try:
        with using_store(vault) as store:
            yield Finding("memory", FINE, str(store.health()))
            found, checked = store.unreadable()
    except BrainError as error:
        yield Finding("memory", WRONG, f"{error.message} {error.hint}".rstrip(), 1)
        return
    said = f"{counted(len(found), 'note')} of {checked:,} cannot be read"
    yield Finding("memory notes", LOOK if found else FINE, said, len(found), tuple(found))
