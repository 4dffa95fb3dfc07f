"""Move a note within its vault, and let every link lead where it led before.

Planned first, with nothing written. Then the other notes are changed one by one, and the note itself moves last: a
move that was interrupted has not happened yet, and doing it again does what is left.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from brain_cli.errors import BrainError
from brain_cli.types import Link, NoteMetadata
from brain_cli.vault.atomic_write import create_note, put, read_note, replace_note, sync_folder
from brain_cli.vault.decode import hash_of
from brain_cli.vault.relink import LinkRewriter, Move, relinked
from brain_cli.vault.resolve import NameTable
from brain_cli.vault.round_trip import round_trip_text

LinkedNote = tuple[NoteMetadata, list[Link]]


class Edit(NamedTuple):
    """A note whose bytes change."""

    path: str
    before: bytes
    after: bytes


class MovePlan(NamedTuple):
    """What a move takes: the note's own bytes before and after, and the other notes that link to it."""

    move: Move
    note: Edit
    others: tuple[Edit, ...]


class Moved(NamedTuple):
    """What has moved: the paths relative to the vault, and the hash of the content that is now at `after`."""

    before: str
    after: str
    content_hash: str
    relinked: tuple[str, ...]


def plan_move(vault: str, move: Move, notes: Iterable[LinkedNote]) -> MovePlan:
    """Plan a move, given what is known of all notes and their links; BrainError when its place is taken."""
    known = list(notes)
    rewriter = LinkRewriter(
        move,
        NameTable(metadata for metadata, _ in known),
        NameTable(
            metadata._replace(path=move.after) if metadata.path == move.before else metadata for metadata, _ in known
        ),
        lambda path: not path.startswith("..") and os.path.exists(os.path.join(vault, path)),
    )
    plan = MovePlan(move, _edit(vault, move, rewriter), tuple(_others(vault, known, rewriter)))
    if os.path.lexists(os.path.join(vault, move.after)) and read_note(vault, move.after) != plan.note.after:
        raise BrainError(f"There is another note at {move.after} already.", "Rename one of the two.")
    return plan


def carry_out(vault: str, plan: MovePlan) -> Moved:
    """Do what is planned."""
    for other in plan.others:
        replace_note(vault, other.path, other.before, other.after)
    _put(vault, plan)
    content_hash = hash_of(plan.note.after)
    return Moved(*plan.move, content_hash, tuple(other.path for other in plan.others))


def _put(vault: str, plan: MovePlan) -> None:
    old, new = (os.path.join(vault, path) for path in plan.move)
    os.makedirs(os.path.dirname(new), exist_ok=True)
    if os.path.lexists(new):
        # An interrupted move came as far as this.
        os.unlink(old)
    elif plan.note.before == plan.note.after:
        put(old, new)
    else:
        create_note(vault, plan.move.after, plan.note.after, like=old)
        os.unlink(old)
    sync_folder(os.path.dirname(new))
    sync_folder(os.path.dirname(old))


def _others(vault: str, known: list[LinkedNote], rewriter: LinkRewriter) -> Iterator[Edit]:
    for metadata, links in known:
        here = Move(metadata.path, metadata.path)
        if metadata.path == rewriter.move.before:
            continue
        # A note that is gone or closed to us since it was listed is not ours to change.
        with contextlib.suppress(OSError, BrainError):
            if _leads_astray(links, here, rewriter):
                edit = _edit(vault, here, rewriter)
                if edit.before != edit.after:
                    yield edit


def _leads_astray(links: list[Link], here: Move, rewriter: LinkRewriter) -> bool:
    for link in links:
        destination = rewriter.destination(link.target, here)
        if destination and not rewriter.stands(link.target, here, destination, as_path=True, as_address=True):
            return True
    return False


def _edit(vault: str, here: Move, rewriter: LinkRewriter) -> Edit:
    raw = read_note(vault, here.before)
    try:
        file = round_trip_text(raw)
    except ValueError:
        return Edit(here.before, raw, raw)
    return Edit(here.before, raw, file.write(relinked(file.text, here, rewriter)))
