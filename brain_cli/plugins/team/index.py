"""Send the notes of a vault to a shared memory, after `brain index` and in a daemon."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from brain_cli.config import switched_off, variable_of
from brain_cli.errors import BrainError
from brain_cli.index.directory import read_note_table, stamp
from brain_cli.index.note_table import NoteTable
from brain_cli.library.vault import Vault, index_session
from brain_cli.library.vault import refreshed as refresh_index
from brain_cli.paths import make_private_folder
from brain_cli.plugins.team.patience import PORTION
from brain_cli.plugins.team.sending import Sending, Sent
from brain_cli.plugins.team.stores import (
    address_of,
    first_found,
    identity,
    identity_file,
    using_store,
)
from brain_cli.plugins.team.writer import VaultWriter
from brain_cli.plugins.team.written import fetch
from brain_cli.printable import one_line
from brain_cli.render.phrases import counted
from brain_cli.streams import Progress, confirmed
from brain_cli.vault.atomic_write import replace_file

if TYPE_CHECKING:
    from brain_cli.answer.retriever import VectorsToKeep
    from brain_cli.daemon.loop import BackgroundWork

RETRY_SECONDS = 30.0  # after a server was down


def refreshed(vault: Vault, added: Mapping[str, Any]) -> tuple[str, str, dict[str, object]]:
    """Send a vault's notes to the shared memory; return what `brain index` reports of it."""
    called, fetched, sent = send_notes(vault, added.get("as_name"), yes=bool(added.get("yes")))
    counts = {"fetched": fetched, **sent._asdict()}
    changes = (f"{count} {what}" for what, count in counts.items() if count)
    sentence = f"Shared memory, as “{one_line(called)}”: {', '.join(changes) or 'nothing to send'}."
    return "shared", sentence, {"vault": called, **counts}


def background(
    vault: Vault, say: Callable[[str], None], added: Mapping[str, Any]
) -> BackgroundWork:
    """Return the work of a daemon that sends the notes whenever the index has changed."""
    from brain_cli.cli.run_daemon import BackgroundIndex

    class BackgroundSending(BackgroundIndex):
        """Sends the notes of a vault when its index has changed, and later what could not
        be sent.
        """

        _notes: object = None
        _vectors: VectorsToKeep | None = None

        def continue_if_due(self) -> None:
            """Start a process if the last one has ended, and the index has changed since
            it began.
            """
            if (ended := self._take_ended()) and ended.code:
                self._done = None
                self._next = time.monotonic() + RETRY_SECONDS
                first = ended.error.partition("\n")[0].removeprefix("brain: ")
                say(f"Not sent to the shared memory yet. {first}".strip())
            notes = stamp(self._vault.index_directory) if self._may_start() else None
            if not notes:
                return
            if notes != self._notes:
                self._notes = notes
                self._vectors = _vectors_of(self._vault)
            state = (notes, self._vectors and self._vectors.stamp())
            if state != self._done:
                options = ("--as", name) if (name := added.get("as_name")) else ()
                memory = {variable_of("memory"): address_of(self._vault)}
                self._start(state, {**switched_off("background", "vectors"), **memory}, *options)

    return BackgroundSending(vault)


def send_notes(vault: Vault, name: str | None, *, yes: bool = False) -> tuple[str, int, Sent]:
    """Fetch what was written in a shared memory, and send it the notes of a vault; return the
    vault's name there.

    With `yes`, nothing is asked. BrainError if the user declines.
    """
    known, key = identity(vault)
    called = name or known or os.path.basename(os.path.realpath(vault.folder))
    origin = key or os.urandom(8).hex()
    with using_store(vault, PORTION) as store:
        target = store.vault(called, origin, join=name is not None)
        sending = _sending(vault, target)
        if not yes:
            _ask(target.name, sending, is_foreign=target.origin != origin)
        file = identity_file(vault)
        make_private_folder(file.parent)
        replace_file(file, json.dumps({"name": target.name, "origin": target.origin}).encode())
        if fetched := fetch(vault, target):
            refresh_index(index_session(vault))
            sending = _sending(vault, target)
        return target.name, fetched, sending.run(Progress("sending notes"))


def _sending(vault: Vault, target: VaultWriter) -> Sending:
    directory = vault.index_directory
    vectors = _vectors_of(vault)
    token = f"{target.origin} {stamp(directory)} {vectors.stamp() if vectors else ''}".strip()
    return Sending(vault.indexed, read_note_table(directory) or NoteTable(), target, token, vectors)


def _vectors_of(vault: Vault) -> VectorsToKeep | None:
    note_table = read_note_table(vault.index_directory)
    return first_found("vectors", vault, note_table) if note_table else None


def _ask(name: str, sending: Sending, *, is_foreign: bool) -> None:
    """Ask before most notes of a vault, or those of another one, are replaced; BrainError if the
    user declines.
    """
    planned = sending.planned
    if not (is_foreign and sending.known) and 2 * planned.removed <= len(sending.known):
        return
    whose = ", which was sent from another vault" if is_foreign else ""
    changes = (
        f"adds {planned.added} and removes {planned.removed} of its "
        f"{counted(len(sending.known), 'note')}"
    )
    doing = f"Sending to “{name}” of the shared memory{whose}, {changes}"
    if not confirmed(f"{doing}. Do it?", f"{doing}; there is no terminal to ask."):
        raise BrainError("Nothing was sent.")
